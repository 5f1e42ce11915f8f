//! Plans of a site with lanes, by seed.

mod aims;
mod operations;
mod visits;

use protocol::host::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LanesWorld, Shape};
use crate::kernel::Micros;
use crate::plan::swarm::Dice;
use crate::plan::{Act, Item, PlanError};
use crate::scenario::Scenario;
use crate::world::PlanOf;
use aims::aimed;
pub use operations::Operations;
use operations::{operate, set};
pub use visits::Visits;
use visits::{Opened, visit};

/// What a scenario says about this world.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Generate {
    /// The most lanes that serve when the run begins, and that an operator asks for later.
    #[schemars(range(max = MOST_LANES))]
    pub lanes_most: u32,
    /// The fewest lanes that serve when the run begins.
    #[serde(default)]
    #[schemars(range(max = MOST_LANES))]
    pub lanes_least: u32,
    /// The most isolates of the front Worker; none counts as one. Each is new at some instant, and gone at another.
    #[schemars(range(max = MOST_FRONTS))]
    pub fronts_most: u32,
    /// The most nodes; none counts as one.
    #[schemars(range(max = MOST_ROWS))]
    pub nodes_most: u32,
    /// The most accounts; none counts as one.
    #[schemars(range(max = MOST_ROWS))]
    pub accounts_most: u32,
    /// The most requests of visitors; none counts as one.
    #[schemars(range(max = MOST_ACTS))]
    pub visits_most: u32,
    /// The most acts of operators.
    #[serde(default)]
    #[schemars(range(max = MOST_ACTS))]
    pub operations_most: u32,
    /// The most faults that befall an object, or stand between two parties, at an instant of the plan's.
    #[serde(default)]
    #[schemars(range(max = MOST_ACTS))]
    pub faults_most: u32,
    /// The most faults that are aimed at one call of the protocol's own.
    #[serde(default)]
    #[schemars(range(max = MOST_ACTS))]
    pub aimed_most: u32,
    /// The most instants at which visitors come all at once, in half of all runs; none where visitors never do.
    #[serde(default)]
    #[schemars(range(max = MOST_ACTS))]
    pub rushes_most: u32,
    /// How many of eight visits with a session come with one that somebody has opened in the run.
    #[serde(default)]
    #[schemars(range(max = 8))]
    pub returning: u32,
    /// The most changes of variables, by overrides in KV. With any, objects and fronts look them up there.
    #[serde(default)]
    #[schemars(range(max = MOST_ACTS))]
    pub settings_most: u32,
    /// The most faults of shared services, and of isolates.
    #[serde(default)]
    #[schemars(range(max = MOST_ACTS))]
    pub service_faults_most: u32,
    /// The most deploys of one version of the code or the other.
    #[serde(default)]
    #[schemars(range(max = MOST_ACTS))]
    pub deploys_most: u32,
    /// The most times that a lane is taken back to what it stored before, or given what another one stores.
    #[serde(default)]
    #[schemars(range(max = MOST_ACTS))]
    pub rewinds_most: u32,
    /// How often each kind of request is asked for, relative to the others.
    pub visits: Visits,
    /// How often each act of an operator is, relative to the others.
    #[serde(default)]
    pub operations: Operations,
}

/// The most lanes that a site has (`lanes.md` 3).
const MOST_LANES: u32 = 256;

/// Of so many visits with a session [`Generate::returning`] counts some.
const EIGHTHS: u32 = 8;

/// The most isolates, nodes or accounts, and acts, that a scenario asks for: more only takes longer.
const MOST_FRONTS: u32 = 1_000;
const MOST_ROWS: u32 = 10_000;
const MOST_ACTS: u32 = 100_000;

