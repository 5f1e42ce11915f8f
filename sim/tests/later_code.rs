//! A trace that is written now replays under later code: when plans are generated in another way, and when there are more
//! kinds of operations.

use std::collections::BTreeMap;

use protocol::host::{Label, Outcome};
use protocol::task::Program;
use serde::{Deserialize, Serialize};
use sim::check::{Invariant, Verdict, Violation};
use sim::kernel::storage::Store;
use sim::kernel::{Deployment, Kernel, Micros, Observed, PartyId};
use sim::plan::{Act, Item, Plan, PlanError};
use sim::run::{Pools, Report, StoreKind};
use sim::scenario::{self, Scenario};
use sim::trace::{Expectation, Trace, read};
use sim::world::demonstration::{DemonstrationWorld, Generate, Operation, Shape};
use sim::world::{Phrase, PlanOf, Variant, World};

/// The demonstration as a later version might have it.
#[derive(Clone, Debug)]
struct Later(DemonstrationWorld);

/// Its operations: one more kind, before all others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LaterOperation {
    /// A client waits.
    Wait { front: u32 },
    /// What there was before.
    #[serde(untagged)]
    Before(Operation),
}

/// A plan as the earlier version has it, without what that does not know.
fn before(plan: &PlanOf<Later>) -> PlanOf<DemonstrationWorld> {
    let items = plan.items.iter().filter_map(|item| {
        let act = match &item.act {
            Act::Operation(LaterOperation::Before(operation)) => Act::Operation(operation.clone()),
            Act::Operation(LaterOperation::Wait { .. }) => return None,
            Act::Fault(fault) => Act::Fault(fault.clone()),
        };
        Some(Item {
            id: item.id,
            at: item.at,
            act,
        })
    });
    Plan {
        scenario: plan.scenario.clone(),
        seed: plan.seed,
        lasts: plan.lasts,
        settles: plan.settles,
        knobs: plan.knobs.clone(),
        shape: plan.shape.clone(),
        items: items.collect(),
        fixed: plan.fixed.clone(),
    }
}

impl World for Later {
    const NAME: &'static str = DemonstrationWorld::NAME;

    type Program = <DemonstrationWorld as World>::Program;
    type Shape = Shape;
    type Operation = LaterOperation;
    type Scenario = Generate;

    fn variants() -> Vec<Variant> {
        DemonstrationWorld::variants()
    }

    fn deployment(variant: &str) -> Option<Deployment<Self::Program>> {
        DemonstrationWorld::deployment(variant)
    }

    fn invariants() -> &'static [Invariant] {
        DemonstrationWorld::invariants()
    }

    fn labels() -> Vec<Label> {
        DemonstrationWorld::labels()
    }

    fn phrase(label: Label) -> Option<Phrase> {
        DemonstrationWorld::phrase(label)
    }

    fn roles() -> &'static [&'static str] {
        DemonstrationWorld::roles()
    }

    fn role(who: &str) -> &'static str {
        DemonstrationWorld::role(who)
    }

    fn party_in_words(who: &str) -> String {
        DemonstrationWorld::party_in_words(who)
    }

    fn operation_in_words(operation: &LaterOperation, shape: &Shape) -> (&'static str, String) {
        match operation {
            LaterOperation::Wait { front } => ("client", format!("waits at front {front}")),
            LaterOperation::Before(operation) => DemonstrationWorld::operation_in_words(operation, shape),
        }
    }

    fn check(plan: &PlanOf<Self>) -> Result<(), PlanError> {
        DemonstrationWorld::check(&before(plan))
    }

    /// Plans come to be in quite another way: nothing is drawn.
    fn generate(scenario: &Scenario<Generate>, seed: u64) -> PlanOf<Self> {
        let earlier = DemonstrationWorld::generate(scenario, seed);
        Plan {
            scenario: earlier.scenario,
            seed,
            lasts: Micros::from_millis(1),
            settles: earlier.settles,
            knobs: earlier.knobs,
            shape: earlier.shape,
            items: vec![Item {
                id: 0,
                at: Micros::ZERO,
                act: Act::Operation(LaterOperation::Wait { front: 0 }),
            }],
            fixed: Vec::new(),
        }
    }

    fn plainer_shapes(shape: &Shape) -> Vec<Shape> {
        DemonstrationWorld::plainer_shapes(shape)
    }

    fn plainer_operations(_: &LaterOperation) -> Vec<LaterOperation> {
        Vec::new()
    }

    fn new<P: Program, S: Store>(plan: &PlanOf<Self>, kernel: &mut Kernel<P, S>) -> Self {
        Later(DemonstrationWorld::new(&before(plan), kernel))
    }

    fn perform<P: Program, S: Store>(
        &mut self,
        item: u32,
        operation: &LaterOperation,
        kernel: &mut Kernel<P, S>,
    ) -> Option<()> {
        match operation {
            LaterOperation::Wait { .. } => Some(()),
            LaterOperation::Before(operation) => self.0.perform(item, operation, kernel),
        }
    }

    fn hear(&mut self, seen: &Observed<'_>) {
        self.0.hear(seen);
    }

    fn answered<P: Program, S: Store>(
        &mut self,
        item: u32,
        outcome: &Outcome,
        kernel: &mut Kernel<P, S>,
    ) -> Result<(), Violation> {
        self.0.answered(item, outcome, kernel)
    }

    fn left(&mut self, item: u32) {
        self.0.left(item);
    }

    fn moved<P: Program, S: Store>(
        &mut self,
        party: PartyId,
        kernel: &mut Kernel<P, S>,
    ) -> Result<(), Violation> {
        self.0.moved(party, kernel)
    }

    fn settled<P: Program, S: Store>(&mut self, kernel: &mut Kernel<P, S>) -> Result<(), Violation> {
        self.0.settled(kernel)
    }

    fn subjects(&self) -> BTreeMap<&'static str, u64> {
        self.0.subjects()
    }
}

