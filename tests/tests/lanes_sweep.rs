//! Fixed seeds of each scenario of lanes, under the hardened protocol: all holds. `DRYDOCK_SEEDS` raises their number.

use sim::check::Verdict;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::run::run;
use sim::scenario;
use sim::trace;
use sim::world::World;
use sim::world::lanes::{Generate, LanesWorld};
use tests::failing;

/// How many seeds of each scenario a plain `cargo test` runs; fewer where fewer are enough to show something.
const SEEDS: u64 = 12;

/// Runs the first seeds of a scenario.
fn sweep(name: &str) {
    let scenario = scenario::load(name).expect("the scenario is built in");
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    let deployment = LanesWorld::deployment("hardened").expect("the variant is there");
    let pool = Default::default();
    for seed in 1..=tests::pieces::seeds().unwrap_or(SEEDS.min(scenario.least_seeds)) {
        let plan = LanesWorld::generate(&scenario, seed);
        let report = run::<LanesWorld, _, SqliteStore>(&plan, deployment.clone(), &pool, ());
        if let Verdict::Violated(violation) = &report.verdict {
            let folder = failing::folder();
            let shrunk = failing::shrunk::<LanesWorld>(&plan, "hardened", violation, &folder);
            panic!("{name}, seed {seed}: {violation}\n  {shrunk}");
        }
        assert_eq!(
            report.verdict,
            Verdict::Passed,
            "seed {seed}: see `cargo run --release -- run {name} --seed {seed} --log`"
        );
    }
}

macro_rules! scenarios {
    ($($test:ident: $name:literal),+ $(,)?) => {
        $(#[test]
        fn $test() {
            sweep($name);
        })+

        #[test]
        fn every_scenario_is_swept() {
            let swept = [$($name),+];
            let all: Vec<&str> = scenario::names().filter(|name| name.starts_with("lanes/")).collect();
            assert_eq!(all, swept, "a scenario has its line in this file");
        }
    };
}

scenarios! {
    calm: "lanes/calm",
    chaos: "lanes/chaos",
    copy: "lanes/copy",
    forward: "lanes/forward",
    ids: "lanes/ids",
    fence: "lanes/fence",
    quiet: "lanes/quiet",
    overflow: "lanes/overflow",
    autoscale: "lanes/autoscale",
    saturation: "lanes/saturation",
    pool256: "lanes/pool256",
    settings: "lanes/settings",
    deploy: "lanes/deploy",
    crowd: "lanes/crowd",
    rewind: "lanes/rewind",
    level: "lanes/level",
    pages: "lanes/pages",
    slow: "lanes/slow",
}

#[test]
fn each_invariant_is_the_goal_of_a_scenario() {
    let goals: Vec<String> = scenario::names()
        .filter(|name| name.starts_with("lanes/"))
        .filter_map(scenario::load::<Generate>)
        .flat_map(|scenario| scenario.unwrap_or_else(|error| panic!("{error}")).goals)
        .map(|goal| goal.to_string())
        .collect();
    for invariant in LanesWorld::invariants() {
        let goal = format!("subject {}", invariant.id);
        assert!(
            goals.contains(&goal),
            "no scenario of lanes has the goal `{goal}`: a sweep would be green without it"
        );
    }
}

/// The message of a sweep that fails names a trace that shows the failure by itself.
#[test]
fn what_fails_here_is_shrunk_to_a_file() {
    let found = include_str!("../../traces/lanes/seal-in-one-turn.jsonl");
    let found = trace::read::<LanesWorld>(found.as_bytes()).expect("it is a trace");
    let variant = "without-seal-in-one-turn";
    let report = |plan: &sim::world::PlanOf<LanesWorld>| {
        let deployment = LanesWorld::deployment(variant).expect("the variant is there");
        run::<LanesWorld, _, SqliteStore>(plan, deployment, &Default::default(), ())
    };
    let mut plan = found.plan;
    // Something that it does not take.
    let mut more = plan.items[0].clone();
    more.id += 100;
    more.at = sim::kernel::Micros::from_millis(90_000);
    plan.lasts = more.at;
    plan.items.push(more);
    let Verdict::Violated(violation) = report(&plan).verdict else {
        panic!("it fails without its change");
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let told = failing::shrunk::<LanesWorld>(&plan, variant, &violation, folder.path());
    assert!(told.starts_with("shrunk from 3 items to 2: "), "{told}");
    let file = told
        .lines()
        .next()
        .and_then(|line| line.split(": ").nth(1))
        .expect("it names a file");
    let shrunk = trace::read::<LanesWorld>(std::fs::read(file).expect("it is there").as_slice());
    let shrunk = shrunk.expect("it is a trace");
    let again = report(&shrunk.plan);
    assert_eq!(shrunk.expect[variant].missed_by(&again), None);
    assert!(
        told.contains(&format!("cargo run --release -- explain {file}")),
        "{told}"
    );
}
