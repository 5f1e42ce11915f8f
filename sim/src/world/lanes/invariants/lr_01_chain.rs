//! LR-1. The log is a chain.
//!
//! Looked at after every turn that wrote the log: each pair of neighbours of which one is new. Catches S7 (two seals overlap).

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::{Truth, Turn};

/// A record does not build on the one before it.
const OTHER_PARENT: Class = Class("other-parent");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-1",
        statement: "records are a chain: each builds on the one before it, and no two on the same",
        classes: &[OTHER_PARENT],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Primary(check)],
};

fn check(_: &mut Truth, turn: &Turn) -> Judgement {
    if turn.after.log == turn.before.log {
        return Judgement::NoSubject;
    }
    let mut judgement = Judgement::NoSubject;
    let pairs = turn.after.log.iter().zip(turn.after.log.iter().skip(1));
    for ((before, _), (generation, record)) in pairs {
        if turn.before.log.get(generation) == Some(record) && turn.before.log.contains_key(before) {
            continue;
        }
        let builds = record.parent.to_u64_exact() == Some(*before);
        judgement = Judgement::that(builds, || {
            Breach::new(OTHER_PARENT, format!(
                "record {generation} builds on {}, and the record before it is {before}",
                record.parent
            )).between(("the record before", before), (format!("the parent of record {generation}"), record.parent))
        });
        if !builds {
            break;
        }
    }
    judgement
}
