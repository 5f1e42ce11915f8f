//! Objects that have nothing to do: `platform.md` section 7.

use protocol::host::Text;

use super::script::{Do, call, keep, say, write};
use super::world::{Setting, World, knobs, world};
use crate::kernel::{Episode, FaultKind, Micros, Ratio, Span};

/// Evicts an object, if it has nothing to do.
fn evict(world: &mut World, at: u64, whom: &str) {
    world.at(at, whom, |kernel, item, whom, _| kernel.evict(item, whom));
}

#[test]
fn platform_7_5_an_eviction_loses_memory_and_no_storage() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [keep("memory"), write("x"), Do::SetAlarm(500)]);
    evict(&mut world, 100, "a");
    let after = world.ask(200, "a", [Do::Recall, Do::Read, Do::ReadAlarm]);
    world.run(400);
    assert_eq!(world.answer(after), " x 500");
    assert_eq!(world.marks("a", FaultKind::Evicted), [100]);
    assert_eq!(world.faults(), ["evicted"]);
}

#[test]
fn platform_7_3_no_code_is_run_and_nobody_is_told() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [keep("memory")]);
    evict(&mut world, 100, "a");
    world.run(1_000);
    assert_eq!(world.incarnation("a"), 1);
    assert_eq!(
        world.times("a", "task"),
        [0, 0],
        "the one request starts and ends"
    );
    assert!(world.times("a", "is reset").is_empty());
}

#[test]
fn platform_6_16_an_evicted_object_is_woken_by_its_alarm() {
    let mut world = world(Setting {
        alarm: |_| vec![write("rang")],
        ..Setting::default()
    });
    world.ask(0, "a", [Do::SetAlarm(500)]);
    evict(&mut world, 100, "a");
    world.run(1_000);
    assert_eq!(world.times("a", "wakes"), [500]);
    assert_eq!(world.rows("a"), "rang");
}

/// `workerd.md`, lifetime: a running handler keeps it, and so does what it has not waited for.
#[test]
fn platform_7_1_an_object_with_something_under_way_is_not_evicted() {
    let slow = || vec![Do::Sleep(50)];
    let under_way = [
        ("a sleep", slow()),
        ("an awaited call", vec![call("b", slow()), Do::Await]),
        ("a call that is not awaited", vec![call("b", slow())]),
        ("a read of a service", vec![Do::Get(Text::new_static("k"))]),
        ("a digest", vec![Do::Digest]),
        ("an unconfirmed commit", vec![write("x")]),
        ("code that holds the thread", vec![Do::Work(50)]),
    ];
    for (what, script) in under_way {
        let mut setting = Setting::default();
        setting.knobs.service = Span::exactly(Micros::from_millis(50));
        let mut world = world(setting);
        world.ask(0, "a", [vec![keep("memory")], script].concat());
        evict(&mut world, 10, "a");
        let after = world.ask(200, "a", [Do::Recall]);
        world.run(1_000);
        assert_eq!(world.answer(after), "memory", "{what}");
        assert!(world.faults().is_empty(), "{what}");
    }
}

/// A world in which what nobody waits for keeps no object in memory, as before the compatibility date 2026-10-01.
fn before_2026_10() -> World {
    let mut setting = Setting::default();
    setting.knobs.evicts_at_work = true;
    world(setting)
}

#[test]
fn platform_7_4_work_that_nobody_waits_for_may_not_keep_an_object() {
    let mut world = before_2026_10();
    world.ask(0, "a", [keep("memory"), call("b", [Do::Sleep(100), write("x")])]);
    evict(&mut world, 50, "a");
    let after = world.ask(200, "a", [Do::Recall]);
    world.run(1_000);
    assert_eq!(world.answer(after), "");
    assert_eq!(world.rows("b"), "x", "what was sent is done");
    assert_eq!(world.faults(), ["evicted", "evicted-at-work"]);
}

#[test]
fn platform_7_4_an_event_in_progress_keeps_an_object_all_the_same() {
    let under_way = [
        ("an awaited call", vec![call("b", [Do::Sleep(100)]), Do::Await]),
        ("a sleep", vec![Do::Sleep(100)]),
        ("an unconfirmed commit", vec![write("x")]),
        ("code that holds the thread", vec![Do::Work(100)]),
    ];
    for (what, script) in under_way {
        let mut world = before_2026_10();
        world.ask(0, "a", [vec![keep("memory")], script].concat());
        evict(&mut world, 10, "a");
        let after = world.ask(200, "a", [Do::Recall]);
        world.run(1_000);
        assert_eq!(world.answer(after), "memory", "{what}");
    }
}

#[test]
fn platform_7_1_an_object_whose_alarm_runs_is_not_evicted() {
    let mut world = world(Setting {
        alarm: |_| vec![Do::Sleep(100)],
        ..Setting::default()
    });
    world.ask(0, "a", [keep("memory"), Do::SetAlarm(50)]);
    evict(&mut world, 100, "a");
    let after = world.ask(200, "a", [Do::Recall]);
    world.run(1_000);
    assert_eq!(world.answer(after), "memory");
}

#[test]
fn an_object_that_is_not_loaded_is_not_evicted() {
    let mut world = world(Setting::default());
    evict(&mut world, 0, "a");
    world.ask(10, "a", [keep("memory")]);
    evict(&mut world, 100, "a");
    evict(&mut world, 200, "a");
    world.run(1_000);
    assert_eq!(world.marks("a", FaultKind::Evicted), [100]);
}

/// Whatever its last turn was like.
#[test]
fn platform_7_2_an_object_is_evicted_after_a_while_without_events() {
    let mut knobs = knobs();
    knobs.eviction = Episode::once(Ratio::ALWAYS);
    knobs.idle = Span::exactly(Micros::from_millis(100));
    let last = [
        (keep("memory"), 200),
        (write("x"), 200),
        (Do::Work(10), 210),
        (Do::Sleep(10), 210),
    ];
    for (last, evicted) in last {
        let mut world = world(Setting {
            knobs: knobs.clone(),
            ..Setting::default()
        });
        world.ask(0, "a", [say("first")]);
        world.ask(50, "a", [say("second")]);
        world.ask(100, "a", [last.clone()]);
        world.run(1_000);
        assert_eq!(world.marks("a", FaultKind::Evicted), [evicted], "{last:?}");
    }
}

/// Its callers do not notice.
#[test]
fn a_stub_of_an_evicted_object_is_as_good_as_before() {
    let mut world = world(Setting::default());
    let ask_a = [call("a", [say("ok")]), Do::Await];
    let asked = world.ask(0, "front 0", [&ask_a[..], &[Do::Sleep(100)], &ask_a].concat());
    evict(&mut world, 50, "a");
    world.run(1_000);
    assert_eq!(world.answer(asked), "ok ok");
    assert_eq!(world.incarnation("a"), 1);
}
