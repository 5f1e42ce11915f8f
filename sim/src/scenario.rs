//! Scenarios: what a plan generator is told, one TOML file each.

use protocol::host::Text;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::kernel::{Knobs, Micros};

/// A scenario of one world.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Scenario<Own> {
    /// The name of its file, without the ending.
    #[serde(skip)]
    pub name: Text,
    /// Which world it is of.
    pub world: Text,
    /// What it is for, in a line.
    pub purpose: Text,
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

/// A scenario file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("scenario `{name}`: {error}")]
pub struct ScenarioError {
    name: Text,
    error: toml::de::Error,
}

/// The scenarios that come with the tool, by name.
const BUILT_IN: &[(&str, &str)] = &[(
    "demonstration",
    include_str!("../../scenarios/demonstration.toml"),
)];

/// The names of all scenarios.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

/// Reads the scenario of a name; `None` where there is none.
///
/// # Errors
/// [`ScenarioError`] with line, column and field, when the file says what a generator does not understand.
pub fn load<Own: DeserializeOwned>(name: &str) -> Option<Result<Scenario<Own>, ScenarioError>> {
    let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
    let name = Text::new(name);
    Some(match toml::from_str::<Scenario<Own>>(text) {
        Ok(scenario) => Ok(Scenario { name, ..scenario }),
        Err(error) => Err(ScenarioError { name, error }),
    })
}
