//! That the checks have something to judge in the runs of the scenarios in which everything happens.

use std::collections::BTreeMap;

use crate::kernel::storage::model::ModelStore;
use crate::run::run;
use crate::scenario;
use crate::world::World;
use crate::world::lanes::LanesWorld;
use crate::world::lanes::invariants::CHECKS;

/// Runs that give every check a subject, between them.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=40;

#[test]
fn every_check_has_something_to_judge() {
    let mut subjects: BTreeMap<&str, u64> = BTreeMap::new();
    for name in ["lanes/chaos", "lanes/settings", "lanes/autoscale"] {
        let scenario = scenario::load(name).expect("it is built in");
        let scenario = scenario.expect("it can be read");
        for seed in SEEDS {
            let deployment = LanesWorld::deployment("hardened").expect("the variant is there");
            let plan = LanesWorld::generate(&scenario, seed);
            let report = run::<LanesWorld, _, ModelStore>(&plan, deployment, &Default::default(), ());
            for check in &CHECKS {
                let id = check.invariant.id;
                *subjects.entry(id).or_default() += report.marks.count(&format!("subject {id}"));
            }
        }
    }
    let without: Vec<_> = subjects.iter().filter(|(_, count)| **count == 0).collect();
    assert!(without.is_empty(), "no run shows anything of {without:?}");
}
