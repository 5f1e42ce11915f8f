//! Two incarnations at once: `platform.md` section 13.

use protocol::host::{End, Statement, Text};

use super::script::{Do, call, keep, say, write};
use super::world::{Setting, World, fixed, world};
use crate::kernel::{Episode, FaultKind, Micros, Purpose, Ratio, SectionEnd, SectionKind, Span};

/// What callers of a stale incarnation are told.
const MOVED: &str = "[Network connection lost., remote, retryable, reset]";

#[test]
fn platform_13_1_a_stale_incarnation_goes_on_from_memory_and_new_events_reach_the_new_one() {
    let mut world = world(Setting::default());
    let old = world.ask(0, "a", [keep("old"), Do::Sleep(50), Do::Recall]);
    world.displace(10, "a", 1_000);
    let new = world.ask(20, "a", [keep("new"), Do::Recall]);
    let after = world.ask(100, "a", [Do::Recall]);
    world.run(500);
    assert_eq!((world.answer(old), world.answered_at(old)), ("old", 50));
    assert_eq!((world.answer(new), world.answer(after)), ("new", "new"));
    assert_eq!(world.marks("a", FaultKind::Displaced), [10]);
    assert_eq!(world.marks("a", FaultKind::StaleRan), [50]);
    assert_eq!(world.faults(), ["displaced", "stale-ran"]);
}

#[test]
fn platform_13_1_a_stale_incarnation_gets_the_answers_of_what_it_has_begun() {
    let mut world = world(Setting::default());
    let old = world.ask(0, "a", [call("b", [Do::Sleep(20), say("hi")]), Do::Await]);
    world.displace(10, "a", 1_000);
    world.run(500);
    assert_eq!(world.answer(old), "hi");
}

/// Whatever it is, and whether or not the code catches what it is told.
#[test]
fn platform_13_1_its_next_access_to_storage_ends_it() {
    let select = Statement::new("SELECT 1", []);
    let accesses = [
        Do::Read,
        Do::Sql(select.clone()),
        Do::Transact(vec![select], End::Commit),
        Do::SetAlarm(500),
        Do::ClearAlarm,
        Do::ReadAlarm,
    ];
    for access in accesses {
        let mut world = world(Setting::default());
        let script = [Do::Sleep(50), access.clone(), call("b", []), say("went on")];
        let asked = world.ask(0, "a", script);
        let other = world.ask(0, "a", [Do::Sleep(100), say("went on")]);
        world.displace(10, "a", 1_000);
        world.run(500);
        for item in [asked, other] {
            let told = (world.answer(item), world.answered_at(item));
            assert_eq!(told, (MOVED, 50), "{access:?}");
        }
        assert!(!world.exists("b"), "{access:?}");
        assert_eq!(world.marks("a", FaultKind::StaleEnded), [50], "{access:?}");
    }
}

/// `blockConcurrencyWhile` is none; a transaction is.
#[test]
fn platform_13_1_a_critical_section_alone_is_no_access_to_storage() {
    for (kind, answer) in [(SectionKind::Block, "ok"), (SectionKind::Transaction, MOVED)] {
        let mut world = world(Setting::default());
        let section = [Do::Enter(kind), Do::Leave(SectionEnd::Done), say("ok")];
        let asked = world.ask(0, "a", [&[Do::Sleep(50)], &section[..]].concat());
        world.displace(10, "a", 1_000);
        world.run(500);
        assert_eq!(world.answer(asked), answer, "{kind:?}");
    }
}

#[test]
fn platform_13_1_one_that_never_touches_storage_never_learns() {
    let mut world = world(Setting::default());
    let asked = world.ask(
        0,
        "a",
        [
            keep("stale"),
            Do::Sleep(200),
            call("b", [write("x")]),
            Do::Await,
            Do::Recall,
        ],
    );
    world.displace(100, "a", 30_000);
    let other = world.ask(150, "a", [keep("new"), Do::Sleep(200), Do::Recall]);
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answer(other)), ("stale", "new"));
    assert_eq!(world.rows("b"), "x", "it calls others as if it were the only one");
}

/// A move, and an update of the code; a partition of the object looks like a move.
#[test]
fn platform_13_3_what_replaces_an_incarnation_that_runs() {
    let replaced_by = |replace: fn(&mut super::world::World)| {
        let mut world = world(Setting::default());
        let asked = world.ask(0, "a", [keep("stale"), Do::Sleep(200), Do::Recall]);
        replace(&mut world);
        let other = world.ask(150, "a", [Do::Recall]);
        world.run(1_000);
        (world.answer(asked).to_owned(), world.answer(other).to_owned())
    };
    let both = ("stale".to_owned(), String::new());
    assert_eq!(
        replaced_by(|world| {
            world.displace(100, "a", 30_000);
        }),
        both
    );
    assert_eq!(
        replaced_by(|world| {
            world.deploy(100, 1, 100);
        }),
        both
    );
}

