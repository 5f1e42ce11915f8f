//! Clients that go away: `platform.md` section 16.

use protocol::host::{Millis, Text};

use super::script::{Do, call, keep, say, write};
use super::world::{Setting, World, late, with_faults, world};
use crate::kernel::{Aim, CallFault, Episode, FaultKind, Micros, Ratio, Span};

/// Has the client of a plan item go away.
fn cancel(world: &mut World, at: u64, client_of: u32) {
    world.at(at, "front 0", move |kernel, item, _, _| {
        kernel.cancel(item, client_of)
    });
}

/// 16.1 and 16.3: what it had sent runs all the same.
#[test]
fn platform_16_3_a_cancelled_request_ends_where_it_waits_and_what_it_has_sent_is_executed() {
    let mut world = world(Setting::default());
    let asked = world.ask(
        0,
        "front 0",
        [call("a", [Do::Sleep(10), write("x")]), Do::Await, keep("went on")],
    );
    cancel(&mut world, 3, asked);
    let after = world.ask(500, "front 0", [Do::Recall]);
    world.run(1_000);
    assert_eq!(world.times("a", "receives"), [5]);
    assert_eq!(world.rows("a"), "x");
    assert_eq!((world.answer(asked), world.answer(after)), ("-", ""));
    assert_eq!(world.marks("front 0", FaultKind::Cancelled), [3]);
    assert_eq!(world.faults(), ["cancelled"]);
}

#[test]
fn platform_16_3_a_hand_off_vanishes_between_its_two_hops() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "front 0", [call("a", []), Do::Await, call("b", []), Do::Await]);
    cancel(&mut world, 7, asked);
    world.run(1_000);
    assert!(world.exists("a") && !world.exists("b"));
}

/// The sleep of the old one would end within that of the new one.
#[test]
fn the_answers_of_a_cancelled_task_are_nobodys() {
    let mut world = world(Setting::default());
    let asked = world.ask(
        0,
        "front 0",
        [call("a", [say("late")]), Do::Sleep(50), keep("went on")],
    );
    cancel(&mut world, 3, asked);
    let next = world.ask(
        4,
        "front 0",
        [call("b", [Do::Sleep(100), say("mine")]), Do::Await, Do::Recall],
    );
    world.run(1_000);
    assert_eq!((world.answer(next), world.answered_at(next)), ("mine ", 114));
}

#[test]
fn a_later_task_of_the_same_number_is_not_the_cancelled_one() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "front 0", [call("a", []), Do::Await]);
    cancel(&mut world, 3, asked);
    let next = world.ask(100, "front 0", [Do::Sleep(50), say("ok")]);
    cancel(&mut world, 120, asked);
    world.run(1_000);
    assert_eq!(
        world.times("front 0", "task 0 starts"),
        [0, 100],
        "the number is used again"
    );
    assert_eq!(world.answer(next), "ok");
    assert_eq!(world.marks("front 0", FaultKind::Cancelled), [3]);
}

/// The code that runs is not stopped: its calls leave, and it ends where it would wait.
#[test]
fn platform_16_1_a_request_is_not_cancelled_while_its_code_holds_the_thread() {
    let mut world = world(Setting::default());
    let script = [
        Do::Work(50),
        call("a", [write("x")]),
        Do::Await,
        call("b", []),
        Do::Await,
    ];
    let asked = world.ask(0, "front 0", script);
    cancel(&mut world, 20, asked);
    let waiting = world.ask(10, "front 0", [say("next")]);
    world.run(1_000);
    assert_eq!(world.times("front 0", "task 0 is cancelled"), [50]);
    assert_eq!(world.times("a", "receives"), [55]);
    assert!(!world.exists("b"));
    assert_eq!((world.answer(asked), world.answer(waiting)), ("-", "next"));
}

#[test]
fn platform_16_2_work_that_an_object_does_for_a_client_goes_on() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "a", [Do::Sleep(50), write("x"), say("done")]);
    cancel(&mut world, 10, asked);
    world.run(1_000);
    assert_eq!(world.answer(asked), "done");
    assert!(world.faults().is_empty());
}

#[test]
fn a_client_that_has_its_answer_cancels_nothing() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "front 0", [say("done")]);
    cancel(&mut world, 10, asked);
    world.run(1_000);
    assert_eq!(world.answer(asked), "done");
    assert!(world.faults().is_empty());
}

#[test]
fn an_aimed_cancel_strikes_after_its_call_has_left() {
    let mut world = with_faults([(1, CallFault::Cancel(Millis(3)))]);
    let asked = world.ask(0, "front 0", [call("a", []), Do::Await, call("b", []), Do::Await]);
    world.run(1_000);
    assert_eq!(world.marks("front 0", FaultKind::Cancelled), [13]);
    assert_eq!(world.answer(asked), "-");
    assert_eq!(world.times("b", "receives"), [15]);
}

#[test]
fn a_call_of_an_object_has_no_client_that_could_go_away() {
    let aim = Aim {
        caller: Text::new_static("toy/a"),
        ..late(0, 0).0
    };
    let mut setting = Setting {
        aims: vec![(aim, CallFault::Cancel(Millis(3)))],
        ..Setting::default()
    };
    setting.knobs.cancel = Episode::once(Ratio::ALWAYS);
    let mut world = world(setting);
    let asked = world.ask(0, "a", [call("b", [say("ok")]), Do::Await]);
    world.run(1_000);
    assert_eq!(world.answer(asked), "ok");
    assert!(world.faults().is_empty());
}

#[test]
fn clients_go_away_at_the_rate_of_the_knob() {
    let mut setting = Setting::default();
    setting.knobs.cancel = Episode::once(Ratio::ALWAYS);
    setting.knobs.cancel_after = Span::exactly(Micros::from_millis(3));
    let mut world = world(setting);
    let asked = world.ask(0, "front 0", [call("a", []), Do::Await]);
    world.run(1_000);
    assert_eq!(world.answer(asked), "-");
    assert_eq!(world.marks("front 0", FaultKind::Cancelled), [3]);
}
