//! LR-38. What a client is told is so.
//!
//! Told that it is done, it is in the primary's history; told a refusal (400 to 499), it is not. Anything else tells
//! nothing. An attempt that was received more than once may have been refused the second time, and done the first.

use super::{CLIENT, Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::Truth;
use crate::world::lanes::truth::clients::{Attempt, Told, effect_of};

/// It was told done, and is not there.
const DONE_IS_MISSING: Class = Class("done-is-missing");
/// It was told refused, and is there.
const REFUSED_IS_DONE: Class = Class("refused-is-done");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-38",
        statement: "what a client is told is done is in the history, and what it is told is refused is not",
        classes: &[DONE_IS_MISSING, REFUSED_IS_DONE],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Told(told), Stand::Rest(rest)],
};

fn told(truth: &mut Truth, attempt: &Attempt) -> Judgement {
    judge(truth, attempt)
}

/// A refusal can be made untrue later, and what was done can be lost.
fn rest(truth: &mut Truth) -> Judgement {
    let mut judgement = Judgement::NoSubject;
    for attempt in truth.attempts.values() {
        match judge(truth, attempt) {
            Judgement::NoSubject => {}
            Judgement::Holds => judgement = Judgement::Holds,
            broken @ Judgement::Broken(_) => return broken,
        }
    }
    judgement
}

fn judge(truth: &Truth, attempt: &Attempt) -> Judgement {
    let (Some(effect), Some(told)) = (effect_of(&attempt.ask, &attempt.token), attempt.told) else {
        return Judgement::NoSubject;
    };
    let count = truth.effects.count(&effect);
    let (class, broken, told) = match told {
        Told::Done if count == 0 => (DONE_IS_MISSING, "was told done, and is not in the primary's history", "done"),
        Told::Refused(_) if count > 0 && truth.effects.received(&effect) == 1 => {
            (REFUSED_IS_DONE, "was told refused, and took effect", "refused")
        }
        Told::Unknown => return Judgement::NoSubject,
        Told::Done | Told::Refused(_) => return Judgement::Holds,
    };
    let token = &attempt.token;
    Judgement::broken(Breach::new(class, format!("`{token}` {broken}")).concerning(CLIENT).concerning(truth.named(0)).between(
        (format!("`{token}` was told"), told),
        ("the primary did it", format!("{count} times")),
    ))
}
