//! LR-4. No write of the primary is durable that no record will ever carry.
//!
//! Looked at when an incarnation has ended: nothing is in memory then, so what the database holds and the newest record
//! does not is a hole for good. The oracle's state at that record's generation is compared with the contents.
//! Catches a reset between a write and its record (a hole in the log).

use super::{Check, Judgement, Stand, Triage};
use crate::check::Invariant;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::Text;

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-4",
        statement: "after a reset the primary holds what its newest record says, and nothing more",
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Primary(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    if !turn.is_reset() {
        return Judgement::NoSubject;
    }
    let Some(sealed) = turn.after.sealed() else {
        return Judgement::NoSubject;
    };
    let Some(state) = truth.at(sealed) else {
        return Judgement::NoSubject;
    };
    match turn.after.contents.difference(state, truth.seconds()) {
        None => Judgement::Holds,
        Some(difference) => Judgement::Broken(Text::from(format!(
            "the newest record is {sealed}, and the primary against it: {difference}"
        ))),
    }
}
