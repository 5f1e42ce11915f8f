//! What a copy must hold before it can serve.

use std::fmt;

use crate::host::Text;
use crate::lanes::inventory::{StateClass, StateKey, classify_state};

/// Entries of the collection `state` that a copy must hold: the identity of the site. The private key is certain, the
/// others are believed (`lanes.md` 6 and 8).
pub const MANDATORY_STATE: [&str; 4] = [
    "system.private_key",
    "system.cron_key",
    "install_time",
    "install_task",
];

/// Collections of which a copy must hold at least one entry (`lanes.md` 6).
pub const MANDATORY_COLLECTIONS: [&str; 1] = ["system.schema"];

/// An entry of a `key_value` table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateEntry {
    /// Its collection.
    pub collection: Text,
    /// Its name.
    pub name: Text,
}

/// Something mandatory that is not there. Prints as the wire names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Missing {
    /// An entry of the collection `state`: `state:<name>`.
    State(&'static str),
    /// A whole collection: `<collection>:*`.
    Collection(&'static str),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::State(name) => write!(f, "state:{name}"),
            Missing::Collection(collection) => write!(f, "{collection}:*"),
        }
    }
}

/// What is mandatory and not there, entries first (`lanes.md` 6). The order is ours; nobody knows the deployed one.
pub fn missing_mandatory(present: &[StateEntry], collections: &[Text]) -> Vec<Missing> {
    let has_entry = |name: &str| {
        present
            .iter()
            .any(|entry| entry.collection == "state" && entry.name == name)
    };
    let has_collection = |name: &str| collections.iter().any(|collection| collection == name);
    let entries = MANDATORY_STATE
        .into_iter()
        .filter(|name| !has_entry(name))
        .map(Missing::State);
    let whole = MANDATORY_COLLECTIONS
        .into_iter()
        .filter(|name| !has_collection(name))
        .map(Missing::Collection);
    entries.chain(whole).collect()
}

/// Mandatory things that the inventory does not call authoritative. It must answer nothing: what a lane cannot serve
/// without must be what the log carries (`lanes.md` 6).
pub fn inconsistent_mandatory() -> Vec<Missing> {
    let is_truth = |collection, name| {
        classify_state(&StateKey {
            table: "key_value",
            collection: Some(collection),
            name,
        }) == StateClass::Authoritative
    };
    let entries = MANDATORY_STATE
        .into_iter()
        .filter(|name| !is_truth("state", Some(name)))
        .map(Missing::State);
    let whole = MANDATORY_COLLECTIONS
        .into_iter()
        .filter(|name| !is_truth(name, None))
        .map(Missing::Collection);
    entries.chain(whole).collect()
}
