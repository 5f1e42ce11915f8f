//! The two copies of an alarm, the object's and the manager's: `platform.md` section 6, preamble, 6.6 and 6.11 to 6.13;
//! `workerd.md` A7, A11.

use protocol::host::AlarmRun;

use super::alarms::{assert_backoff, ring};
use super::script::{Do, say, throw, write};
use super::world::{Setting, World, world};
use crate::kernel::{Episode, Knobs, Ratio, Span, Trouble};

const ALWAYS: Episode = Episode::once(Ratio::ALWAYS);

fn on(alarm: fn(AlarmRun) -> Vec<Do>, change: impl FnOnce(&mut Knobs)) -> World {
    let mut setting = Setting {
        alarm,
        ..Setting::default()
    };
    change(&mut setting.knobs);
    world(setting)
}

/// The manager hears after so many milliseconds.
fn hears_after(millis: u64) -> World {
    on(
        |_| vec![ring()],
        |knobs| knobs.alarm_sync = Span::millis(millis, millis),
    )
}

/// The manager does not hear of a later time, or of none.
fn hears_nothing() -> World {
    on(|_| vec![ring()], |knobs| knobs.alarm_sync_loss = ALWAYS)
}

#[test]
fn platform_6_an_earlier_time_is_told_before_the_commit_which_waits() {
    let mut world = hears_after(7);
    let first = world.ask(0, "a", [Do::SetAlarm(5_000)]);
    let earlier = world.ask(100, "a", [Do::SetAlarm(1_000)]);
    world.run(500);
    assert_eq!((world.answered_at(first), world.answered_at(earlier)), (27, 127));
}

#[test]
fn platform_6_no_commit_waits_for_a_later_time_to_be_told() {
    let mut world = hears_after(7);
    world.ask(0, "a", [Do::SetAlarm(5_000)]);
    let later = world.ask(100, "a", [Do::SetAlarm(9_000)]);
    let cleared = world.ask(200, "a", [Do::ClearAlarm]);
    world.run(500);
    assert_eq!((world.answered_at(later), world.answered_at(cleared)), (120, 220));
}

/// A commit takes 20 ms; the earlier time comes 75 ms after it was made.
#[test]
fn platform_6_a_later_time_is_told_some_time_after_the_commit() {
    for (takes, early) in [(50, vec![]), (60, vec![1_000])] {
        let mut world = hears_after(takes);
        world.ask(0, "a", [Do::SetAlarm(1_000)]);
        world.ask(925, "a", [Do::SetAlarm(5_000)]);
        world.run(10_000);
        assert_eq!(world.times("a", "fault alarm-early"), early, "{takes}");
    }
}

#[test]
fn platform_6_12_a_manager_who_has_not_heard_of_a_later_time_wakes_too_early() {
    let mut world = hears_nothing();
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.ask(500, "a", [Do::SetAlarm(5_000)]);
    world.run(10_000);
    assert_eq!(world.times("a", "fault alarm-early"), [1_000]);
}

#[test]
fn platform_6_12_woken_too_early_the_object_resyncs_and_runs_at_the_stored_time() {
    let mut world = hears_nothing();
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.ask(500, "a", [Do::SetAlarm(5_000)]);
    world.run(10_000);
    assert_eq!(world.times("a", "acts"), [5_000]);
}

/// And only once.
#[test]
fn platform_6_12_a_cleared_alarm_of_which_the_manager_has_not_heard_wakes_for_nothing() {
    let mut world = hears_nothing();
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.ask(500, "a", [Do::ClearAlarm]);
    world.run(10_000);
    let woken = world.times("a", "fault alarm-early");
    assert_eq!((woken, world.times("a", "wakes")), (vec![1_000], vec![]));
}

#[test]
fn platform_6_a_lost_sync_never_makes_an_alarm_late() {
    let mut world = hears_nothing();
    for (at, due) in [(0, 5_000), (100, 9_000), (200, 1_000), (300, 3_000), (400, 2_000)] {
        world.ask(at, "a", [Do::SetAlarm(due)]);
    }
    world.run(20_000);
    assert_eq!(world.times("a", "acts"), [2_000]);
}

/// Commits that fail, from half a second on until then.
fn commits_fail(world: &mut World, until: u64) {
    for (at, rate) in [(500, Ratio::ALWAYS), (until, Ratio::NEVER)] {
        world.at(at, "a", move |kernel, _, _, _| {
            kernel.set_knobs(Knobs {
                commit_failure: Episode::once(rate),
                ..super::world::knobs()
            });
        });
    }
}

/// The waits from the end of each run, which is when its commit has failed or is confirmed.
fn waits<const N: usize>(seconds: [u64; N]) -> [u64; N] {
    seconds.map(|seconds| seconds * 1_000 + 20)
}

/// The wait has a limit (6.5), and the number of retries has none.
#[test]
fn platform_6_6_runs_that_the_storage_has_failed_are_retried_for_ever() {
    let mut world = on(|_| vec![write("x")], |_| {});
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    commits_fail(&mut world, 10_000_000);
    world.run(9_000_000);
    let runs = world.times("a", "wakes");
    let expected = waits([2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_024, 1_024]);
    assert_backoff(&runs[..13], 1_000, &expected);
    assert!(
        world.times("a", "wakes by its alarm, retry").is_empty(),
        "none counts"
    );
}

/// The commit of the first run is not confirmed for as long as the gate waits.
#[test]
fn platform_6_6_a_run_whose_gate_has_timed_out_does_not_count() {
    let mut world = on(|_| vec![write("x")], |_| {});
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.trouble(500, ("a", "a"), 31_000, |object, _| Trouble::CommitStall(object));
    world.run(100_000);
    assert_backoff(&world.times("a", "wakes by its alarm"), 1_000, &[32_000]);
    assert!(world.times("a", "wakes by its alarm, retry").is_empty());
}

