//! LR-4. No write of the primary is durable that no record will ever carry.
//!
//! Looked at when an incarnation has ended, and at rest: nothing is in memory then, so what the database holds and the newest record
//! does not is a hole for good. The oracle's state at that record's generation is compared with the contents.
//! Catches a reset between a write and its record (a hole in the log).

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::standing::Standing;
use crate::world::lanes::truth::{Truth, Turn};

/// It holds another state, in this table first.
const DIFFERS: Class = Class("differs");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-4",
        statement: "after a reset, and at rest, the primary holds what its newest record says, and nothing more",
        classes: &[DIFFERS],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Primary(check), Stand::Rest(rest)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    if turn.is_reset() {
        recorded(truth, &turn.after)
    } else {
        Judgement::NoSubject
    }
}

/// At rest nothing is buffered either.
fn rest(truth: &mut Truth) -> Judgement {
    match &truth.at_rest {
        Some(read) => recorded(truth, read),
        None => Judgement::NoSubject,
    }
}

/// Whether a primary holds what its newest record says.
fn recorded(truth: &Truth, primary: &Standing) -> Judgement {
    let Some(sealed) = primary.sealed() else {
        return Judgement::NoSubject;
    };
    let Some(state) = truth.at(sealed) else {
        return Judgement::NoSubject;
    };
    match primary.contents.difference(state, truth.seconds()) {
        None => Judgement::Holds,
        Some(difference) => Judgement::broken(Breach::new(DIFFERS, format!(
            "the newest record is {sealed}: {}",
            difference.between("the primary", "the log up to it")
        )).at(difference.place()).between(
            (format!("the log up to record {sealed}"), difference.there()),
            ("the primary", difference.here()),
        ).concerning(truth.named(0))),
    }
}
