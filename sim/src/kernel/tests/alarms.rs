//! Alarms: `platform.md` section 6, `workerd.md` A1 to A12.

use protocol::host::Text;

use super::script::{Do, abort, call, keep, say, throw, write};
use super::world::{Setting, World, fixed, world};
use crate::kernel::{Micros, Purpose, Span};

pub fn ring() -> Do {
    Do::Act(Text::new("rings"))
}

pub fn with_alarm(alarm: fn(protocol::host::AlarmRun) -> Vec<Do>) -> World {
    world(Setting {
        alarm,
        ..Setting::default()
    })
}

/// Runs begin at these times: the first at the first instant, each other one within the 25 % of jitter on the wait
/// since the run before.
#[track_caller]
pub fn assert_backoff(runs: &[u64], first: u64, waits: &[u64]) {
    assert_eq!(runs.len(), waits.len() + 1, "{runs:?}");
    assert_eq!(runs[0], first);
    for (pair, wait) in runs.windows(2).zip(waits) {
        let passed = pair[1] - pair[0];
        assert!(
            (*wait..=*wait + wait / 4).contains(&passed),
            "{passed} ms passed, not {wait}: {runs:?}"
        );
    }
}

pub const BACKOFF: [u64; 6] = [2_000, 4_000, 8_000, 16_000, 32_000, 64_000];

#[test]
fn platform_6_1_a_new_time_takes_the_place_of_the_old_one() {
    let mut world = with_alarm(|_| vec![ring()]);
    world.ask(0, "later", [Do::SetAlarm(1_000)]);
    world.ask(500, "later", [Do::SetAlarm(3_000)]);
    world.ask(0, "sooner", [Do::SetAlarm(3_000)]);
    world.ask(500, "sooner", [Do::SetAlarm(1_000)]);
    world.ask(0, "cleared", [Do::SetAlarm(1_000)]);
    world.ask(500, "cleared", [Do::ClearAlarm]);
    world.ask(0, "twice", [Do::SetAlarm(3_000), Do::SetAlarm(1_000)]);
    world.run(10_000);
    assert_eq!(world.times("later", "wakes"), [3_000]);
    assert_eq!(world.times("sooner", "wakes"), [1_000]);
    assert!(world.times("cleared", "wakes").is_empty());
    assert_eq!(world.times("twice", "wakes"), [1_000]);
}

/// `workerd.md` A1.
#[test]
fn platform_6_1_a_time_that_is_past_is_now() {
    let mut world = with_alarm(|_| vec![ring()]);
    world.ask(700, "a", [Do::SetAlarm(100)]);
    world.run(10_000);
    assert_eq!(world.times("a", "wakes"), [700]);
}

/// The run fails again and again, so that what the second setting does to the retry can be seen.
#[test]
fn platform_6_1_the_same_time_set_while_a_retry_is_pending_changes_nothing() {
    let mut world = with_alarm(|_| vec![throw("no")]);
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.ask(20_000, "a", [Do::SetAlarm(1_000)]);
    world.run(1_000_000);
    assert_backoff(&world.times("a", "wakes"), 1_000, &BACKOFF);
}

/// The time of an alarm whose retry is pending is past: once another was set in its place, it cannot be set again.
#[test]
fn platform_6_1_a_past_time_after_another_one_is_a_new_alarm_for_now() {
    let mut world = with_alarm(|_| vec![throw("no")]);
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    let set = world.ask(
        20_000,
        "a",
        [Do::SetAlarm(500_000), Do::SetAlarm(1_000), Do::ReadAlarm],
    );
    world.run(1_000_000);
    assert_eq!(world.answer(set), "20000");
    let first: Vec<_> = world.times("a", "wakes by its alarm");
    assert_eq!(
        first.len(),
        4 + 7,
        "four runs of the first, then seven of the second: {first:?}"
    );
    assert_eq!(world.times("a", "wakes by its alarm, retry 6").len(), 1);
}

#[test]
fn platform_6_2_setting_the_alarm_is_a_write_that_messages_wait_for() {
    let mut world = with_alarm(|_| vec![]);
    let set = world.ask(0, "a", [Do::SetAlarm(1_000), say("set")]);
    let cleared = world.ask(100, "a", [Do::ClearAlarm, say("cleared")]);
    world.run(10_000);
    assert_eq!((world.answered_at(set), world.answered_at(cleared)), (20, 120));
}

