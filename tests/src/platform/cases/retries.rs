//! Alarms whose run throws.

use super::alarms::{ONE_RETRY, alarmed, count, failing, stored};
use crate::platform::case::{Arm, Case, abort, ask, throw};
use crate::platform::script::Do;

pub(super) fn cases() -> Vec<Case> {
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
            "0 1",
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
