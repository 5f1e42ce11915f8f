//! LR-10. A lane that was cut short is exact, or knows that it is not.
//!
//! LR-9 when an incarnation has ended, at whatever commit it was cut.

use super::lr_09_exact::{DIFFERS, NEVER_THERE, NO_TABLE, exact};
use super::{Check, Judgement, Stand, Triage};
use crate::check::Invariant;
use crate::world::lanes::truth::{Truth, Turn};

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-10",
        statement: "after a reset a lane is exact where it stands, or its marker says that it is not",
        classes: &[NEVER_THERE, NO_TABLE, DIFFERS],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    if turn.is_reset() {
        exact(truth, turn)
    } else {
        Judgement::NoSubject
    }
}
