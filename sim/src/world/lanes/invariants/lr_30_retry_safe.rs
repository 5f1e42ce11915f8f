//! LR-30. What a lane says is safe to retry has left nothing behind.
//!
//! Judged when a lane answers `x-cfw-retry-safe: 1`: each batch that the same run has forwarded must have been answered,
//! and not with a commit; and where the client's request was received once only, nothing of its token has taken effect on
//! the primary. A batch whose answer was lost may still be committed: it is not safe. That nothing is left on the lane is
//! LR-35's. An act upon the outside world counts as an effect, whoever has done it; effects that neither a statement nor an
//! act shows cannot be seen. Catches a transport error that is handed back as clean, and
//! C07.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::clients::effect_of;
use crate::world::lanes::truth::minted::action;
use crate::world::lanes::truth::runs::Run;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::app::RenderProgram;
use protocol::lanes::header;
use protocol::lanes::object::labels;

/// Its batch was committed.
const COMMITTED: Class = Class("committed");
/// Its batch may be committed.
const MAY_BE_COMMITTED: Class = Class("may-be-committed");
/// It took effect.
const TOOK_EFFECT: Class = Class("took-effect");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-30",
        statement: "a request that a lane calls safe to retry has had no effect and has none under way",
        classes: &[COMMITTED, MAY_BE_COMMITTED, TOOK_EFFECT],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let mut judgement = Judgement::NoSubject;
    for (run, response) in turn.answers() {
        if response.headers.get(header::RETRY_SAFE) != Some("1") {
            continue;
        }
        if let Some((class, why)) = left_behind(truth, run) {
            return Judgement::broken(Breach::new(class, format!("lane {}: {why}", turn.lane)));
        }
        judgement = Judgement::Holds;
    }
    judgement
}

fn left_behind(truth: &Truth, run: &Run) -> Option<(Class, String)> {
    let forwards = run
        .calls()
        .filter(|made| matches!(made.label, labels::FORWARD | labels::FORWARD_AGAIN));
    for made in forwards {
        match made.response().and_then(action) {
            Some(action) if action != "commit" => {}
            Some(_) => return Some((COMMITTED, "a batch was committed, and its request is called safe to retry".to_owned())),
            None => {
                return Some((MAY_BE_COMMITTED, "a batch may be committed, and its request is called safe to retry".to_owned()));
            }
        }
    }
    let program = run.request()?.body.read::<RenderProgram>().ok()?;
    let attempt = truth
        .attempts
        .values()
        .find(|attempt| attempt.token == program.token)?;
    let effect = effect_of(&attempt.ask, &attempt.token)?;
    let took_effect = truth.effects.received(&effect) == 1 && truth.effects.count(&effect) > 0;
    took_effect.then(|| {
        let why = format!("what `{}` asked for has taken effect, and is called safe to retry", attempt.token);
        (TOOK_EFFECT, why)
    })
}
