//! A site with lanes: what a run costs, by how many lanes there are, and by how long it lasts. The oracle, all invariants
//! and both hash chains are on, and so is the set-up of the site.
//!
//! One visit a second: half of them pages, the rest pages with a session, edits and new nodes.
//!
//! ```text
//! cargo bench -p sim --bench lanes
//! ```

use divan::Bencher;
use protocol::host::Text;
use protocol::lanes::app::catalogue::{Ask, Visitor, session_of};
use sim::check::Verdict;
use sim::kernel::storage::Store;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::kernel::{Knobs, Micros};
use sim::plan::{Act, Item, Plan};
use sim::run::{Simulation, run};
use sim::world::lanes::{LanesWorld, Operation, Shape};
use sim::world::{PlanOf, World};

/// As the command has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

const NODES: u32 = 10;

fn visit(second: u32) -> Operation {
    let nid = second % NODES + 1;
    let (ask, known) = match second % 10 {
        0..=4 => (Ask::Node { nid, history: false }, false),
        5 => (Ask::Front { nodes: 5 }, false),
        6 | 7 => (Ask::Node { nid, history: false }, true),
        8 => (Ask::Edit { nid }, true),
        _ => (Ask::Create, true),
    };
    let visitor = Visitor {
        address: Some(Text::from(format!("192.0.2.{}", second % 200))),
        session: known.then(|| session_of(1)),
    };
    Operation::Visit {
        front: second % 2,
        ask,
        visitor,
        token: Text::from(format!("t{second}")),
    }
}

fn plan(lanes: u32, minutes: u32) -> PlanOf<LanesWorld> {
    let items = (0..minutes * 60).map(|second| Item {
        id: second,
        at: Micros::from_millis(u64::from(second) * 1_000),
        act: Act::Operation(visit(second)),
    });
    Plan {
        scenario: Text::new_static("bench"),
        seed: 1,
        lasts: Micros::from_millis(u64::from(minutes) * 60_000),
        settles: Micros::from_millis(60_000),
        knobs: Knobs::calm(),
        shape: Shape {
            overrides: false,
            site: Text::new_static("shop"),
            nodes: NODES,
            accounts: 2,
            lanes,
            fronts: 2,
            keyed: true,
        },
        items: items.collect(),
        fixed: Vec::new(),
    }
}

fn bench<S: Store>(bencher: Bencher<'_, '_>, lanes: u32, minutes: u32) {
    let plan = plan(lanes, minutes);
    let deployment = LanesWorld::deployment("hardened").expect("the variant is there");
    let pool = S::Pool::default();
    bencher.bench_local(|| {
        let report = run::<LanesWorld, _, S>(&plan, deployment.clone(), &pool, ());
        assert_eq!(report.verdict, Verdict::Passed);
        report.events
    });
}

/// One simulated minute, by the number of lanes.
#[divan::bench(types = [ModelStore, SqliteStore], args = [1, 4, 8, 32, 256], sample_count = 3, sample_size = 1)]
fn lanes<S: Store>(bencher: Bencher<'_, '_>, lanes: u32) {
    bench::<S>(bencher, lanes, 1);
}

/// A copy of a world with four lanes in the middle of a minute.
#[divan::bench(types = [ModelStore, SqliteStore])]
fn clone<S: Store>(bencher: Bencher<'_, '_>) {
    let plan = plan(4, 1);
    let deployment = LanesWorld::deployment("hardened").expect("the variant is there");
    let mut simulation = Simulation::<LanesWorld, _, S, ()>::new(&plan, deployment, &Default::default(), ());
    while simulation.kernel().now() < Micros::from_millis(30_000) {
        assert!(
            simulation.advance().is_none(),
            "the run goes on after its first half"
        );
    }
    bencher.bench_local(|| simulation.fork());
}

/// Four lanes, by the number of simulated minutes.
#[divan::bench(types = [ModelStore, SqliteStore], args = [1, 10, 100], sample_count = 3, sample_size = 1)]
fn minutes<S: Store>(bencher: Bencher<'_, '_>, minutes: u32) {
    bench::<S>(bencher, 4, minutes);
}
