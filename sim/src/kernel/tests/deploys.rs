//! Versions that change while the code runs: `platform.md` section 8.

use super::script::{Do, call, keep, say, write};
use super::world::{Setting, World, knobs, world};
use crate::kernel::{ChoiceKey, FaultKind, FixedChoice, Knobs, Micros, Origin, Purpose, Span};
use protocol::host::{Statement, Text};

const UPDATED: &str = "[Durable Object reset because its code was updated., remote, retryable, reset]";

/// The share of an object for a version.
fn share(object: &str, version: usize, share: u64) -> FixedChoice {
    let who = Text::from(format!("toy/{object}"));
    FixedChoice {
        key: ChoiceKey {
            purpose: Purpose::DeployShare,
            origin: Origin::Alarm(who.clone()),
            at: who,
            label: Text::from(format!("version {version}")),
            nth: 0,
        },
        alternative: share,
    }
}

fn under(knobs: Knobs) -> World {
    world(Setting {
        knobs,
        ..Setting::default()
    })
}

/// What each of some parties says which version it is, at an instant.
fn versions(world: &mut World, at: u64, parties: &[&str]) -> Vec<u32> {
    parties
        .iter()
        .map(|party| world.ask(at, party, [Do::Version]))
        .collect()
}

fn said(world: &World, asked: &[u32]) -> Vec<String> {
    asked.iter().map(|item| world.answer(*item).to_owned()).collect()
}

/// 8.1: each at an instant of its own; a request meets other code than its sender's.
#[test]
fn platform_8_1_a_deploy_reaches_each_party_at_an_instant_of_its_own() {
    let mut setting = Setting {
        fixed: ["toy/a", "front 0"]
            .into_iter()
            .zip([300_000, 100_000])
            .map(|(at, alternative)| FixedChoice {
                key: ChoiceKey {
                    purpose: Purpose::DeployReach,
                    origin: Origin::Item(1),
                    at: Text::new(at),
                    label: Text::default(),
                    nth: 0,
                },
                alternative,
            })
            .collect(),
        ..Setting::default()
    };
    setting.knobs.deploy_reach = Span::millis(0, 400);
    let mut world = world(setting);
    world.ask(0, "front 0", [call("a", [keep("memory")])]);
    world.deploy(100, 1, 100);
    let between = world.ask(210, "front 0", [Do::Version, call("a", [Do::Version]), Do::Await]);
    let after = world.ask(410, "front 0", [Do::Version, call("a", [Do::Version]), Do::Await]);
    world.run(1_000);
    assert_eq!(world.answer(between), "1 0");
    assert_eq!(world.answer(after), "1 1");
    assert_eq!(world.marks("a", FaultKind::VersionSkew), [215]);
    assert_eq!(world.marks("front 0", FaultKind::FrontUpdated), [210]);
    assert_eq!(world.marks("a", FaultKind::CodeUpdated), [400]);
}

#[test]
fn platform_8_1_an_object_that_is_not_loaded_begins_with_the_new_code() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [keep("memory"), write("x")]);
    world.reset(50, "a");
    world.deploy(100, 2, 100);
    let after = world.ask(200, "a", [Do::Version, Do::Recall, Do::Read]);
    let new = world.ask(200, "b", [Do::Version]);
    world.run(1_000);
    assert_eq!((world.answer(after), world.answer(new)), ("2  x", "2"));
    assert_eq!(world.marks("a", FaultKind::StorageInherited), [200]);
    assert_eq!(world.faults(), ["reset", "storage-inherited"]);
}

/// Nothing is under way in it: nobody is told.
#[test]
fn platform_8_2_a_code_change_resets_an_object_that_runs() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [keep("memory"), write("x")]);
    world.deploy(100, 1, 100);
    let after = world.ask(200, "a", [Do::Version, Do::Recall, Do::Read]);
    world.run(1_000);
    assert_eq!(world.answer(after), "1  x");
    assert_eq!(world.marks("a", FaultKind::CodeUpdated), [100]);
    assert_eq!(world.incarnation("a"), 1);
}

#[test]
fn platform_8_2_what_is_under_way_may_finish_if_it_does_not_touch_the_storage() {
    let mut world = world(Setting::default());
    let first = world.ask(0, "a", [keep("memory"), Do::Sleep(500), Do::Recall, Do::Version]);
    world.deploy(100, 1, 100);
    let second = world.ask(200, "a", [Do::Recall, Do::Version]);
    world.run(1_000);
    assert_eq!((world.answer(first), world.answered_at(first)), ("memory 0", 500));
    assert_eq!(world.answer(second), " 1", "what comes later finds the new code");
    assert_eq!(world.marks("a", FaultKind::StaleRan), [500]);
}

