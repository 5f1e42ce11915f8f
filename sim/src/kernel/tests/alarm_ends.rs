//! Ends of incarnations and alarms: `platform.md` sections 6.15 and 6.16, `workerd.md` A9 to A11.

use protocol::host::{SqlErrorKind, Statement};

use super::alarms::{BACKOFF, assert_backoff, ring, with_alarm};
use super::script::{Do, abort, throw, write};
use super::world::{Setting, fixed, world};
use crate::kernel::{Purpose, Trouble};

/// `workerd.md` A9. The writes of the aborted turn are lost, its alarm among them.
#[test]
fn platform_6_15_an_abort_in_the_handler_counts_as_a_failed_run() {
    for deed in [Do::SetAlarm(60_000), Do::ClearAlarm, write("lost")] {
        let alarm: fn(protocol::host::AlarmRun) -> Vec<Do> = match deed {
            Do::SetAlarm(_) => |_| vec![Do::SetAlarm(60_000), abort("boom")],
            Do::ClearAlarm => |_| vec![Do::ClearAlarm, abort("boom")],
            _ => |_| vec![write("lost"), abort("boom")],
        };
        let mut world = with_alarm(alarm);
        world.ask(0, "a", [Do::SetAlarm(1_000)]);
        world.run(1_000_000);
        assert_backoff(&world.times("a", "wakes"), 1_000, &BACKOFF);
        assert_eq!(world.rows("a"), "");
    }
}

/// `workerd.md` A9.
#[test]
fn platform_6_15_an_abort_by_a_request_fails_the_run_that_is_under_way() {
    let mut world = with_alarm(|run| {
        if run.is_retry {
            vec![ring()]
        } else {
            vec![Do::Sleep(500), ring()]
        }
    });
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.ask(1_200, "a", [abort("boom")]);
    world.run(10_000);
    assert_backoff(&world.times("a", "wakes"), 1_000, &[2_200]);
    assert_eq!(world.times("a", "acts").len(), 1);
}

/// The count belongs to the alarm, not to the incarnation.
#[test]
fn platform_6_15_an_end_of_the_incarnation_between_two_runs_changes_no_count() {
    for reset in [false, true] {
        let mut world = with_alarm(|_| vec![throw("no")]);
        world.ask(0, "a", [Do::SetAlarm(1_000)]);
        if reset {
            world.reset(20_000, "a");
        } else {
            world.ask(20_000, "a", [Do::SetAlarm(500_000), abort("boom")]);
        }
        world.run(1_000_000);
        assert_backoff(&world.times("a", "wakes"), 1_000, &BACKOFF);
    }
}

/// The retry has left the queue and waits for the thread when the object ends: it is still that retry.
#[test]
fn platform_6_15_a_retry_that_waits_for_the_thread_keeps_its_count() {
    let mut world = with_alarm(|_| vec![throw("no")]);
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    // The second retry comes 6 to 7.5 s after the first run.
    world.ask(6_000, "a", [Do::Work(4_000), abort("boom")]);
    world.run(1_000_000);
    let runs = world.times("a", "wakes");
    assert_eq!(runs.len(), 7, "{runs:?}");
    assert_eq!(runs[2], 10_000);
    for retry in 1..=6 {
        assert_eq!(
            world
                .times("a", &format!("wakes by its alarm, retry {retry}"))
                .len(),
            1
        );
    }
}

/// `workerd.md` A11.
#[test]
fn platform_6_16_an_object_without_memory_is_woken_by_its_alarm() {
    let mut world = with_alarm(|_| vec![ring()]);
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.reset(500, "a");
    world.run(10_000);
    assert_eq!(world.times("a", "acts"), [1_000]);
    assert_eq!(world.incarnation("a"), 1);
}

/// `workerd.md` A10: nobody has kept count.
#[test]
fn workerd_a10_a_run_that_dies_with_its_machine_runs_again_at_once_and_is_no_retry() {
    let mut world = with_alarm(|_| vec![Do::Sleep(500), ring()]);
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.reset(1_200, "a");
    world.run(10_000);
    assert_eq!(world.times("a", "wakes by its alarm"), [1_000, 1_200]);
    assert!(world.times("a", "wakes by its alarm, retry").is_empty());
    assert_eq!(world.times("a", "acts"), [1_700]);
}

/// The alarm runs before the commit that set it is confirmed, and that commit is lost while it runs.
#[test]
fn a_reset_that_loses_the_commit_which_set_the_alarm_leaves_nothing_to_run() {
    for (before, runs) in [(None, vec![101]), (Some(3_000), vec![101, 3_000])] {
        let mut world = world(Setting {
            alarm: |_| vec![Do::Sleep(500), ring()],
            fixed: vec![fixed(Purpose::Survivors, 2, "a", 1)],
            ..Setting::default()
        });
        world.ask(0, "a", before.map(Do::SetAlarm).into_iter().collect::<Vec<_>>());
        world.ask(100, "a", [Do::SetAlarm(101)]);
        world.reset(110, "a");
        world.run(10_000);
        assert_eq!(world.times("a", "wakes"), runs, "{before:?}");
    }
}

/// The run goes on from the alarm that it was begun for.
#[test]
fn a_reset_that_loses_what_the_run_had_set_again_runs_the_old_one_again() {
    let mut world = world(Setting {
        alarm: |run| {
            if run.scheduled.0 % 1_000 == 0 {
                vec![Do::SetAlarm(60_001), Do::Sleep(500)]
            } else {
                vec![ring()]
            }
        },
        fixed: vec![fixed(Purpose::Survivors, 1, "a", 1)],
        ..Setting::default()
    });
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.reset(1_010, "a");
    world.run(100_000);
    assert_eq!(world.times("a", "wakes"), [1_000, 1_010, 60_001]);
}

/// Nobody's code has failed: it is tried again and again, and never given up.
#[test]
fn platform_6_6_a_run_that_the_storage_fails_in_does_not_count() {
    for (kind, runs) in [(SqlErrorKind::Full, 9), (SqlErrorKind::Interrupted, 7)] {
        let write = |_| {
            vec![Do::Sql(Statement::new(
                "CREATE TABLE IF NOT EXISTS u (v TEXT)",
                [],
            ))]
        };
        let mut world = with_alarm(write);
        world.ask(0, "a", [Do::SetAlarm(1_000)]);
        world.trouble(500, ("a", "a"), 100_000_000, move |object, _| {
            Trouble::StorageError(object, kind)
        });
        world.run(1_000_000);
        assert_eq!(world.times("a", "wakes by its alarm").len(), runs, "{kind:?}");
    }
}
