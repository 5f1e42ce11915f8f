//! LR-L1. When faults and writes have stopped, every lane of the pool serves what there is.
//!
//! A lane is of the pool when a copy to it has begun for good, when it has asked for one, and when the primary has queued it
//! for one. A primary that lacks what is mandatory copies to nobody. The primary's number of lanes is a high-water mark:
//! it also counts lanes that nobody ever copied to. A lane that was taken away is of the pool again when the new one is: an
//! operator whose request for it was lost asks again. One that was withdrawn and waits for its copy is LR-L3's.

use super::lr_16_whole;
use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::standing::Standing;
use crate::world::lanes::truth::Truth;
use protocol::host::Text;
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::{Key, names};

/// It serves at another generation.
const BEHIND: Class = Class("behind");
/// It does not serve: it is in this stage.
const OUT: Class = Class("out");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-L1",
        statement: "at rest every lane of the pool is SERVING at the newest generation",
        classes: &[BEHIND, OUT],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Rest(rest)],
};

fn rest(truth: &mut Truth) -> Judgement {
    if lr_16_whole::missing(&truth.primary).is_some() {
        return Judgement::NoSubject;
    }
    let newest = truth.primary.generation(Key::COMMIT_SEQUENCE);
    let mut judgement = Judgement::NoSubject;
    for (lane, standing) in &truth.lanes {
        if !is_of_pool(truth, *lane, standing) || super::lr_l3_readmitted::waits(standing) {
            continue;
        }
        let (stage, applied) = (standing.stage(), standing.generation(Key::APPLIED));
        if stage != Some(Stage::Serving) || applied != newest {
            let (class, place) = match stage {
                Some(Stage::Serving) => (BEHIND, None),
                other => (OUT, Some(told(other))),
            };
            return Judgement::broken(Breach::new(class, format!(
                "lane {lane} is {} at {}, and the primary is at {}",
                told(stage), told(applied), told(newest)
            )).at(place.unwrap_or_default()).between(
                ("the primary", format!("at {}", told(newest))),
                (format!("lane {lane}"), format!("{} at {}", told(stage), told(applied))),
            )
            .concerning(truth.named(*lane)));
        }
        judgement = Judgement::Holds;
    }
    judgement
}

fn is_of_pool(truth: &Truth, lane: u32, standing: &Standing) -> bool {
    let copied = truth.copied.contains(&lane);
    let queued = truth.primary.meta(Key::REPAIRS).is_some_and(|repairs| {
        let number = Text::from(lane.to_string());
        names(Some(repairs)).contains(&number)
    });
    copied || queued || standing.meta(Key::READMIT_ASKS).is_some()
}
