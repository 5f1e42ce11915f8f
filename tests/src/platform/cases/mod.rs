//! All cases, by what they are about.

mod alarm_ends;
mod alarms;
mod commits;
mod dialect;
mod errors;
mod identity;
mod interleaving;
mod limits;
mod outside;
mod retries;
mod rollbacks;
mod schema;
mod sql;
mod transactions;

use super::case::Case;

/// All cases: a heading each, and what stands below it.
#[must_use]
pub fn all() -> Vec<(&'static str, Vec<Case>)> {
    vec![
        ("Commits", commits::cases()),
        ("Interleaving", interleaving::cases()),
        ("Output, errors, order", errors::cases()),
        ("Alarms", alarms::cases()),
        ("Identity, memory, time", identity::cases()),
        ("SQL", sql::cases()),
        ("SQL: the dialect", dialect::cases()),
        ("Not shown", outside::cases()),
    ]
}
