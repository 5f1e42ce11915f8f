//! A scenario's faults take effect: a mark that no run passes is a fault that nobody is tested against.

use sim::kernel::FaultKind;
use sim::kernel::storage::model::ModelStore;
use sim::run::run;
use sim::scenario;
use sim::world::World;
use sim::world::demonstration::DemonstrationWorld;
use strum::VariantArray as _;

/// So many seeds pass every mark several times over.
const SEEDS: u64 = 300;

/// What cannot take effect in the demonstration, and why; the kernel's own tests reach it.
const NOT_HERE: [(FaultKind, &str); 5] = [
    (
        FaultKind::AlarmStuck,
        "no alarm of the demonstration sets itself to a time that has come",
    ),
    (
        FaultKind::Recreated,
        "nobody in the demonstration takes an object away, and no fault of a plan does",
    ),
    (
        FaultKind::Overloaded,
        "no object of the demonstration holds its thread, so that no request waits for one: `lanes/crowd` reaches it",
    ),
    (
        FaultKind::Rewound,
        "the demonstration has no truth for storage that goes back",
    ),
    (
        FaultKind::Cloned,
        "the demonstration has no truth for storage that is another's",
    ),
];

#[test]
fn every_kind_of_fault_takes_effect_in_the_demonstration() {
    let scenario = scenario::load("demonstration")
        .expect("the scenario is built in")
        .expect("it is readable");
    let deployment = DemonstrationWorld::deployment("hardened").expect("the variant is there");
    let pool = Default::default();
    let mut counts = vec![0; FaultKind::VARIANTS.len()];
    for seed in 1..=SEEDS {
        let plan = DemonstrationWorld::generate(&scenario, seed);
        let report = run::<DemonstrationWorld, _, ModelStore>(&plan, deployment.clone(), &pool, ());
        for (count, kind) in counts.iter_mut().zip(FaultKind::VARIANTS) {
            *count += report.marks.count(&format!("fault {}", kind.name()));
        }
    }
    let counted = || FaultKind::VARIANTS.iter().zip(&counts);
    for (kind, why) in NOT_HERE {
        let here = counted().any(|(counted, count)| *counted == kind && *count > 0);
        assert!(
            !here,
            "{} does take effect here, although {why}: take it off the list",
            kind.name()
        );
    }
    let is_here = |kind: &FaultKind| NOT_HERE.iter().all(|(not, _)| not != kind);
    let never = counted().filter(|(kind, count)| **count == 0 && is_here(kind));
    let never: Vec<_> = never.map(|(kind, _)| kind.name()).collect();
    assert!(
        never.is_empty(),
        "{SEEDS} seeds never passed the marks of: {}. Raise their rates in scenarios/demonstration.toml, or see what \
         keeps them from taking effect",
        never.join(", ")
    );
}
