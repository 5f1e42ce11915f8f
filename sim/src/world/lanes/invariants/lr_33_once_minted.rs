//! LR-33. No id of a lane is taken twice.
//!
//! Judged when a lane forwards a batch for the first time: the primary must not have taken any id in it before,
//! whether the lane has heard of that or not, and none is in it twice. And when the primary answers a batch that it
//! has not refused: the same, but for the same batch that is delivered twice, which is LR-36's. A batch that is
//! refused, that comes too late, or that is lost on the way, its sender's reset included, has used nothing: its ids
//! may be minted again. Catches S3 (a commit whose answer was lost leaves no mark), and marks that a reset or a new
//! copy forgets (G07, G09).
//!
//! A lane that an operator has taken back to an earlier state, or given another lane's, has forgotten with its marks
//! what the primary took of it. Until it has caught up with that, only what the primary takes is judged: its batches
//! build on a generation that is past, and are refused.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::minted::{action, is_batch, minted_in};
use crate::world::lanes::truth::wire::Called;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::object::labels;
use std::collections::BTreeSet;

/// A lane mints one that is taken.
const MINTED: Class = Class("minted");
/// A lane gives one to two rows of a batch.
const TWICE: Class = Class("twice");
/// A batch brings one that is taken, and is not refused.
const BROUGHT: Class = Class("brought");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-33",
        statement: "no lane mints an id that the primary has taken, and no batch brings one again",
        classes: &[MINTED, TWICE, BROUGHT],
    },
    triage: Triage::Reworded(
        "an id is used when the primary takes it: of a batch that is refused nothing is left, and its ids are free",
    ),
    stands: &[Stand::Call(mints), Stand::Primary(takes)],
};

fn mints(truth: &mut Truth, called: &Called) -> Judgement {
    let writer = truth.lane_of(&called.who);
    if called.label != labels::FORWARD || writer.is_some_and(|lane| truth.is_put_back(lane)) {
        return Judgement::NoSubject;
    }
    let mut judgement = Judgement::NoSubject;
    let mut batch = BTreeSet::new();
    for (table, id) in minted_in(&called.request) {
        if !batch.insert((table.clone(), id)) {
            return Judgement::broken(
                Breach::new(TWICE, format!("{} mints {id} of {table} twice in one batch", called.who))
                    .between((format!("id {id} of {table}"), "of one row"), ("the batch", "gives it to two")),
            );
        }
        let again = truth.minted.taken(&table, id).is_some();
        judgement = Judgement::that(!again, || {
            Breach::new(MINTED, format!("{} mints id {id} of {table}, which the primary has taken", called.caller()))
                .between((format!("id {id} of {table}"), "free"), ("the primary", "has taken it"))
        });
        if again {
            break;
        }
    }
    judgement
}

fn takes(truth: &mut Truth, turn: &Turn) -> Judgement {
    let mut judgement = Judgement::NoSubject;
    for (run, response) in turn.answers() {
        let Some(batch) = run.request().filter(|request| is_batch(request)) else {
            continue;
        };
        if matches!(action(response).as_deref(), Some("conflict" | "refuse")) {
            continue;
        }
        for (table, id) in minted_in(batch) {
            let taken = truth.minted.taken(&table, id);
            let again = taken.is_some_and(|by| by != batch.body.digest());
            judgement = Judgement::that(!again, || {
                Breach::new(BROUGHT, format!(
                    "a batch with id {id} of {table}, which the primary had taken, is answered {}",
                    response.status
                ))
            });
            if again {
                return judgement;
            }
        }
    }
    judgement
}
