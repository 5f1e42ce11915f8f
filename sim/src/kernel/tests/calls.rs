//! Calls, stubs and errors: `platform.md` sections 11 and 12.

use protocol::host::{CallError, Millis, Stub};

use super::script::{Do, abort, call, call_on, keep, say, stub, throw, write};
use super::world::{LOST, Setting, with_faults, world};
use crate::kernel::{CallFault, Micros, Span};

#[test]
fn platform_11_1_what_a_callee_throws_is_remote() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "front 0", [call("a", [throw("no")]), Do::Await]);
    world.run(100);
    assert_eq!(world.answer(asked), "[no, remote]");
}

/// Also what the callee itself was told by another object, and passes on.
#[test]
fn platform_11_5_flags_travel_with_an_error_and_break_no_stub() {
    let forged = CallError {
        retryable: true,
        overloaded: true,
        reset: true,
        ..CallError::thrown("forged")
    };
    let mut world = world(Setting::default());
    let script = [
        call("a", [Do::Throw(forged)]),
        Do::Await,
        call("a", [say("ok")]),
        Do::Await,
    ];
    let asked = world.ask(0, "front 0", script);
    world.run(100);
    assert_eq!(
        world.answer(asked),
        "[forged, remote, retryable, overloaded, reset] ok"
    );
}

#[test]
fn platform_11_7_a_stub_whose_callee_threw_is_as_good_as_before() {
    let mut world = world(Setting::default());
    let script = [
        call("a", [throw("no")]),
        Do::Await,
        call("a", [say("ok")]),
        Do::Await,
    ];
    let asked = world.ask(0, "front 0", script);
    world.run(100);
    assert_eq!(world.answer(asked), "[no, remote] ok");
}

/// The first is 40 ms late, and the others wait behind it.
#[test]
fn platform_12_1_calls_on_one_stub_start_in_the_order_they_were_made() {
    let mut world = with_faults([(0, CallFault::DelayRequest(Millis(40)))]);
    let calls: Vec<Do> = (0..20).map(|nth| call("a", [keep(&nth.to_string())])).collect();
    world.ask(0, "front 0", [&calls[..], &[Do::Await]].concat());
    let asked = world.ask(1_000, "a", [Do::Recall]);
    world.run(2_000);
    assert_eq!(world.times("a", "receives")[..20], [45; 20]);
    let in_order: Vec<String> = (0..20).map(|nth| nth.to_string()).collect();
    assert_eq!(world.answer(asked), in_order.join(" "));
}

/// `workerd.md`, order: whatever the latencies are.
#[test]
fn platform_12_1_order_on_one_stub_holds_for_any_latency() {
    let mut setting = Setting::default();
    setting.knobs.latency = Span {
        least: Micros::ZERO,
        most: Micros::from_millis(50),
    };
    let mut world = world(setting);
    let calls: Vec<Do> = (0..1_000)
        .map(|nth| call("a", [keep(&nth.to_string())]))
        .collect();
    world.ask(0, "front 0", [&calls[..], &[Do::Await]].concat());
    let asked = world.ask(1_000, "a", [Do::Recall]);
    world.run(2_000);
    let in_order: Vec<String> = (0..1_000).map(|nth| nth.to_string()).collect();
    assert_eq!(world.answer(asked), in_order.join(" "));
}

#[test]
fn platform_12_1_between_two_stubs_there_is_no_order() {
    let fresh = stub("a").fresh();
    let mut world = with_faults([(0, CallFault::DelayRequest(Millis(40)))]);
    world.ask(
        0,
        "front 0",
        [
            call("a", [keep("first")]),
            call_on(&fresh, [keep("second")]),
            Do::Await,
        ],
    );
    let asked = world.ask(1_000, "a", [Do::Recall]);
    world.run(2_000);
    assert_eq!(world.answer(asked), "second first");
}

#[test]
fn platform_12_1_between_answers_there_is_no_order() {
    let mut world = with_faults([(0, CallFault::DelayAnswer(Millis(40)))]);
    let script = [
        call("a", [say("first")]),
        call("a", [say("second")]),
        Do::Await,
        Do::Now,
    ];
    let asked = world.ask(0, "front 0", script);
    world.run(1_000);
    assert_eq!(world.answer(asked), "second first 50");
}

/// Not delivered, or run with its effects durable: the caller is told the same.
#[test]
fn platform_12_3_a_lost_request_and_a_lost_answer_look_alike() {
    let rows = [(CallFault::LoseRequest, ""), (CallFault::LoseAnswer, "x")];
    for (fault, rows) in rows {
        let mut world = with_faults([(0, fault)]);
        let asked = world.ask(0, "front 0", [call("a", [write("x"), say("ok")]), Do::Await]);
        world.run(1_000);
        assert_eq!(
            world.answer(asked),
            LOST,
            "platform 11.2: a disconnect is retryable"
        );
        assert_eq!(world.rows("a"), rows);
    }
}

/// Run, and lost before anything of it was durable.
#[test]
fn platform_12_3_a_call_that_has_run_can_have_left_nothing() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "front 0", [call("a", [write("x"), abort("boom")]), Do::Await]);
    world.run(1_000);
    assert_eq!(world.answer(asked), "[boom, remote, reset]");
    assert_eq!(world.rows("a"), "");
}

#[test]
fn platform_12_4_a_call_is_delivered_at_most_once() {
    let mut world = with_faults([(0, CallFault::LoseAnswer)]);
    world.ask(0, "front 0", [call("a", [write("x")]), Do::Await]);
    world.run(100_000);
    assert_eq!(world.times("a", "receives"), [5]);
}

/// `workerd.md` I9.
#[test]
fn platform_12_6_cycles_work() {
    let mut world = world(Setting::default());
    let a_b_a = [
        keep("out"),
        call("b", [call("a", [keep("in"), Do::Recall]), Do::Await]),
        Do::Await,
    ];
    let asked = world.ask(0, "a", a_b_a);
    let to_itself = world.ask(100, "a", [call("a", [say("me")]), Do::Await]);
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answer(to_itself)), ("out in", "me"));
}

/// `workerd.md` I14.
#[test]
fn a_handler_that_never_ends_leaves_its_caller_waiting() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "front 0", [call("a", [Do::Sleep(1_000_000_000)]), Do::Await]);
    world.run(100_000_000);
    assert_eq!(world.answer(asked), "-");
}

#[test]
fn a_call_to_a_namespace_that_is_not_there_fails() {
    let nowhere = Stub::new(
        protocol::host::Namespace::new("nowhere"),
        protocol::host::ObjectName::new("a"),
    );
    let mut world = world(Setting::default());
    let asked = world.ask(0, "front 0", [call_on(&nowhere, []), Do::Await]);
    world.run(100);
    assert_eq!(world.answer(asked), "[there is no namespace nowhere]");
}
