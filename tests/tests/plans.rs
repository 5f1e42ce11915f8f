//! Plans from any bytes: what a fuzzer makes can be run, is short, and is not all alike.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use sim::check::Verdict;
use sim::kernel::CallFault;
use sim::kernel::storage::model::ModelStore;
use sim::plan::{Act, Fault};
use sim::run::{Report, run};
use sim::trace::{Trace, read};
use sim::world::World;
use sim::world::demonstration::{DemonstrationWorld, Operation};
use tests::simulated::DemonstrationPlan;

use arbitrary::{Arbitrary as _, Unstructured};

/// How many plans each test looks at.
const PLANS: u32 = 256;

/// As many bytes as the longest plan takes.
const BYTES_MOST: usize = 1_024;

/// Makes a plan of each of many strings of bytes, the same ones in every run of the suite, and looks at it. What
/// `look` panics with is told with the shortest bytes that lead there.
fn for_each_plan(look: impl Fn(DemonstrationPlan)) {
    let config = Config {
        cases: PLANS,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let done = TestRunner::new_with_rng(config, rng).run(&vec(any::<u8>(), 0..BYTES_MOST), |bytes| {
        let plan = DemonstrationPlan::arbitrary(&mut Unstructured::new(&bytes));
        look(plan.expect("any bytes make a plan: what is used up reads as zeros"));
        Ok(())
    });
    if let Err(error) = done {
        panic!("{error}");
    }
}

fn report(plan: &DemonstrationPlan) -> Report {
    let deployment = DemonstrationWorld::deployment("hardened").expect("the variant is there");
    run::<DemonstrationWorld, _, ModelStore>(plan, deployment, &Default::default(), ())
}

#[test]
fn a_plan_of_any_bytes_is_in_bounds() {
    for_each_plan(|plan| {
        let checked = DemonstrationWorld::check(&plan);
        assert_eq!(
            checked,
            Ok(()),
            "`plan::arbitrary` must stay within `World::check`"
        );
    });
}

/// No panic, no statement that `model` does not run, no runaway, and nothing that a good protocol violates.
#[test]
fn a_plan_of_any_bytes_runs_and_hardened_holds() {
    let passed = Cell::new(0);
    for_each_plan(|plan| {
        let report = report(&plan);
        match &report.verdict {
            Verdict::Passed => passed.set(passed.get() + 1),
            // Where all that is asked is asked of nobody.
            Verdict::Void(why)
                if why == "the plan does nothing" || why.starts_with("no object and no front Worker had") => {
            }
            other => panic!("a finding, or bounds of `plan::arbitrary` that are too wide: {other}"),
        }
        assert!(
            report.events < 20_000,
            "{} events are not the short run that a fuzzer needs: bound `plan::arbitrary` more tightly",
            report.events
        );
    });
    assert!(
        passed.get() > PLANS / 2,
        "{} of {PLANS} plans do anything: `plan::arbitrary` must ask of what is there",
        passed.get()
    );
}

#[test]
fn a_plan_of_any_bytes_survives_its_file() {
    for_each_plan(|plan| {
        let trace = Trace {
            plan,
            expect: BTreeMap::new(),
            shrunk: None,
            certificates: Vec::new(),
            history: Vec::new(),
        };
        let mut file = Vec::new();
        trace
            .write(DemonstrationWorld::NAME, &mut file)
            .expect("memory can be written to");
        let again = read::<DemonstrationWorld>(&file[..]).expect("what was written can be read");
        assert_eq!(again, trace, "a plan is read as it was written");
    });
}

/// All kinds of acts; the matches below do not compile when a kind is added, which must then stand here too.
const KINDS: [&str; 25] = [
    "add",
    "read",
    "follow",
    "nudge",
    "reset-counter",
    "reset",
    "lose-request",
    "lose-answer",
    "delay-request",
    "delay-answer",
    "duplicate",
    "cancel-call",
    "evict",
    "displace",
    "partition",
    "clog",
    "commit-stall",
    "commit-failure",
    "storage-error",
    "statement",
    "cancel",
    "kv-outage",
    "broker-restart",
    "restart",
    "deploy",
];

fn kind(act: &Act<Operation>) -> &'static str {
    match act {
        Act::Operation(Operation::Add { .. }) => "add",
        Act::Operation(Operation::Read { .. }) => "read",
        Act::Operation(Operation::Follow { .. }) => "follow",
        Act::Operation(Operation::Nudge { .. }) => "nudge",
        Act::Operation(Operation::ResetCounter { .. }) => "reset-counter",
        Act::Fault(Fault::Reset { .. }) => "reset",
        Act::Fault(Fault::Call { fault, .. }) => match fault {
            CallFault::LoseRequest => "lose-request",
            CallFault::LoseAnswer => "lose-answer",
            CallFault::DelayRequest(_) => "delay-request",
            CallFault::DelayAnswer(_) => "delay-answer",
            CallFault::Duplicate(_) => "duplicate",
            CallFault::Cancel(_) => "cancel-call",
        },
        Act::Fault(Fault::Evict { .. }) => "evict",
        Act::Fault(Fault::Displace { .. }) => "displace",
        Act::Fault(Fault::Partition { .. }) => "partition",
        Act::Fault(Fault::Clog { .. }) => "clog",
        Act::Fault(Fault::CommitStall { .. }) => "commit-stall",
        Act::Fault(Fault::CommitFailure { .. }) => "commit-failure",
        Act::Fault(Fault::StorageError { .. }) => "storage-error",
        Act::Fault(Fault::Statement { .. }) => "statement",
        Act::Fault(Fault::Cancel { .. }) => "cancel",
        Act::Fault(Fault::KvOutage { .. }) => "kv-outage",
        Act::Fault(Fault::BrokerRestart) => "broker-restart",
        Act::Fault(Fault::Restart { .. }) => "restart",
        Act::Fault(Fault::Deploy { .. }) => "deploy",
        // No storage of the demonstration is taken back or cloned: it has no truth for that.
        Act::Fault(Fault::Rewind { .. } | Fault::Clone { .. }) => "rewind",
    }
}

#[test]
fn every_kind_of_act_occurs() {
    let counts = RefCell::new(BTreeMap::new());
    for_each_plan(|plan| {
        for item in &plan.items {
            *counts.borrow_mut().entry(kind(&item.act)).or_insert(0) += 1;
        }
    });
    let counts = counts.into_inner();
    for kind in KINDS {
        let count = counts.get(kind).copied().unwrap_or(0);
        assert!(
            count >= 20,
            "{PLANS} plans have {count} acts of the kind {kind}: `plan::arbitrary` must make more of them; {counts:?}"
        );
    }
}

/// That faults occur in plans shows little: they must strike something.
#[test]
fn aimed_faults_and_rates_take_effect() {
    let struck = RefCell::new(BTreeMap::new());
    for_each_plan(|plan| {
        for (mark, _) in report(&plan)
            .marks
            .iter()
            .filter(|(mark, _)| mark.starts_with("fault "))
        {
            *struck.borrow_mut().entry(mark).or_insert(0) += 1;
        }
    });
    let struck = struck.into_inner();
    for mark in [
        "request-lost",
        "answer-lost",
        "request-late",
        "answer-late",
        "reset",
    ] {
        let runs = struck.get(&format!("fault {mark}")).copied().unwrap_or(0);
        assert!(
            runs >= 20,
            "{mark} took effect in {runs} of {PLANS} runs: `plan::arbitrary` must aim better; {struck:?}"
        );
    }
}
