//! Plans of replica lanes from any bytes, as the fuzzer makes them: in bounds, short, and read as they were written.

use std::cell::Cell;
use std::collections::BTreeMap;

use arbitrary::{Arbitrary as _, Unstructured};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use sim::check::Verdict;
use sim::plan::Act;
use sim::run::{Pools, StoreKind};
use sim::trace::{Trace, read};
use sim::world::lanes::{LanesWorld, Operation};
use sim::world::{PlanOf, World};

/// As many bytes as the longest plan takes.
const BYTES_MOST: usize = 1_024;

/// Makes a plan of each of many strings of bytes, the same ones in every run of the suite, and looks at it.
fn for_each_plan(plans: u32, look: impl Fn(PlanOf<LanesWorld>)) {
    let config = Config {
        cases: plans,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let done = TestRunner::new_with_rng(config, rng).run(&vec(any::<u8>(), 0..BYTES_MOST), |bytes| {
        let plan = PlanOf::<LanesWorld>::arbitrary(&mut Unstructured::new(&bytes));
        look(plan.expect("any bytes make a plan: what is used up reads as zeros"));
        Ok(())
    });
    if let Err(error) = done {
        panic!("{error}");
    }
}

#[test]
fn a_plan_of_any_bytes_is_in_bounds_and_survives_its_file() {
    for_each_plan(256, |plan| {
        assert_eq!(LanesWorld::check(&plan), Ok(()));
        for item in &plan.items {
            if let Act::Operation(operation) = &item.act {
                assert_eq!(LanesWorld::check_operation(operation), Ok(()));
            }
        }
        let trace = Trace {
            plan,
            expect: BTreeMap::new(),
            shrunk: None,
            certificates: Vec::new(),
            history: Vec::new(),
        };
        let mut file = Vec::new();
        trace
            .write(LanesWorld::NAME, &mut file)
            .expect("memory can be written to");
        assert_eq!(read::<LanesWorld>(&file[..]).ok(), Some(trace));
    });
}

#[test]
fn each_attempt_of_a_plan_has_a_name_of_its_own() {
    for_each_plan(256, |plan| {
        let tokens = plan.items.iter().filter_map(|item| match &item.act {
            Act::Operation(Operation::Visit { token, .. }) => Some(token),
            _ => None,
        });
        let mut tokens: Vec<_> = tokens.collect();
        let all = tokens.len();
        tokens.sort();
        tokens.dedup();
        assert_eq!(tokens.len(), all);
    });
}

/// What the hardened protocol violates there is a finding of the fuzzer's; here it is only that plans run, and are short.
#[test]
fn a_plan_of_any_bytes_runs() {
    const PLANS: u32 = 24;
    let shown = Cell::new(0);
    let pools = Pools::default();
    for_each_plan(PLANS, |plan| {
        let hardened = LanesWorld::deployment("hardened").expect("the variant is there");
        let report = pools.run::<LanesWorld>(StoreKind::Model, &plan, hardened, ());
        match &report.verdict {
            Verdict::Passed => shown.set(shown.get() + 1),
            Verdict::Violated(violation) => {
                let invariant = violation.invariant.as_str();
                assert!(!["PANIC", "RUNAWAY"].contains(&invariant), "{violation}");
            }
            Verdict::Void(why) => {
                let asked_nobody = why.starts_with("no object and no front Worker had");
                assert!(asked_nobody || why == "the plan does nothing", "{why}");
            }
            Verdict::NotDeterministic(_) => unreachable!("nothing is compared"),
        }
        assert!(
            report.events < 100_000,
            "{} events are not a short run",
            report.events
        );
    });
    assert!(
        shown.get() > PLANS / 2,
        "{} of {PLANS} plans do anything",
        shown.get()
    );
}
