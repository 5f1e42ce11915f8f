//! What the protocol decides, as one table: rules over facts, the steps of its flows, and a few policy values.
//!
//! A *variant* is such a table. No role asks which one it runs under: it calls what stands in the table. So a mend
//! ([`CHANGES`]) and a planted defect ([`DEFECTS`]) are the same thing, a named edit.

use std::fmt;

use protocol::host::{Millis, ObjectName};
use protocol::number::Number;

use crate::Failure;
use crate::counter::{self, AddSteps};
use crate::follower::{AlarmSteps, PullSteps};
use crate::front::ReachSteps;
use crate::wire::Added;

mod add;
mod edits;
mod pull;
mod route;

pub use add::{AddFacts, AddRefusal, admit, answered_before};
pub use edits::{CHANGES, Change, DEFECTS};
pub use pull::{Application, LeftOut, PullFacts, apply, apply_where_it_fits};
pub use route::{Purpose, RouteFacts, Target, route};

/// One version of the protocol's behaviour.
#[derive(Clone)]
pub struct Rules {
    /// The values that it works with.
    pub policy: Policy,
    /// Whether the counter takes an addition.
    pub admit: fn(&AddFacts) -> Result<(), AddRefusal>,
    /// What a token was answered before, out of the record that bears it: at most once.
    pub answered_before: fn(Option<&Added>) -> Option<Added>,
    /// What a new incarnation of the counter does about additions that were committed and never sealed.
    pub take_back: fn(&mut counter::Cx<'_, '_>) -> Result<(), Failure>,
    /// What the counter does in the turn that commits a value which no record accounts for yet.
    pub watch_over: fn(&Policy, &mut counter::Cx<'_, '_>),
    /// Which records of an answer a follower applies.
    pub apply: fn(&PullFacts<'_>) -> Application,
    /// Whether a follower's incarnation that is called this ends at once.
    pub starts_over: fn(Option<&ObjectName>) -> bool,
    /// Which object a front sends a request to.
    pub route: fn(&RouteFacts<'_>) -> Target,
    /// The counter's addition, from wait to wait.
    pub add: AddSteps,
    /// A follower's pull, from wait to wait.
    pub pull: PullSteps,
    /// A follower's alarm, from wait to wait.
    pub alarm: AlarmSteps,
    /// A front's call with one retry, from wait to wait.
    pub reach: ReachSteps,
}

/// The values that a version works with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// The counter never stands above this.
    pub limit: Number,
    /// A follower pulls at least this often.
    pub pull_every: Millis,
    /// At most so many records go into one answer.
    pub batch: Number,
    /// A front lets this pass before it repeats a failed call.
    pub pause: Millis,
    /// What a front's page about a value costs to render.
    pub render: Millis,
}

/// What the document says.
pub const DOCUMENTED: Rules = Rules {
    policy: Policy {
        limit: Number::integer(1000),
        pull_every: Millis(2000),
        batch: Number::integer(25),
        pause: Millis(50),
        render: Millis(3),
    },
    admit,
    answered_before,
    take_back: counter::take_nothing_back,
    watch_over: counter::watch_over_nothing,
    apply,
    starts_over: |_| false,
    route,
    add: AddSteps::DOCUMENTED,
    pull: PullSteps::DOCUMENTED,
    alarm: AlarmSteps::DOCUMENTED,
    reach: ReachSteps::DOCUMENTED,
};

/// What the document says, with every change that mends it.
#[must_use]
pub fn hardened() -> Rules {
    let mut rules = DOCUMENTED;
    for change in CHANGES {
        (change.apply)(&mut rules);
    }
    rules
}

/// The variant of this name: `documented`, `hardened`, or `hardened` with the defect of this id.
#[must_use]
pub fn variant(name: &str) -> Option<Rules> {
    match name {
        "documented" => Some(DOCUMENTED),
        "hardened" => Some(hardened()),
        id => {
            let defect = DEFECTS.iter().find(|defect| defect.id == id)?;
            let mut rules = hardened();
            (defect.apply)(&mut rules);
            Some(rules)
        }
    }
}

/// The names of all variants, each with a line about it.
pub fn variants() -> impl Iterator<Item = (&'static str, &'static str)> {
    let versions = [
        ("documented", "what the document says"),
        (
            "hardened",
            "what the document says, with every change that mends it",
        ),
    ];
    versions
        .into_iter()
        .chain(DEFECTS.iter().map(|defect| (defect.id, defect.reason)))
}

/// Without its functions: they would print as addresses, which differ from process to process.
impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
