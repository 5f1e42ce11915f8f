//! Any bytes as a plan of replica lanes: what the hardened protocol violates is a crash, and so is a run without an end.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sim::check::Verdict;
use sim::run::{Pools, StoreKind};
use sim::world::lanes::LanesWorld;
use sim::world::{PlanOf, World};

fuzz_target!(|plan: PlanOf<LanesWorld>| {
    let hardened = LanesWorld::deployment("hardened").expect("the variant is there");
    let report = Pools::default().run::<LanesWorld>(StoreKind::Model, &plan, hardened, ());
    if let Verdict::Violated(violation) = report.verdict {
        panic!("{violation}\n{plan:#?}");
    }
});
