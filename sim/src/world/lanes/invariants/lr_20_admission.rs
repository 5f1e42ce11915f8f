//! LR-20. A lane begins to serve only when it is the primary's equal.
//!
//! Judged when the stage becomes SERVING: some head has told the lane its position as the newest; schemas are known and
//! equal; and the lane's state is the primary's at that generation, mandatory rows included. Catches an admission that
//! compares positions the wrong way round, or not at all.

use super::lr_09_exact::{DIFFERS, NEVER_THERE, NO_TABLE, exact};
use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;

/// The schemas are not equal.
const OTHER_SCHEMA: Class = Class("other-schema");
/// No head has told it of its position.
const NEVER_TOLD: Class = Class("never-told");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-20",
        statement: "a lane begins to serve at a position that the primary has told it, with that state and with equal schemas",
        classes: &[OTHER_SCHEMA, NEVER_TOLD, NEVER_THERE, NO_TABLE, DIFFERS],
    },
    triage: Triage::Reworded(
        "that head, fingerprint and position come from one reading is checked by its consequence: the states are equal",
    ),
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    if !turn
        .puts(Key::STAGE)
        .any(|stage| *stage == Stage::Serving.as_str())
    {
        return Judgement::NoSubject;
    }
    let (own, theirs) = (turn.after.schema(), truth.primary.schema());
    if own.is_none() || own != theirs {
        return Judgement::broken(Breach::new(OTHER_SCHEMA, format!("lane {} serves schema {}, the primary {}", turn.lane, told(own), told(theirs))).between(("the primary's schema", told(theirs)), (format!("lane {}", turn.lane), told(own))));
    }
    let applied = turn.after.generation(Key::APPLIED);
    let advertised = truth.advertised.get(&turn.lane);
    if !applied.is_some_and(|applied| advertised.is_some_and(|told| told.contains(&applied))) {
        let heads: Vec<String> = advertised.into_iter().flatten().map(u64::to_string).collect();
        let breach = Breach::new(NEVER_TOLD, format!(
            "lane {} begins to serve at {}, which no head has told it",
            turn.lane,
            told(applied)
        ));
        return Judgement::broken(breach.between(
            ("the heads that the primary has told", heads.join(", ")),
            (format!("lane {}", turn.lane), told(applied)),
        ));
    }
    exact(truth, turn)
}
