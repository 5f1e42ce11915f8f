//! LR-L3. A lane that was withdrawn comes back.
//!
//! At rest, no lane is WITHDRAWN, nor CREATED with asks for a copy that was never begun. Whatever was lost on the way, and
//! however quiet the site is: resting is longer than any backoff. Its subject is a lane that was ever withdrawn, of a
//! primary that has what is mandatory: another one copies to nobody. Where such a lane stands otherwise is LR-L1's. Catches S35, A01.

use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::standing::Standing;
use crate::world::lanes::truth::{Held, Truth};
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;
use protocol::number::Number;

/// It waits, in this stage.
const WAITS: Class = Class("waits");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-L3",
        statement: "at rest no lane that was withdrawn still waits for its copy",
        classes: &[WAITS],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Rest(rest)],
};

/// Whether a lane was withdrawn, and no copy has begun since.
pub(super) fn waits(standing: &Standing) -> bool {
    match standing.stage() {
        Some(Stage::Withdrawn) => true,
        Some(Stage::Created) => standing.meta(Key::READMIT_ASKS).is_some(),
        _ => false,
    }
}

fn rest(truth: &mut Truth) -> Judgement {
    if super::lr_16_whole::missing(&truth.primary).is_some() {
        return Judgement::NoSubject;
    }
    let withdrawn = |held: &Held| held.stage == Some(Stage::Withdrawn);
    let mut judgement = Judgement::NoSubject;
    for (lane, standing) in &truth.lanes {
        let ever = truth.held.get(lane).is_some_and(|held| held.iter().any(withdrawn));
        if !ever && !waits(standing) {
            continue;
        }
        if waits(standing) {
            let asks = standing.number(Key::READMIT_ASKS);
            let times = if asks == Number::integer(1) { "once".to_owned() } else { format!("{asks} times") };
            return Judgement::broken(Breach::new(WAITS, format!(
                "lane {lane} is {} and has asked {times} for a copy",
                told(standing.stage())
            )).at(told(standing.stage())).between(
                (format!("lane {lane}"), "a copy"),
                ("it is", format!("{} and has asked {times}", told(standing.stage()))),
            )
            .concerning(truth.named(*lane)));
        }
        judgement = Judgement::Holds;
    }
    judgement
}