impl Generate {
    /// Whether the plans that it makes can be read again, and end.
    ///
    /// # Errors
    /// The first field that is out of bounds, and the bound.
    pub fn check(&self) -> Result<(), PlanError> {
        for (field, found, most) in [
            ("generate.lanes-most", self.lanes_most, MOST_LANES),
            ("generate.returning", self.returning, EIGHTHS),
            ("generate.lanes-least", self.lanes_least, self.lanes_most),
            ("generate.fronts-most", self.fronts_most, MOST_FRONTS),
            ("generate.nodes-most", self.nodes_most, MOST_ROWS),
            ("generate.accounts-most", self.accounts_most, MOST_ROWS),
            ("generate.visits-most", self.visits_most, MOST_ACTS),
            ("generate.rushes-most", self.rushes_most, MOST_ACTS),
            ("generate.operations-most", self.operations_most, MOST_ACTS),
            ("generate.faults-most", self.faults_most, MOST_ACTS),
            ("generate.aimed-most", self.aimed_most, MOST_ACTS),
            ("generate.settings-most", self.settings_most, MOST_ACTS),
            (
                "generate.service-faults-most",
                self.service_faults_most,
                MOST_ACTS,
            ),
            ("generate.deploys-most", self.deploys_most, MOST_ACTS),
            ("generate.rewinds-most", self.rewinds_most, MOST_ACTS),
        ] {
            PlanError::if_above(field, found.into(), most.into())?;
        }
        Ok(())
    }
}

/// How requests arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Arrivals {
    /// Spread over the whole time.
    Steady,
    /// In a few bursts.
    Bursty,
    /// All at the beginning; then it is quiet.
    Quiet,
    /// Within a tenth of the time.
    Saturated,
    /// All at once, at one of these instants.
    Rushes(Vec<Micros>),
}

/// Within how long those come who come at once.
const RUSH: Micros = Micros::from_millis(400);

impl Arrivals {
    const ALL: [Arrivals; 4] = [
        Arrivals::Steady,
        Arrivals::Bursty,
        Arrivals::Quiet,
        Arrivals::Saturated,
    ];

    /// One of the four that there always are, or rushes where the scenario has some, in half of all runs.
    fn drawn(dice: &mut Dice, rushes_most: u32, lasts: Micros) -> Self {
        let any = dice.below("arrivals", Arrivals::ALL.len() as u32) as usize;
        if rushes_most == 0 || dice.below("rushes", 2) == 0 {
            return Arrivals::ALL[any].clone();
        }
        let rushes = dice.some("rushes", rushes_most);
        Arrivals::Rushes((0..rushes).map(|_| dice.instant("rush", lasts)).collect())
    }

    fn at(&self, dice: &mut Dice, lasts: Micros) -> Micros {
        match self {
            Arrivals::Rushes(instants) => {
                let rush = instants[dice.below("rush-of", instants.len() as u32) as usize];
                rush.after(dice.instant("arrival", RUSH)).min(lasts)
            }
            Arrivals::Steady => dice.instant("arrival", lasts),
            Arrivals::Bursty => {
                let burst = Micros(lasts.0 / 6 * u64::from(dice.below("burst", 6)));
                burst.after(dice.instant("arrival", Micros::from_millis(800)))
            }
            Arrivals::Quiet => dice.instant("arrival", Micros(lasts.0 / 5)),
            Arrivals::Saturated => dice.instant("arrival", Micros(lasts.0 / 10)),
        }
    }
}

