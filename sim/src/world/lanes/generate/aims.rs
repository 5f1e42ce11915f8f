//! Faults that are aimed at the protocol's own calls.

use protocol::host::{Label, Text};
use protocol::lanes::{front, object};

use super::Generate;
use crate::plan::Fault;
use crate::plan::swarm::{Calls, Dice};
use crate::world::lanes::Shape;

/// Who calls at a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caller {
    Primary,
    Lane,
    Front,
}

/// The calls that faults are aimed at, with about how many of them a run makes.
const AIMS: [(Caller, Label, u32); 10] = [
    (Caller::Primary, object::labels::MIGRATE_LANE, 4),
    (Caller::Primary, object::labels::POST_CHUNK, 80),
    (Caller::Lane, object::labels::READ_HEAD, 12),
    (Caller::Lane, object::labels::READ_LOG, 8),
    (Caller::Lane, object::labels::ASK_READMIT, 3),
    (Caller::Lane, object::labels::FORWARD, 12),
    (Caller::Lane, object::labels::FORWARD_AGAIN, 4),
    (Caller::Front, front::labels::ASK_LANE, 20),
    (Caller::Front, front::labels::ASK_PRIMARY, 20),
    (Caller::Front, front::labels::FAIL_OVER, 8),
];

/// A fault that is aimed at one of them.
pub(super) fn aimed(dice: &mut Dice, own: &Generate, shape: &Shape, fronts: &[Text]) -> Fault {
    let (caller, label, most) = AIMS[dice.below("aim", AIMS.len() as u32) as usize];
    let site = &shape.site;
    let callers = match caller {
        Caller::Primary => vec![Text::from(format!("site/{site}"))],
        Caller::Lane => {
            let lanes = 1..=own.lanes_most.max(1);
            lanes
                .map(|lane| Text::from(format!("site/{site}#r{lane}")))
                .collect()
        }
        Caller::Front => fronts.to_vec(),
    };
    let calls = if caller == Caller::Front {
        Calls::ForClients
    } else {
        Calls::ForItself
    };
    dice.aimed(&callers, label, most, calls)
}