/// Both kinds of loss: with the turn, and with a commit.
#[test]
fn platform_6_2_the_alarm_goes_back_with_the_writes_that_are_lost() {
    let mut world = world(Setting {
        alarm: |_| vec![ring()],
        fixed: vec![fixed(Purpose::Survivors, 4, "b", 1)],
        ..Setting::default()
    });
    world.ask(0, "a", [Do::SetAlarm(3_000)]);
    world.ask(100, "a", [Do::SetAlarm(1_000), abort("boom")]);
    world.ask(0, "b", [Do::SetAlarm(3_000)]);
    world.ask(100, "b", [Do::SetAlarm(1_000)]);
    world.reset(110, "b");
    let seen = world.ask(200, "b", [Do::ReadAlarm]);
    world.run(10_000);
    assert_eq!(world.times("a", "wakes"), [3_000]);
    assert_eq!(world.times("b", "wakes"), [3_000]);
    assert_eq!(world.answer(seen), "3000");
}

/// `workerd.md` A2.
#[test]
fn platform_6_3_in_the_handler_no_alarm_is_set_until_it_is_set_again() {
    let mut world = with_alarm(|_| {
        vec![
            call("log", [keep("begun")]),
            Do::Sleep(100),
            Do::SetAlarm(60_000),
            Do::Sleep(100),
        ]
    });
    let times = [(500, "1000"), (1_050, "none"), (1_150, "60000"), (1_250, "60000")];
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    let asked = times.map(|(at, _)| world.ask(at, "a", [Do::ReadAlarm]));
    world.run(2_000);
    let seen = asked.map(|item| world.answer(item).to_owned());
    assert_eq!(seen, times.map(|(_, seen)| seen));
}

/// `workerd.md` A8.
#[test]
fn platform_6_3_a_failed_alarm_that_is_to_be_retried_counts_as_set() {
    let mut world = with_alarm(|_| vec![throw("no")]);
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    let asked = world.ask(2_000, "a", [Do::ReadAlarm]);
    world.run(2_500);
    assert_eq!(world.answer(asked), "1000");
}

/// The handler has returned; its writes are not confirmed when the machine fails.
#[test]
fn platform_6_4_an_alarm_whose_effects_are_not_confirmed_runs_again() {
    let mut world = world(Setting {
        alarm: |_| vec![write("rung"), ring()],
        fixed: vec![fixed(Purpose::Survivors, 1, "a", 0)],
        ..Setting::default()
    });
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.reset(1_010, "a");
    world.run(10_000);
    assert_eq!(world.times("a", "wakes"), [1_000, 1_010]);
    assert_eq!(
        world.rows("a"),
        "rung rung",
        "the commit of the first run has survived"
    );
    assert_eq!(world.times("a", "acts"), [1_030]);
}

/// `workerd.md` T3, A3: what each attempt wrote stays.
#[test]
fn platform_6_5_seven_runs_and_then_abandoned() {
    let mut world = with_alarm(|run| {
        vec![
            write(&format!("{}{}", run.retry_count, run.is_retry)),
            throw("no"),
        ]
    });
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    let asked = world.ask(900_000, "a", [Do::ReadAlarm]);
    world.run(1_000_000);
    // The wait counts from the end of a run, which is the confirmation of what it wrote.
    let runs = world.times("a", "wakes");
    assert_backoff(&runs, 1_000, &BACKOFF.map(|wait| wait + 20));
    assert_eq!(world.rows("a"), "0false 1true 2true 3true 4true 5true 6true");
    assert_eq!(world.answer(asked), "none", "platform 6.7: nothing is left of it");
}

#[test]
fn platform_6_7_an_abandoned_alarm_can_be_set_again_and_is_retried_from_the_start() {
    let mut world = with_alarm(|_| vec![throw("no")]);
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.ask(900_000, "a", [Do::SetAlarm(1_000_000)]);
    world.run(2_000_000);
    let runs = world.times("a", "wakes");
    assert_backoff(&runs[..7], 1_000, &BACKOFF);
    assert_backoff(&runs[7..], 1_000_000, &BACKOFF);
}

/// `workerd.md` A4.
#[test]
fn platform_6_8_set_again_and_then_failed_the_new_time_stands_and_no_retry_comes() {
    let mut world = with_alarm(|run| match run.scheduled {
        first if first == crate::kernel::EPOCH.after(protocol::host::Millis(1_000)) => {
            vec![Do::SetAlarm(60_000), throw("no")]
        }
        _ => vec![ring()],
    });
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.run(1_000_000);
    assert_eq!(world.times("a", "wakes by its alarm"), [1_000, 60_000]);
    assert!(
        world.times("a", "wakes by its alarm, retry").is_empty(),
        "the new one counts from the start"
    );
}

