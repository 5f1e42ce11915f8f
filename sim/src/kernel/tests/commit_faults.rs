//! Commits that fail, and commits that are not confirmed for a while: `platform.md` section 3, `workerd.md` T11.

use protocol::host::Text;

use super::script::{Do, call, keep, say, write};
use super::world::{Setting, World, fixed, knobs, world};
use crate::kernel::{Episode, FaultKind, Knobs, Purpose, Ratio, Span, Trouble};

const FULL: &str = "[database or disk is full: SQLITE_FULL, remote, reset]";
const TIMEOUT: &str = "[Durable Object storage operation exceeded timeout which caused object to be reset., remote, \
     overloaded, reset]";

/// Has the next commit fail that comes to be confirmed.
fn fail_commit(world: &mut World, at: u64) {
    world.at(at, "a", |kernel, item, object, _| {
        kernel.fail_commit(item, object).expect("it has storage");
    });
}

/// `workerd.md` T11.
#[test]
fn platform_3_1_what_waits_for_a_commit_that_fails_is_never_sent_and_the_object_is_reset() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [keep("memory"), write("x")]);
    fail_commit(&mut world, 90);
    let acts = Do::Act(Text::new_static("mail"));
    let asked = world.ask(100, "a", [write("y"), call("b", []), acts, say("done")]);
    let after = world.ask(200, "a", [Do::Recall, Do::Read]);
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), (FULL, 120));
    assert!(!world.exists("b"));
    assert!(world.times("a", "acts").is_empty());
    assert_eq!(world.answer(after), " x", "earlier commits stay");
    assert_eq!(world.marks("a", FaultKind::CommitFailed), [120]);
    assert_eq!(world.faults(), ["commit-failed", "commits-lost"]);
}

/// Also those of who has only read what was not confirmed (3.3).
#[test]
fn platform_3_1_all_later_commits_fail_with_it_and_all_callers_are_told() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [write("x")]);
    fail_commit(&mut world, 90);
    let asked = [
        world.ask(100, "a", [write("y")]),
        world.ask(105, "a", [write("z")]),
        world.ask(110, "a", [Do::Read]),
        world.ask(50, "a", [Do::Sleep(500)]),
    ];
    world.run(1_000);
    for item in asked {
        assert_eq!((world.answer(item), world.answered_at(item)), (FULL, 120));
    }
    assert_eq!(world.rows("a"), "x");
}

#[test]
fn platform_4_2_a_commit_that_was_confirmed_before_another_fails_stays() {
    let mut world = world(Setting::default());
    let first = world.ask(0, "a", [write("x"), say("ok")]);
    fail_commit(&mut world, 25);
    let second = world.ask(10, "a", [write("y"), say("ok")]);
    world.run(1_000);
    assert_eq!((world.answer(first), world.answer(second)), ("ok", FULL));
    assert_eq!(world.rows("a"), "x");
}

#[test]
fn a_commit_fails_once() {
    let mut world = world(Setting::default());
    fail_commit(&mut world, 0);
    let asked = [0, 100].map(|at| world.ask(at, "a", [write("x"), say("ok")]));
    world.run(1_000);
    assert_eq!(asked.map(|item| world.answer(item).to_owned()), [FULL, "ok"]);
}

#[test]
fn commits_fail_at_the_rate_of_the_knob() {
    let mut setting = Setting::default();
    setting.knobs.commit_failure = Episode::once(Ratio::ALWAYS);
    let mut world = world(setting);
    let asked = world.ask(0, "a", [write("x")]);
    world.run(1_000);
    assert_eq!(world.answer(asked), FULL);
    assert_eq!(world.marks("a", FaultKind::CommitFailed), [20]);
}

/// Has no commit be confirmed for a while.
fn stall(world: &mut World, at: u64, lasts: u64) {
    world.trouble(at, ("a", "a"), lasts, |object, _| Trouble::CommitStall(object));
}

