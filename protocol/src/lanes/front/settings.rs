//! The variables that a front goes by.

use super::TRUST;
use crate::host::{Millis, Text};
use crate::lanes::object::Variables;
use crate::lanes::rules::Rules;
use crate::number::Number;

/// What the deployment's variables say to a front, overrides included.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Settings {
    /// `REPLICA_COUNT`: how many lanes there are at least.
    pub replica_count: Number,
    /// `WRITE_FORWARD`: whether a lane may be asked to write.
    pub write_forward: bool,
}

/// The variables that a front reads, by the names of their overrides (`lanes.md` 22.6).
pub(super) const READ: [&str; 2] = ["REPLICA_COUNT", "WRITE_FORWARD"];

impl Settings {
    /// What the variables say, each under its override if there is one.
    pub(super) fn read(rules: &Rules, variables: &Variables, overrides: &[Option<Text>]) -> Self {
        let over = |at: usize| overrides.get(at).and_then(Option::as_deref);
        let count = over(0).or(variables.replica_count.as_deref());
        let forward = over(1).or(variables.write_forward.as_deref());
        Settings {
            replica_count: (rules.settings.replica_count)(count),
            write_forward: (rules.settings.write_forward)(forward),
        }
    }
}

/// The KV key of a variable's override.
pub(super) fn override_key(name: &str) -> String {
    format!("env:{name}")
}

/// Whether what was learnt then can still be gone by.
pub(super) fn holds(learnt: Millis, now: Millis) -> bool {
    now.since(learnt) < TRUST
}
