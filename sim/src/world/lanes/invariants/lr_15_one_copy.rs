//! LR-15. A copy that has become whole is of one attempt and of one generation.
//!
//! The attempts of each chunk are known from the wire, where the primary posts it, and what has landed from the lane's
//! answers; see [`copies`](crate::world::lanes::truth::copies). Chunks whose bytes are equal are of all attempts that
//! posted them, so they never part a copy. Where the attempts of one are not known, for the primary has not posted it, only
//! generations are compared. A copy during which the lane was reset has no subject: a chunk may have landed
//! whose answer was never given. Catches S17 where generations are equal, and two steps of copying that run at once.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::copies::is_whole;
use crate::world::lanes::truth::{Truth, Turn};

/// They are of several attempts or generations.
const SEVERAL: Class = Class("several");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-15",
        statement: "all chunks of a copy that has become whole are of one attempt and of one generation",
        classes: &[SEVERAL],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let landing = truth.copies.landing(turn.lane);
    let Some(landing) = landing.filter(|landing| is_whole(turn) && !landing.cut_short) else {
        return Judgement::NoSubject;
    };
    let of_one = landing.generations.len() <= 1;
    let attempts = truth.copies.attempts(turn.lane, landing);
    if of_one && attempts.is_none() {
        return Judgement::NoSubject;
    }
    let common = attempts.is_some_and(|attempts| !attempts.is_empty());
    Judgement::that(of_one && common, || {
        Breach::new(SEVERAL, format!(
            "lane {} is VERIFIED by {} chunks that are of no one attempt, of generations {:?}",
            turn.lane,
            landing.chunks.len(),
            landing.generations
        )).between(
            ("chunks of a copy", "of one attempt, of one generation"),
            ("what has landed", format!("{} chunks, of generations {:?}", landing.chunks.len(), landing.generations)),
        )
    })
}
