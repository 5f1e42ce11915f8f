//! LR-17. A copy never destroys a serving lane's data in place.
//!
//! Each statement of a turn that empties a table of the state is a destructive step of a copy: no record has one without
//! a condition but a rebuild of the routes. The stage is the one that was last put before it. Catches a copy that begins
//! on a lane that serves.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;

/// It deletes a table that is served from.
const DELETES: Class = Class("deletes");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-17",
        statement: "a copy destroys nothing on a lane while it serves",
        classes: &[DELETES],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
};

fn check(_: &mut Truth, turn: &Turn) -> Judgement {
    let mut stage = turn.before.stage();
    let mut judgement = Judgement::NoSubject;
    for statement in turn.statements() {
        if let Some(put) = crate::world::lanes::truth::put(statement, Key::STAGE) {
            stage = Stage::named(put);
        }
        // A restore quotes the name of its table; nobody else does.
        if statement.sql.starts_with("DELETE FROM \"") {
            let serves = stage == Some(Stage::Serving);
            judgement = Judgement::that(!serves, || {
                Breach::new(DELETES, format!("lane {} is SERVING, and deletes what it serves from: `{}`", turn.lane, statement.sql))
            });
            if serves {
                break;
            }
        }
    }
    judgement
}
