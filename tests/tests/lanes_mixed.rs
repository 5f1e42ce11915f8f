//! Mixed pools: a hardened lane lives with a documented primary, and a documented lane with a hardened primary. What a
//! change mends on the side that has it is mended there already.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use protocol::lanes::changes::{CHANGES, Change, Side};
use sim::check::Verdict;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::run::run;
use sim::scenario;
use sim::trace;
use sim::world::lanes::LanesWorld;
use sim::world::{PlanOf, World};

/// How many seeds of each scenario a plain `cargo test` runs.
const SEEDS: u64 = 6;

/// The mixed pools, each with the side that is hardened in it.
const POOLS: [(&str, Side); 2] = [
    ("documented-primary", Side::Lane),
    ("documented-lanes", Side::Primary),
];

fn verdict(plan: &PlanOf<LanesWorld>, variant: &str) -> Verdict {
    let deployment = LanesWorld::deployment(variant).expect("the variant is there");
    run::<LanesWorld, _, SqliteStore>(plan, deployment, &Default::default(), ()).verdict
}

fn violated(verdict: &Verdict) -> Option<&str> {
    match verdict {
        Verdict::Violated(violation) => Some(violation.invariant.as_str()),
        Verdict::Passed => None,
        other => panic!("a mixed pool runs to the end: {other}"),
    }
}

fn plan_of(change: &Change) -> PlanOf<LanesWorld> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../traces/lanes/{}.jsonl", change.name));
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let read = trace::read::<LanesWorld>(BufReader::new(file));
    read.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .plan
}

#[test]
fn a_change_mends_its_trace_where_its_side_is_hardened() {
    for (pool, hardened) in POOLS {
        for change in CHANGES.iter().filter(|change| change.side == hardened) {
            let verdict = verdict(&plan_of(change), pool);
            assert_ne!(
                violated(&verdict),
                Some(change.invariant),
                "`{}` is in the code of that side of `{pool}`, and its trace shows what it mends: is it on both sides?",
                change.name
            );
        }
    }
}

/// The invariants that no change of the documented side mends, and at least one of the hardened side.
fn held(hardened: Side) -> BTreeSet<&'static str> {
    let of = |wanted: &dyn Fn(Side) -> bool| -> BTreeSet<&'static str> {
        let changes = CHANGES.iter().filter(|change| wanted(change.side));
        changes.map(|change| change.invariant).collect()
    };
    let missed = of(&|side| side != hardened);
    of(&|side| side == hardened)
        .difference(&missed)
        .copied()
        .collect()
}

fn sweep(pool: &str, hardened: Side) {
    let held = held(hardened);
    assert!(!held.is_empty(), "the hardened side of `{pool}` mends something");
    for name in scenario::names().filter(|name| name.starts_with("lanes/")) {
        let scenario = scenario::load(name).expect("the scenario is built in");
        let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
        for seed in 1..=tests::pieces::seeds().unwrap_or(SEEDS) {
            let verdict = verdict(&LanesWorld::generate(&scenario, seed), pool);
            let invariant = violated(&verdict).unwrap_or_default();
            assert!(
                !held.contains(invariant),
                "{verdict}\nthe hardened side mends that: see `cargo run --release -- run {name} --seed {seed} \
                 --variant {pool} --log`"
            );
        }
    }
}

#[test]
fn hardened_lanes_hold_what_they_mend_beside_a_documented_primary() {
    sweep("documented-primary", Side::Lane);
}

#[test]
fn a_hardened_primary_holds_what_it_mends_beside_documented_lanes() {
    sweep("documented-lanes", Side::Primary);
}