/// 13.2: responses and calls are not fenced.
#[test]
fn platform_13_2_messages_of_a_stale_incarnation_leave() {
    let mut world = world(Setting::default());
    let mail = Do::Act(Text::new_static("mail"));
    let put = Do::Put(Text::new_static("k"), Text::new_static("stale"));
    world.ask(
        0,
        "a",
        [Do::Sleep(50), call("b", []), mail, put, Do::Sleep(10), Do::Read],
    );
    world.displace(10, "a", 1_000);
    let get = world.ask(100, "front 0", [Do::Get(Text::new_static("k"))]);
    world.run(500);
    assert_eq!(world.times("b", "receives"), [55]);
    assert_eq!(world.times("a", "acts"), [50]);
    assert_eq!(world.answer(get), "stale");
    assert_eq!(world.marks("a", FaultKind::StaleEnded), [60]);
}

#[test]
fn platform_13_2_a_message_behind_a_write_of_a_stale_incarnation_does_not_leave() {
    let mut world = world(Setting::default());
    let asked = world.ask(
        0,
        "a",
        [Do::Sleep(50), Do::SetAlarm(900), call("b", []), say("ok")],
    );
    world.displace(10, "a", 1_000);
    world.run(500);
    assert_eq!(world.answer(asked), MOVED);
    assert!(!world.exists("b"));
}

/// PL-1: the kernel asserts it of every turn.
#[test]
fn platform_13_2_only_the_new_incarnation_commits() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [write("x"), Do::Sleep(50), Do::SetAlarm(900)]);
    world.displace(30, "a", 1_000);
    world.ask(40, "a", [write("y")]);
    world.ask(60, "a", [write("z")]);
    let after = world.ask(100, "a", [Do::Read, Do::ReadAlarm]);
    world.run(500);
    assert_eq!(world.answer(after), "x y z none");
}

/// Three commits are in flight. Where some are lost, the gate of the incarnation is broken, and it ends.
#[test]
fn platform_13_of_the_commits_in_flight_a_prefix_is_durable() {
    for (lost, left) in [(1, "0 1"), (2, "0"), (3, "")] {
        let mut world = world(Setting {
            fixed: vec![fixed(Purpose::Survivors, 3, "a", lost)],
            ..Setting::default()
        });
        let asked = [0, 1, 2].map(|at| world.ask(at, "a", [write(&at.to_string()), say("ok")]));
        world.displace(10, "a", 1_000);
        world.run(500);
        assert_eq!(world.rows("a"), left);
        for item in asked {
            assert_eq!((world.answer(item), world.answered_at(item)), (MOVED, 10));
        }
        assert_eq!(world.faults(), ["displaced", "commits-lost"]);
    }
}

/// Nothing is lost; whether its callers hear of that depends on whether it does.
#[test]
fn platform_13_an_incarnation_may_hear_that_its_last_commits_are_durable() {
    for (learns, answer, faults) in [
        (0, "ok", vec!["displaced", "stale-ended"]),
        (1, MOVED, vec!["displaced"]),
    ] {
        let mut world = world(Setting {
            fixed: vec![
                fixed(Purpose::Survivors, 1, "a", 0),
                fixed(Purpose::Learns, 1, "a", learns),
            ],
            ..Setting::default()
        });
        let asked = world.ask(0, "a", [write("x"), say("ok")]);
        world.displace(10, "a", 100);
        world.run(500);
        assert_eq!((world.answer(asked), world.answered_at(asked)), (answer, 10));
        assert_eq!(world.rows("a"), "x");
        assert_eq!(world.faults(), faults);
    }
}

#[test]
fn a_stale_incarnation_ends_when_its_time_is_over() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "a", [Do::Sleep(500), say("went on")]);
    world.displace(10, "a", 100);
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), (MOVED, 110));
    assert_eq!(world.marks("a", FaultKind::StaleEnded), [110]);
    assert_eq!(world.faults(), ["displaced", "stale-ended"]);
}

