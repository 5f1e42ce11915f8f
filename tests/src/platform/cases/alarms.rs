//! Alarms.

use crate::platform::case::{Arm, Case, Machine, Step, abort, ask, keep, throw, write};
use crate::platform::script::Do;

/// Long enough for the first retry of an alarm, and too short for the second.
const ONE_RETRY: u64 = 4_000;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = runs();
    cases.extend(retries());
    cases.extend(ends());
    cases
}

/// An object whose alarm runs these, and comes due at once.
fn alarmed(rules: &'static str, name: &'static str, says: &'static str, scripts: Vec<Vec<Do>>) -> Case {
    Case::new(rules, name, says).drive([ask("a", [Do::OnAlarm(scripts), Do::SetAlarm(20)])])
}

/// Pauses, and then sees what the alarm has stored, and whether there is one.
fn stored(case: Case, pause: u64, before: &[&str], rows: &str, alarm: &str) -> Case {
    let last = format!("{rows} {alarm}");
    let sees = ["done"].iter().chain(before).map(|line| (*line).to_owned());
    case.pause(pause)
        .drive([ask("a", [Do::Read, Do::GetAlarm])])
        .sees(sees.chain([last]))
}

fn count() -> Vec<Do> {
    vec![Do::RetryCount, Do::Store]
}

fn failing(mut script: Vec<Do>) -> Vec<Do> {
    script.push(throw("!no"));
    script
}

fn runs() -> Vec<Case> {
    vec![
        stored(
            alarmed("A1, 6.1", "it_rings", "an alarm runs once its time has come, and is gone", vec![vec![write("rang")]]),
            400,
            &[],
            "rang",
            "none",
        ),
        stored(
            Case::new("A1, 6.1", "the_past_is_now", "an alarm that is set to now runs at once")
                .drive([ask("a", [Do::OnAlarm(vec![vec![write("rang")]]), Do::SetAlarm(0)])]),
            400,
            &[],
            "rang",
            "none",
        ),
        stored(
            Case::new("6.1", "a_later_time_replaces_it", "there is one alarm: a later time replaces the earlier one")
                .drive([ask("a", [Do::OnAlarm(vec![vec![write("rang")]]), Do::SetAlarm(1_000)])])
                .drive([ask("a", [Do::SetAlarm(60_000)])]),
            2_000,
            &["done"],
            "nothing",
            "set",
        ),
        stored(
            Case::new("6.1", "an_earlier_time_replaces_it", "there is one alarm: an earlier time replaces the later one")
                .drive([ask("a", [Do::OnAlarm(vec![vec![write("rang")]]), Do::SetAlarm(60_000)])])
                .drive([ask("a", [Do::SetAlarm(100)])]),
            1_000,
            &["done"],
            "rang",
            "none",
        ),
        stored(
            Case::new("6.1", "it_is_deleted", "an alarm that was deleted does not run")
                .drive([ask("a", [Do::OnAlarm(vec![vec![write("rang")]]), Do::SetAlarm(1_000)])])
                .drive([ask("a", [Do::DeleteAlarm])]),
            2_000,
            &["done"],
            "nothing",
            "none",
        ),
        stored(
            alarmed(
                "A2, 6.3",
                "none_within_its_run",
                "within its run there is no alarm, unless it was set since",
                vec![vec![Do::GetAlarm, Do::SetAlarm(60_000), Do::GetAlarm, Do::Store]],
            ),
            400,
            &[],
            "none set",
            "set",
        ),
        stored(
            alarmed(
                "A1, 6.5",
                "the_first_run_is_no_retry",
                "an alarm that its own run sets counts from the start",
                vec![[vec![Do::SetAlarm(20)], count()].concat(), count()],
            ),
            500,
            &[],
            "0 0",
            "none",
        ),
        Case::untested(
            "A13, 6.1",
            "a class without `alarm()` cannot set one",
            "every class of the seam has one",
            "every class of the shell has one",
        ),
        Case::untested(
            "6.13",
            "an alarm that its own run sets to now may get stuck",
            "knob `alarm-now-sticks`, and the kernel's own tests: `alarms`",
            "reported of production; not seen here (A2)",
        ),
        Case::untested(
            "6.11, 6.12",
            "an alarm can be late, and its manager can be wrong",
            "knobs `alarm-late`, `alarm-sync-loss`",
            "documented only: the manager of one machine is never wrong",
        ),
    ]
}

