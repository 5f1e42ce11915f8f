//! What an operator does, and what comes to a lane that nobody has sent to it now.

use protocol::host::Text;
use protocol::lanes::operator::Operate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

use super::{Generate, weighted};
use crate::plan::swarm::Dice;
use crate::world::lanes::{Forged, Operated, Operation, Shape, Variable};

/// The weights of the acts of operators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Operations {
    /// Where an object stands.
    pub head: u32,
    /// A lane is queued for a copy: a new one, or one that serves.
    pub readmit: u32,
    /// A step of a copy, at once.
    pub provision: u32,
    /// A lane is withdrawn.
    pub withdraw: u32,
    /// A lane catches up.
    pub catch_up: u32,
    /// The plan of a copy: the primary seals.
    pub snapshot: u32,
    /// An object is given the schema.
    pub migrate: u32,
    /// A lane is taken away with all that it stores, and made anew.
    pub recreate: u32,
    /// Nobody's: a chunk of a copy arrives once more, late.
    pub late_chunk: u32,
    /// Nobody's: a lane receives what it must refuse.
    pub forged: u32,
}

/// What an operator does not do by one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    LateChunk,
    Forged,
    Recreate,
}

/// From how many of the chunks that were posted last one is taken, where they are counted from there.
const LAST_CHUNKS: u32 = 6;

type MakeOperate = fn(u32) -> (Operated, Operate);

/// An operator overrides a variable, or takes an override back.
pub(super) fn set(dice: &mut Dice, own: &Generate) -> Operation {
    let variable = match dice.below("variable", 6) {
        0..=2 => Variable::WriteForward,
        3 => Variable::ReplicaCount,
        4 => Variable::ReplicaMaxLanes,
        _ => Variable::ReplicaAutoscale,
    };
    let number = match variable {
        Variable::ReplicaCount | Variable::ReplicaMaxLanes => dice.below("value", own.lanes_most + 2),
        // Both are on where nobody says otherwise.
        Variable::ReplicaAutoscale | Variable::WriteForward => u32::from(dice.below("value", 4) == 0),
    };
    let stays = dice.below("override", 8) > 0;
    Operation::Set {
        variable,
        value: stays.then(|| Text::from(number.to_string())),
    }
}

/// An operator acts, or something strays in.
pub(super) fn operate(dice: &mut Dice, own: &Generate, shape: &Shape) -> Option<Operation> {
    let Operations {
        head,
        readmit,
        provision,
        withdraw,
        catch_up,
        snapshot,
        migrate,
        recreate,
        late_chunk,
        forged,
    } = own.operations;
    let lane = dice.some("lane", own.lanes_most.max(1));
    let beside: [(u32, Option<Beside>); 4] = [
        (
            [head, readmit, provision, withdraw, catch_up, snapshot, migrate]
                .into_iter()
                .fold(0, u32::saturating_add),
            None,
        ),
        (late_chunk, Some(Beside::LateChunk)),
        (forged, Some(Beside::Forged)),
        (recreate, Some(Beside::Recreate)),
    ];
    match weighted(dice, "stray", &beside)? {
        Some(Beside::LateChunk) => {
            // The last chunks of a copy are those that end one, and those that it has in hand while it goes on.
            let from_the_last = dice.below("from-the-last", 2) == 1;
            let nth = dice.below("nth-chunk", if from_the_last { LAST_CHUNKS } else { 100 });
            return Some(Operation::LateChunk {
                lane,
                nth,
                from_the_last,
            });
        }
        Some(Beside::Forged) => {
            let forged = Forged::VARIANTS[dice.below("forgery", Forged::VARIANTS.len() as u32) as usize];
            return Some(Operation::Forge { lane, forged });
        }
        Some(Beside::Recreate) => return Some(Operation::Recreate { lane }),
        None => {}
    }
    let kinds: [(u32, MakeOperate); 7] = [
        (head, |lane| (Operated::Lane(lane), Operate::Head)),
        (readmit, |lane| {
            (Operated::Primary, Operate::Readmit { lane: lane.into() })
        }),
        (provision, |lane| {
            let provision = Operate::Provision {
                lane: lane.into(),
                cursor: None,
                budget: None,
            };
            (Operated::Primary, provision)
        }),
        (withdraw, |lane| {
            let to = Text::new_static("WITHDRAWN");
            (Operated::Lane(lane), Operate::Stage { to })
        }),
        (catch_up, |lane| {
            (Operated::Lane(lane), Operate::CatchUp { limit: None })
        }),
        (snapshot, |_| {
            (Operated::Primary, Operate::Snapshot { page: None })
        }),
        (migrate, |lane| (Operated::Lane(lane), Operate::Migrate)),
    ];
    let make = weighted(dice, "operate", &kinds)?;
    let (on, operate) = make(lane);
    // What an owner asks of the primary comes through a front.
    let through = on == Operated::Primary && dice.below("through", 2) == 1;
    let on = if through {
        Operated::Front(dice.below("front", shape.fronts))
    } else {
        on
    };
    Some(Operation::Operate { on, operate })
}
