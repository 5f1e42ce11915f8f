//! LR-32. Every writer mints ids of its own class.
//!
//! The class of an id is what is left of it by 257. A lane's are those that its forwarded batches carry, and must be of
//! the lane's number. All other ids that are new on the primary are the primary's, and must be of class 0, from the turn
//! after a copy to any lane has begun. Tables that hand out values themselves, and what is no part of the state, are left
//! out; ids that the site was installed with are older than any copy. Catches S43 (the primary's class is baked in at
//! boot), H25, H37, G05.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::contents::is_truth;
use crate::world::lanes::truth::minted::{CLASSES, ids, minted_in};
use crate::world::lanes::truth::wire::Called;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::app::tables;
use protocol::lanes::object::labels;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A lane mints one of another class.
const OF_A_LANE: Class = Class("of-a-lane");
/// The primary mints one of another class.
const OF_THE_PRIMARY: Class = Class("of-the-primary");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-32",
        statement: "from the first copy on each id is of the class of the writer that minted it",
        classes: &[OF_A_LANE, OF_THE_PRIMARY],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Call(lane), Stand::Primary(primary)],
};

fn lane(truth: &mut Truth, called: &Called) -> Judgement {
    let writer = truth.lane_of(&called.who).filter(|lane| *lane > 0);
    let (labels::FORWARD, Some(writer)) = (called.label, writer) else {
        return Judgement::NoSubject;
    };
    let mut judgement = Judgement::NoSubject;
    for (table, id) in minted_in(&called.request) {
        let holds = id % CLASSES == u64::from(writer);
        judgement = Judgement::that(holds, || {
            Breach::new(OF_A_LANE, format!("lane {writer} mints id {id} of {table}, of class {}, which is {}", id % CLASSES, whose(id % CLASSES))).between((format!("the class of lane {writer}"), writer), (format!("the class of {id}"), id % CLASSES))
        });
        if !holds {
            break;
        }
    }
    judgement
}

fn primary(truth: &mut Truth, turn: &Turn) -> Judgement {
    if !truth.copy_begun || !turn.changed || turn.is_reset() {
        return Judgement::NoSubject;
    }
    let mut judgement = Judgement::NoSubject;
    for (name, table) in turn.after.contents.tables() {
        let was = turn.before.contents.table(name);
        if was.is_some_and(|was| Arc::ptr_eq(was, table)) {
            continue;
        }
        let Some(column) = id_column(name) else {
            continue;
        };
        let before: BTreeSet<u64> = was.into_iter().flat_map(|was| ids(was, column)).collect();
        let own = ids(table, column).filter(|id| !before.contains(id) && truth.minted.lane(name, *id).is_none());
        for id in own {
            if id % CLASSES != 0 {
                return Judgement::broken(
                    Breach::new(OF_THE_PRIMARY, format!("the primary mints id {id} of {name}, of class {}, which is {}; its own class is 0", id % CLASSES, whose(id % CLASSES)))
                        .between(("the primary's class", 0), (format!("the class of {id}"), id % CLASSES)),
                );
            }
            judgement = Judgement::Holds;
        }
    }
    judgement
}

/// The column of a table's ids, where writers mint them.
fn id_column(name: &str) -> Option<&'static str> {
    let table = tables::find(name).filter(|_| is_truth(name) && name != "sequences")?;
    table.id
}

/// Whose ids are of a class.
fn whose(class: u64) -> String {
    match class {
        0 => "the primary's".to_owned(),
        lane => format!("lane {lane}'s"),
    }
}