fn retries() -> Vec<Case> {
    vec![
        stored(
            alarmed(
                "A3, T3, 6.5",
                "a_throw_is_retried",
                "a run that throws is tried again after some seconds; what it wrote stays",
                vec![failing(count()), count()],
            ),
            ONE_RETRY,
            &[],
            "0 1",
            "none",
        ),
        stored(
            alarmed(
                "A3, 6.5, 6.7",
                "seven_runs_and_no_more",
                "an alarm whose runs all throw has seven of them, and is given up",
                vec![failing(count())],
            )
            .slow(),
            240_000,
            &[],
            "0 1 2 3 4 5 6",
            "none",
        ),
        stored(
            alarmed(
                "A4, 6.8",
                "set_and_throw",
                "a run that sets the alarm and throws is not retried: the new time stands, and counts from the start",
                vec![failing([vec![Do::SetAlarm(100)], count()].concat()), count()],
            ),
            ONE_RETRY,
            &[],
            "0 0",
            "none",
        ),
        stored(
            alarmed(
                "A5, 6.9",
                "delete_and_throw",
                "a run that deletes the alarm and throws is not retried",
                vec![failing([vec![Do::DeleteAlarm], count()].concat()), count()],
            ),
            ONE_RETRY,
            &[],
            "0",
            "none",
        ),
        stored(
            alarmed(
                "A6, 6.8",
                "set_during_a_failing_run",
                "an alarm that a request sets during a run that fails then runs at its time, counted from the start",
                vec![failing([count(), vec![Do::Sleep(400)]].concat()), count()],
            )
            .pause(200)
            .drive([ask("a", [Do::SetAlarm(700)])]),
            1_500,
            &["done"],
            "0 0",
            "none",
        ),
        stored(
            alarmed(
                "A4",
                "set_wait_and_throw",
                "the same where the run awaits something between the two",
                vec![
                    failing([vec![Do::SetAlarm(600)], count(), vec![Do::Sleep(100)]].concat()),
                    count(),
                ],
            ),
            ONE_RETRY,
            &[],
            "0 0",
            "none",
        ),
        stored(
            alarmed(
                "A4, 4.5",
                "set_undone_and_throw",
                "a time that a transaction has taken back does not stand: the run is retried",
                vec![
                    failing(
                        [
                            vec![Do::Catch(vec![Do::Transaction(vec![
                                Do::SetAlarm(60_000),
                                throw("!no"),
                            ])])],
                            vec![Do::RetryCount, Do::Store],
                        ]
                        .concat(),
                    ),
                    count(),
                ],
            ),
            ONE_RETRY,
            &[],
            "[!no] 0 1",
            "none",
        ),
        stored(
            alarmed(
                "A5, 6.9",
                "deleted_during_a_failing_run",
                "an alarm that a request deletes during a run that fails then is not retried",
                vec![failing([count(), vec![Do::Sleep(600)]].concat()), count()],
            )
            .pause(300)
            .drive([ask("a", [Do::GetAlarm, Do::DeleteAlarm])]),
            ONE_RETRY + 600,
            &["none"],
            "0",
            "none",
        ),
        stored(
            alarmed(
                "A6, 6.8",
                "set_during_a_run",
                "an alarm that a request sets during a run stands when that has ended well",
                vec![[count(), vec![Do::Sleep(600)]].concat(), count()],
            )
            .pause(300)
            .drive([ask("a", [Do::GetAlarm, Do::SetAlarm(60_000), Do::GetAlarm])]),
            1_500,
            &["none set"],
            "0",
            "set",
        ),
        stored(
            alarmed(
                "A3, A9",
                "an_abort_keeps_the_retry",
                "an abort while an alarm waits for its retry changes nothing about it",
                vec![failing(count()), count()],
            )
            .pause(500)
            .drive([ask("a", [abort()])]),
            ONE_RETRY,
            &["[!aborted, remote, reset]"],
            "0 1",
            "none",
        ),
        stored(
            alarmed(
                "A8, 6.3",
                "set_while_it_waits_for_a_retry",
                "an alarm that waits for its retry counts as set",
                vec![failing(count()), count()],
            ),
            500,
            &[],
            "0",
            "set",
        ),
        stored(
            alarmed(
                "A7",
                "an_earlier_time_keeps_the_retry",
                "an alarm that is set while it waits for a retry runs at the retry's time, as that retry",
                vec![failing(count()), count()],
            )
            .pause(400)
            .drive([ask("a", [Do::SetAlarm(200)])])
            .pause(700)
            .drive([ask("a", [Do::Read])])
            .knobs("alarm-keeps-retry", |knobs| knobs.alarm_keeps_retry = true),
            ONE_RETRY,
            &["done", "0"],
            "0 1",
            "none",
        ),
        stored(
            alarmed(
                "6.8",
                "an_earlier_time_replaces_the_retry",
                "an alarm that is set while it waits for a retry runs at its own time, as production documents",
                vec![failing(count()), count()],
            )
            .pause(400)
            .drive([ask("a", [Do::SetAlarm(200)])]),
            900,
            &["done"],
            "0 0",
            "none",
        )
        .runtime(Arm::Differs(
            "a quirk of the local scheduler (A7), which the knob `alarm-keeps-retry` has",
            &["done", "done", "0 set"],
        )),
    ]
}

