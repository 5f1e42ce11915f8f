//! LR-39. A transaction is on the primary whole or not at all, and so is it in the log.
//!
//! A new node is four rows of one transaction: whoever runs it, each node has its data and its text after every turn of
//! the primary, and they have their node. A record that creates the node of an attempt carries the rest of the same
//! transaction. That the record is durable together with the rows is LR-4's; that it is there once is LR-3's. Other
//! transactions are not looked at. Saving a node that is not there leaves a text of a node that never was; that text is not
//! counted. Catches a batch that is run statement by statement, and a record that is cut (H7).

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::contents::{Contents, Row};
use crate::world::lanes::truth::minted::ids;
use crate::world::lanes::truth::standing::Record;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::app::catalogue::Ask;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A record has only some of them.
const RECORD: Class = Class("record");
/// The primary has only some of them.
const PRIMARY: Class = Class("primary");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-39",
        statement: "the rows of a new node are on the primary and in a record all together, or not at all",
        classes: &[RECORD, PRIMARY],
    },
    triage: Triage::Reworded("checked on the transaction that creates a node, of which every part can be told"),
    stands: &[Stand::Primary(check)],
};

/// The tables of a node, with the column that names it.
const PARTS: [(&str, &str); 3] = [
    ("node", "nid"),
    ("node_field_data", "nid"),
    ("node__body", "entity_id"),
];

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    if !turn.changed {
        return Judgement::NoSubject;
    }
    let sealed = turn.after.log.iter().rev();
    let mut fresh = sealed.take_while(|(generation, _)| !turn.before.log.contains_key(*generation));
    if let Some((generation, _)) = fresh.find(|(_, record)| !is_whole(record)) {
        return Judgement::broken(Breach::new(RECORD, format!(
            "record {generation} creates a node without its data, its revision or its text"
        )));
    }
    let touched = PARTS.iter().any(|(name, _)| {
        let tables = turn.before.contents.table(name).zip(turn.after.contents.table(name));
        tables.is_some_and(|(before, after)| !Arc::ptr_eq(before, after))
    });
    if !touched {
        return Judgement::NoSubject;
    }
    let [nodes, data, mut texts] = PARTS.map(|(name, column)| named(&turn.after.contents, name, column));
    let [were, ..] = PARTS.map(|(name, column)| named(&turn.before.contents, name, column));
    texts.retain(|nid| nodes.contains(nid) || were.contains(nid) || !is_left_of_a_save(truth, turn, *nid));
    Judgement::that(nodes == data && nodes == texts, || {
        let odd = nodes.symmetric_difference(&data).chain(nodes.symmetric_difference(&texts));
        Breach::new(PRIMARY, format!("not all parts are there of the nodes {:?}", odd.collect::<BTreeSet<_>>()))
    })
}

/// Whether the text of this node is that of a request which has arrived to save it: where the node is not there, the
/// application's updates meet no row, and its inserts leave a text.
fn is_left_of_a_save(truth: &Truth, turn: &Turn, node: u64) -> bool {
    let [_, _, (name, column)] = PARTS;
    let Some(table) = turn.after.contents.table(name) else {
        return false;
    };
    let (of, text_at) = (table.column(column), table.column("body_value"));
    let is_of = |row: &Row| of.and_then(|at| row.get(at)?.as_number()?.to_u64_exact()) == Some(node);
    let mut texts = table.rows.iter().filter(|row| is_of(row)).map(|row| row.get(text_at?)?.as_text());
    texts.all(|text| {
        let mut attempts = truth.attempts.values().filter(|attempt| attempt.arrivals > 0);
        attempts.any(|attempt| {
            let saves = matches!(attempt.ask, Ask::Save { nid, .. } if u64::from(nid) == node);
            saves && text == Some(attempt.token.as_str())
        })
    })
}

fn named(contents: &Contents, name: &str, column: &str) -> BTreeSet<u64> {
    let table = contents.table(name);
    table.into_iter().flat_map(|table| ids(table, column)).collect()
}

/// Whether a record has as many nodes as it has revisions, data and texts for new nodes at least.
fn is_whole(record: &Record) -> bool {
    let count = |begins: &str| record.statements.matches(begins).count();
    let nodes = count("INSERT INTO node (");
    ["node_revision", "node_field_data", "node__body"]
        .iter()
        .all(|part| count(&format!("INSERT INTO {part} (")) >= nodes)
}
