//! Alarms whose run is ended by something else, and what survives.

use super::alarms::{ONE_RETRY, alarmed, count, failing, stored};
use crate::platform::case::{Arm, Case, Machine, Step, abort, ask, keep, throw, write};
use crate::platform::script::Do;

pub(super) fn cases() -> Vec<Case> {
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
        cut_off(
            "A11, A3",
            "a_retry_after_a_power_cut",
            "an alarm that waits for its retry runs after a power cut, and nobody has counted",
            "0 0",
        )
        .knobs("alarm-count-lost", |knobs| knobs.alarm_count_lost = true),
        cut_off(
            "6.4",
            "a_retry_after_the_objects_machine_fails",
            "where the alarm's manager is on another machine than the object, it has counted",
            "0 1",
        )
        .runtime(Arm::Differs(
            "here the manager is on the object's machine, and counts in memory; production's is another service. The \
             simulator's default is the harsher, as an alarm is given up sooner; the knob `alarm-count-lost` has this one",
            &["done", "0 0 none"],
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
        stored(
                Case::new("A12, 1.4", "the_name_is_missing", "an instance that its alarm has woken may not know its name")
                    .drive([ask("a", [Do::OnAlarm(vec![vec![Do::Name, Do::Store]]), Do::SetAlarm(400)])])
                    .step(Step::PowerCut)
                    .knobs("name-missing", |knobs| knobs.name_missing = true)
                    .runtime(Arm::Absent("so did the runtime of April 2026; the one that is pinned knows it")),
                1_500,
                &[],
                "nothing",
                "none",
            ),
        Case::untested(
            "6.6",
            "a run that the storage has failed does not count",
            "the kernel's own tests: `alarm_ends`",
            "documented only",
        ),
    ]
}

/// The power goes while an alarm waits for its first retry: what its runs were told.
fn cut_off(rules: &'static str, name: &'static str, says: &'static str, told: &str) -> Case {
    let alarmed = alarmed(rules, name, says, vec![failing(count()), count()]);
    let cut = alarmed.pause(400).step(Step::PowerCut).machine(Machine::Own);
    stored(cut, ONE_RETRY, &[], told, "none")
}
