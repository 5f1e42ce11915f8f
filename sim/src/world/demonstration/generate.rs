//! Plans of the demonstration, by seed.

use protocol::host::{SqlErrorKind, Text};
use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

use super::{DemonstrationWorld, Operation, Shape};
use crate::kernel::{
    Chance, DigestAwait, Episode, FaultKind, Knobs, Micros, Origin, PlaceId, Purpose, Ratio, ResetCause,
    Source, Way,
};
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
    /// The most faults that befall an object, or stand between two parties, at an instant of the plan's.
    pub faults_most: u32,
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
    fn episode(&mut self, kind: FaultKind, most: Episode) -> Episode {
        if self.below(kind.name(), 2) == 0 {
            return Episode::NEVER;
        }
        most.at_rate(Ratio {
            hits: most.begins.hits.saturating_mul(self.some(kind.name(), 8)),
            of: most.begins.of.saturating_mul(8),
        })
    }

    /// Whether the platform is in one of two ways, where the scenario allows the second one.
    fn either(&mut self, label: &'static str, allowed: bool) -> bool {
        self.below(label, 2) == 1 && allowed
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
        acts.push((at, Act::Fault(fault(&mut dice, &shape))));
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

impl Dice {
    /// The scenario's platform, with only some of its faults, and not as often.
    fn knobs(&mut self, most: &Knobs) -> Knobs {
        let digest = if self.either("digest", most.digest == DigestAwait::GoesOn) {
            DigestAwait::GoesOn
        } else {
            DigestAwait::Suspends
        };
        Knobs {
            request_loss: self.episode(FaultKind::RequestLost, most.request_loss),
            answer_loss: self.episode(FaultKind::AnswerLost, most.answer_loss),
            late: self.episode(FaultKind::RequestLate, most.late),
            partition: self.episode(FaultKind::Partitioned, most.partition),
            clog: self.episode(FaultKind::Clogged, most.clog),
            duplicate: self.episode(FaultKind::Duplicated, most.duplicate),
            cancel: self.episode(FaultKind::Cancelled, most.cancel),
            commit_failure: self.episode(FaultKind::CommitFailed, most.commit_failure),
            commit_stall: self.episode(FaultKind::CommitStalled, most.commit_stall),
            storage_error: self.episode(FaultKind::StorageRefused, most.storage_error),
            alarm_late: self.episode(FaultKind::AlarmLate, most.alarm_late),
            alarm_sync_loss: self.episode(FaultKind::AlarmSyncLost, most.alarm_sync_loss),
            eviction: self.episode(FaultKind::Evicted, most.eviction),
            reset: self.episode(FaultKind::Reset, most.reset),
            displacement: self.episode(FaultKind::Displaced, most.displacement),
            clock_skew: self.instant("clock-skew", most.clock_skew),
            alarm_now_sticks: self.either("alarm-now-sticks", most.alarm_now_sticks),
            alarm_keeps_retry: self.either("alarm-keeps-retry", most.alarm_keeps_retry),
            alarm_count_lost: self.either("alarm-count-lost", most.alarm_count_lost),
            name_missing: self.either("name-missing", most.name_missing),
            shared_isolates: self.either("shared-isolates", most.shared_isolates),
            digest,
            ..most.clone()
        }
    }

    fn object(&mut self, shape: &Shape) -> Text {
        match self.below("fault-object", shape.followers + 1) {
            0 => Text::from(format!("counter/{}", shape.counter)),
            number => Text::from(format!("follower/{}#f{number}", shape.counter)),
        }
    }

    fn party(&mut self, shape: &Shape) -> Text {
        if self.below("fault-party", 4) == 0 {
            let front = self.below("fault-front", shape.fronts);
            return Text::from(format!("front {front}"));
        }
        self.object(shape)
    }

    /// A length of up to about a minute, most of them short.
    fn lasts(&mut self) -> Micros {
        let most = Micros::from_millis(100 << self.below("fault-scale", 10));
        self.instant("fault-lasts", most)
    }
}

fn fault(dice: &mut Dice, shape: &Shape) -> Fault {
    let object = dice.object(shape);
    match dice.below("fault-kind", 12) {
        0..=3 => {
            let causes = ResetCause::VARIANTS;
            let cause = causes[dice.below("cause", causes.len() as u32) as usize];
            Fault::Reset { object, cause }
        }
        4 => Fault::Evict { object },
        5 => Fault::Displace {
            object,
            overlap: dice.lasts(),
        },
        6..=7 => Fault::Partition {
            from: object,
            to: dice.party(shape),
            way: if dice.below("way", 2) == 0 {
                Way::Both
            } else {
                Way::There
            },
            lasts: dice.lasts(),
        },
        8 => Fault::Clog {
            from: object,
            to: dice.party(shape),
            lasts: dice.lasts(),
        },
        9 => Fault::CommitStall {
            object,
            lasts: dice.lasts(),
        },
        10 => Fault::CommitFailure { object },
        _ => Fault::Statement {
            object,
            after: u64::from(dice.below("after", 8)),
            error: SqlErrorKind::Full,
        },
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
