//! Plans of the demonstration, by seed.

use protocol::host::Text;
use serde::{Deserialize, Serialize};

use super::{DemonstrationWorld, Operation, Shape};
use crate::kernel::{Chance, Knobs, Micros, Origin, PlaceId, Purpose, Ratio, Source};
use crate::plan::{Act, Fault, Item};
use crate::scenario::Scenario;
use crate::world::PlanOf;

/// What a scenario says about this world.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Generate {
    /// The most followers; at least one.
    pub followers_most: u32,
    /// The most isolates of the front Worker; at least one.
    pub fronts_most: u32,
    /// The most operations; at least one.
    pub operations_most: u32,
    /// The most resets by failing machines.
    pub resets_most: u32,
}

/// Draws from the seed, for one plan.
struct Dice {
    chance: Chance,
    source: Source,
}

impl Dice {
    fn below(&mut self, label: &'static str, alternatives: u32) -> u32 {
        let drawn = self.chance.choose(
            Purpose::Plan,
            self.source,
            &Text::new_static(label),
            u64::from(alternatives.max(1)),
        );
        u32::try_from(drawn).expect("below a 32-bit number")
    }

    /// From 1 to `most`.
    fn some(&mut self, label: &'static str, most: u32) -> u32 {
        1 + self.below(label, most)
    }

    fn instant(&mut self, label: &'static str, before: Micros) -> Micros {
        Micros(self.chance.choose(
            Purpose::Plan,
            self.source,
            &Text::new_static(label),
            before.0.max(1),
        ))
    }

    /// Off in half of all runs, else a rate up to the scenario's.
    fn rate(&mut self, label: &'static str, most: Ratio) -> Ratio {
        if self.below(label, 2) == 0 {
            return Ratio::NEVER;
        }
        Ratio {
            hits: most.hits * self.some(label, 8),
            of: most.of * 8,
        }
    }
}

pub(super) fn generate(scenario: &Scenario<Generate>, seed: u64) -> PlanOf<DemonstrationWorld> {
    let mut chance = Chance::new(seed, &[]);
    let origin = chance.origin(&Origin::Plan);
    let source = Source {
        origin,
        place: PlaceId::NOWHERE,
    };
    let mut dice = Dice { chance, source };
    let own = &scenario.generate;
    let shape = Shape {
        counter: Text::new_static("main"),
        followers: dice.some("followers", own.followers_most),
        fronts: dice.some("fronts", own.fronts_most),
    };
    let knobs = Knobs {
        request_loss: dice.rate("request-loss", scenario.knobs.request_loss),
        answer_loss: dice.rate("answer-loss", scenario.knobs.answer_loss),
        late: dice.rate("late", scenario.knobs.late),
        ..scenario.knobs.clone()
    };
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
    for _ in 0..dice.below("resets", own.resets_most + 1) {
        let at = dice.instant("reset", scenario.lasts());
        let which = dice.below("reset-object", shape.followers + 1);
        let object = match which {
            0 => Text::new_static("counter/main"),
            number => Text::from(format!("follower/main#f{number}")),
        };
        acts.push((at, Act::Fault(Fault::Reset { object })));
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
