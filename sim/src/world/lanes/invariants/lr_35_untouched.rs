//! LR-35. A lane's state changes only by the log and by copies.
//!
//! Looked at after each turn in which the database of a good lane has changed, and its position has not: then its tables
//! of the state are as before, but for rows that have expired, which anybody may sweep. A reset takes back whole turns
//! and is LR-10's. Sessions and batches expire by an age that no run reaches. Catches writes of a lane that are kept
//! (H17, H47), and a record that is applied again where the lane stands.

use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::meta::Key;

/// It changes, in this table first.
const CHANGED: Class = Class("changed");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-35",
        statement: "the state on a lane changes only when the lane moves, or a copy lands",
        classes: &[CHANGED],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let (before, after) = (Truth::owes(&turn.before), Truth::owes(&turn.after));
    let moves = before != after || turn.puts(Key::APPLIED).next().is_some();
    if !turn.changed || turn.is_reset() || before.is_none() || moves {
        return Judgement::NoSubject;
    }
    // A copy that begins on a lane that counts as good is LR-17's.
    if turn.after.meta(Key::RESTORE_GENERATION).is_some() {
        return Judgement::NoSubject;
    }
    match turn
        .after
        .contents
        .difference(&turn.before.contents, truth.seconds())
    {
        None => Judgement::Holds,
        Some(difference) => Judgement::broken(Breach::new(CHANGED, format!(
            "lane {} stands at {} and changed: {}",
            turn.lane,
            told(after),
            difference.between("it now", "before it")
        )).at(difference.place()).between(
            ("before", difference.there()),
            ("after", difference.here()),
        )),
    }
}
