//! LR-6. A record that overflowed carries nothing, and stays so.
//!
//! Each record that was written in a turn is looked at, and at rest each one that is not as it was when it was last read.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::standing::{Generation, Record};
use crate::world::lanes::truth::{Truth, Turn};
use std::collections::BTreeMap;
use std::sync::Arc;

type Log = BTreeMap<Generation, Arc<Record>>;

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
    stands: &[Stand::Primary(check), Stand::Rest(rest)],
};

fn check(_: &mut Truth, turn: &Turn) -> Judgement {
    if Arc::ptr_eq(&turn.before.log, &turn.after.log) {
        return Judgement::NoSubject;
    }
    judge(&turn.before.log, &turn.after.log)
}

/// A record that is not the newest one is read anew when all has come to rest.
fn rest(truth: &mut Truth) -> Judgement {
    let Some(at_rest) = &truth.at_rest else {
        return Judgement::NoSubject;
    };
    judge(&truth.primary.log, &at_rest.log)
}

fn judge(before: &Log, after: &Log) -> Judgement {
    let mut judgement = Judgement::NoSubject;
    for (generation, record) in after {
        let known = before.get(generation);
        if known == Some(record) {
            continue;
        }
        let was = known.is_some_and(|before| before.overflowed);
        if !record.overflowed && !was {
            continue;
        }
        let holds = record.overflowed && record.statements.as_str() == "[]";
        if !holds {
            let detail = format!("record {generation} overflowed and holds {}", record.statements);
            return Judgement::broken(Breach::new(STATEMENTS, detail).between(
                ("statements of a record that overflowed", "[]"),
                (format!("record {generation}"), &record.statements),
            ));
        }
        judgement = Judgement::Holds;
    }
    judgement
}
