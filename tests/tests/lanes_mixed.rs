//! Mixed pools: a hardened lane lives with a documented primary, and a documented lane with a hardened primary. What a
//! change mends on the side that has it is mended there already.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use protocol::lanes::changes::{CHANGES, Change, Side};
use sim::check::Verdict;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::run::{Report, Simulation};
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

/// Runs a plan in a mixed pool, and judges only these invariants: the others may be broken by what its documented side
/// does.
fn run_judged(plan: &PlanOf<LanesWorld>, pool: &str, judged: &BTreeSet<&str>) -> Report {
    let deployment = LanesWorld::deployment(pool).expect("the variant is there");
    let stores = Default::default();
    let mut simulation = Simulation::<LanesWorld, _, SqliteStore, ()>::new(plan, deployment, &stores, ());
    simulation.world().judge_only(judged);
    let verdict = simulation.conclude();
    simulation.report(verdict)
}

fn plan_of(change: &Change) -> PlanOf<LanesWorld> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../traces/lanes/{}.jsonl", change.name));
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let read = trace::read::<LanesWorld>(BufReader::new(file));
    read.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .plan
}

/// Traces that show nothing in a mixed pool although a side lacks the change, each with why.
const NEED_THE_REST: [(&str, &str, &str); 3] = [
    (
        "count-attempts",
        "documented-lanes",
        "a documented lane takes the late chunk for the beginning of a copy, and asks for another one",
    ),
    (
        "provision-outside-the-gate",
        "documented-primary",
        "a documented primary is slower to seal, and its step meets the lane's render at another moment",
    ),
    (
        "keep-the-name",
        "documented-primary",
        "it is the lane that is woken without its name; primaries are as well, in other runs",
    ),
];

#[test]
fn a_change_works_in_a_mixed_pool_where_its_side_has_it_and_only_there() {
    for (pool, hardened) in POOLS {
        for change in &CHANGES {
            let judged = BTreeSet::from([change.invariant]);
            let verdict = run_judged(&plan_of(change), pool, &judged).verdict;
            let excused = NEED_THE_REST
                .iter()
                .any(|(name, of, _)| *name == change.name && *of == pool);
            assert_eq!(
                verdict == Verdict::Passed,
                change.side == hardened || excused,
                "`{}` is to be in the code of {:?}, and in `{pool}` its trace shows: {verdict}",
                change.name,
                change.side
            );
        }
    }
}

/// What does not hold in a mixed pool besides what changes of the documented side, or of both, mend: it follows from that.
const FOLLOWS: [(&str, &[&str]); 2] = [("documented-primary", &[]), ("documented-lanes", &[])];

/// The invariants that hold in a pool.
fn held(pool: &str, hardened: Side) -> BTreeSet<&'static str> {
    let missed = CHANGES.iter().filter(|change| change.side != hardened);
    let missed: BTreeSet<&str> = missed.map(|change| change.invariant).collect();
    let follow = FOLLOWS.iter().filter(|(of, _)| *of == pool);
    let follow: BTreeSet<&str> = follow.flat_map(|(_, ids)| *ids).copied().collect();
    let all = LanesWorld::invariants().iter().map(|invariant| invariant.id);
    all.filter(|id| !missed.contains(id) && !follow.contains(id))
        .collect()
}

fn sweep(pool: &str, hardened: Side) {
    let held = held(pool, hardened);
    let mut subjects: BTreeMap<&str, u64> = held.iter().map(|id| (*id, 0)).collect();
    for name in scenario::names().filter(|name| name.starts_with("lanes/")) {
        let scenario = scenario::load(name).expect("the scenario is built in");
        let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
        for seed in 1..=tests::pieces::seeds().unwrap_or(SEEDS) {
            let report = run_judged(&LanesWorld::generate(&scenario, seed), pool, &held);
            assert_eq!(
                report.verdict,
                Verdict::Passed,
                "what the hardened side of `{pool}` mends is mended: see `cargo run --release -- run {name} --seed {seed} \
                 --variant {pool} --log`"
            );
            for (id, count) in &mut subjects {
                *count += report.marks.count(&format!("subject {id}"));
            }
        }
    }
    let never: Vec<_> = subjects.iter().filter(|(_, count)| **count == 0).collect();
    assert!(
        never.is_empty(),
        "nothing was judged in `{pool}` by {never:?}: raise `SEEDS`"
    );
}

#[test]
fn hardened_lanes_hold_what_they_mend_beside_a_documented_primary() {
    sweep("documented-primary", Side::Lane);
}

#[test]
fn a_hardened_primary_holds_what_it_mends_beside_documented_lanes() {
    sweep("documented-lanes", Side::Primary);
}
