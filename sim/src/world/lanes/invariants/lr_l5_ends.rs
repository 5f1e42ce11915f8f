//! LR-L5. Every client is answered.
//!
//! Or goes away by itself. The number of hops is bounded by the front's flow; what is checked is that it ends.

use super::{CLIENT, Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::Truth;

/// One has no answer.
const UNANSWERED: Class = Class("unanswered");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-L5",
        statement: "every request of a client ends",
        classes: &[UNANSWERED],
    },
    triage: Triage::Reworded("that the number of hops is bounded is LR-29's: no front asks a third object"),
    stands: &[Stand::Rest(rest)],
};

fn rest(truth: &mut Truth) -> Judgement {
    let mut judgement = Judgement::NoSubject;
    for attempt in truth.attempts.values() {
        if !attempt.ended {
            return Judgement::broken(Breach::new(UNANSWERED, format!(
                "`{}`, sent at {}, is not answered",
                attempt.token, attempt.sent
            )).concerning(CLIENT).between((format!("`{}`", attempt.token), "an answer"), ("it has", "none")));
        }
        judgement = Judgement::Holds;
    }
    judgement
}
