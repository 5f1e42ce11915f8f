//! LR-16. A lane that is VERIFIED has all that was promised to it.
//!
//! Looked at when it becomes so: its state is the primary's at the copy's generation, and what is mandatory is there.

use super::{Check, Judgement, Stand, Triage};
use crate::check::Invariant;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::Value;
use protocol::lanes::admission::{MANDATORY_STATE, Stage};
use protocol::lanes::meta::Key;

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-16",
        statement: "a lane becomes VERIFIED only with every table, and with what is mandatory",
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    if !turn
        .puts(Key::STAGE)
        .any(|stage| *stage == Stage::Verified.as_str())
    {
        return Judgement::NoSubject;
    }
    let table = turn.after.contents.table("key_value");
    let has = |name: &str| {
        let rows = table.map_or(&[][..], |table| table.rows.as_slice());
        rows.iter()
            .any(|row| row.get(1).and_then(Value::as_text) == Some(name))
    };
    match MANDATORY_STATE.iter().find(|name| !has(name)) {
        Some(missing) => {
            Judgement::Broken(format!("lane {} is VERIFIED without {missing}", turn.lane).into())
        }
        None => super::lr_09_exact::exact(truth, turn),
    }
}
