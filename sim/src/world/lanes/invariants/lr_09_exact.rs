//! LR-9. A lane that counts as good holds exactly what the primary held at its position.
//!
//! Which tables are the state is declared by the world; a table that the primary had is there, also an empty one. Rows
//! that have expired count on neither side. Looked at after
//! each turn in which the lane's database, stage or position changed; a lane whose generation the oracle does not know
//! stands at one that the primary never had. The heart of it all: catches torn copies (S15, S17), holes, writes that are
//! not logged (S9), records that are applied twice.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::{Truth, Turn};

/// It stands where the primary never was.
pub(super) const NEVER_THERE: Class = Class("never-there");
/// It does not have this table.
pub(super) const NO_TABLE: Class = Class("no-table");
/// It holds another state, in this table first.
pub(super) const DIFFERS: Class = Class("differs");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-9",
        statement: "a good lane holds exactly what the primary held at the generation where the lane stands",
        classes: &[NEVER_THERE, NO_TABLE, DIFFERS],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    if !turn.changed {
        return Judgement::NoSubject;
    }
    exact(truth, turn)
}

/// Whether the lane of a turn holds what it owes.
pub(super) fn exact(truth: &Truth, turn: &Turn) -> Judgement {
    let Some(generation) = Truth::owes(&turn.after) else {
        return Judgement::NoSubject;
    };
    let Some(state) = truth.at(generation) else {
        return Judgement::broken(Breach::new(NEVER_THERE, format!(
            "lane {} stands at generation {generation}, which the primary never had",
            turn.lane
        )).between(
                ("a lane stands at", "a generation of the primary"),
                (format!("lane {} stands at", turn.lane), generation),
            ));
    };
    if let Some(table) = turn.after.contents.lacks(state) {
        let detail = format!("lane {} stands at generation {generation} and has no table {table}", turn.lane);
        return Judgement::broken(Breach::new(NO_TABLE, detail).at(table).between(
            (format!("the primary at {generation}"), format!("the table {table}")),
            (format!("lane {} at {generation}", turn.lane), "no such table"),
        ));
    }
    match turn.after.contents.difference(state, truth.seconds()) {
        None => Judgement::Holds,
        Some(difference) => Judgement::broken(Breach::new(DIFFERS, format!(
            "lane {} stands at generation {generation}: {}",
            turn.lane,
            difference.between("the lane", "the primary at that generation")
        )).at(difference.place()).between(
            (format!("the primary at {generation}"), difference.there()),
            (format!("lane {} at {generation}", turn.lane), difference.here()),
        )),
    }
}
