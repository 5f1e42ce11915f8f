//! A scenario's faults take effect: a mark that no run passes is a fault that nobody is tested against.

use sim::kernel::FaultKind;
use sim::kernel::storage::model::ModelStore;
use sim::run::run;
use sim::scenario;
use sim::world::World;
use sim::world::demonstration::DemonstrationWorld;
use strum::VariantArray as _;

/// So many seeds pass every mark many times over: the rarest, of an alarm that gets stuck, about once in twenty.
const SEEDS: u64 = 300;

#[test]
fn every_kind_of_fault_takes_effect_in_the_demonstration() {
    let scenario = scenario::load("demonstration")
        .expect("the scenario is built in")
        .expect("it is readable");
    let program = DemonstrationWorld::program("hardened").expect("the variant is there");
    let pool = Default::default();
    let mut counts = vec![0; FaultKind::VARIANTS.len()];
    for seed in 1..=SEEDS {
        let plan = DemonstrationWorld::generate(&scenario, seed);
        let report = run::<DemonstrationWorld, _, ModelStore>(&plan, program.clone(), &pool, ());
        for (count, kind) in counts.iter_mut().zip(FaultKind::VARIANTS) {
            *count += report.marks.count(&format!("fault {}", kind.name()));
        }
    }
    let never = FaultKind::VARIANTS
        .iter()
        .zip(&counts)
        .filter(|(_, count)| **count == 0);
    let never: Vec<_> = never.map(|(kind, _)| kind.name()).collect();
    assert!(
        never.is_empty(),
        "{SEEDS} seeds never passed the marks of: {}. Raise their rates in scenarios/demonstration.toml, or see what \
         keeps them from taking effect",
        never.join(", ")
    );
}
