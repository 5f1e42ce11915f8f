//! Why a forwarded write could go wrong.

use std::fmt;

use crate::lanes::inventory::{StateClass, StateKey};
use crate::lanes::rules::Rules;

/// The tables that hand out values: Drupal's id service, and SQLite's own.
const ALLOCATION: [&str; 2] = ["sequences", "sqlite_sequence"];

/// What a lane's write of something needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hazard {
    /// Nothing: it is nobody's truth.
    None,
    /// To be ordered with the primary's own writes.
    Ordering,
    /// To be made by the primary: it creates a value that only one may create, or nobody knows what it is.
    Origination,
}

/// The contract's name of it.
impl fmt::Display for Hazard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Hazard::None => "none",
            Hazard::Ordering => "ordering",
            Hazard::Origination => "origination",
        })
    }
}

/// `hazardClass` (`lanes.md` 10). No table is the empty text.
///
/// A collection named `state` makes *any* authoritative table an origination, not only the two that have collections.
pub fn hazard_class(rules: &Rules, key: &StateKey<'_>) -> Hazard {
    if key.table.is_empty() || is_allocation(&key.table.to_lowercase()) {
        return Hazard::Origination;
    }
    match (rules.inventory.classify)(key) {
        StateClass::LocalEphemeral => Hazard::None,
        StateClass::Authoritative if key.collection == Some("state") => Hazard::Origination,
        StateClass::Authoritative | StateClass::ReplicableDerived => Hazard::Ordering,
        StateClass::Unknown | StateClass::PrimaryOnlySideEffect => Hazard::Origination,
    }
}

/// Whether a table, in lower case, hands out values: no partition of ids covers it.
pub(super) fn is_allocation(table: &str) -> bool {
    ALLOCATION.contains(&table)
}
