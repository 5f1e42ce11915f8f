//! LR-L1, and with it LR-L2 and LR-L3. When faults and writes have stopped, every lane of the pool serves what there is.
//!
//! A lane is of the pool when the primary's number of lanes says so, or when it waits for a copy.

use super::{Check, Judgement, Stand, Triage};
use crate::check::Invariant;
use crate::world::lanes::truth::Truth;
use protocol::host::Text;
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;
use protocol::number::Number;

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-L1",
        statement: "at rest every lane of the pool is SERVING at the newest generation",
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Rest(rest)],
};

fn rest(truth: &mut Truth) -> Judgement {
    let newest = truth.primary.generation(Key::COMMIT_SEQUENCE);
    let provisioned = truth.primary.number(Key::LANES);
    let mut judgement = Judgement::NoSubject;
    for (lane, standing) in &truth.lanes {
        if !Number::from(*lane).js_le(provisioned) {
            continue;
        }
        let (stage, applied) = (standing.stage(), standing.generation(Key::APPLIED));
        if stage != Some(Stage::Serving) || applied != newest {
            let stage = stage.map_or("in no stage", Stage::as_str);
            return Judgement::Broken(Text::from(format!(
                "lane {lane} is {stage} at {applied:?}, and the primary is at {newest:?}"
            )));
        }
        judgement = Judgement::Holds;
    }
    judgement
}
