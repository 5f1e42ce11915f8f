//! LR-37. No update is lost.
//!
//! Nodes are edited by reading how often they were edited and writing one more. So the number on a node is the number of
//! edits that were committed, if and only if none of them was computed on a state that another one had changed since.
//! Other kinds of conflicts are not counted. Catches S1 (a conflict is sent again as it is).

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::clients::Effect;
use crate::world::lanes::truth::contents::shown;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::number::Number;

/// It says another number.
const OTHER_COUNT: Class = Class("other-count");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-37",
        statement: "a node was edited as often as edits of it were committed",
        classes: &[OTHER_COUNT],
    },
    triage: Triage::Reworded(
        "serializability is checked on one kind of read-modify-write, for which it is exact",
    ),
    stands: &[Stand::Primary(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    if !turn.changed {
        return Judgement::NoSubject;
    }
    let Some(table) = truth.primary.contents.table("node_field_data") else {
        return Judgement::NoSubject;
    };
    let (Some(nid), Some(edits)) = (table.column("nid"), table.column("edits")) else {
        return Judgement::NoSubject;
    };
    let mut judgement = Judgement::NoSubject;
    for row in &table.rows {
        let node = shown(&row[nid..=nid]);
        let before = truth.edits_before.get(&node).copied().unwrap_or(Number::ZERO);
        let counted = truth.effects.count(&Effect::Edit(node.clone()));
        let stands = row[edits].as_number().unwrap_or(Number::NAN);
        if counted == 0 {
            continue;
        }
        let due = before + Number::from(counted);
        judgement = Judgement::that(stands.js_eq(due), || {
            Breach::new(OTHER_COUNT, format!("node {node} counts {stands} of its edits, and {due} were committed")).between((format!("edits of node {node} that were committed"), due), ("what the node says", stands))
        });
        if !stands.js_eq(due) {
            break;
        }
    }
    judgement
}
