//! The world of the demonstration protocol: a counter, its followers, fronts, and clients that add.

#[cfg(feature = "arbitrary")]
mod arbitrary;
mod generate;
mod invariants;
mod plainer;
#[cfg(test)]
mod tests;

mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use demonstration::wire::{Add, Added};
use demonstration::{Demonstration, front, labels, names, rules};
use protocol::host::{Body, Label, ObjectName, Outcome, Request, Shared, Text};
use protocol::number::Number;
use protocol::task::Program;
use serde::{Deserialize, Serialize};

use super::{Phrase, PlanOf, Suspect, Variant, World};
use crate::check::{Invariant, Violation};
use crate::kernel::storage::Store;
use crate::kernel::{Deployment, Kernel, PartyId};
use crate::plan::PlanError;
use crate::scenario::Scenario;

pub use generate::Generate;
pub use invariants::INVARIANTS;

/// What there is when a run begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// The counter's name.
    pub counter: Text,
    /// How many followers it has. They follow once they are told to.
    pub followers: u32,
    /// How many isolates of the front Worker there are.
    pub fronts: u32,
}

/// What clients and operators do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Operation {
    /// A client adds.
    Add {
        /// To which front it comes.
        front: u32,
        /// The follower that it names, if it names one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        follower: Option<u32>,
        /// How much.
        by: u32,
        /// What the client calls it. A client that repeats an addition repeats its token.
        token: Text,
    },
    /// A client reads.
    Read {
        /// To which front it comes.
        front: u32,
        /// The follower that it names, if it names one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        follower: Option<u32>,
    },
    /// An operator lets a follower follow.
    Follow {
        /// To which front it comes.
        front: u32,
        /// The follower's number, from 1.
        follower: u32,
    },
    /// An operator nudges a follower.
    Nudge {
        /// The follower's number, from 1.
        follower: u32,
    },
    /// An operator ends the counter's incarnation.
    ResetCounter {
        /// To which front it comes.
        front: u32,
    },
}

/// What the oracle keeps while a run goes on.
#[derive(Clone, Debug)]
pub struct DemonstrationWorld {
    counter: PartyId,
    followers: Vec<Watched>,
    fronts: Vec<PartyId>,
    /// The items whose clients wait for an answer.
    asked: BTreeSet<u32>,
    /// What each addition that is under way was.
    adding: BTreeMap<u32, Add>,
    /// Additions that a client was told are done: token to generation and amount.
    acknowledged: BTreeMap<Text, (Number, Number)>,
    /// Whether any client ever waited for an answer.
    anybody_asked: bool,
    /// How often each invariant had something to judge.
    subjects: BTreeMap<&'static str, u64>,
}

/// A follower, and what was last seen of it.
#[derive(Clone, Copy, Debug)]
struct Watched {
    party: PartyId,
    /// In which incarnation it was looked at last.
    incarnation: u32,
    applied: Number,
}

impl World for DemonstrationWorld {
    const NAME: &'static str = "demonstration";

    type Program = Demonstration;
    type Shape = Shape;
    type Operation = Operation;
    type Scenario = Generate;

    /// `hardened` comes first: it is what a user means who names none.
    fn variants() -> Vec<Variant> {
        let mut variants: Vec<_> = rules::variants()
            .map(|(name, about)| Variant { name, about })
            .collect();
        variants.sort_by_key(|variant| variant.name != "hardened");
        variants
    }

    fn deployment(variant: &str) -> Option<Deployment<Demonstration>> {
        // The same rules twice: to deploy the second version is to deploy what was there before.
        let version = Demonstration {
            rules: rules::variant(variant)?,
        };
        Some(Deployment::mixed(vec![version.clone(), version], |_| 0))
    }

