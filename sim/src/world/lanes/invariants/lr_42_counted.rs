//! LR-42. Lanes that are counted are there.
//!
//! Whenever the primary stores how many lanes it has provisioned, and whenever it tells somebody, each lane up to that
//! number must have had a whole copy. It cannot see a lane that was taken away since: nobody tells the primary. Catches a
//! count that is the highest number (S41): a lane that an operator has copied alone makes the lower ones count.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::header;
use protocol::lanes::meta::Key;
use protocol::number::Number;

/// A lane is not there.
const NOT_THERE: Class = Class("not-there");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-42",
        statement: "each lane up to the number that the primary counts has had a whole copy",
        classes: &[NOT_THERE],
    },
    triage: Triage::Reworded("a lane that was taken away is counted on: nobody tells the primary"),
    stands: &[Stand::Primary(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let stored = turn.puts(Key::LANES).map(|text| ("it stores", text.as_str()));
    let told = turn
        .answers()
        .filter_map(|(_, response)| response.headers.get(header::LANES))
        .map(|text| ("it tells", text));
    let mut judgement = Judgement::NoSubject;
    for (how, count) in stored.chain(told) {
        let counted = Number::parse(count).to_u32_exact().unwrap_or(u32::MAX);
        let missing = (1..=counted).find(|lane| !truth.whole.contains(lane));
        if let Some(missing) = missing {
            let whole: Vec<String> = truth.whole.iter().map(u32::to_string).collect();
            let whole = if whole.is_empty() { "none".to_owned() } else { whole.join(", ") };
            return Judgement::broken(
                Breach::new(NOT_THERE, format!(
                    "the primary counts {count} lanes, and lane {missing} never had a whole copy"
                ))
                .between(("lanes that had a whole copy", whole), (how, count)),
            );
        }
        judgement = Judgement::Holds;
    }
    judgement
}