pub(super) fn generate(scenario: &Scenario<Generate>, seed: u64) -> PlanOf<LanesWorld> {
    let mut dice = Dice::new(seed);
    let own = &scenario.generate;
    let shape = Shape {
        site: Text::new_static("shop"),
        nodes: dice.some("nodes", own.nodes_most),
        accounts: dice.some("accounts", own.accounts_most),
        lanes: own.lanes_least + dice.below("lanes", own.lanes_most.saturating_sub(own.lanes_least) + 1),
        fronts: dice.some("fronts", own.fronts_most),
        keyed: dice.below("keyed", 8) > 0,
        overrides: own.settings_most > 0,
    };
    let knobs = dice.knobs(&scenario.knobs);
    let arrivals = Arrivals::drawn(&mut dice, own.rushes_most, scenario.lasts());
    let mut acts = Vec::new();
    let mut opened = Opened::default();
    for nth in 0..dice.some("visits", own.visits_most) {
        let at = arrivals.at(&mut dice, scenario.lasts());
        let front = front_at(&mut dice, &shape, at, scenario.lasts());
        let visit = visit(&mut dice, own.visits, &shape, nth, front)
            .map(|visit| opened.returns(&mut dice, own.returning, at, visit));
        acts.extend(visit.map(|visit| (at, Act::Operation(visit))));
    }
    for _ in 0..dice.below("operations", own.operations_most + 1) {
        let at = dice.instant("operation", scenario.lasts());
        let operated = operate(&mut dice, own, &shape);
        acts.extend(operated.map(|operated| (at, Act::Operation(operated))));
    }
    let (objects, fronts) = parties(own, &shape);
    for _ in 0..dice.below("faults", own.faults_most + 1) {
        let at = dice.instant("fault", scenario.lasts());
        acts.push((at, Act::Fault(dice.fault(&objects, &fronts))));
    }
    for _ in 0..dice.below("aimed", own.aimed_most + 1) {
        acts.push((Micros::ZERO, Act::Fault(aimed(&mut dice, own, &shape, &fronts))));
    }
    for _ in 0..dice.below("settings", own.settings_most + 1) {
        let at = dice.instant("setting", scenario.lasts());
        acts.push((at, Act::Operation(set(&mut dice, own))));
    }
    for _ in 0..dice.below("service-faults", own.service_faults_most + 1) {
        let at = dice.instant("service-fault", scenario.lasts());
        acts.push((at, Act::Fault(dice.service_fault(&fronts))));
    }
    for _ in 0..dice.below("deploys", own.deploys_most + 1) {
        let at = dice.instant("deploy", scenario.lasts());
        acts.push((at, Act::Fault(dice.deploy())));
    }
    let lanes: Vec<Text> = (1..=own.lanes_most)
        .map(|lane| Text::from(format!("site/{}#r{lane}", shape.site)))
        .collect();
    for _ in 0..dice.below("rewinds", own.rewinds_most + 1) {
        let at = dice.instant("rewind", scenario.lasts());
        acts.push((at, Act::Fault(dice.rewind(&lanes))));
    }
    let items = (0..).zip(acts).map(|(id, (at, act))| Item { id, at, act });
    PlanOf::<LanesWorld> {
        scenario: scenario.name.clone(),
        seed,
        lasts: scenario.lasts(),
        settles: scenario.settles(),
        knobs,
        shape,
        items: items.collect(),
        fixed: Vec::new(),
    }
}

/// An isolate that is there at an instant. Each is there for about a half of the time: the first ones in the first half,
/// the last ones in the last.
fn front_at(dice: &mut Dice, shape: &Shape, at: Micros, lasts: Micros) -> u32 {
    let fronts = u64::from(shape.fronts);
    let first = at.0.saturating_mul(fronts.div_ceil(2)) / lasts.0.max(1);
    let there = fronts.div_ceil(2).max(1);
    let front = first + u64::from(dice.below("front", there as u32));
    u32::try_from(front.min(fronts - 1)).unwrap_or(0)
}

fn parties(own: &Generate, shape: &Shape) -> (Vec<Text>, Vec<Text>) {
    let site = &shape.site;
    let lanes = (1..=own.lanes_most).map(|lane| Text::from(format!("site/{site}#r{lane}")));
    let primary = Text::from(format!("site/{site}"));
    // The primary is struck as often as all lanes together.
    let times = own.lanes_most.max(1) as usize;
    let objects = std::iter::repeat_n(primary, times).chain(lanes);
    let fronts = (0..shape.fronts).map(|front| Text::from(format!("front {front}")));
    (objects.collect(), fronts.collect())
}

/// Which of some weights is drawn; none where all are 0.
fn weighted<T: Copy>(dice: &mut Dice, label: &'static str, weights: &[(u32, T)]) -> Option<T> {
    let sum = weights
        .iter()
        .fold(0_u32, |sum, (weight, _)| sum.saturating_add(*weight));
    if sum == 0 {
        return None;
    }
    let mut drawn = dice.below(label, sum);
    for (weight, what) in weights {
        if drawn < *weight {
            return Some(*what);
        }
        drawn -= weight;
    }
    None
}
