//! Ends of incarnations: `platform.md` section 9, `workerd.md` T1 and T13.

use super::script::{Do, abort, call, keep, say, throw, write};
use super::world::{Setting, fixed, world};
use crate::kernel::Purpose;

const MACHINE: &str = "[Durable Object reset because its machine failed., remote, retryable, reset]";

#[test]
fn platform_9_an_uncaught_exception_fails_its_request_and_the_object_survives() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "a", [keep("memory"), throw("no")]);
    let after = world.ask(10, "a", [Do::Recall]);
    world.run(100);
    assert_eq!((world.answer(asked), world.answer(after)), ("[no]", "memory"));
}

#[test]
fn workerd_t1_an_abort_loses_the_turn_and_only_it() {
    let mut world = world(Setting::default());
    world.ask(
        0,
        "a",
        [
            write("x"),
            Do::Sleep(5),
            write("y"),
            Do::Sleep(5),
            write("z"),
            abort("boom"),
        ],
    );
    let after = world.ask(15, "a", [Do::Read]);
    world.run(100);
    assert_eq!(
        world.answer(after),
        "x y",
        "the two turns before stay, confirmed or not"
    );
    assert_eq!(world.incarnation("a"), 1);
}

/// All handlers die where they are: none writes any more, and their callers get the same error.
#[test]
fn workerd_t13_an_abort_ends_every_task_of_the_object() {
    let mut world = world(Setting::default());
    let sleeper = world.ask(0, "a", [Do::Sleep(50), write("zombie")]);
    let caller = world.ask(0, "a", [call("b", []), Do::Sleep(40), write("zombie")]);
    let held = world.ask(9, "a", [write("x"), say("ok")]);
    let aborts = world.ask(10, "a", [keep("memory"), abort("boom"), write("zombie")]);
    let after = world.ask(20, "a", [Do::Recall, Do::Read]);
    world.run(1_000);
    for told in [sleeper, caller, held, aborts] {
        assert_eq!(
            (world.answer(told), world.answered_at(told)),
            ("[boom, remote, reset]", 10)
        );
    }
    assert_eq!(world.answer(after), " x");
    assert_eq!(world.rows("a"), "x");
}

#[test]
fn platform_9_what_waits_for_the_thread_is_told_of_the_end_too() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [Do::Work(50), abort("boom")]);
    let waiting = world.ask(10, "a", [write("zombie"), say("ran")]);
    let after = world.ask(60, "a", [say("ran")]);
    world.run(1_000);
    assert_eq!(
        (world.answer(waiting), world.answered_at(waiting)),
        ("[boom, remote, reset]", 50)
    );
    assert_eq!(world.answer(after), "ran");
    assert_eq!(world.rows("a"), "");
}

#[test]
fn a_machine_that_fails_while_code_holds_the_thread_loses_the_turn() {
    let mut world = world(Setting {
        fixed: vec![fixed(Purpose::Survivors, 2, "a", 0)],
        ..Setting::default()
    });
    let before = world.ask(0, "a", [write("x")]);
    let asked = world.ask(
        5,
        "a",
        [
            write("y"),
            call("b", []),
            Do::SetAlarm(500),
            Do::Work(100),
            say("done"),
        ],
    );
    world.reset(50, "a");
    let after = world.ask(60, "a", [Do::Read, Do::ReadAlarm, Do::Now]);
    world.run(1_000);
    assert_eq!(
        world.answered_at(before),
        20,
        "its commit is confirmed while the code works"
    );
    assert_eq!((world.answer(asked), world.answered_at(asked)), (MACHINE, 50));
    assert_eq!(
        world.answer(after),
        "x none 60",
        "the thread of the next incarnation is free"
    );
    assert!(!world.exists("b"));
    assert!(world.times("a", "wakes").is_empty());
}

/// A reply that had left when the machine failed arrives.
#[test]
fn platform_9_callers_of_a_reset_object_get_the_error_and_those_answered_before_keep_their_answer() {
    let mut world = world(Setting::default());
    let quick = world.ask(0, "front 0", [call("a", [say("ok")]), Do::Await]);
    let slow = world.ask(0, "front 1", [call("a", [Do::Sleep(50)]), Do::Await]);
    world.reset(7, "a");
    world.run(1_000);
    assert_eq!((world.answer(quick), world.answered_at(quick)), ("ok", 10));
    assert_eq!((world.answer(slow), world.answered_at(slow)), (MACHINE, 12));
}

#[test]
fn platform_9_a_reset_loses_memory_and_no_confirmed_storage() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [keep("memory"), write("x")]);
    world.reset(100, "a");
    let asked = world.ask(110, "a", [Do::Recall, Do::Read]);
    world.run(1_000);
    assert_eq!(world.answer(asked), " x");
}

/// What was begun by an incarnation that has ended is answered to nobody: the task numbers of the next one begin anew,
/// and none of them is taken for the old one.
#[test]
fn an_answer_to_an_ended_incarnation_is_dropped() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [call("b", [say("stale")]), Do::Sleep(7), Do::Await]);
    world.reset(4, "a");
    let asked = world.ask(5, "a", [call("b", [Do::Sleep(50), say("fresh")]), Do::Await]);
    world.run(1_000);
    assert_eq!(
        world.times("b", "receives"),
        [5, 10],
        "the call of the old one runs all the same"
    );
    assert_eq!(world.answer(asked), "fresh");
}

/// The caller going away never stops the callee.
#[test]
fn platform_16_2_work_goes_on_when_its_caller_is_gone() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [call("b", [Do::Sleep(100), write("late")]), Do::Await]);
    world.reset(50, "a");
    world.run(1_000);
    assert_eq!(world.rows("b"), "late");
}

#[test]
fn platform_9_an_object_without_memory_has_nothing_to_lose() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [write("x")]);
    world.reset(100, "a");
    world.reset(200, "a");
    world.run(1_000);
    assert_eq!(world.times("a", "is reset"), [100]);
    assert_eq!(world.times("a", "fault reset"), [100]);
}
