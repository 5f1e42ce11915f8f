//! LR-36. What a client asks once is done once.
//!
//! Each attempt has a token that its statements carry, and one statement of its transaction is counted on the primary.
//! More than once for each time that a front received the attempt is too often: a browser or a proxy that repeats a
//! request does what it does, everybody else must not. Catches a request that is handed over after its batch was
//! forwarded.

use std::collections::BTreeSet;

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::clients::{effect_of, token_of};
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::Text;

/// It takes effect more often.
const TOO_OFTEN: Class = Class("too-often");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-36",
        statement: "what a client asks takes effect at most once for each time that it is received",
        classes: &[TOO_OFTEN],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Primary(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    // What took effect before was judged then.
    let tokens: BTreeSet<Text> = turn.statements().filter_map(token_of).collect();
    if tokens.is_empty() {
        return Judgement::NoSubject;
    }
    let mut judgement = Judgement::NoSubject;
    for attempt in truth.attempts.values().filter(|attempt| tokens.contains(&attempt.token)) {
        let Some(effect) = effect_of(&attempt.ask, &attempt.token) else {
            continue;
        };
        let count = truth.effects.count(&effect);
        if count == 0 {
            continue;
        }
        let holds = count <= attempt.arrivals;
        judgement = Judgement::that(holds, || {
            Breach::new(TOO_OFTEN, format!(
                "`{}` was received {} times and took effect {count} times",
                attempt.token, attempt.arrivals
            )).between(
                (format!("`{}` was received", attempt.token), format!("{} times", attempt.arrivals)),
                ("it took effect", format!("{count} times")),
            )
        });
        if !holds {
            break;
        }
    }
    judgement
}
