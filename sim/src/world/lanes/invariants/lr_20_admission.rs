//! LR-20. A lane begins to serve only when it is the primary's equal.
//!
//! The primary's equal at one instant: a generation that was the primary's newest at some moment since the lane last
//! stood still cannot be told from outside; what can be told is that the lane's position is a generation of the primary's,
//! that its state is that one's, and that schemas are known and equal.

use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Invariant};
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-20",
        statement: "a lane begins to serve with the primary's state, and with schemas that are known and equal",
    },
    triage: Triage::Reworded(
        "that head, fingerprint and position come from one reading is checked by its consequence: the states are equal",
    ),
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    if !turn
        .puts(Key::STAGE)
        .any(|stage| *stage == Stage::Serving.as_str())
    {
        return Judgement::NoSubject;
    }
    let (own, theirs) = (turn.after.schema(), truth.primary.schema());
    if own.is_none() || own != theirs {
        return Judgement::broken(Breach::new(format!("lane {} serves schema {}, the primary {}", turn.lane, told(own), told(theirs))).between(("the primary's schema", told(theirs)), (format!("lane {}", turn.lane), told(own))));
    }
    super::lr_09_exact::exact(truth, turn)
}
