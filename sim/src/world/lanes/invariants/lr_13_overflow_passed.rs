//! LR-13. No lane passes an overflowed generation but by a copy.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::meta::Key;

/// It goes past it without a copy.
const WITHOUT_COPY: Class = Class("without-copy");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-13",
        statement: "a lane passes an overflowed generation only by a copy that was taken at it or after it",
        classes: &[WITHOUT_COPY],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let (before, after) = (
        turn.before.generation(Key::APPLIED),
        turn.after.generation(Key::APPLIED),
    );
    let (Some(before), Some(after)) = (before, after) else {
        return Judgement::NoSubject;
    };
    if after <= before {
        return Judgement::NoSubject;
    }
    let mut passed = truth.primary.log.range(before + 1..=after);
    let Some((overflowed, _)) = passed.find(|(_, record)| record.overflowed) else {
        return Judgement::NoSubject;
    };
    let copied = turn.before.generation(Key::RESTORE_GENERATION) == Some(after);
    Judgement::that(copied, || {
        Breach::new(WITHOUT_COPY, format!(
            "lane {} went from {before} to {after}, past {overflowed}",
            turn.lane
        )).between(
            (format!("lane {} may go", turn.lane), format!("not past {overflowed}, but by a copy")),
            ("it went to", after),
        )
    })
}
