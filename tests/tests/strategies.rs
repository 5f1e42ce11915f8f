//! Plans as strategies of proptest: what fails shrinks to what it takes.

use std::cell::Cell;

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use sim::check::Verdict;
use sim::kernel::Knobs;
use sim::plan::strategy::plans;
use sim::plan::{Act, Fault};
use sim::run::{Pools, StoreKind};
use sim::scenario::{self, Scenario};
use sim::world::demonstration::{DemonstrationWorld, Generate, Operation};
use sim::world::{PlanOf, World};

fn scenario() -> Scenario<Generate> {
    let scenario = scenario::load("demonstration").expect("it is built in");
    scenario.unwrap_or_else(|error| panic!("{error}"))
}

fn runner(cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// The smallest plan that has the property not hold.
fn smallest(holds: impl Fn(&PlanOf<DemonstrationWorld>) -> bool) -> PlanOf<DemonstrationWorld> {
    let scenario = scenario();
    let failed = runner(200).run(&plans::<DemonstrationWorld>(&scenario), |plan| {
        proptest::prop_assert!(holds(&plan));
        Ok(())
    });
    match failed {
        Err(TestError::Fail(_, plan)) => plan,
        other => panic!("the property holds of 200 plans: {other:?}"),
    }
}

#[test]
fn what_a_property_does_not_need_goes() {
    let adds = |plan: &PlanOf<DemonstrationWorld>| {
        let adds = plan
            .items
            .iter()
            .filter(|item| matches!(item.act, Act::Operation(Operation::Add { .. })));
        adds.count()
    };
    let resets = |plan: &PlanOf<DemonstrationWorld>| {
        let resets = plan
            .items
            .iter()
            .filter(|item| matches!(item.act, Act::Fault(Fault::Reset { .. })));
        resets.count()
    };
    let plan = smallest(|plan| adds(plan) < 3 || resets(plan) < 1);
    assert_eq!(
        (adds(&plan), resets(&plan), plan.items.len()),
        (3, 1, 4),
        "{:#?}",
        plan.items
    );
    assert_eq!(plan.knobs, Knobs::calm());
    assert_eq!(
        (plan.shape.fronts, plan.shape.followers),
        (1, 0),
        "the plainest shape"
    );
}

#[test]
fn a_violation_shrinks_to_a_few_items() {
    let runs = Cell::new(0);
    let deployment = DemonstrationWorld::deployment("documented").expect("the variant is there");
    let holds = |plan: &PlanOf<DemonstrationWorld>| {
        runs.set(runs.get() + 1);
        let report =
            Pools::default().run::<DemonstrationWorld>(StoreKind::Model, plan, deployment.clone(), ());
        !matches!(report.verdict, Verdict::Violated(_))
    };
    let plan = smallest(holds);
    assert!(!holds(&plan), "what is left still fails");
    assert!(
        plan.items.len() <= 6,
        "{} items are left: {:#?}",
        plan.items.len(),
        plan.items
    );
    for at in 0..plan.items.len() {
        let mut without = plan.clone();
        without.items.remove(at);
        assert!(holds(&without), "item {at} can go: {:?}", plan.items[at]);
    }
}

#[test]
fn a_plan_is_of_its_random_numbers_alone() {
    let scenario = scenario();
    let drawn = || {
        let mut runner = runner(1);
        let tree = plans::<DemonstrationWorld>(&scenario).new_tree(&mut runner);
        tree.expect("there is a plan").current()
    };
    assert_eq!(drawn(), drawn());
}

#[test]
fn what_is_undone_is_as_it_was() {
    let scenario = scenario();
    let strategy = plans::<DemonstrationWorld>(&scenario);
    let mut tree = strategy.new_tree(&mut runner(1)).expect("there is a plan");
    let whole = tree.current();
    let mut steps = 0;
    // Nothing smaller fails: each step is tried, undone, and not tried again.
    while tree.simplify() {
        assert_ne!(tree.current(), whole);
        assert!(tree.complicate());
        assert_eq!(tree.current(), whole);
        assert!(!tree.complicate(), "there is nothing more to undo");
        steps += 1;
        assert!(steps < 10_000, "it comes to an end");
    }
    assert!(
        steps > whole.items.len(),
        "each item was tried by itself: {steps} steps"
    );
}
