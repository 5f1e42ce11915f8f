//! LR-16. A lane that is VERIFIED has all that was promised to it.
//!
//! Looked at when it becomes so: its state is the primary's at the copy's generation, and what is mandatory is there.

use super::lr_09_exact::{DIFFERS, NEVER_THERE, NO_TABLE, exact};
use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::standing::Standing;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::Value;
use protocol::lanes::admission::{MANDATORY_STATE, Stage};
use protocol::lanes::meta::Key;

/// Something mandatory is not there.
const WITHOUT_MANDATORY: Class = Class("without-mandatory");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-16",
        statement: "a lane becomes VERIFIED only with every table, and with what is mandatory",
        classes: &[WITHOUT_MANDATORY, NEVER_THERE, NO_TABLE, DIFFERS],
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
    match missing(&turn.after) {
        Some(missing) => {
            Judgement::broken(Breach::new(WITHOUT_MANDATORY, format!("lane {} is VERIFIED without {missing}", turn.lane)).between(("what is mandatory", missing), (format!("lane {}", turn.lane), "nothing of it")))
        }
        None => exact(truth, turn),
    }
}

/// What is mandatory and not there.
pub(super) fn missing(standing: &Standing) -> Option<&'static str> {
    let table = standing.contents.table("key_value");
    let rows = table.map_or(&[][..], |table| table.rows.as_slice());
    let has = |name: &str| {
        rows.iter()
            .any(|row| row.get(1).and_then(Value::as_text) == Some(name))
    };
    MANDATORY_STATE.into_iter().find(|name| !has(name))
}
