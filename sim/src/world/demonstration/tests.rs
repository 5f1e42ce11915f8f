//! What the invariants have to judge.

use super::DemonstrationWorld;
use crate::check::Verdict;
use crate::kernel::storage::model::ModelStore;
use crate::run::{Report, run};
use crate::scenario;
use crate::world::{PlanOf, World};

fn plan(seed: u64) -> PlanOf<DemonstrationWorld> {
    let scenario = scenario::load("demonstration").expect("it is built in");
    DemonstrationWorld::generate(&scenario.expect("it can be read"), seed)
}

fn report(plan: &PlanOf<DemonstrationWorld>) -> Report {
    let deployment = DemonstrationWorld::deployment("hardened").expect("the variant is there");
    run::<DemonstrationWorld, _, ModelStore>(plan, deployment, &Default::default(), ())
}

#[test]
fn every_invariant_has_something_to_judge() {
    let reports: Vec<_> = (1..=20).map(|seed| report(&plan(seed))).collect();
    for invariant in DemonstrationWorld::invariants() {
        let mark = format!("subject {}", invariant.id);
        assert!(
            reports.iter().any(|report| report.marks.count(&mark) > 0),
            "no run passed `{mark}`"
        );
    }
}

#[test]
fn where_nothing_is_asked_there_is_nothing_to_judge() {
    let mut plan = plan(1);
    plan.items.clear();
    let report = report(&plan);
    assert!(matches!(report.verdict, Verdict::Void(_)), "{}", report.verdict);
    let subjects = report
        .marks
        .iter()
        .filter(|(mark, _)| mark.starts_with("subject "));
    assert_eq!(subjects.count(), 0, "a check without a subject is no mark");
}
