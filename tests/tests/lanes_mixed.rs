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

/// Where a documented primary is asked. Where it is busy, or grows its pool, a gate that it holds while it copies
/// (DEADLOCK) leaves visitors without an answer: what else the lanes would show there is not told apart.
const PRIMARYS: [&str; 8] = [
    "lanes/calm",
    "lanes/chaos",
    "lanes/copy",
    "lanes/forward",
    "lanes/ids",
    "lanes/fence",
    "lanes/quiet",
    "lanes/overflow",
];

/// How many seeds of each scenario a plain `cargo test` runs.
const SEEDS: u64 = 10;

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
    simulation.judge_waits(judged.contains("DEADLOCK"));
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

/// Traces that show nothing in a mixed pool although its side lacks the change: they need the hardened protocol around it.
/// A lane that keeps no name recalls none of another's.
const NEED_THE_REST: [(&str, &str); 2] = [
    ("provision-outside-the-gate", "documented-primary"),
    ("named-by-its-id", "documented-lanes"),
];

#[test]
fn a_change_of_one_side_works_in_a_mixed_pool_where_that_side_has_it_and_only_there() {
    for (pool, hardened) in POOLS {
        for change in CHANGES.iter().filter(|change| change.side != Side::Both) {
            let judged = BTreeSet::from([change.invariant]);
            let verdict = run_judged(&plan_of(change), pool, &judged).verdict;
            assert_eq!(
                verdict == Verdict::Passed,
                change.side == hardened || NEED_THE_REST.contains(&(change.name, pool)),
                "`{}` is to be in the code of {:?}, and in `{pool}` its trace shows: {verdict}",
                change.name,
                change.side
            );
        }
    }
}

/// What does not hold in a mixed pool, besides what changes of the documented side, or of both, mend: each follows
/// from one of those. A torn copy is no equal (LR-9: LR-10, LR-16, LR-20, LR-22, LR-25), a lost seal leaves half a
/// save and a lane that lags (LR-4: LR-24, LR-39), ids of the database are of any class (LR-32: LR-34), a primary
/// without its name copies for ever (LR-9: LR-L3, and LR-L6, as what it cannot copy to stays queued), and one that
/// holds its gate while it copies to a lane has the lane wait (DEADLOCK: LR-L1, LR-L5); and on the lanes' side copies
/// mix and are shown (LR-9, LR-17: LR-15, LR-21, LR-23), a lane without its name writes (LR-9: LR-34, LR-35, LR-38), a
/// batch is sent although its request was handed back (LR-30: LR-36).
const FOLLOWS: [(&str, &[&str]); 2] = [
    (
        "documented-primary",
        &[
            "LR-10", "LR-16", "LR-20", "LR-22", "LR-24", "LR-25", "LR-34", "LR-39", "LR-L1", "LR-L3",
            "LR-L5", "LR-L6",
        ],
    ),
    (
        "documented-lanes",
        &[
            "LR-15", "LR-21", "LR-23", "LR-34", "LR-35", "LR-36", "LR-38", "LR-L3",
        ],
    ),
];

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
    // Where versions are deployed no side keeps what it has: see `lanes_deploys`.
    let of_lanes = scenario::names().filter(|name| name.starts_with("lanes/") && *name != "lanes/deploy");
    let names = of_lanes.filter(|name| pool != "documented-primary" || PRIMARYS.contains(name));
    for name in names {
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
