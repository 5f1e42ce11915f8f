//! LR-L2. A lane that has something to do will wake.
//!
//! After each turn of a lane, and after each end of an incarnation: in a stage that owns a chain of alarms the alarm is
//! set, runs, or is queued for a retry. That includes an alarm that the platform has given up after six retries. The
//! stages are VERIFIED to SERVING, WITHDRAWN, and CREATED where the lane has asked for a copy: a lane that never asked
//! waits for nobody, and one that is RESTORING waits for the primary's chunks (`lanes.md` 15). An alarm that is set and
//! that the platform never delivers is the platform's (PL-4). Catches A01, A03, A05, H21.

use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::standing::Standing;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;

/// It has none, in this stage.
const NO_ALARM: Class = Class("no-alarm");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-L2",
        statement: "a lane in a stage that owns a chain of alarms has one set, running or queued for a retry",
        classes: &[NO_ALARM],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
};

fn check(_: &mut Truth, turn: &Turn) -> Judgement {
    if !owns_chain(&turn.after) {
        return Judgement::NoSubject;
    }
    Judgement::that(turn.after.wakes, || {
        Breach::new(NO_ALARM, format!("lane {} is {} and has no alarm", turn.lane, told(turn.after.stage()))).at(told(turn.after.stage())).between((format!("lane {}", turn.lane), "an alarm"), ("it has", "none"))
    })
}

fn owns_chain(standing: &Standing) -> bool {
    match standing.stage() {
        Some(Stage::Created) => standing.meta(Key::READMIT_ASKS).is_some(),
        Some(Stage::Restoring) | None => false,
        Some(Stage::Verified | Stage::CatchingUp | Stage::Eligible | Stage::Serving | Stage::Withdrawn) => true,
    }
}
