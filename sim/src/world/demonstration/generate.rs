//! Plans of the demonstration, by seed.

use protocol::host::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DemonstrationWorld, Operation, Shape};
use crate::kernel::Micros;
use crate::plan::swarm::Dice;
use crate::plan::{Act, Item};
use crate::scenario::Scenario;
use crate::world::PlanOf;

/// What a scenario says about this world.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Generate {
    /// The most followers; at least one.
    pub followers_most: u32,
    /// The most isolates of the front Worker; at least one.
    pub fronts_most: u32,
    /// The most operations; at least one.
    pub operations_most: u32,
    /// The most faults that befall an object, or stand between two parties, at an instant of the plan's.
    pub faults_most: u32,
    /// The most faults of shared services, and of isolates.
    #[serde(default)]
    pub service_faults_most: u32,
    /// The most deploys of one version or the other.
    #[serde(default)]
    pub deploys_most: u32,
}

pub(super) fn generate(scenario: &Scenario<Generate>, seed: u64) -> PlanOf<DemonstrationWorld> {
    let mut dice = Dice::new(seed);
    let own = &scenario.generate;
    let shape = Shape {
        counter: Text::new_static("main"),
        followers: dice.some("followers", own.followers_most),
        fronts: dice.some("fronts", own.fronts_most),
    };
    let knobs = dice.knobs(&scenario.knobs);
    let mut acts = Vec::new();
    for follower in 1..=shape.followers {
        acts.push((
            dice.instant("follow", Micros(scenario.lasts().0 / 4)),
            Act::Operation(Operation::Follow { front: 0, follower }),
        ));
    }
    for nth in 0..dice.some("operations", own.operations_most) {
        let at = dice.instant("operation", scenario.lasts());
        acts.push((at, Act::Operation(operation(&mut dice, &shape, nth))));
    }
    for _ in 0..dice.below("faults", own.faults_most + 1) {
        let at = dice.instant("fault", scenario.lasts());
        acts.push((at, Act::Fault(dice.fault(&objects(&shape), &fronts(&shape)))));
    }
    for _ in 0..dice.below("service-faults", own.service_faults_most + 1) {
        let at = dice.instant("service-fault", scenario.lasts());
        acts.push((at, Act::Fault(dice.service_fault(&fronts(&shape)))));
    }
    for _ in 0..dice.below("deploys", own.deploys_most + 1) {
        let at = dice.instant("deploy", scenario.lasts());
        acts.push((at, Act::Fault(dice.deploy())));
    }
    let items = (0..)
        .zip(acts)
        .map(|(id, (at, act))| Item { id, at, act })
        .collect();
    PlanOf::<DemonstrationWorld> {
        scenario: scenario.name.clone(),
        seed,
        lasts: scenario.lasts(),
        settles: scenario.settles(),
        knobs,
        shape,
        items,
        fixed: Vec::new(),
    }
}

/// The objects that faults befall: the counter first.
fn objects(shape: &Shape) -> Vec<Text> {
    let followers = (1..=shape.followers).map(|number| format!("follower/{}#f{number}", shape.counter));
    [format!("counter/{}", shape.counter)]
        .into_iter()
        .chain(followers)
        .map(Text::from)
        .collect()
}

fn fronts(shape: &Shape) -> Vec<Text> {
    (0..shape.fronts)
        .map(|number| Text::from(format!("front {number}")))
        .collect()
}

fn operation(dice: &mut Dice, shape: &Shape, nth: u32) -> Operation {
    let front = dice.below("front", shape.fronts);
    let follower = Some(dice.below("follower", shape.followers + 1)).filter(|number| *number > 0);
    match dice.below("operation-kind", 10) {
        0..=4 => {
            // Now and then a client repeats the addition before: the same token, the same amount.
            let token = if dice.below("repeat", 6) == 0 {
                nth.saturating_sub(1)
            } else {
                nth
            };
            Operation::Add {
                front,
                follower,
                by: token % 9 + 1,
                token: Text::from(format!("t{token}")),
            }
        }
        5..=6 => Operation::Read { front, follower },
        7..=8 => Operation::Nudge {
            follower: follower.unwrap_or(1),
        },
        _ if dice.below("reset-counter", 4) == 0 => Operation::ResetCounter { front },
        _ => Operation::Read {
            front,
            follower: None,
        },
    }
}
