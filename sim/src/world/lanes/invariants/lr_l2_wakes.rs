//! LR-L2. A lane that has something to do will wake.
//!
//! After each turn of a lane, and after each end of an incarnation: in a stage that owns a chain of alarms the alarm is
//! set, runs, or is queued for a retry. That includes an alarm that the platform has given up after six retries. The
//! stages are VERIFIED to SERVING, WITHDRAWN, and CREATED where the lane has asked for a copy: a lane that never asked
//! waits for nobody. One that is RESTORING without an alarm waits for the primary's chunks (`lanes.md` 15): then the
//! primary has a run that copies to it, or will wake with the lane's copy in progress or queued; this is looked at after
//! each turn of the primary too. An alarm that is set and that the platform never delivers is the platform's (PL-4).
//! Catches A01, A03, A05, H21, and a copy that is abandoned.

use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::standing::Standing;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;

/// It has none, in this stage.
const NO_ALARM: Class = Class("no-alarm");
/// Its copy goes on nowhere.
const ABANDONED: Class = Class("abandoned");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-L2",
        statement: "a lane that has something to do has an alarm set, running or queued for a retry, or a copy on its way",
        classes: &[NO_ALARM, ABANDONED],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check), Stand::Primary(primary)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    if turn.after.stage() == Some(Stage::Restoring) {
        return restored(truth, turn.lane, &turn.after);
    }
    if !owns_chain(&turn.after) {
        return Judgement::NoSubject;
    }
    Judgement::that(turn.after.wakes, || {
        let stage = told(turn.after.stage());
        Breach::new(NO_ALARM, format!("lane {} is {stage} and has no alarm", turn.lane))
            .at(&stage)
            .between((format!("lane {}", turn.lane), "an alarm"), ("it has", "none"))
    })
}

/// What the primary does can leave a lane alone whose copy it had begun.
fn primary(truth: &mut Truth, _: &Turn) -> Judgement {
    let restoring = |lane: &(&u32, &Standing)| lane.1.stage() == Some(Stage::Restoring);
    let mut judgement = Judgement::NoSubject;
    for (lane, standing) in truth.lanes.iter().filter(restoring) {
        judgement = restored(truth, *lane, standing);
        if matches!(judgement, Judgement::Broken(_)) {
            break;
        }
    }
    judgement
}

/// Whether a lane that is RESTORING will wake, or will be sent the rest of its copy.
fn restored(truth: &Truth, lane: u32, standing: &Standing) -> Judgement {
    Judgement::that(standing.wakes || truth.is_copied_to(lane), || {
        Breach::new(ABANDONED, format!("lane {lane} is RESTORING, has no alarm, and nobody goes on with its copy"))
            .between((format!("lane {lane}"), "an alarm, or a copy"), ("it has", "neither"))
            .concerning(truth.named(lane))
    })
}

fn owns_chain(standing: &Standing) -> bool {
    match standing.stage() {
        Some(Stage::Created) => standing.meta(Key::READMIT_ASKS).is_some(),
        Some(Stage::Restoring) | None => false,
        Some(Stage::Verified | Stage::CatchingUp | Stage::Eligible | Stage::Serving | Stage::Withdrawn) => true,
    }
}
