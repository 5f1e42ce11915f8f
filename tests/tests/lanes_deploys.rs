//! Versions that change while lanes run: hardened code over hardened code keeps all that must hold, and where documented
//! and hardened code come and go, what both hold by themselves holds between them too.

use std::collections::{BTreeMap, BTreeSet};

use protocol::lanes::changes::CHANGES;
use sim::check::Verdict;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::run::{Report, Simulation};
use sim::scenario::{self, Scenario};
use sim::world::lanes::{Generate, LanesWorld};
use sim::world::{PlanOf, World};

/// How many seeds a plain `cargo test` runs of each variant.
const SEEDS: u64 = 40;

const NAME: &str = "lanes/deploy";

fn deploys() -> Scenario<Generate> {
    let scenario = scenario::load(NAME).expect("the scenario is built in");
    scenario.unwrap_or_else(|error| panic!("{error}"))
}

fn run(plan: &PlanOf<LanesWorld>, variant: &str, judged: &BTreeSet<&str>) -> Report {
    let deployment = LanesWorld::deployment(variant).expect("the variant is there");
    let stores = Default::default();
    let mut simulation = Simulation::<LanesWorld, _, SqliteStore, ()>::new(plan, deployment, &stores, ());
    simulation.world().judge_only(judged);
    let verdict = simulation.conclude();
    simulation.report(verdict)
}

/// Runs the first seeds, and holds each to these invariants. Marks that no run has passed.
fn sweep(variant: &str, judged: &BTreeSet<&str>, wanted: impl IntoIterator<Item = String>) -> Vec<String> {
    let scenario = deploys();
    let mut marks: BTreeMap<String, u64> = wanted.into_iter().map(|mark| (mark, 0)).collect();
    for seed in 1..=tests::pieces::seeds().unwrap_or(SEEDS) {
        let report = run(&LanesWorld::generate(&scenario, seed), variant, judged);
        assert_eq!(
            report.verdict,
            Verdict::Passed,
            "seed {seed}: see `cargo run --release -- run {NAME} --seed {seed} --variant {variant} --log`"
        );
        for (mark, count) in &mut marks {
            *count += report.marks.count(mark);
        }
    }
    let never = marks.into_iter().filter(|(_, count)| *count == 0);
    never.map(|(mark, _)| mark).collect()
}

/// What these few runs may have no subject for: judged, and not asked for. The first two are goals of the scenario, which a
/// sweep of more seeds must reach; pools grow in `autoscale`.
const SELDOM: [&str; 3] = ["LR-11", "LR-24", "LR-41"];

fn subjects<'a>(judged: &'a BTreeSet<&str>) -> impl Iterator<Item = String> + 'a {
    let asked_for = judged.iter().filter(|id| !SELDOM.contains(id));
    asked_for.map(|id| format!("subject {id}"))
}

/// What a deploy does, as marks.
fn deployed() -> impl Iterator<Item = String> {
    let kinds = [
        "code-updated",
        "front-updated",
        "version-skew",
        "storage-inherited",
    ];
    kinds.into_iter().map(|kind| format!("fault {kind}"))
}

#[test]
fn hardened_code_that_is_deployed_over_hardened_code_keeps_all_that_must_hold() {
    let all: BTreeSet<&str> = LanesWorld::invariants().iter().map(|one| one.id).collect();
    let never = sweep("hardened", &all, subjects(&all).chain(deployed()));
    assert!(never.is_empty(), "never passed: {never:?}: raise `SEEDS`");
}

/// What follows from what the documented protocol gets wrong, besides what the changes mend: see `lanes_mixed`.
const FOLLOWS: [&str; 16] = [
    "LR-10", "LR-15", "LR-16", "LR-20", "LR-21", "LR-22", "LR-23", "LR-24", "LR-25", "LR-34", "LR-35",
    "LR-36", "LR-38", "LR-39", "LR-L1", "LR-L3",
];

fn held_by_both() -> BTreeSet<&'static str> {
    let mended: BTreeSet<&str> = CHANGES.iter().map(|change| change.invariant).collect();
    let all = LanesWorld::invariants().iter().map(|one| one.id);
    all.filter(|id| !mended.contains(id) && !FOLLOWS.contains(id))
        .collect()
}

#[test]
fn an_upgrade_under_way_breaks_nothing_that_both_versions_hold() {
    let held = held_by_both();
    let never = sweep("upgrade", &held, subjects(&held).chain(deployed()));
    assert!(never.is_empty(), "never passed: {never:?}: raise `SEEDS`");
}

#[test]
fn a_rollback_under_way_breaks_nothing_that_both_versions_hold() {
    let held = held_by_both();
    let never = sweep("rollback", &held, subjects(&held).chain(deployed()));
    assert!(never.is_empty(), "never passed: {never:?}: raise `SEEDS`");
}