/// Made while it lasts, or before it began.
#[test]
fn platform_3_1_messages_wait_for_a_stalled_commit_until_it_is_confirmed() {
    for (made, struck) in [(50, 50), (0, 20)] {
        let mut world = world(Setting::default());
        stall(&mut world, 10, 190);
        let asked = world.ask(made, "a", [write("x"), call("b", []), say("ok")]);
        world.run(1_000);
        assert_eq!((world.answer(asked), world.answered_at(asked)), ("ok", 200));
        assert_eq!(world.times("b", "receives"), [205]);
        assert_eq!(world.marks("a", FaultKind::CommitStalled), [struck]);
        assert_eq!(world.faults(), ["commit-stalled"]);
    }
}

#[test]
fn platform_4_2_stalled_commits_are_confirmed_in_the_order_they_were_made() {
    let mut world = world(Setting::default());
    stall(&mut world, 0, 100);
    for at in [10, 20, 30] {
        world.ask(at, "a", [write("x")]);
    }
    world.run(1_000);
    for nth in 0..3 {
        assert_eq!(world.times("a", &format!("commit no. {nth} is durable")), [100]);
    }
}

#[test]
fn platform_3_4_a_message_that_waits_for_30_s_resets_the_object() {
    // It was made while no commit is confirmed, or before that.
    for made in [20, 0] {
        for (lost, rows) in [(0, "x"), (1, "")] {
            let mut world = world(Setting {
                fixed: vec![fixed(Purpose::Survivors, 1, "a", lost)],
                ..Setting::default()
            });
            stall(&mut world, 10, 100_000);
            let asked = world.ask(made, "a", [write("x"), call("b", []), say("ok")]);
            world.run(50_000);
            assert_eq!(
                (world.answer(asked), world.answered_at(asked)),
                (TIMEOUT, made + 30_000)
            );
            assert_eq!(world.rows("a"), rows, "its commit may have become durable");
            assert!(!world.exists("b"));
            assert_eq!(world.marks("a", FaultKind::GateTimeout), [made + 30_000]);
        }
    }
}

#[test]
fn platform_3_4_a_commit_for_which_no_message_waits_resets_nothing() {
    let mut world = world(Setting::default());
    stall(&mut world, 0, 50_000);
    let asked = world.ask(10, "a", [write("x"), Do::Sleep(60_000), say("ok")]);
    world.run(100_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), ("ok", 60_010));
    assert_eq!(world.faults(), ["commit-stalled"]);
}

#[test]
fn platform_3_4_the_gate_waits_from_when_the_first_message_does() {
    let mut world = world(Setting::default());
    stall(&mut world, 0, 100_000);
    let script = [
        write("x"),
        Do::Sleep(10_000),
        call("b", []),
        Do::Sleep(5_000),
        call("b", []),
        Do::Await,
    ];
    let asked = world.ask(10, "a", script);
    world.run(100_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), (TIMEOUT, 40_010));
    assert!(!world.exists("b"));
}

#[test]
fn platform_3_4_a_stall_that_ends_in_time_resets_nothing() {
    let mut world = world(Setting::default());
    stall(&mut world, 0, 30_000);
    let asked = world.ask(10, "a", [write("x"), say("ok")]);
    world.run(100_000);
    assert_eq!(world.answer(asked), "ok");
    assert_eq!(world.faults(), ["commit-stalled"]);
}

/// What the next incarnation writes is stalled as well.
#[test]
fn a_stall_outlives_the_incarnation() {
    let mut world = world(Setting {
        fixed: vec![fixed(Purpose::Survivors, 2, "a", 0)],
        ..Setting::default()
    });
    stall(&mut world, 0, 100);
    let before = world.ask(10, "a", [write("x")]);
    world.reset(20, "a");
    let after = world.ask(30, "a", [write("y"), Do::Read]);
    world.run(1_000);
    assert!(world.answer(before).contains("machine failed"));
    assert_eq!((world.answer(after), world.answered_at(after)), ("x y", 100));
}

/// No fault says so: the storage is that slow.
#[test]
fn platform_3_4_a_commit_that_takes_longer_than_the_gate_waits_resets_the_object() {
    let slow = |length| Knobs {
        confirm: Span::millis(length, length),
        ..knobs()
    };
    for (length, resets) in [(29_000, 0), (40_000, 1)] {
        let mut world = world(Setting {
            knobs: slow(length),
            ..Setting::default()
        });
        world.ask(0, "a", [write("x"), say("ok")]);
        world.run(100_000);
        assert_eq!(world.incarnation("a"), resets, "a commit of {length} ms");
    }
}