/// The second request had arrived, and waited for the thread.
#[test]
fn platform_13_1_no_event_starts_in_a_stale_incarnation() {
    let mut world = world(Setting::default());
    let runs = world.ask(0, "a", [Do::Work(50), say("ran")]);
    let waits = world.ask(10, "a", [say("ran")]);
    world.displace(20, "a", 1_000);
    world.run(500);
    assert_eq!((world.answer(runs), world.answered_at(runs)), ("ran", 50));
    assert_eq!((world.answer(waits), world.answered_at(waits)), (MOVED, 20));
}

/// The code holds the thread, and its writes are not handed over yet.
#[test]
fn platform_13_2_a_turn_that_has_written_is_refused_when_it_ends() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [write("x")]);
    let asked = world.ask(
        100,
        "a",
        [write("y"), Do::SetAlarm(900), Do::Work(50), say("ran")],
    );
    world.displace(120, "a", 1_000);
    let after = world.ask(130, "a", [Do::Read, Do::ReadAlarm]);
    world.run(500);
    assert_eq!((world.answer(asked), world.answered_at(asked)), (MOVED, 150));
    assert_eq!(world.answer(after), "x none");
}

#[test]
fn more_than_one_incarnation_can_be_stale() {
    let mut world = world(Setting::default());
    let asked = [0, 20, 40].map(|at| world.ask(at, "a", [keep(&at.to_string()), Do::Sleep(100), Do::Recall]));
    world.displace(10, "a", 1_000);
    world.displace(30, "a", 1_000);
    world.run(500);
    assert_eq!(asked.map(|item| world.answer(item).to_owned()), ["0", "20", "40"]);
    assert_eq!(world.marks("a", FaultKind::StaleRan), [100, 120]);
}

/// A reset is of the current incarnation: the stale one is on another machine.
#[test]
fn a_stale_incarnation_outlives_the_one_that_has_replaced_it() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "a", [keep("old"), Do::Sleep(100), Do::Recall]);
    world.displace(10, "a", 1_000);
    world.ask(20, "a", [keep("new")]);
    world.reset(50, "a");
    world.run(500);
    assert_eq!(world.answer(asked), "old");
    assert_eq!(world.incarnation("a"), 2);
}

/// The new one has the storage, in which the alarm is still set. What the stale run comes to is nobody's.
#[test]
fn platform_6_4_a_run_of_the_alarm_in_a_stale_incarnation_is_repeated_in_the_new_one() {
    let mut world = world(Setting {
        alarm: |_| vec![Do::Sleep(50), Do::Act(Text::new_static("rang"))],
        ..Setting::default()
    });
    world.ask(0, "a", [Do::SetAlarm(100)]);
    world.displace(120, "a", 1_000);
    world.run(100_000);
    assert_eq!(world.times("a", "wakes"), [100, 120]);
    assert_eq!(world.times("a", "acts"), [150, 170]);
}

#[test]
fn an_object_that_is_not_loaded_is_started_nowhere_else() {
    let mut world = world(Setting::default());
    world.displace(0, "a", 1_000);
    world.run(500);
    assert_eq!(world.incarnation("a"), 0);
    assert!(world.faults().is_empty());
}

#[test]
fn objects_are_started_elsewhere_at_the_rate_of_the_knob() {
    let mut setting = Setting::default();
    setting.knobs.displacement = Episode::once(Ratio::ALWAYS);
    setting.knobs.overlap = Span::exactly(Micros::from_millis(30));
    let mut world = world(setting);
    let asked = world.ask(0, "a", [Do::Sleep(100)]);
    world.run(500);
    assert_eq!((world.answer(asked), world.answered_at(asked)), (MOVED, 30));
    assert_eq!(world.faults(), ["displaced", "stale-ended"]);
}

/// What befalls an object after a turn befalls the incarnation that had it.
#[test]
fn a_turn_of_a_stale_incarnation_does_not_reset_the_current_one() {
    let mut setting = Setting {
        fixed: vec![fixed(Purpose::Reset, 0, "a", 0)],
        ..Setting::default()
    };
    setting.knobs.reset_after = Span::exactly(Micros::ZERO);
    let mut world: World = world(setting);
    let asked = world.ask(0, "a", [Do::Sleep(50), say("ok")]);
    world.displace(10, "a", 1_000);
    world.ask(20, "a", [keep("new")]);
    world.at(40, "a", |kernel, _, _, _| {
        let mut knobs = super::world::knobs();
        knobs.reset = Episode::once(Ratio::ALWAYS);
        kernel.set_knobs(knobs);
    });
    world.run(500);
    assert_eq!(world.answer(asked), "ok");
    assert_eq!(world.incarnation("a"), 1);
}
