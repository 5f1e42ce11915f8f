//! LR-1. The log is a chain.
//!
//! The newest record is read after every turn that wrote the log, with the one before it; so each pair of neighbours is
//! looked at once it stands. Catches S7 (two seals overlap).

use super::{Check, Judgement, Stand, Triage};
use crate::check::Invariant;
use crate::world::lanes::truth::{Truth, Turn};

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-1",
        statement: "records are a chain: each builds on the one before it, and no two on the same",
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Primary(check)],
};

fn check(_: &mut Truth, turn: &Turn) -> Judgement {
    if turn.after.log == turn.before.log {
        return Judgement::NoSubject;
    }
    let mut newest = turn.after.log.iter().rev();
    let (Some((generation, record)), Some((before, _))) = (newest.next(), newest.next()) else {
        return Judgement::NoSubject;
    };
    Judgement::that(record.parent.to_u64_exact() == Some(*before), || {
        format!(
            "record {generation} builds on {}, and the record before it is {before}",
            record.parent
        )
    })
}
