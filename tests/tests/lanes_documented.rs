//! What the documented protocol gets wrong is found by sweeps: each of its gravest flaws within some seeds of a scenario,
//! although others come before it in most runs.

use std::collections::BTreeSet;

use sim::check::Verdict;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::run::Simulation;
use sim::scenario;
use sim::world::World;
use sim::world::lanes::LanesWorld;

/// Within how many seeds each is found.
const SEEDS: u64 = 200;

/// The first seed of a scenario in which an invariant is violated under a variant, when nothing else is judged.
fn first(invariant: &str, name: &str, variant: &str) -> Option<u64> {
    let scenario = scenario::load(name).expect("the scenario is built in");
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    let judged = BTreeSet::from([invariant]);
    let pool = Default::default();
    (1..=SEEDS).find(|seed| {
        let plan = LanesWorld::generate(&scenario, *seed);
        let deployment = LanesWorld::deployment(variant).expect("the variant is there");
        let mut simulation = Simulation::<LanesWorld, _, SqliteStore, ()>::new(&plan, deployment, &pool, ());
        simulation.world().judge_only(&judged);
        matches!(simulation.conclude(), Verdict::Violated(_))
    })
}

macro_rules! found {
    ($($test:ident: $invariant:literal in $scenario:literal under $variant:literal),+ $(,)?) => {
        $(#[test]
        fn $test() {
            assert!(
                first($invariant, $scenario, $variant).is_some(),
                "{SEEDS} seeds of {} do not violate {} under `{}`: has its generator lost sight of it?",
                $scenario,
                $invariant,
                $variant
            );
        })+
    };
}

found! {
    a_torn_copy: "LR-9" in "lanes/copy" under "documented",
    a_lost_update: "LR-37" in "lanes/forward" under "documented",
    a_hole_in_the_log: "LR-4" in "lanes/forward" under "documented",
    a_lost_ask_for_a_copy: "LR-L3" in "lanes/quiet" under "documented",
    a_lane_that_serves_while_it_is_restored: "LR-17" in "lanes/copy" under "documented",
    statements_in_the_log_that_were_rolled_back: "LR-3" in "lanes/chaos" under "documented",
    // Under `documented` caches break the same invariant: here nothing else does.
    a_position_clock_that_runs_backwards: "LR-14" in "lanes/copy" under "without-clock-from-the-position",
}