fn ends() -> Vec<Case> {
    vec![
        stored(
            alarmed(
                "A9, 6.15",
                "an_abort_in_a_run",
                "a run that aborts its object is tried again, counted, on a new instance; the unit's writes are lost",
                vec![vec![keep("m"), write("lost"), abort()], [vec![Do::Recall], count()].concat()],
            ),
            ONE_RETRY,
            &[],
            "nothing 1",
            "none",
        ),
        stored(
            alarmed(
                "A9, A4",
                "set_and_abort",
                "a run that sets the alarm and aborts in the same unit is retried: the new time is lost",
                vec![vec![Do::SetAlarm(60_000), abort()], count()],
            ),
            ONE_RETRY,
            &[],
            "1",
            "none",
        ),
        Case::new("7.5, 6.16", "an_abort_keeps_the_alarm", "an alarm survives its object's reset")
            .drive([ask("a", [Do::OnAlarm(vec![vec![keep("rang")]]), Do::SetAlarm(700)])])
            .drive([ask("a", [keep("m"), abort()])])
            .pause(1_500)
            .drive([ask("a", [Do::Recall])])
            .sees(["done", "[!aborted, remote, reset]", "rang"]),
        stored(
            alarmed(
                "A9",
                "a_broken_block_in_a_run",
                "the same of a run whose critical section throws",
                vec![vec![Do::Block(vec![write("lost"), throw("!no")])], count()],
            ),
            ONE_RETRY,
            &[],
            "1",
            "none",
        ),
        stored(
            alarmed(
                "A9, 6.15",
                "an_abort_during_a_run",
                "a run that a request's abort ends is tried again",
                vec![vec![write("first"), Do::Sleep(400), write("lost")], vec![write("again")]],
            )
            .pause(200)
            .drive([ask("a", [abort()])]),
            ONE_RETRY,
            &["[!aborted, remote, reset]"],
            "first again",
            "none",
        ),
        stored(
            alarmed(
                "A10, 6.4",
                "a_power_cut_in_a_run",
                "a run that a power cut ends is run again, and nobody has counted",
                vec![[count(), vec![Do::Sleep(60_000)]].concat(), count()],
            )
            .pause(300)
            .step(Step::PowerCut)
            .machine(Machine::Own),
            1_500,
            &[],
            "0 0",
            "none",
        ),
        Case::new("A11, 6.16", "overdue_after_a_power_cut", "an alarm that came due without power runs by itself")
            .drive([ask("a", [Do::OnAlarm(vec![vec![keep("rang")]]), Do::SetAlarm(250)])])
            .step(Step::PowerCut)
            .pause(1_500)
            .drive([ask("a", [Do::Recall])])
            .sees(["done", "rang"])
            .machine(Machine::Own),
        stored(
            alarmed(
                "A11, A3",
                "a_retry_after_a_power_cut",
                "an alarm that waits for its retry runs after a power cut, and nobody has counted",
                vec![failing(count()), count()],
            )
            .pause(400)
            .step(Step::PowerCut)
            .machine(Machine::Own),
            ONE_RETRY,
            &[],
            "0 0",
            "none",
        )
        .kernel(Arm::Differs(
            "on one machine the alarm's manager loses its count; the simulated manager is not of the object's machine",
            &["done", "0 1 none"],
        )),
        stored(
            Case::new("A12, 1.4", "the_name_is_known", "an instance that its alarm has woken knows its name")
                .drive([ask("a", [Do::OnAlarm(vec![vec![Do::Name, Do::Store]]), Do::SetAlarm(400)])])
                .step(Step::PowerCut)
                .machine(Machine::Own),
            1_500,
            &[],
            "a",
            "none",
        ),
        Case {
            kernel: Arm::Runs,
            ..stored(
                Case::new("A12, 1.4", "the_name_is_missing", "an instance that its alarm has woken may not know its name")
                    .drive([ask("a", [Do::OnAlarm(vec![vec![Do::Name, Do::Store]]), Do::SetAlarm(400)])])
                    .step(Step::PowerCut)
                    .knobs("name-missing", |knobs| knobs.name_missing = true)
                    .runtime(Arm::Absent("so did the runtime of April 2026; the one that is pinned knows it")),
                1_500,
                &[],
                "nothing",
                "none",
            )
        },
        Case::untested(
            "6.6",
            "a run that the storage has failed does not count",
            "the kernel's own tests: `alarm_ends`",
            "documented only",
        ),
    ]
}
