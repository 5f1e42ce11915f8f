//! Fixed seeds of each scenario of lanes, under the hardened protocol: all holds. `DRYDOCK_SEEDS` raises their number.

use sim::check::Verdict;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::run::run;
use sim::scenario;
use sim::world::World;
use sim::world::lanes::{Generate, LanesWorld};

/// How many seeds of each scenario a plain `cargo test` runs.
const SEEDS: u64 = 12;

/// Runs the first seeds of a scenario.
fn sweep(name: &str) {
    let scenario = scenario::load(name).expect("the scenario is built in");
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    let deployment = LanesWorld::deployment("hardened").expect("the variant is there");
    let pool = Default::default();
    for seed in 1..=tests::pieces::seeds().unwrap_or(SEEDS) {
        let plan = LanesWorld::generate(&scenario, seed);
        let report = run::<LanesWorld, _, SqliteStore>(&plan, deployment.clone(), &pool, ());
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
