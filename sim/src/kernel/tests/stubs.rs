//! Broken stubs, and what is in flight on them: `platform.md` sections 11.7 and 12.2.

use protocol::host::{Millis, Stub};

use super::script::{Do, NS, abort, call, call_on, keep, say, stub, write};
use super::world::{LOST, Setting, with_faults, world};
use crate::kernel::CallFault;

/// `workerd.md`, errors at the caller: the same stub fails for ever; another one reaches the next incarnation.
#[test]
fn platform_11_7_a_stub_whose_callee_was_reset_stays_broken() {
    let fresh = stub("a").fresh();
    let script = [
        call("a", [keep("memory"), abort("boom")]),
        Do::Await,
        call("a", [say("not run")]),
        Do::Await,
        call_on(&fresh, [keep("new"), Do::Recall]),
        Do::Await,
        Do::Sleep(1_000),
        call("a", [say("not run")]),
        Do::Await,
        Do::Now,
    ];
    for caller in ["front 0", "caller"] {
        let mut world = world(Setting::default());
        let asked = world.ask(0, caller, script.clone());
        world.run(2_000);
        // The first failure is the callee's, later ones are the stub's own.
        let (boom, dead) = ("[boom, remote, reset]", "[boom, reset]");
        // 10 ms for the first call and 10 for the third; those on the broken stub take no time.
        assert_eq!(
            world.answer(asked),
            format!("{boom} {dead} new {dead} 1020"),
            "{caller}"
        );
        assert_eq!(world.times("a", "receives"), [5, 15]);
    }
}

/// `Stub::once`: nothing is kept of it.
#[test]
fn a_stub_for_one_call_is_never_broken() {
    let once = Stub::once(NS, protocol::host::ObjectName::new("a"));
    let mut world = with_faults([(0, CallFault::LoseRequest)]);
    let script = [
        call_on(&once, [say("not run")]),
        Do::Sleep(1),
        call_on(&once, [say("ok")]),
        Do::Await,
    ];
    let asked = world.ask(0, "front 0", script);
    world.run(1_000);
    assert_eq!(world.answer(asked), format!("ok {LOST}"));
}

/// The second call is lost. The first is answered before the caller knows, and stays answered; the third has run, and
/// the fourth runs still: both fail when the caller is told, as does the fifth, which is made later.
#[test]
fn platform_12_2_calls_in_flight_on_a_stub_fail_when_the_caller_is_told_and_later_ones_at_once() {
    let mut world = with_faults([
        (1, CallFault::LoseRequest),
        (2, CallFault::DelayAnswer(Millis(200))),
    ]);
    let script = [
        call("a", [say("1")]),
        call("a", [say("2"), write("2")]),
        call("a", [say("3"), write("3")]),
        call("a", [Do::Sleep(300), say("4"), write("4")]),
        call("b", [Do::Sleep(100), say("other")]),
        Do::Sleep(60),
        Do::Now,
        call("a", [say("5"), write("5")]),
        Do::Await,
        Do::Now,
    ];
    let asked = world.ask(0, "front 0", script);
    world.run(1_000);
    assert_eq!(world.times("front 0", "call 0.0 is answered"), [10]);
    for lost in ["call 0.1", "call 0.2", "call 0.3"] {
        assert_eq!(
            world.times("front 0", &format!("{lost} is answered: error")),
            [50],
            "{lost}"
        );
        assert_eq!(
            world.times("front 0", &format!("{lost} is answered")),
            [50],
            "{lost} once only"
        );
    }
    assert_eq!(
        world.answer(asked),
        format!("1 {LOST} {LOST} {LOST} 60 {LOST} other 110")
    );
    assert_eq!(world.rows("a"), "3 4");
}

#[test]
fn platform_12_2_calls_in_flight_fail_when_the_callee_is_reset() {
    let mut world = world(Setting::default());
    let script = [
        call("a", [Do::Sleep(100), say("slow")]),
        call("a", [Do::Sleep(10), abort("boom")]),
        Do::Sleep(18),
        // On its way when the caller is told; it reaches the next incarnation and runs there.
        call("a", [say("ran"), keep("ran")]),
        Do::Await,
        Do::Now,
    ];
    let asked = world.ask(0, "front 0", script);
    let after = world.ask(100, "a", [Do::Recall]);
    world.run(1_000);
    let boom = "[boom, remote, reset]";
    assert_eq!(world.answer(asked), format!("{boom} {boom} {boom} 20"));
    assert_eq!(world.answer(after), "ran");
}