#[test]
fn platform_8_2_what_touches_the_storage_is_stopped_at_once() {
    let statement = |sql: &'static str| Do::Sql(Statement::new(sql, []));
    let touching = [
        ("a write", statement("INSERT INTO t (v) VALUES ('late')")),
        ("a read", statement("SELECT v FROM t")),
        ("the alarm", Do::ReadAlarm),
    ];
    for (what, deed) in touching {
        let mut world = world(Setting::default());
        let asked = world.ask(0, "a", [write("x"), Do::Sleep(500), deed, say("done")]);
        let beside = world.ask(0, "a", [Do::Sleep(900)]);
        world.deploy(100, 1, 100);
        world.run(1_000);
        assert_eq!(
            (world.answer(asked), world.answered_at(asked)),
            (UPDATED, 500),
            "{what}"
        );
        assert_eq!(
            (world.answer(beside), world.answered_at(beside)),
            (UPDATED, 500),
            "{what}"
        );
        assert_eq!(world.rows("a"), "x", "{what}");
    }
}

#[test]
fn platform_8_2_the_grace_is_30_s() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "a", [Do::Sleep(40_000), say("done")]);
    world.deploy(100, 1, 100);
    world.run(50_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), (UPDATED, 30_100));
}

#[test]
fn platform_8_2_without_a_grace_all_is_stopped_at_once() {
    let mut world = under(Knobs {
        update_grace: Micros::ZERO,
        ..knobs()
    });
    let asked = world.ask(0, "a", [Do::Sleep(500), say("done")]);
    world.deploy(100, 1, 100);
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), (UPDATED, 100));
    assert_eq!(world.faults(), ["code-updated"]);
}

#[test]
fn platform_8_2_a_deploy_of_the_code_that_runs_resets_nobody() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [keep("memory")]);
    world.deploy(100, 0, 100);
    let after = world.ask(200, "a", [Do::Recall]);
    world.run(1_000);
    assert_eq!(world.answer(after), "memory");
    assert!(world.faults().is_empty());
}

/// How long an object may go on with its old code here.
fn deferred() -> Knobs {
    Knobs {
        update_delay: Micros::from_millis(1_000),
        ..knobs()
    }
}

#[test]
fn platform_8_3_a_deferred_update_comes_when_the_time_is_over() {
    let mut world = under(deferred());
    world.ask(0, "a", [keep("memory")]);
    world.deploy(100, 1, 100);
    let before = world.ask(1_000, "a", [Do::Recall, Do::Version]);
    let after = world.ask(1_200, "a", [Do::Recall, Do::Version]);
    world.run(2_000);
    assert_eq!((world.answer(before), world.answer(after)), ("memory 0", " 1"));
    assert_eq!(world.marks("a", FaultKind::UpdateDeferred), [100]);
    assert_eq!(world.marks("a", FaultKind::CodeUpdated), [1_100]);
}

#[test]
fn platform_8_3_a_deferred_update_comes_with_the_loss_of_memory() {
    let mut world = under(deferred());
    world.ask(0, "a", [keep("memory")]);
    world.deploy(100, 1, 100);
    world.at(200, "a", |kernel, item, whom, _| kernel.evict(item, whom));
    let after = world.ask(300, "a", [keep("anew"), Do::Version]);
    let later = world.ask(1_200, "a", [Do::Recall]);
    world.run(2_000);
    assert_eq!(world.answer(after), "1");
    assert_eq!(world.answer(later), "anew", "it is not updated twice");
    assert!(world.marks("a", FaultKind::CodeUpdated).is_empty());
}

#[test]
fn platform_8_3_of_two_deferred_updates_the_first_timer_brings_the_newest_version() {
    let mut world = under(deferred());
    world.ask(0, "a", [keep("memory")]);
    world.deploy(100, 1, 100);
    world.deploy(600, 2, 100);
    let after = world.ask(1_200, "a", [keep("anew"), Do::Version]);
    let later = world.ask(1_700, "a", [Do::Recall]);
    world.run(2_000);
    assert_eq!(world.answer(after), "2", "version 1 is skipped");
    assert_eq!(world.answer(later), "anew");
    assert_eq!(world.marks("a", FaultKind::CodeUpdated), [1_100]);
}

#[test]
fn platform_8_3_a_deploy_that_is_taken_back_in_time_resets_nobody() {
    let mut world = under(deferred());
    world.ask(0, "a", [keep("memory")]);
    world.deploy(100, 1, 100);
    world.deploy(600, 0, 100);
    let after = world.ask(1_700, "a", [Do::Recall, Do::Version]);
    world.run(2_000);
    assert_eq!(world.answer(after), "memory 0");
}

/// Objects with a share of their own: `a` is below 25, `b` below 75, `c` above.
fn shared() -> World {
    world(Setting {
        fixed: vec![share("a", 1, 10), share("b", 1, 60), share("c", 1, 90)],
        ..Setting::default()
    })
}

const ALL: [&str; 3] = ["a", "b", "c"];

