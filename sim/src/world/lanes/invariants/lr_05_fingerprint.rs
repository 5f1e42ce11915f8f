//! LR-5. A record's fingerprint is that of the state at its generation.
//!
//! Computed again from the oracle's own rows of the tables that the fingerprint covers, whenever a record is new. The
//! canonical bytes are the protocol's, for nobody else knows them; the rows and the digest are not. It cannot see a
//! record whose generation's state the oracle does not know, nor a fingerprint that is right by another framing.
//! Catches a digest that is taken of later writes (S7), and one of rows that were rolled back.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::contents::Contents;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::{Text, Value};
use protocol::lanes::fingerprint::{COVERED_TABLES, StateRow, canonical_bytes};
use sha2::{Digest, Sha256};

/// It is that of another state.
const OTHER: Class = Class("other");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-5",
        statement: "a record's fingerprint is that of the primary's state at its generation",
        classes: &[OTHER],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Primary(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let sealed = turn.after.log.iter().rev();
    let fresh = sealed.take_while(|(generation, _)| !turn.before.log.contains_key(*generation));
    let mut judgement = Judgement::NoSubject;
    for (generation, record) in fresh {
        let Some(state) = truth.at(*generation) else {
            continue;
        };
        let due = fingerprint(state);
        judgement = Judgement::that(record.fingerprint == due, || {
            Breach::new(OTHER, format!(
                "record {generation} says {}, and the state there has {due}",
                record.fingerprint
            )).between((format!("the state at {generation}"), &due), (format!("record {generation}"), &record.fingerprint))
        });
        if record.fingerprint != due {
            break;
        }
    }
    judgement
}

/// The fingerprint of a state.
pub(super) fn fingerprint(state: &Contents) -> Text {
    let rows: Vec<StateRow> = COVERED_TABLES
        .iter()
        .flat_map(|table| rows(state, table))
        .collect();
    Text::from(hex::encode(Sha256::digest(canonical_bytes(&rows))))
}

fn rows(state: &Contents, name: &'static str) -> Vec<StateRow> {
    let Some(table) = state.table(name) else {
        return Vec::new();
    };
    let columns = ["collection", "name", "value"].map(|column| table.column(column));
    let rows = table.rows.iter().map(|row| {
        let [collection, key, value] = columns.map(|at| at.map_or(Value::Null, |at| row[at].clone()));
        StateRow {
            table: Text::new_static(name),
            collection,
            name: key,
            value,
        }
    });
    rows.collect()
}
