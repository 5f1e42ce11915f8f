//! Any bytes as a plan of the demonstration: what the hardened protocol violates is a crash, and so is a run without an end.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sim::check::Verdict;
use sim::run::{Pools, StoreKind};
use sim::world::demonstration::DemonstrationWorld;
use sim::world::{PlanOf, World};

fuzz_target!(|plan: PlanOf<DemonstrationWorld>| {
    let hardened = DemonstrationWorld::deployment("hardened").expect("the variant is there");
    let report = Pools::default().run::<DemonstrationWorld>(StoreKind::Model, &plan, hardened, ());
    if let Verdict::Violated(violation) = report.verdict {
        panic!("{violation}\n{plan:#?}");
    }
});
