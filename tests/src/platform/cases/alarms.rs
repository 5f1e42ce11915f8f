//! Alarms.

use crate::platform::case::{Case, ask, throw, write};
use crate::platform::script::Do;

/// Long enough for the first retry of an alarm, and too short for the second.
pub(super) const ONE_RETRY: u64 = 4_000;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = runs();
    cases.extend(super::retries::cases());
    cases.extend(super::alarm_ends::cases());
    cases
}

/// An object whose alarm runs these, and comes due at once.
pub(super) fn alarmed(
    rules: &'static str,
    name: &'static str,
    says: &'static str,
    scripts: Vec<Vec<Do>>,
) -> Case {
    Case::new(rules, name, says).drive([ask("a", [Do::OnAlarm(scripts), Do::SetAlarm(20)])])
}

/// Pauses, and then sees what the alarm has stored, and whether there is one.
pub(super) fn stored(case: Case, pause: u64, before: &[&str], rows: &str, alarm: &str) -> Case {
    let last = format!("{rows} {alarm}");
    let sees = ["done"].iter().chain(before).map(|line| (*line).to_owned());
    case.pause(pause)
        .drive([ask("a", [Do::Read, Do::GetAlarm])])
        .sees(sees.chain([last]))
}

pub(super) fn count() -> Vec<Do> {
    vec![Do::RetryCount, Do::Store]
}

pub(super) fn failing(mut script: Vec<Do>) -> Vec<Do> {
    script.push(throw("!no"));
    script
}

fn runs() -> Vec<Case> {
    vec![
        stored(
            alarmed(
                "A1, 6.1",
                "it_rings",
                "an alarm runs once its time has come, and is gone",
                vec![vec![write("rang")]],
            ),
            400,
            &[],
            "rang",
            "none",
        ),
        stored(
            Case::new(
                "A1, 6.1",
                "the_past_is_now",
                "an alarm that is set to now runs at once",
            )
            .drive([ask(
                "a",
                [Do::OnAlarm(vec![vec![write("rang")]]), Do::SetAlarm(0)],
            )]),
            400,
            &[],
            "rang",
            "none",
        ),
        stored(
            Case::new(
                "6.1",
                "a_later_time_replaces_it",
                "there is one alarm: a later time replaces the earlier one",
            )
            .drive([ask(
                "a",
                [Do::OnAlarm(vec![vec![write("rang")]]), Do::SetAlarm(1_000)],
            )])
            .drive([ask("a", [Do::SetAlarm(60_000)])]),
            2_000,
            &["done"],
            "nothing",
            "set",
        ),
        stored(
            Case::new(
                "6.1",
                "an_earlier_time_replaces_it",
                "there is one alarm: an earlier time replaces the later one",
            )
            .drive([ask(
                "a",
                [Do::OnAlarm(vec![vec![write("rang")]]), Do::SetAlarm(60_000)],
            )])
            .drive([ask("a", [Do::SetAlarm(100)])]),
            1_000,
            &["done"],
            "rang",
            "none",
        ),
        stored(
            Case::new("6.1", "it_is_deleted", "an alarm that was deleted does not run")
                .drive([ask(
                    "a",
                    [Do::OnAlarm(vec![vec![write("rang")]]), Do::SetAlarm(1_000)],
                )])
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
