//! What the parts of a run cost: `cargo bench -p sim --bench kernel`.
//!
//! Figures with their meaning stand in the README; divan prints the time of one call and, where a bench says how many
//! events it has run, events a second.
#![allow(missing_docs, reason = "a bench has no readers but its output")]

use divan::Bencher;
use divan::counter::ItemsCount;
use protocol::host::Text;
use sim::kernel::storage::Store;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::kernel::{Chain, Chance, Deployment, Origin, PlaceId, Purpose, Source};
use sim::run::{Simulation, run};
use sim::scenario;
use sim::world::demonstration::DemonstrationWorld;
use sim::world::{PlanOf, World};

/// As the command has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

/// The plan that the benches of whole runs use: a busy one.
fn plan(seed: u64) -> PlanOf<DemonstrationWorld> {
    let scenario = scenario::load("demonstration")
        .expect("the scenario is built in")
        .expect("it is readable");
    DemonstrationWorld::generate(&scenario, seed)
}

fn deployment() -> Deployment<<DemonstrationWorld as World>::Program> {
    DemonstrationWorld::deployment("hardened").expect("the variant is there")
}

/// One choice that no plan fixes.
#[divan::bench]
fn choice(bencher: Bencher<'_, '_>) {
    let mut chance = Chance::new(1, &[]);
    let source = Source {
        origin: chance.origin(&Origin::Item(7)),
        place: PlaceId::NOWHERE,
    };
    let label = Text::new_static("pull-log");
    bencher.bench_local(|| chance.choose(Purpose::RequestLatency, source, &label, 29_001));
}

/// One link of a chain, as long as the usual one.
#[divan::bench]
fn link(bencher: Bencher<'_, '_>) {
    let mut chain = Chain::default();
    bencher.bench_local(|| {
        chain.add(|link| {
            (0..8).for_each(|number| link.number(number));
            link.text("follower/main#f1");
        });
    });
}

/// Sixteen seeds of the demonstration, with their checks and both hashes: events a second on one core.
#[divan::bench(types = [ModelStore, SqliteStore])]
fn events<S: Store>(bencher: Bencher<'_, '_>) {
    let plans: Vec<_> = (1..=16).map(plan).collect();
    let pool = S::Pool::default();
    let all = || {
        plans
            .iter()
            .map(|plan| run::<DemonstrationWorld, _, S>(plan, deployment(), &pool, ()).events)
            .sum::<u64>()
    };
    let events = all();
    bencher.counter(ItemsCount::new(events)).bench_local(all);
}

/// A copy of a world in the middle of its run.
#[divan::bench(types = [ModelStore, SqliteStore])]
fn clone<S: Store>(bencher: Bencher<'_, '_>) {
    let long = |plan: &PlanOf<DemonstrationWorld>| {
        run::<DemonstrationWorld, _, ModelStore>(plan, deployment(), &Default::default(), ()).events > 600
    };
    let plan = (1..).map(plan).find(long).expect("some seed's run is long");
    let mut simulation =
        Simulation::<DemonstrationWorld, _, S, ()>::new(&plan, deployment(), &Default::default(), ());
    for _ in 0..300 {
        assert!(
            simulation.advance().is_none(),
            "the run goes on after its first half"
        );
    }
    bencher.bench_local(|| simulation.fork());
}
