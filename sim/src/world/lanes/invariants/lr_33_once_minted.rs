//! LR-33. No id of a lane is taken twice.
//!
//! Judged when the primary answers a batch that it has not refused: no id in it may be one that it has taken with an
//! earlier batch. A batch that it refuses, or that comes too late, has used nothing: a lane that was reset may mint its
//! ids again. The same batch that is delivered twice is LR-36's. An id that a lane mints again and that is refused for
//! another reason is not seen. Catches S3 (a commit whose answer was lost leaves no mark, and the next batch meets its
//! row), and marks that a reset or a new copy forgets (G07, G09).

use super::{Check, Judgement, Stand, Triage};
use crate::check::Invariant;
use crate::world::lanes::truth::minted::{action, is_batch, minted_in};
use crate::world::lanes::truth::{Truth, Turn};

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-33",
        statement: "no batch that the primary does not refuse has an id that it took with an earlier one",
    },
    triage: Triage::Reworded(
        "an id is used when the primary takes it: of a batch that is refused nothing is left, and its ids are free",
    ),
    stands: &[Stand::Primary(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let mut judgement = Judgement::NoSubject;
    for (run, response) in turn.answers() {
        let Some(batch) = run.request().filter(|request| is_batch(request)) else {
            continue;
        };
        if matches!(action(response).as_deref(), Some("conflict" | "refuse")) {
            continue;
        }
        for (table, id) in minted_in(batch) {
            let again = truth.minted.is_taken(&table, id, batch);
            judgement = Judgement::that(!again, || {
                format!(
                    "a batch with id {id} of {table}, which the primary had taken, is answered {}",
                    response.status
                )
            });
            if again {
                return judgement;
            }
        }
    }
    judgement
}
