//! LR-L4. A lane is admitted as soon as the primary stands still for one round.
//!
//! Judged when a run of the alarm of a lane ends that was VERIFIED, CATCHING_UP or ELIGIBLE when it began: where the head
//! that it was told is still the newest generation, sealed, and the lane has come to it with equal schemas and all that is
//! mandatory, and no fault has taken effect meanwhile, the lane serves. So one write in every round keeps no lane out, as
//! long as one round is without. How long the primary must seal nothing for a copy is measured: with a write in less than
//! that, no copy becomes whole. It cannot see a lane that is kept from reaching the head: that is LR-24's.

use super::lr_16_whole;
use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::runs::Run;
use crate::world::lanes::truth::wire::Heard;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;
use protocol::lanes::object::labels;
use protocol::lanes::wire::Head;

/// It is kept out.
const KEPT_OUT: Class = Class("kept-out");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-L4",
        statement: "a round that finds the primary where the log ends, and reaches it, admits its lane",
        classes: &[KEPT_OUT],
    },
    triage: Triage::Reworded(
        "a copy needs that the primary seals nothing while it lasts: how long that is at most is measured and told",
    ),
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let rounds = turn.heard.iter().filter_map(|heard| match heard {
        Heard::Finished {
            run: Some(run),
            outcome: Ok(_),
            ..
        } if run.is_alarm() => Some(run),
        _ => None,
    });
    let mut judgement = Judgement::NoSubject;
    for run in rounds {
        if !is_due(truth, turn, run) {
            continue;
        }
        let stage = turn.after.stage();
        if stage != Some(Stage::Serving) {
            let applied = told(turn.after.generation(Key::APPLIED));
            let detail = format!(
                "lane {} has reached {applied}, where the primary stands, and is {}",
                turn.lane,
                told(stage)
            );
            return Judgement::broken(Breach::new(KEPT_OUT, detail).between(
                (format!("lane {} at {applied}", turn.lane), Stage::Serving),
                ("it is", told(stage)),
            ));
        }
        judgement = Judgement::Holds;
    }
    judgement
}

/// Whether a round must have admitted its lane.
fn is_due(truth: &Truth, turn: &Turn, run: &Run) -> bool {
    let below = |stage: &Option<Stage>| {
        matches!(stage, Some(Stage::Verified | Stage::CatchingUp | Stage::Eligible))
    };
    let stages: Vec<Option<Stage>> = truth.stages_since(turn.lane, run.since).collect();
    let went_up = stages.iter().all(|stage| below(stage) || *stage == Some(Stage::Serving));
    if !stages.last().is_some_and(below) || !went_up {
        return false;
    }
    let head = run.calls().rev().find(|made| made.label == labels::READ_HEAD);
    let head = head.and_then(|made| made.response()?.body.read::<Head>().ok());
    let Some(newest) = head.and_then(|head| head.generation.to_number().to_u64_exact()) else {
        return false;
    };
    let primary = &truth.primary;
    let stands_still = primary.generation(Key::COMMIT_SEQUENCE) == Some(newest)
        && primary.sealed().is_none_or(|sealed| sealed == newest)
        && truth.sealed_at.range(..).next_back().is_none_or(|(_, at)| *at < run.since);
    stands_still
        && truth.troubled.is_none_or(|at| at < run.since)
        && Truth::owes(&turn.after) == Some(newest)
        && turn.after.schema().is_some()
        && turn.after.schema() == primary.schema()
        && lr_16_whole::missing(&turn.after).is_none()
}
