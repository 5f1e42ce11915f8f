//! LR-36. What a client asks once is done once.
//!
//! Each attempt has a token that its statements carry, and one statement of its transaction is counted on the primary; an
//! act upon the outside world is counted whoever does it. More than once for each time that a front received the attempt
//! is too often: a browser or a proxy that repeats a request does what it does, everybody else must not. Attempts of one
//! token have their effects together. Where clocks may be apart as long as the marker of an attempt is kept (ten minutes),
//! the next incarnation of the primary may find it old at once: nobody promises anything then. Catches a request that is
//! handed over after its batch was forwarded.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::kernel::Micros;
use crate::world::lanes::truth::clients::{Effect, done_in};
use crate::world::lanes::truth::{Truth, Turn};

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
    stands: &[Stand::Primary(check), Stand::Lane(check)],
};

/// How long the marker of an attempt is kept (`lanes.md` 3).
const KEPT: Micros = Micros::from_millis(600_000);

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    if truth.clock_skew.after(truth.clock_skew) >= KEPT {
        return Judgement::NoSubject;
    }
    let mut judgement = Judgement::NoSubject;
    for effect in done_in(turn) {
        let received = truth.effects.received(&effect);
        let (Effect::Of(token) | Effect::Act(token)) = &effect else {
            continue;
        };
        // What nobody was asked for is the set-up's, or a statement that was forged.
        if received == 0 {
            continue;
        }
        let count = truth.effects.count(&effect);
        if count > received {
            return Judgement::broken(
                Breach::new(TOO_OFTEN, format!(
                    "`{token}` was received {received} times and took effect {count} times"
                ))
                .between(
                    (format!("`{token}` was received"), format!("{received} times")),
                    ("it took effect", format!("{count} times")),
                ),
            );
        }
        judgement = Judgement::Holds;
    }
    judgement
}
