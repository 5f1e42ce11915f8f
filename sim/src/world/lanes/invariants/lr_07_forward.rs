//! LR-7. The primary's counters run forward.
//!
//! Within one history, which here is one life of the primary's storage: what its rows hold may sink with a crash, which
//! takes back what nobody was told of, so only turns without one are looked at; and what a head has told never sinks: one
//! that is asked for later tells no less. Catches a position that is counted in memory and told before it is stored.
//! Another history begins with a rewind, which is checked where rewinds are.

use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::meta::Key;

/// The sequence of the primary sinks, or its newest record.
const SINKS: Class = Class("sinks");
/// A head tells less than an earlier one.
const HEAD_SINKS: Class = Class("head-sinks");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-7",
        statement: "the commit sequence and the newest generation never sink within one history",
        classes: &[SINKS, HEAD_SINKS],
    },
    triage: Triage::Reworded(
        "a primary that is restored to an earlier state comes with rewinds; until then there is one history",
    ),
    stands: &[Stand::Primary(check), Stand::Lane(told_heads)],
};

fn check(_: &mut Truth, turn: &Turn) -> Judgement {
    if !turn.changed || turn.is_reset() {
        return Judgement::NoSubject;
    }
    let (before, after) = (
        turn.before.number(Key::COMMIT_SEQUENCE),
        turn.after.number(Key::COMMIT_SEQUENCE),
    );
    let sinks = after.js_lt(before) || turn.after.sealed() < turn.before.sealed();
    Judgement::that(!sinks, || {
        Breach::new(SINKS, format!(
            "the sequence was {before} and is {after}; the newest record was {} and is {}",
            told(turn.before.sealed()),
            told(turn.after.sealed())
        )).between(
            ("the sequence before", format!("{before} (newest record {})", told(turn.before.sealed()))),
            ("the sequence after", format!("{after} (newest record {})", told(turn.after.sealed()))),
        )
    })
}

fn told_heads(truth: &mut Truth, _: &Turn) -> Judgement {
    let mut judgement = Judgement::NoSubject;
    for (before, tells) in &truth.heads {
        if tells < before {
            let breach = Breach::new(HEAD_SINKS, format!(
                "a head tells {tells}, and {before} was told before it was asked for"
            ));
            return Judgement::broken(breach.between(("told before", before), ("told now", tells)));
        }
        judgement = Judgement::Holds;
    }
    judgement
}
