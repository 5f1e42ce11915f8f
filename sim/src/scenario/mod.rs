//! Scenarios: what a plan generator is told, one TOML file each.

mod check;
mod error;
mod explain;
mod source;

use protocol::host::Text;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::kernel::{Knobs, Micros};

pub use error::ScenarioError;
pub use explain::{did_you_mean, unknown};
pub use source::{Source, built_in, find, names};

/// A scenario of one world.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Scenario<Own> {
    /// The path of its file below the folder of scenarios, without the ending.
    #[serde(skip)]
    pub name: Text,
    /// Which world it is of.
    pub world: Text,
    /// What it is for, in a line.
    pub purpose: Text,
    /// Its share of the seeds of a sweep over several scenarios; at least 1.
    #[serde(default = "default_weight")]
    #[schemars(range(min = 1))]
    pub weight: u32,
    /// From how many seeds on a sweep that never passes a goal, or never has a fault of the knobs take effect, has shown
    /// nothing; at least 1.
    #[serde(default = "default_least_seeds")]
    #[schemars(range(min = 1))]
    pub least_seeds: u64,
    /// The marks that a sweep of so many seeds must pass: `await LABEL`, `note LABEL`, `fault KIND`, `subject INVARIANT`.
    #[serde(default)]
    pub goals: Vec<Text>,
    /// How long faults are injected, in milliseconds.
    pub lasts_ms: u64,
    /// How long the world has to come to rest after that, in milliseconds.
    pub settles_ms: u64,
    /// The most that the platform does to a run: each run switches kinds of faults on and off, and draws their rates
    /// from zero up to these.
    #[serde(default = "Knobs::calm")]
    pub knobs: Knobs,
    /// What only this world's generator knows.
    pub generate: Own,
}

const fn default_weight() -> u32 {
    1
}

const fn default_least_seeds() -> u64 {
    100
}

impl<Own> Scenario<Own> {
    /// How long faults are injected.
    #[must_use]
    pub fn lasts(&self) -> Micros {
        Micros::from_millis(self.lasts_ms)
    }

    /// How long the world has to come to rest.
    #[must_use]
    pub fn settles(&self) -> Micros {
        Micros::from_millis(self.settles_ms)
    }
}

/// Reads the built-in scenario of a name; `None` where there is none.
///
/// # Errors
/// [`ScenarioError`] when the file says what a generator does not understand.
pub fn load<Own: DeserializeOwned>(name: &str) -> Option<Result<Scenario<Own>, ScenarioError>> {
    let source = built_in().find(|source| source.name() == name)?;
    Some(source.read())
}