fn report<W: World>(plan: &PlanOf<W>) -> Report {
    let deployment = W::deployment("documented").expect("the variant is there");
    Pools::default().run::<W>(StoreKind::Model, plan, deployment, ())
}

/// The traces that today's version writes of some seeds that fail.
fn written() -> Vec<(Vec<u8>, Report)> {
    let scenario = scenario::load::<Generate>("demonstration").expect("it is built in");
    let scenario = scenario.expect("it can be read");
    let traces = (1..40).filter_map(|seed| {
        let plan = DemonstrationWorld::generate(&scenario, seed);
        let report = report::<DemonstrationWorld>(&plan);
        let Verdict::Violated(_) = report.verdict else {
            return None;
        };
        let expect = Expectation::of(&report).map(|expected| ("documented".into(), expected));
        let trace = Trace {
            plan,
            expect: expect.into_iter().collect(),
            shrunk: None,
            certificates: Vec::new(),
            history: Vec::new(),
        };
        let mut bytes = Vec::new();
        trace
            .write(DemonstrationWorld::NAME, &mut bytes)
            .expect("it is written");
        Some((bytes, report))
    });
    traces.collect()
}

#[test]
fn a_trace_replays_after_a_change_of_the_generator_and_with_more_kinds_of_operations() {
    let written = written();
    assert!(written.len() >= 5, "{} seeds fail", written.len());
    for (bytes, today) in written {
        let trace = read::<Later>(&bytes[..]).expect("it is still a trace");
        let later = report::<Later>(&trace.plan);
        assert_eq!(later, today, "the same run, to the last bit");
        let missed = trace.expect["documented"].missed_by(&later);
        assert_eq!(missed, None);
    }
}

#[test]
fn what_is_written_of_the_new_kind_is_refused_by_the_earlier_version() {
    let scenario = scenario::load::<Generate>("demonstration").expect("it is built in");
    let plan = Later::generate(&scenario.expect("it can be read"), 1);
    let trace = Trace {
        plan,
        expect: BTreeMap::new(),
        shrunk: None,
        certificates: Vec::new(),
        history: Vec::new(),
    };
    let mut bytes = Vec::new();
    trace.write(Later::NAME, &mut bytes).expect("it is written");
    assert_eq!(read::<Later>(&bytes[..]).as_ref().ok(), Some(&trace));
    let refused = read::<DemonstrationWorld>(&bytes[..]).expect_err("nobody knows `wait`");
    let told = refused.to_string();
    assert!(told.starts_with("line 2: at item.act.operation"), "{told}");
}
