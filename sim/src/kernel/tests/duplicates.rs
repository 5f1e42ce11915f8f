//! Requests that are sent twice, by clients and by proxies: `platform.md` 12.5.

use protocol::host::Millis;

use super::script::{Do, call, keep, say, write};
use super::world::{Setting, fixed_at, knobs, late, world};
use crate::kernel::{CallFault, Episode, FaultKind, Micros, Purpose, Ratio, Span};

/// A client repeats what it sends, 30 ms later; told is the answer of the first one, or of the second.
fn repeating_client(told: u64) -> Setting {
    let mut knobs = knobs();
    knobs.duplicate = Episode::once(Ratio::ALWAYS);
    knobs.duplicate_after = Span::exactly(Micros::from_millis(30));
    Setting {
        knobs,
        fixed: vec![fixed_at(Purpose::DuplicateAnswer, 0, "", "", told)],
        ..Setting::default()
    }
}

/// A proxy repeats the first call of `front 0`, 30 ms later.
fn repeating_proxy(told: u64) -> Setting {
    let (aim, _) = late(0, 0);
    Setting {
        aims: vec![(aim, CallFault::Duplicate(Millis(30)))],
        fixed: vec![fixed_at(Purpose::DuplicateAnswer, 0, "front 0", "", told)],
        ..Setting::default()
    }
}

#[test]
fn platform_12_5_what_a_client_repeats_runs_twice_and_one_answer_is_told() {
    for (told, answer, at) in [(0, "x", 0), (1, "x x", 30)] {
        let mut world = world(repeating_client(told));
        let asked = world.ask(0, "a", [keep("x"), Do::Recall]);
        world.run(1_000);
        assert_eq!((world.answer(asked), world.answered_at(asked)), (answer, at));
        assert_eq!(world.times("a", "receives"), [0, 30]);
        assert_eq!(world.marks("a", FaultKind::Duplicated), [30]);
        assert_eq!(world.faults(), ["duplicated"]);
    }
}

#[test]
fn platform_12_5_what_a_proxy_repeats_runs_twice_and_one_answer_is_told() {
    for (told, answer, at) in [(0, "x", 10), (1, "x x", 40)] {
        let mut world = world(repeating_proxy(told));
        let asked = world.ask(0, "front 0", [call("a", [keep("x"), Do::Recall]), Do::Await]);
        world.run(1_000);
        assert_eq!((world.answer(asked), world.answered_at(asked)), (answer, at));
        assert_eq!(world.times("a", "receives"), [5, 35]);
        assert_eq!(world.marks("a", FaultKind::Duplicated), [35]);
        assert_eq!(world.faults(), ["duplicated"]);
    }
}

#[test]
fn platform_12_5_both_runs_commit() {
    let mut world = world(repeating_proxy(0));
    world.ask(0, "front 0", [call("a", [write("x")]), Do::Await]);
    world.run(1_000);
    assert_eq!(world.rows("a"), "x x");
}

/// It is no message of the caller's.
#[test]
fn platform_12_5_a_repetition_has_no_place_in_the_order_of_the_stub() {
    let mut world = world(repeating_proxy(0));
    world.ask(0, "front 0", [call("a", [keep("1")]), call("a", [keep("2")])]);
    let after = world.ask(100, "a", [Do::Recall]);
    world.run(1_000);
    assert_eq!(world.answer(after), "1 2 1");
}

#[test]
fn platform_12_5_a_repetition_can_reach_the_next_incarnation() {
    let mut world = world(repeating_proxy(1));
    let asked = world.ask(0, "front 0", [call("a", [keep("x"), Do::Recall]), Do::Await]);
    world.reset(20, "a");
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), ("x", 40));
    assert_eq!(world.incarnation("a"), 1);
}

/// It had reached the object, and was turned away.
#[test]
fn a_repetition_that_does_not_run_is_no_mark() {
    let mut world = world(repeating_proxy(0));
    world.ask(0, "a", [Do::Work(100)]);
    let asked = world.ask(1, "front 0", [call("a", [say("ran")]), Do::Await]);
    world.reset(50, "a");
    world.run(1_000);
    assert!(world.answer(asked).contains("machine failed"));
    assert_eq!(world.faults(), ["reset"]);
}

#[test]
fn a_proxy_that_has_lost_a_request_does_not_repeat_it() {
    let mut setting = repeating_proxy(0);
    setting.aims.push((late(0, 0).0, CallFault::LoseRequest));
    let mut world = world(setting);
    world.ask(0, "front 0", [call("a", []), Do::Await]);
    world.run(1_000);
    assert_eq!(world.faults(), ["request-lost"]);
    assert!(world.times("a", "receives").is_empty());
}
