//! Messages that do not move for a while, and the order of what is sent before, with and after them: `platform.md` 12.1.

use super::script::{Do, call, call_on, keep, say, stub};
use super::world::{Setting, World, late, world};
use crate::kernel::{FaultKind, Trouble, Way};

/// For the first 100 ms.
fn clog(world: &mut World, (from, to): (&str, &str)) {
    world.trouble(0, (from, to), 100, Trouble::Clog);
}

#[test]
fn platform_12_1_clogged_calls_all_arrive_when_it_ends_in_the_order_they_were_made() {
    let mut world = world(Setting::default());
    clog(&mut world, ("front 0", "a"));
    let script = [
        call("a", [keep("1")]),
        call("a", [keep("2")]),
        Do::Sleep(40),
        call("a", [keep("3")]),
        Do::Await,
        Do::Now,
    ];
    let asked = world.ask(10, "front 0", script);
    let after = world.ask(500, "a", [Do::Recall]);
    world.run(1_000);
    assert_eq!(world.times("a", "receives")[..3], [100; 3]);
    assert_eq!((world.answer(after), world.answer(asked)), ("1 2 3", "105"));
    assert_eq!(world.marks("front 0", FaultKind::Clogged), [10, 10, 50]);
    assert_eq!(world.faults(), ["clogged"]);
}

/// The first call is on its way for 200 ms when the clog begins.
#[test]
fn platform_12_1_what_was_clogged_does_not_overtake_what_was_sent_before() {
    let mut world = world(Setting {
        aims: vec![late(0, 200)],
        ..Setting::default()
    });
    world.ask(
        0,
        "front 0",
        [
            call("a", [keep("1")]),
            Do::Sleep(50),
            call("a", [keep("2")]),
            Do::Await,
        ],
    );
    world.trouble(10, ("front 0", "a"), 90, Trouble::Clog);
    let after = world.ask(500, "a", [Do::Recall]);
    world.run(1_000);
    assert_eq!(world.times("a", "receives")[..2], [205, 205]);
    assert_eq!(world.answer(after), "1 2");
}

/// The second one leaves as its task ends.
#[test]
fn platform_12_1_order_on_one_stub_holds_for_calls_that_nobody_waits_for() {
    let mut world = world(Setting {
        aims: vec![late(0, 200)],
        ..Setting::default()
    });
    world.ask(
        0,
        "front 0",
        [call("a", [keep("1")]), Do::Sleep(50), call("a", [keep("2")])],
    );
    let after = world.ask(500, "a", [Do::Recall]);
    world.run(1_000);
    assert_eq!(world.answer(after), "1 2");
}

/// The first call is late besides.
#[test]
fn platform_12_1_what_is_sent_after_a_clog_does_not_overtake_what_was_clogged() {
    let mut world = world(Setting {
        aims: vec![late(0, 200)],
        ..Setting::default()
    });
    clog(&mut world, ("front 0", "a"));
    world.ask(
        10,
        "front 0",
        [
            call("a", [keep("1")]),
            Do::Sleep(100),
            call("a", [keep("2")]),
            Do::Await,
        ],
    );
    let after = world.ask(500, "a", [Do::Recall]);
    world.run(1_000);
    assert_eq!(world.times("a", "receives")[..2], [215, 215]);
    assert_eq!(world.answer(after), "1 2");
}

#[test]
fn platform_12_1_another_stub_waits_for_the_end_of_the_clog_only() {
    let mut world = world(Setting {
        aims: vec![late(0, 200)],
        ..Setting::default()
    });
    clog(&mut world, ("front 0", "a"));
    world.ask(
        10,
        "front 0",
        [call("a", [keep("1")]), call_on(&stub("a").fresh(), [keep("2")])],
    );
    let after = world.ask(500, "a", [Do::Recall]);
    world.run(1_000);
    assert_eq!(world.times("a", "receives")[..2], [100, 215]);
    assert_eq!(world.answer(after), "2 1");
}

#[test]
fn a_clog_of_the_way_back_holds_answers() {
    let mut world = world(Setting::default());
    clog(&mut world, ("a", "front 0"));
    let asked = world.ask(10, "front 0", [call("a", [say("ok")]), Do::Await, Do::Now]);
    world.run(1_000);
    assert_eq!(world.times("a", "receives"), [15]);
    assert_eq!(world.answer(asked), "ok 100");
    assert_eq!(world.marks("a", FaultKind::Clogged), [15]);
}

#[test]
fn a_clog_is_between_two_and_ends() {
    let mut world = world(Setting::default());
    clog(&mut world, ("front 0", "a"));
    let ask_a = [call("a", [say("ok")]), Do::Await, Do::Now];
    let other_caller = world.ask(10, "front 1", ask_a.clone());
    let other_callee = world.ask(10, "front 0", [call("b", [say("ok")]), Do::Await, Do::Now]);
    let after = world.ask(101, "front 0", ask_a);
    world.run(1_000);
    let answers = [other_caller, other_callee, after].map(|item| world.answer(item).to_owned());
    assert_eq!(answers, ["ok 20", "ok 20", "ok 111"]);
    assert!(world.faults().is_empty());
}

#[test]
fn what_is_lost_is_not_clogged() {
    let mut world = world(Setting::default());
    clog(&mut world, ("front 0", "a"));
    world.trouble(0, ("front 0", "a"), 100, |from, to| {
        Trouble::Partition(from, to, Way::There)
    });
    let asked = world.ask(10, "front 0", [call("a", []), Do::Await, Do::Now]);
    world.run(1_000);
    assert!(world.answer(asked).ends_with(" 60"));
    assert_eq!(world.faults(), ["partitioned"]);
}

/// A message is delivered to the incarnation that is there when it arrives.
#[test]
fn a_clogged_call_reaches_the_next_incarnation() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [keep("memory")]);
    clog(&mut world, ("front 0", "a"));
    let asked = world.ask(10, "front 0", [call("a", [say("ran"), Do::Recall]), Do::Await]);
    world.reset(50, "a");
    world.run(1_000);
    assert_eq!(world.answer(asked), "ran ");
    assert_eq!(world.answered_at(asked), 105);
}
