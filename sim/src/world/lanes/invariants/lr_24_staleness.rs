//! LR-24. A serving lane looks for what is new within its bound.
//!
//! Judged when the alarm of a serving lane begins a pull, and no fault has taken effect since it began the one before:
//! the oldest record that the lane lacks must not have been sealed, nor the lane have begun to serve, longer ago than the
//! lag bound, what the platform may be late without any fault, what the last pull has waited for the primary, and a slack
//! for the rest of an alarm's run. Only then is it known that the alarm was set when the last pull ended, and for when. A
//! lane that never pulls is LR-L2's. Catches H21, A07, and a log that grows faster than pulls carry (S31).

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant, Measure};
use crate::kernel::Micros;
use crate::world::lanes::truth::Truth;
use crate::world::lanes::truth::wire::Called;
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;
use protocol::lanes::object::labels;

/// It is older.
const TOO_OLD: Class = Class("too-old");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-24",
        statement: "without faults a serving lane pulls before what it lacks is older than the lag bound",
        classes: &[TOO_OLD],
    },
    triage: Triage::Reworded(
        "judged when a pull begins, for how long it takes is the primary's load; that pulls come at all is LR-L2's",
    ),
    stands: &[Stand::Call(check)],
};

/// The lag bound that no variable has changed (`lanes.md` 3).
const BOUND: Micros = Micros::from_millis(30_000);

/// The time that the rest of an alarm's run takes after its pull.
const SLACK: Micros = Micros::from_millis(5_000);

fn check(truth: &mut Truth, called: &Called) -> Judgement {
    let by_alarm = called.run.as_ref().is_some_and(|run| run.is_alarm());
    if called.label != labels::READ_HEAD || !by_alarm {
        return Judgement::NoSubject;
    }
    let Some((lane, standing)) = truth
        .lane_of(&called.who)
        .and_then(|lane| Some((lane, truth.standing(lane)?)))
    else {
        return Judgement::NoSubject;
    };
    let before = truth.pulled.get(&lane).copied();
    if before.is_none_or(|before| truth.troubled.is_some_and(|at| at >= before)) {
        return Judgement::NoSubject;
    }
    let (Some(applied), Some(serving)) = (standing.generation(Key::APPLIED), truth.serving_since(lane)) else {
        return Judgement::NoSubject;
    };
    let lacks = truth.sealed_at.range(applied + 1..).next();
    let Some((generation, sealed)) = lacks.filter(|_| standing.stage() == Some(Stage::Serving)) else {
        return Judgement::NoSubject;
    };
    let stale = truth.now.since(serving.max(*sealed));
    let waited = truth.pull_waited.get(&lane).copied().unwrap_or(Micros::ZERO);
    let bound = BOUND.after(truth.lateness).after(waited).after(SLACK);
    let measure = Measure {
        what: "without faults, how old what a serving lane lacked was when it pulled",
        most: stale,
        bound: Some(bound),
    };
    let (applied, generation) = (applied, *generation);
    truth.measures.note(CHECK.invariant.id, measure);
    Judgement::that(stale <= bound, || {
        Breach::new(TOO_OLD, format!("lane {lane} serves {applied} and has lacked {generation} for {stale}, the bound is {bound}")).between(("the bound", bound), (format!("lane {lane} has lacked {generation} for"), stale))
    })
}