/// `workerd.md` A5.
#[test]
fn platform_6_9_cleared_in_the_handler_and_then_failed_no_retry_comes() {
    let mut world = with_alarm(|_| vec![Do::ClearAlarm, throw("no")]);
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    let asked = world.ask(50_000, "a", [Do::ReadAlarm]);
    world.run(100_000);
    assert_eq!(world.times("a", "wakes"), [1_000]);
    assert_eq!(world.answer(asked), "none");
}

/// The run goes on, and its effects are there.
#[test]
fn platform_6_9_cleared_by_a_request_the_run_that_is_under_way_goes_on() {
    let mut world = with_alarm(|_| vec![Do::Sleep(100), ring()]);
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.ask(1_050, "a", [Do::ClearAlarm]);
    world.run(100_000);
    assert_eq!(world.times("a", "wakes"), [1_000]);
    assert_eq!(world.times("a", "acts"), [1_100]);
}

/// `workerd.md` A6.
#[test]
fn workerd_a6_set_by_a_request_during_a_failing_run_the_new_time_stands() {
    let mut world = with_alarm(|_| vec![Do::Sleep(100), throw("no")]);
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.ask(1_050, "a", [Do::SetAlarm(5_000)]);
    world.run(6_000);
    assert_eq!(world.times("a", "wakes by its alarm"), [1_000, 5_000]);
    assert!(world.times("a", "wakes by its alarm, retry").is_empty());
}

/// `workerd.md` I13: one that is due meanwhile runs right after.
#[test]
fn platform_6_10_at_most_one_run_at_a_time() {
    let mut world = with_alarm(|_| vec![Do::Sleep(500), ring()]);
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.ask(1_100, "a", [Do::SetAlarm(1_200)]);
    world.run(10_000);
    assert_eq!(world.times("a", "wakes"), [1_000, 1_500]);
    assert_eq!(world.times("a", "acts"), [1_500, 2_000]);
}

/// `workerd.md` I12.
#[test]
fn platform_6_10_a_run_and_requests_interleave() {
    let mut world = with_alarm(|_| vec![keep("1"), Do::Sleep(100), keep("2")]);
    world.ask(0, "a", [Do::SetAlarm(1_000), Do::Sleep(1_020), keep("sleeper")]);
    world.ask(1_050, "a", [keep("request")]);
    let asked = world.ask(1_200, "a", [Do::Recall]);
    world.run(2_000);
    assert_eq!(world.answer(asked), "1 sleeper request 2");
}

/// Late by up to a minute, and never early, by the object's own clock.
#[test]
fn platform_6_11_late_perhaps_and_never_early() {
    let mut setting = Setting {
        alarm: |_| vec![],
        ..Setting::default()
    };
    let minute = Micros::from_millis(60_000);
    setting.knobs.alarm_lateness = Span {
        least: Micros::ZERO,
        most: minute,
    };
    let mut world = world(setting);
    for object in 0..20 {
        world.ask(0, &object.to_string(), [Do::SetAlarm(1_000)]);
    }
    world.run(100_000);
    let runs: Vec<u64> = (0..20)
        .flat_map(|object| world.times(&object.to_string(), "wakes"))
        .collect();
    assert_eq!(runs.len(), 20);
    assert!(runs.iter().all(|at| (1_000..=61_000).contains(at)), "{runs:?}");
    assert!(runs.iter().any(|at| *at > 1_000), "the knob has an effect");
}

/// What waits before it for the thread clears it, moves it, or leaves it as it is.
#[test]
fn platform_6_11_an_alarm_that_waits_for_the_thread_can_still_be_cleared_or_moved() {
    let moves = [
        (Do::ClearAlarm, vec![]),
        (Do::SetAlarm(5_000), vec![5_000]),
        (Do::SetAlarm(1_000), vec![1_100]),
        (Do::SetAlarm(500), vec![1_100]),
    ];
    for (deed, runs) in moves {
        let mut world = with_alarm(|_| vec![ring()]);
        world.ask(0, "a", [Do::SetAlarm(1_000)]);
        world.ask(900, "a", [Do::Work(200)]);
        world.ask(950, "a", [deed.clone()]);
        world.run(10_000);
        assert_eq!(world.times("a", "wakes"), runs, "{deed:?}");
    }
}

/// No commit, so nothing waits for one.
#[test]
fn platform_6_1_the_same_time_once_more_is_no_write() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [Do::SetAlarm(60_000)]);
    let again = world.ask(100, "a", [Do::SetAlarm(60_000), say("ok")]);
    let none = world.ask(100, "b", [Do::ClearAlarm, say("ok")]);
    world.run(1_000);
    assert_eq!((world.answered_at(again), world.answered_at(none)), (100, 100));
    assert_eq!(world.times("a", "commits"), [0]);
}
