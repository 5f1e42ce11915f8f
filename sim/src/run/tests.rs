//! What a run has chosen, and what it makes of choices that are fixed.

use super::{Chosen, Pools, Report, StoreKind};
use crate::check::Verdict;
use crate::kernel::{Deployment, FixedChoice};
use crate::scenario;
use crate::world::demonstration::DemonstrationWorld;
use crate::world::lanes::LanesWorld;
use crate::world::{PlanOf, World};

fn plan<W: World>(scenario: &str, seed: u64) -> PlanOf<W> {
    let scenario = scenario::load::<W::Scenario>(scenario).expect("it is built in");
    W::generate(&scenario.expect("it can be read"), seed)
}

fn deployment<W: World>() -> Deployment<W::Program> {
    let variant = W::variants()[0];
    W::deployment(variant.name).expect("it is there")
}

fn report<W: World>(plan: &PlanOf<W>) -> Report {
    Pools::default().run::<W>(StoreKind::Model, plan, deployment::<W>(), ())
}

/// `lanes.md` 20: two gates wait for each other. Who waits for whom, and for what, is told.
#[test]
fn two_gates_that_wait_for_each_other_are_told_as_a_circle() {
    let trace = include_str!("../../../traces/lanes/provision-outside-the-gate.jsonl");
    let plan = crate::trace::read::<LanesWorld>(trace.as_bytes())
        .expect("it is a trace")
        .plan;
    let variant = "without-provision-outside-the-gate";
    let deployment = LanesWorld::deployment(variant).expect("it is there");
    let report = Pools::default().run::<LanesWorld>(StoreKind::Model, &plan, deployment, ());
    let Verdict::Violated(violation) = report.verdict else {
        panic!("the gates wait for each other, and not {}", report.verdict);
    };
    assert_eq!(violation.invariant, "DEADLOCK");
    assert_eq!(*violation.concerns, ["site/shop", "site/shop#r2"]);
    for told in [
        "4 tasks wait for one another; ",
        "the primary (task 0) waits for the gate `gate`, which its own task 1 holds",
        "the primary (task 1) waits for lane 2 (task 2) to answer it at `post-chunk`",
        "lane 2 (task 2) waits for the gate `gate`, which its own task 1 holds",
        "lane 2 (task 1) waits for the primary (task 0) to answer it",
    ] {
        assert!(
            violation.detail.contains(told),
            "`{told}` is told: {}",
            violation.detail
        );
    }
}

/// Setting a world up takes time and draws choices, none of which are the plan's.
fn fixing_what_is_chosen_anyway_changes_nothing<W: World>(scenario: &str) {
    let plan = plan::<W>(scenario, 1);
    let store = StoreKind::Model;
    let Chosen { choices, .. } = Pools::default().run_and_keep::<W>(store, &plan, deployment::<W>(), ());
    assert!(choices.len() > 100, "{} choices", choices.len());
    let fixed = choices
        .into_iter()
        .map(|(key, alternative)| FixedChoice { key, alternative });
    let fixed = PlanOf::<W> {
        fixed: fixed.collect(),
        ..plan.clone()
    };
    assert_eq!(report::<W>(&plan), report::<W>(&fixed));
}

#[test]
fn fixing_what_is_chosen_anyway_changes_nothing_in_the_demonstration() {
    fixing_what_is_chosen_anyway_changes_nothing::<DemonstrationWorld>("demonstration");
}

#[test]
fn fixing_what_is_chosen_anyway_changes_nothing_after_a_set_up() {
    fixing_what_is_chosen_anyway_changes_nothing::<LanesWorld>("lanes/chaos");
}
