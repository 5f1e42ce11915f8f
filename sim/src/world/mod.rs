//! Worlds: a protocol's objects, its clients, its truth, its invariants. One folder a protocol.
//!
//! A new world implements [`World`], has a row in [`known`], and its scenarios have rows in
//! [`scenario`](crate::scenario): then it is listed, run, swept, replayed and completed.

pub mod demonstration;
pub mod known;
pub mod lanes;
mod load;
mod planted;
mod schema;
pub mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use protocol::host::{Label, Outcome};
use protocol::task::Program;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::check::{Invariant, Measures, Violation};
use crate::kernel::storage::Store;
use crate::kernel::{Deployment, Kernel, Observed, PartyId};
use crate::plan::{Plan, PlanError};

pub use load::{check_mark, load, vocabulary, with_world_of};
pub use planted::{Origin, Planted};
pub use schema::schema;
pub use words::{Phrase, Weight};

/// The plan of a world.
pub type PlanOf<W> = Plan<<W as World>::Shape, <W as World>::Operation>;

/// One variant of a protocol's rules that a world can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// What it is called everywhere.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
}

/// A field of a scenario that is likely at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// Where it stands: keys from the outermost table on.
    pub path: &'static [&'static str],
    /// What is wrong with it, in half a sentence that names it and its value.
    pub why: String,
}

/// What stands around a protocol in a run: who uses it, what is true, what must hold.
///
/// It stands around any program that has the protocol's namespaces: the protocol itself, or the protocol with a recorder
/// around it.
///
/// The value is the oracle: what it keeps of the truth while the run goes on. It reads objects' databases and clients'
/// answers, never an object's memory.
pub trait World: Clone + Debug + Sized + 'static {
    /// What it is called in traces and scenarios.
    const NAME: &'static str;

    /// The protocol.
    type Program: Program;
    /// What there is when a run begins.
    type Shape: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// What clients and operators do.
    type Operation: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// What a scenario file says beyond what all scenarios do.
    type Scenario: DeserializeOwned + JsonSchema + Sync;

    /// The variants of its rules, the one that is meant by default first.
    fn variants() -> Vec<Variant>;

    /// What is deployed under a variant, by name.
    fn deployment(variant: &str) -> Option<Deployment<Self::Program>>;

    /// What must hold in it.
    fn invariants() -> &'static [Invariant];

    /// The roles that violations tell apart.
    fn roles() -> &'static [&'static str];

    /// The role of a party, or of a client: one of [`roles`](World::roles).
    fn role(who: &str) -> &'static str;

    /// The variants that are the first one with a defect planted in it: each must be told from it.
    fn planted() -> Vec<Planted> {
        Vec::new()
    }

    /// The places of its protocol that are begun, awaited or noted: a goal of a scenario names one of them.
    fn labels() -> Vec<Label>;

    /// What is said of one of these places, for people: each has a phrase.
    fn phrase(label: Label) -> Option<Phrase>;

    /// A party in words, as `lane 2` for `site/shop#r2`. It may be one that is not there.
    fn party_in_words(who: &str) -> String;

    /// Who acts, in a word, and what they do, as the rest of a sentence. `shape` is what the run begins with. What tells
    /// one operation from others of its kind stands in the first clause.
    fn operation_in_words(operation: &Self::Operation, shape: &Self::Shape) -> (&'static str, String);

    /// Whether a plan that comes from anywhere can be run: whether its numbers are of a size that ends.
    ///
    /// # Errors
    /// The first field that is out of bounds, and the bound.
    fn check(plan: &PlanOf<Self>) -> Result<(), PlanError>;

    /// Whether an operation that comes from anywhere is of a size that ends.
    ///
    /// # Errors
    /// The first field that is out of bounds, and the bound.
    fn check_operation(_: &Self::Operation) -> Result<(), PlanError> {
        Ok(())
    }

    /// Whether a scenario asks for no more than a plan may hold.
    ///
    /// # Errors
    /// The first field that is out of bounds, and the bound.
    fn check_scenario(_: &Self::Scenario) -> Result<(), PlanError> {
        Ok(())
    }

    /// The plan of a seed.
    fn generate(scenario: &crate::scenario::Scenario<Self::Scenario>, seed: u64) -> PlanOf<Self>;

    /// Shapes that are plainer than this one by one step each, for a shrinker to try: the largest steps first, none
    /// where there is no plainer one. A step that is taken again and again must come to an end.
    fn plainer_shapes(shape: &Self::Shape) -> Vec<Self::Shape>;

    /// Operations that are plainer than this one by one step each, likewise.
    fn plainer_operations(operation: &Self::Operation) -> Vec<Self::Operation>;

    /// What of a scenario likely keeps its runs from passing a mark, as far as the world knows better than the knobs of
    /// the platform tell.
    fn suspect(_: &crate::scenario::Scenario<Self::Scenario>, _mark: &str) -> Option<Suspect> {
        None
    }

    /// Makes what there is when the run begins. What takes time takes it before: the plan's times count from the
    /// kernel's time after this.
    fn new<P: Program, S: Store>(plan: &PlanOf<Self>, kernel: &mut Kernel<P, S>) -> Self;

    /// A client or an operator acts; none where what the operation names is not there: then nobody does.
    fn perform<P: Program, S: Store>(
        &mut self,
        item: u32,
        operation: &Self::Operation,
        kernel: &mut Kernel<P, S>,
    ) -> Option<()>;

    /// Takes notice of one thing that happens in a step, before the step is judged.
    fn hear(&mut self, _: &Observed<'_>) {}

    /// A client has its answer.
    ///
    /// # Errors
    /// What had to hold and does not.
    fn answered<P: Program, S: Store>(
        &mut self,
        item: u32,
        outcome: &Outcome,
        kernel: &mut Kernel<P, S>,
    ) -> Result<(), Violation>;

    /// A client has gone away: it will not have its answer, and does not know whether what it asked for was done.
    fn left(&mut self, item: u32);

    /// A party has had a turn, or something has happened to it.
    ///
    /// # Errors
    /// What had to hold and does not.
    fn moved<P: Program, S: Store>(
        &mut self,
        party: PartyId,
        kernel: &mut Kernel<P, S>,
    ) -> Result<(), Violation>;

    /// The time to come to rest is over: now everything must have come true.
    ///
    /// # Errors
    /// What is still pending, and why.
    fn settled<P: Program, S: Store>(&mut self, kernel: &mut Kernel<P, S>) -> Result<(), Violation>;

    /// How often each invariant had something to judge so far, by its id. A check that finds nothing to compare (no
    /// record, no second position) has no subject: it can neither fail nor show anything.
    fn subjects(&self) -> BTreeMap<&'static str, u64>;

    /// The entries of its catalogue that are not planted, each with the reason.
    fn not_planted() -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// From now on only these invariants are judged. Only a world that has [planted](World::planted) variants is asked.
    fn judge_only(&mut self, _: &BTreeSet<&str>) {}

    /// From now on a violation does not end the run: it is kept, and what is judged goes on. Likewise.
    fn go_on(&mut self) {}

    /// The invariants that were violated since then.
    fn violated(&self) -> BTreeSet<&'static str> {
        BTreeSet::new()
    }

    /// How near the run has come to bounds so far.
    fn measures(&self) -> Measures {
        Measures::default()
    }
}
