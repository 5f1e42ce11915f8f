//! All cases, by what they are about.

mod alarms;
mod commits;
mod errors;
mod identity;
mod interleaving;
mod sql;

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
    ]
}
