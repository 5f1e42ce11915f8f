//! LR-18. A copy is of a generation that was sealed.
//!
//! Each chunk that the primary posts names a generation. Where the log has records, it must be one of them, so that the
//! next record can build on it. It need not be the newest: the log may go on while a copy is posted, which is LR-16's and
//! LR-9's to see. An empty log says nothing. Catches H3.

use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::Truth;
use crate::world::lanes::truth::wire::Called;
use protocol::lanes::object::labels;
use protocol::lanes::wire::Chunk;

/// No record was sealed there.
const NOT_SEALED: Class = Class("not-sealed");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-18",
        statement: "a copy is of a generation that a record was sealed at",
        classes: &[NOT_SEALED],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Call(check)],
};

fn check(truth: &mut Truth, called: &Called) -> Judgement {
    if called.label != labels::POST_CHUNK || truth.primary.log.is_empty() {
        return Judgement::NoSubject;
    }
    let Ok(chunk) = called.request.body.read::<Chunk>() else {
        return Judgement::NoSubject;
    };
    let generation = chunk.generation.or_nan();
    let sealed = generation
        .to_u64_exact()
        .is_some_and(|generation| truth.primary.log.contains_key(&generation));
    Judgement::that(sealed, || {
        Breach::new(NOT_SEALED, format!(
            "a chunk for {} is of {generation}, the newest record is {}",
            called.to,
            told(truth.primary.sealed())
        )).between(
            ("the newest record", told(truth.primary.sealed())),
            ("the chunk", generation),
        )
    })
}
