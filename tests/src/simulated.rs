//! Simulated runs as records: what the simulator did, in the form in which the real runtime's shell writes it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use protocol::host::Text;
use protocol_worker::record::{RecordLine, Recorded, Tape};
use sim::kernel::storage::sqlite::SqliteStore;
use sim::kernel::storage::{Contents, Store};
use sim::run::Simulation;
use sim::scenario;
use sim::trace::{self, Trace};
use sim::world::demonstration::{DemonstrationWorld, Operation, Shape};
use sim::world::{PlanOf, World};

/// A plan of the demonstration.
pub type DemonstrationPlan = PlanOf<DemonstrationWorld>;

/// What a simulated run leaves.
#[derive(Debug)]
pub struct Simulated {
    /// Each event and each crossing of the seam.
    pub record: Vec<RecordLine>,
    /// The tables of each object, by `namespace/name`.
    pub tables: BTreeMap<Text, Contents>,
}

/// Runs a plan to its end, also beyond what it violates.
///
/// # Panics
/// When the demonstration has no such variant.
#[must_use]
pub fn simulate(plan: &DemonstrationPlan, variant: &str) -> Simulated {
    let deployment = DemonstrationWorld::deployment(variant).expect("the demonstration has this variant");
    let tape = Tape::default();
    let recorded = deployment.map(|honest| Recorded::new(honest.clone(), tape.clone()));
    let mut simulation =
        Simulation::<DemonstrationWorld, _, SqliteStore, ()>::new(plan, recorded, &Default::default(), ());
    let end = plan.lasts.after(plan.settles);
    while simulation.kernel().earliest().is_some_and(|next| next.at <= end) {
        simulation.advance();
    }
    let kernel = simulation.kernel();
    let objects: Vec<_> = kernel.objects().map(|(_, _, party)| party).collect();
    let tables = objects.into_iter().map(|party| {
        let who = kernel.who(party).clone();
        (
            who,
            kernel.store(party).expect("an object has a store").contents(),
        )
    });
    Simulated {
        tables: tables.collect(),
        record: tape.take(),
    }
}

/// The plan of a seed of the scenario `demonstration`.
///
/// # Panics
/// When the scenario that is built in cannot be read.
#[must_use]
pub fn generated(seed: u64) -> DemonstrationPlan {
    let scenario = scenario::load("demonstration").expect("the scenario is built in");
    DemonstrationWorld::generate(&scenario.expect("the scenario can be read"), seed)
}

/// Records of whole runs, one seed after the other, until there are this many events.
#[must_use]
pub fn corpus(variant: &str, events: usize) -> Vec<Vec<RecordLine>> {
    let mut records = Vec::new();
    let mut so_far = 0;
    for seed in 1.. {
        if so_far >= events {
            break;
        }
        let record = simulate(&generated(seed), variant).record;
        so_far += record.iter().filter(|line| line.what.is_event()).count();
        records.push(record);
    }
    records
}

/// A trace that is kept in the tree, by its path below `traces/`.
///
/// # Panics
/// When it is not there, or cannot be read: with the line and the field.
#[must_use]
pub fn kept(name: &str) -> Trace<Shape, Operation> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces").join(name);
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    trace::read::<DemonstrationWorld>(BufReader::new(file))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
