//! LR-6. A record that overflowed carries nothing, and stays so.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::{Truth, Turn};

/// It has statements.
const STATEMENTS: Class = Class("statements");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-6",
        statement: "an overflowed record carries no statements, and never becomes a normal one",
        classes: &[STATEMENTS],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Primary(check)],
};

fn check(_: &mut Truth, turn: &Turn) -> Judgement {
    if turn.after.log == turn.before.log {
        return Judgement::NoSubject;
    }
    let mut judgement = Judgement::NoSubject;
    for (generation, record) in turn.after.log.iter().rev().take(2) {
        let was = turn
            .before
            .log
            .get(generation)
            .is_some_and(|before| before.overflowed);
        if !record.overflowed && !was {
            continue;
        }
        let holds = record.overflowed && record.statements.as_str() == "[]";
        judgement = Judgement::that(holds, || {
            Breach::new(STATEMENTS, format!("record {generation} overflowed and holds {}", record.statements)).between(("statements of a record that overflowed", "[]"), (format!("record {generation}"), &record.statements))
        });
        if !holds {
            break;
        }
    }
    judgement
}