    fn invariants() -> &'static [Invariant] {
        &INVARIANTS
    }

    fn labels() -> Vec<Label> {
        labels::ALL.to_vec()
    }

    fn phrase(label: Label) -> Option<Phrase> {
        words::phrase(label)
    }

    fn roles() -> &'static [&'static str] {
        &words::ROLES
    }

    fn role(who: &str) -> &'static str {
        words::role(who)
    }

    fn party_in_words(who: &str) -> String {
        words::party(who)
    }

    fn operation_in_words(operation: &Operation, _: &Shape) -> (&'static str, String) {
        words::operation(operation)
    }

    fn check(plan: &PlanOf<Self>) -> Result<(), PlanError> {
        PlanError::if_above("shape.followers", u64::from(plan.shape.followers), 1_000)?;
        PlanError::if_above("shape.fronts", u64::from(plan.shape.fronts), 1_000)?;
        let name = &plan.shape.counter;
        if name.is_empty() || name.contains('/') || name.chars().any(char::is_control) {
            return Err(PlanError::Name {
                field: "shape.counter",
                found: name.clone(),
                expected: "some characters, none of them `/` or a control character",
            });
        }
        plan.check()
    }

    fn generate(scenario: &Scenario<Generate>, seed: u64) -> PlanOf<Self> {
        generate::generate(scenario, seed)
    }

    fn plainer_shapes(shape: &Shape) -> Vec<Shape> {
        plainer::shapes(shape)
    }

    fn plainer_operations(operation: &Operation) -> Vec<Operation> {
        plainer::operations(operation)
    }

    fn suspect(scenario: &Scenario<Generate>, mark: &str) -> Option<Suspect> {
        let most = scenario.generate.operations_most;
        let takes_two_records = ["subject DM-3", "subject DM-4", "note add-repeated"].contains(&mark);
        (takes_two_records && most < 2).then(|| Suspect {
            path: &["generate", "operations-most"],
            why: format!("operations-most ({most}) leaves no room for two additions"),
        })
    }

    fn new<P: Program, S: Store>(plan: &PlanOf<Self>, kernel: &mut Kernel<P, S>) -> Self {
        let shape = &plan.shape;
        kernel.configure(Shared::Configuration, front::COUNTER_KEY, Some(&shape.counter));
        let name = ObjectName(shape.counter.clone());
        let counter = kernel
            .object(&names::COUNTER, &name)
            .expect("the program has counters");
        let followers = (1..=shape.followers).map(|number| {
            let follower = names::follower(&name, number);
            let party = kernel
                .object(&names::FOLLOWER, &follower)
                .expect("the program has followers");
            Watched {
                party,
                incarnation: 0,
                applied: Number::ZERO,
            }
        });
        DemonstrationWorld {
            counter,
            followers: followers.collect(),
            fronts: (0..shape.fronts).map(|_| kernel.add_front()).collect(),
            asked: BTreeSet::new(),
            adding: BTreeMap::new(),
            acknowledged: BTreeMap::new(),
            anybody_asked: false,
            subjects: BTreeMap::new(),
        }
    }

    fn perform<P: Program, S: Store>(
        &mut self,
        item: u32,
        operation: &Operation,
        kernel: &mut Kernel<P, S>,
    ) -> Option<()> {
        // A plan that was shrunk, or written by hand, can name what is not there: then nobody acts.
        let to = match operation {
            Operation::Nudge { follower } => self.follower(*follower).map(|watched| watched.party),
            Operation::Add { front, .. }
            | Operation::Read { front, .. }
            | Operation::Follow { front, .. }
            | Operation::ResetCounter { front } => self.fronts.get(*front as usize).copied(),
        }?;
        if let Operation::Add { by, token, .. } = operation {
            self.adding.insert(
                item,
                Add {
                    by: Number::from(*by),
                    token: token.clone(),
                },
            );
        }
        self.asked.insert(item);
        self.anybody_asked = true;
        kernel.send(item, to, operation.request());
        Some(())
    }

    fn answered<P: Program, S: Store>(
        &mut self,
        item: u32,
        outcome: &Outcome,
        _: &mut Kernel<P, S>,
    ) -> Result<(), Violation> {
        self.asked.remove(&item);
        let (Some(add), Ok(Some(response))) = (self.adding.remove(&item), outcome) else {
            return Ok(());
        };
        if response.status == 200
            && let Ok(added) = response.body.read::<Added>()
        {
            self.acknowledged.insert(add.token, (added.generation, add.by));
        }
        Ok(())
    }

    fn left(&mut self, item: u32) {
        self.asked.remove(&item);
        self.adding.remove(&item);
    }

    fn moved<P: Program, S: Store>(
        &mut self,
        party: PartyId,
        kernel: &mut Kernel<P, S>,
    ) -> Result<(), Violation> {
        if party == self.counter {
            return self.counter_moved(kernel);
        }
        let Some(at) = self.followers.iter().position(|watched| watched.party == party) else {
            return Ok(());
        };
        self.follower_moved(at, kernel)
    }

    fn settled<P: Program, S: Store>(&mut self, kernel: &mut Kernel<P, S>) -> Result<(), Violation> {
        self.at_rest(kernel)
    }

    fn subjects(&self) -> BTreeMap<&'static str, u64> {
        self.subjects.clone()
    }
}

impl DemonstrationWorld {
    fn follower(&self, number: u32) -> Option<&Watched> {
        self.followers.get(number.checked_sub(1)? as usize)
    }
}

impl Operation {
    /// The request that it is.
    #[must_use]
    pub fn request(&self) -> Request {
        let mut request = match self {
            Operation::Add { by, token, .. } => {
                let add = Add {
                    by: Number::from(*by),
                    token: token.clone(),
                };
                Request::post("/add", Body::typed(Arc::new(add)))
            }
            Operation::Read { .. } => Request::get("/value"),
            Operation::Follow { .. } => Request::post("/follow", Body::default()),
            Operation::Nudge { .. } => Request::post("/nudge", Body::default()),
            Operation::ResetCounter { .. } => Request::post("/reset", Body::default()),
        };
        let named = match self {
            Operation::Add { follower, .. } | Operation::Read { follower, .. } => *follower,
            Operation::Follow { follower, .. } => Some(*follower),
            Operation::Nudge { .. } | Operation::ResetCounter { .. } => None,
        };
        if let Some(number) = named {
            request.headers.set("x-follower", number.to_string());
        }
        request
    }
}
