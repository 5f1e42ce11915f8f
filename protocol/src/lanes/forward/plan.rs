//! Whether the primary commits a batch.

use super::hazard::Hazard;
use super::minted::admitted;
use super::{ForwardAction, ForwardStatement};
use crate::host::Text;
use crate::lanes::inventory::StateKey;
use crate::lanes::rules::Rules;
use crate::number::Number;

/// What a batch is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ForwardFacts<'a> {
    /// The part of the batch to be committed ([`split_forward`](super::split_forward)).
    pub statements: &'a [ForwardStatement],
    /// The generation at which the lane began to collect.
    pub parent: Number,
    /// The primary's live generation.
    pub primary_generation: Number,
    /// The tables that the lane says it minted ids into. Not believed without a second look.
    pub partitioned: &'a [Text],
}

/// What becomes of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ForwardPlan {
    /// It is committed.
    Commit,
    /// It was built on another generation; answered with 409.
    Conflict(ForwardConflict),
    /// It can never be committed for a lane; answered with 422.
    Refuse(ForwardRefusal),
}

impl ForwardPlan {
    /// The word for it on the wire.
    pub fn action(&self) -> ForwardAction {
        match self {
            ForwardPlan::Commit => ForwardAction::Commit,
            ForwardPlan::Conflict(_) => ForwardAction::Conflict,
            ForwardPlan::Refuse(_) => ForwardAction::Refuse,
        }
    }

    /// The reason on the wire; empty for a commit.
    pub fn reason(&self) -> String {
        match self {
            ForwardPlan::Commit => String::new(),
            ForwardPlan::Conflict(conflict) => conflict.to_string(),
            ForwardPlan::Refuse(refusal) => refusal.to_string(),
        }
    }
}

/// The lane collected at another generation than the primary is at, behind or ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("the lane read generation {parent} and the primary is at {primary_generation}")]
pub struct ForwardConflict {
    /// Where the lane stood.
    pub parent: Number,
    /// Where the primary stands.
    pub primary_generation: Number,
}

/// Why a batch is refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ForwardRefusal {
    /// The parent is not finite, or negative.
    #[error("the batch carries no readable parent generation")]
    Parent,
    /// There is nothing to commit.
    #[error("the batch carries no statements")]
    Empty,
    /// A statement would create what only the primary may create.
    #[error("{0} originates a value a lane may not mint")]
    Originates(Origin),
}

/// What a refused statement writes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// No known table.
    Unnamed,
    /// A table, as the lane named it.
    Table(Text),
    /// A collection in a table.
    Collection(Text, Text),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::Unnamed => f.write_str("an unnamed table"),
            Origin::Table(table) => f.write_str(table),
            Origin::Collection(table, collection) => write!(f, "{table}:{collection}"),
        }
    }
}

/// `planForward`: refusal outranks conflict (`lanes.md` 10).
///
/// The first statement that originates names the refusal. A table among the lane's `partitioned` skips the check, for
/// *each* statement on it, not only for the insert that minted.
pub fn plan_forward(rules: &Rules, facts: &ForwardFacts<'_>) -> ForwardPlan {
    if !facts.parent.is_finite() || facts.parent.js_lt(Number::ZERO) {
        return ForwardPlan::Refuse(ForwardRefusal::Parent);
    }
    if facts.statements.is_empty() {
        return ForwardPlan::Refuse(ForwardRefusal::Empty);
    }
    let partitioned = admitted(rules, facts.partitioned.iter().map(Text::as_str));
    let checked = facts
        .statements
        .iter()
        .filter(|statement| !partitioned.contains(&statement.folded_table()));
    if let Some(origin) = checked
        .into_iter()
        .find_map(|statement| origination(rules, statement))
    {
        return ForwardPlan::Refuse(ForwardRefusal::Originates(origin));
    }
    if facts.parent.js_eq(facts.primary_generation) {
        ForwardPlan::Commit
    } else {
        ForwardPlan::Conflict(ForwardConflict {
            parent: facts.parent,
            primary_generation: facts.primary_generation,
        })
    }
}

/// What a statement originates, if it does.
fn origination(rules: &Rules, statement: &ForwardStatement) -> Option<Origin> {
    let entry = (rules.forwarding.key_value_target)(rules, statement);
    let hazard = (rules.inventory.hazard)(
        rules,
        &StateKey {
            table: statement.table_name(),
            collection: entry.as_ref().map(|entry| entry.collection.as_str()),
            name: entry.as_ref().map(|entry| entry.name.as_str()),
        },
    );
    let table = || Text::new(statement.table_name());
    (hazard == Hazard::Origination).then(|| match entry {
        // An empty collection is none to the deployed code.
        Some(entry) if !entry.collection.is_empty() => Origin::Collection(table(), entry.collection),
        _ if statement.table_name().is_empty() => Origin::Unnamed,
        _ => Origin::Table(table()),
    })
}