/// Until the caller is told, its stub serves.
#[test]
fn platform_12_2_a_stub_is_not_broken_before_the_caller_is_told() {
    for fault in [CallFault::LoseRequest, CallFault::LoseAnswer] {
        let mut world = with_faults([(0, fault)]);
        let asked = world.ask(
            0,
            "front 0",
            [call("a", []), Do::Sleep(20), call("a", [say("ok")]), Do::Await],
        );
        world.run(1_000);
        assert_eq!(world.answer(asked), format!("ok {LOST}"));
    }
}

/// Two isolates' stubs, and those of two requests of one isolate, have nothing to do with each other.
#[test]
fn platform_12_2_what_breaks_is_one_stub_of_one_holder() {
    let mut world = with_faults([(0, CallFault::LoseRequest)]);
    let lost = world.ask(0, "front 0", [call("a", []), Do::Await]);
    let same_isolate = world.ask(1, "front 0", [Do::Sleep(60), call("a", [say("ok")]), Do::Await]);
    let other_isolate = world.ask(1, "front 1", [Do::Sleep(60), call("a", [say("ok")]), Do::Await]);
    world.run(1_000);
    assert_eq!(world.answer(lost), LOST);
    assert_eq!(
        (world.answer(same_isolate), world.answer(other_isolate)),
        ("ok", "ok")
    );
}

/// The answers of calls that have failed come when the task that made them has ended.
#[test]
fn what_was_given_up_is_answered_to_nobody() {
    let mut world = with_faults([(0, CallFault::LoseRequest)]);
    let script = [call("a", []), call("a", [Do::Sleep(100), say("late")]), Do::Await];
    let asked = world.ask(0, "front 0", script);
    let after = world.ask(
        70,
        "front 0",
        [call("a", [Do::Sleep(100), say("ok")]), Do::Await, Do::Now],
    );
    world.run(1_000);
    assert_eq!(
        (world.answer(asked), world.answered_at(asked)),
        (&*format!("{LOST} {LOST}"), 50)
    );
    assert_eq!(world.answer(after), "ok 180");
}

/// The lost call leaves as its task ends; a later task has its number, and not its stubs.
#[test]
fn a_front_workers_stub_ends_with_its_task() {
    let mut world = with_faults([(0, CallFault::LoseRequest)]);
    world.ask(0, "front 0", [call("a", [])]);
    let asked = world.ask(60, "front 0", [call("a", [say("ok")]), Do::Await]);
    world.run(1_000);
    assert_eq!(
        world.times("front 0", "task 0 starts"),
        [0, 60],
        "the number is used again"
    );
    assert_eq!(world.answer(asked), "ok");
}

/// An object's stubs live as long as its incarnation.
#[test]
fn a_broken_stub_of_an_object_is_whole_again_in_its_next_incarnation() {
    let mut world = world(Setting::default());
    let ask_b = [call("b", [say("ok")]), Do::Await];
    world.ask(0, "a", [call("b", [abort("boom")]), Do::Await]);
    let broken = world.ask(50, "a", ask_b.clone());
    world.reset(100, "a");
    let whole = world.ask(150, "a", ask_b);
    world.run(1_000);
    assert_eq!(
        (world.answer(broken), world.answer(whole)),
        ("[boom, reset]", "ok")
    );
}

/// The call that the fault is aimed at is the second that leaves, whatever fails at once before it.
#[test]
fn an_aimed_fault_is_not_used_up_by_a_call_on_a_broken_stub() {
    let fresh = stub("a").fresh();
    let mut world = with_faults([(1, CallFault::LoseRequest)]);
    let script = [
        call("a", [abort("boom")]),
        Do::Await,
        call("a", [say("not run")]),
        Do::Await,
        call_on(&fresh, [say("not run")]),
        Do::Await,
    ];
    let asked = world.ask(0, "front 0", script);
    world.run(1_000);
    assert_eq!(
        world.answer(asked),
        format!("[boom, remote, reset] [boom, reset] {LOST}")
    );
    assert_eq!(world.times("front 0", "fault request-lost"), [10]);
}