/// Three runs fail with their commits; those after them by their own doing, seven times.
#[test]
fn platform_6_6_the_wait_starts_over_when_a_counted_failure_follows_uncounted_ones() {
    let mut world = on(|_| vec![write("x"), throw("no")], |_| {});
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    commits_fail(&mut world, 10_000);
    world.run(10_000_000);
    let expected = waits([2, 4, 8, 2, 4, 8, 16, 32, 64]);
    assert_backoff(&world.times("a", "wakes"), 1_000, &expected);
}

fn sticking(alarm: fn(AlarmRun) -> Vec<Do>) -> World {
    let mut world = on(alarm, |knobs| knobs.alarm_now_sticks = true);
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world
}

/// Sets it to now: the run begins at 1 s.
fn again_now(_: AlarmRun) -> Vec<Do> {
    vec![Do::SetAlarm(1_000)]
}

#[test]
fn platform_6_13_an_alarm_that_its_run_sets_to_now_is_stuck_for_tens_of_seconds() {
    let mut world = sticking(again_now);
    world.run(90_000);
    let passed = world.times("a", "wakes")[1] - 1_020;
    assert!((10_000..=60_000).contains(&passed), "{passed} ms");
}

#[test]
fn platform_6_13_a_disturbance_frees_an_alarm_that_is_stuck() {
    let mut world = sticking(again_now);
    world.ask(5_000, "a", [say("hello")]);
    world.run(6_000);
    assert_eq!(world.times("a", "wakes"), [1_000, 5_000]);
}

#[test]
fn platform_6_13_a_reset_frees_an_alarm_that_is_stuck() {
    let mut world = sticking(again_now);
    world.reset(5_000, "a");
    world.run(6_000);
    assert_eq!(world.times("a", "wakes"), [1_000, 5_000]);
}

/// A commit takes 20 ms, so that the time has come when the run is over.
#[test]
fn platform_6_13_one_millisecond_more_is_not_stuck() {
    let mut world = sticking(|_| vec![Do::SetAlarm(1_001)]);
    world.run(1_025);
    assert_eq!(world.times("a", "wakes"), [1_000, 1_020]);
}

/// `workerd.md` I13: one that is due meanwhile runs right after.
#[test]
fn platform_6_13_an_alarm_that_a_request_sets_to_now_during_a_run_is_not_stuck() {
    let mut world = sticking(|_| vec![Do::Sleep(100)]);
    world.ask(1_050, "a", [Do::SetAlarm(1_050)]);
    world.run(1_150);
    assert_eq!(world.times("a", "wakes"), [1_000, 1_100]);
}

#[test]
fn platform_6_13_without_the_switch_the_alarm_runs_again_at_once() {
    let mut world = on(again_now, |_| {});
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.run(1_025);
    assert_eq!(world.times("a", "wakes"), [1_000, 1_020]);
}

/// The first run fails; while its retry is awaited, the alarm is set to half a second later.
fn set_while_a_retry_waits(keeps_retry: bool) -> World {
    let fails = |run: AlarmRun| match run.is_retry {
        false if run.scheduled.0.is_multiple_of(1_000) => vec![throw("no")],
        _ => vec![ring()],
    };
    let mut world = on(fails, |knobs| knobs.alarm_keeps_retry = keeps_retry);
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.ask(1_100, "a", [Do::SetAlarm(1_500)]);
    world.run(20_000);
    world
}

#[test]
fn workerd_a7_an_alarm_that_is_set_while_a_retry_waits_runs_as_that_retry() {
    let world = set_while_a_retry_waits(true);
    assert_backoff(&world.times("a", "wakes"), 1_000, &[2_000]);
    assert_eq!(world.times("a", "wakes by its alarm, retry 1").len(), 1);
}

#[test]
fn platform_6_1_without_that_quirk_it_runs_at_its_own_time() {
    let world = set_while_a_retry_waits(false);
    assert_eq!(world.times("a", "wakes"), [1_000, 1_500]);
}

/// The first run fails, and then the machine, while the retry is awaited.
#[test]
fn workerd_a11_a_manager_that_fails_with_the_machine_has_not_counted() {
    for (lost, wakes, counted) in [(true, vec![1_000, 1_500], 0), (false, vec![1_000], 1)] {
        let mut world = on(|_| vec![throw("no")], |knobs| knobs.alarm_count_lost = lost);
        world.ask(0, "a", [Do::SetAlarm(1_000)]);
        world.reset(1_500, "a");
        world.run(2_900);
        assert_eq!(world.times("a", "wakes"), wakes);
        world.run(3_510);
        assert_eq!(world.times("a", "wakes by its alarm, retry 1").len(), counted);
    }
}

#[test]
fn platform_6_11_an_alarm_can_be_late_by_up_to_a_minute() {
    let mut world = on(|_| vec![], |knobs| knobs.alarm_late = ALWAYS);
    let objects: Vec<String> = (0..20).map(|object| object.to_string()).collect();
    for object in &objects {
        world.ask(0, object, [Do::SetAlarm(1_000)]);
    }
    world.run(100_000);
    for object in &objects {
        let runs = world.times(object, "wakes");
        assert!(
            matches!(runs[..], [at] if (2_000..=61_000).contains(&at)),
            "{runs:?}"
        );
        assert_eq!(world.times(object, "fault alarm-late"), runs);
    }
}