#[test]
fn platform_8_4_two_objects_run_two_versions_side_by_side() {
    let mut world = shared();
    let before = versions(&mut world, 0, &ALL);
    world.deploy(100, 1, 25);
    let after = versions(&mut world, 200, &ALL);
    let much_later = versions(&mut world, 3_600_000, &ALL);
    world.run(4_000_000);
    assert_eq!(said(&world, &before), ["0", "0", "0"]);
    assert_eq!(said(&world, &after), ["1", "0", "0"]);
    assert_eq!(said(&world, &much_later), ["1", "0", "0"]);
}

#[test]
fn platform_8_4_raising_a_percentage_never_moves_an_object_back() {
    let mut world = shared();
    let mut asked = Vec::new();
    let steps = (0..).zip([0, 5, 25, 40, 75, 80, 100]);
    for (nth, percent) in steps {
        world.deploy(100 * nth + 10, 1, percent);
        asked.push(versions(&mut world, 100 * nth + 50, &ALL));
    }
    world.run(1_000);
    let seen: Vec<_> = asked.iter().map(|step| said(&world, step).join("")).collect();
    assert_eq!(seen, ["000", "000", "100", "100", "110", "110", "111"]);
    for object in ALL {
        assert_eq!(world.marks(object, FaultKind::CodeUpdated).len(), 1, "{object}");
    }
}

#[test]
fn platform_8_5_a_rollback_makes_old_code_read_newer_data() {
    let mut world = shared();
    world.deploy(0, 1, 50);
    world.ask(100, "a", [write("newer")]);
    world.deploy(200, 0, 100);
    let after = world.ask(300, "a", [Do::Version, Do::Read]);
    world.run(1_000);
    assert_eq!(world.answer(after), "0 newer");
    assert_eq!(world.marks("a", FaultKind::StorageInherited), [300]);
}

/// Which version takes a request of `front 0` on, by what is drawn for it.
fn drawn(item: u32, drawn: u64) -> FixedChoice {
    FixedChoice {
        key: ChoiceKey {
            purpose: Purpose::FrontVersion,
            origin: Origin::Item(item),
            at: Text::new_static("front 0"),
            label: Text::default(),
            nth: 0,
        },
        alternative: drawn,
    }
}

#[test]
fn platform_8_4_the_version_of_a_front_worker_is_chosen_for_each_request() {
    let mut world = world(Setting {
        fixed: vec![drawn(2, 10), drawn(3, 90), drawn(4, 49), drawn(5, 50)],
        ..Setting::default()
    });
    world.ask(0, "front 0", [keep("old")]);
    world.deploy(10, 1, 50);
    let asked: Vec<u32> = (2..6)
        .map(|nth| world.ask(100 * nth, "front 0", [Do::Version, Do::Recall, keep("seen")]))
        .collect();
    world.run(1_000);
    let said = said(&world, &asked);
    assert_eq!(
        said,
        ["1 ", "0 old", "1 seen", "0 old seen"],
        "each isolate has a memory"
    );
}

#[test]
fn platform_8_4_an_isolate_ends_what_it_has_taken_on() {
    let mut world = world(Setting::default());
    let first = world.ask(
        0,
        "front 0",
        [call("a", [Do::Sleep(300)]), Do::Await, Do::Version],
    );
    world.deploy(100, 1, 100);
    let second = world.ask(200, "front 0", [Do::Version]);
    world.at(250, "front 0", move |kernel, item, _, _| kernel.cancel(item, 3));
    let third = world.ask(240, "front 0", [Do::Sleep(400), Do::Version]);
    world.run(1_000);
    assert_eq!((world.answer(first), world.answer(second)), ("0", "1"));
    assert_eq!(world.answer(third), "1", "item 3 is none that a client waits for");
}

/// The client of a request that an isolate of the old version works for.
#[test]
fn platform_16_1_a_client_goes_away_from_an_isolate_of_another_version() {
    let mut world = world(Setting::default());
    let first = world.ask(0, "front 0", [Do::Sleep(300), call("a", [write("x")])]);
    world.deploy(100, 1, 100);
    world.ask(150, "front 0", [Do::Version]);
    world.at(200, "front 0", move |kernel, item, _, _| {
        kernel.cancel(item, first)
    });
    world.run(1_000);
    assert_eq!(world.answer(first), "-");
    assert_eq!(world.marks("front 0", FaultKind::Cancelled), [200]);
    assert!(!world.exists("a"), "what it had not sent is not sent");
}

#[test]
fn a_version_that_is_not_there_is_not_deployed() {
    let mut world = world(Setting::default());
    world.at(0, "a", |kernel, item, _, _| {
        assert_eq!(kernel.deploy(item, 3, 100), None, "there are three");
    });
    let asked = world.ask(10, "a", [Do::Version]);
    world.run(1_000);
    assert_eq!(world.answer(asked), "0");
}
