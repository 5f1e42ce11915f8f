//! LR-8. A lane's position moves by a record that builds on it, by a whole copy, and by nothing else.
//!
//! Each value that is put under the position within a turn is a move. A record of the primary's log with that generation
//! must build on the position before it, or a copy of that generation must have been under way. Catches S17 (a delayed
//! last chunk moves the position back).

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::meta::Key;
use protocol::number::Number;

/// It moves by neither.
const OTHER_WAY: Class = Class("other-way");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-8",
        statement: "a lane moves by a record that builds on where it stands, or by a whole copy",
        classes: &[OTHER_WAY],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let mut at = turn.before.number(Key::APPLIED);
    // A copy that begins and ends in one turn is no copy: it would be one chunk.
    let copied = turn
        .before
        .meta(Key::RESTORE_GENERATION)
        .map(|text| Number::parse(text));
    let mut judgement = Judgement::NoSubject;
    let moves: Vec<Number> = turn.puts(Key::APPLIED).map(|text| Number::parse(text)).collect();
    for to in moves {
        let record = to.to_u64_exact().and_then(|to| truth.primary.log.get(&to));
        let builds = record.is_some_and(|record| record.parent.js_eq(at));
        let lands = copied.is_some_and(|copied| copied.js_eq(to));
        judgement = Judgement::that(builds || lands, || {
            Breach::new(OTHER_WAY, format!("lane {} moved from {at} to {to}", turn.lane)).between(
                (format!("lane {} may go to", turn.lane), format!("a record that builds on {at}, or its copy")),
                ("it went to", to),
            )
        });
        if !(builds || lands) {
            break;
        }
        at = to;
    }
    judgement
}
