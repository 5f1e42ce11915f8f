//! Scenario files, held against the world that they are of.

use strum::VariantArray as _;

use super::World;
use super::known::{self, Visit};
use crate::check::{GENERAL, Vocabulary};
use crate::kernel::FaultKind;
use crate::plan::PlanError;
use crate::printable::brief;
use crate::scenario::{Scenario, ScenarioError, Source, unknown};

/// Does something with the world that a scenario is of.
///
/// # Errors
/// [`ScenarioError`] where its file does not tell a world that there is.
pub fn with_world_of<V: Visit>(source: &Source, visit: V) -> Result<V::Output, ScenarioError> {
    let world = source.world()?;
    known::with(&world, visit).ok_or_else(|| {
        let worlds = known::all().into_iter().map(|about| about.name);
        source.refuse(&["world"], &unknown("world", &world, worlds))
    })
}

/// Reads a scenario of a world, and checks what only the world can tell.
///
/// # Errors
/// [`ScenarioError`], with the first line that says what cannot be.
pub fn load<W: World>(source: &Source) -> Result<Scenario<W::Scenario>, ScenarioError> {
    let scenario = source.read::<W::Scenario>()?;
    for (nth, goal) in scenario.goals.iter().enumerate() {
        check_mark::<W>(goal).map_err(|reason| source.refuse(&["goals", &nth.to_string()], &reason))?;
    }
    W::check_scenario(&scenario.generate).map_err(|error| match error {
        PlanError::Above { field, .. } => {
            source.refuse(&field.split('.').collect::<Vec<_>>(), &error.to_string())
        }
        _ => source.refuse(&["generate"], &error.to_string()),
    })?;
    Ok(scenario)
}

/// What a world has for identities.
#[must_use]
pub fn vocabulary<W: World>() -> Vocabulary {
    Vocabulary {
        invariants: W::invariants(),
        roles: W::roles(),
    }
}

/// Whether a run of a world could pass a mark.
///
/// # Errors
/// Why it could not, with what comes nearest and what there is.
pub fn check_mark<W: World>(mark: &str) -> Result<(), String> {
    let (kind, name) = mark.split_once(' ').unwrap_or((mark, ""));
    let names: Vec<&str> = match kind {
        "await" | "note" => W::labels().iter().map(|label| label.0).collect(),
        "fault" => FaultKind::VARIANTS.iter().map(|kind| kind.name()).collect(),
        "subject" => {
            let invariants = W::invariants().iter().chain(&GENERAL);
            invariants.map(|invariant| invariant.id).collect()
        }
        _ => {
            return Err(format!(
                "`{}` is no mark: expected `await LABEL`, `note LABEL`, `fault KIND` or `subject INVARIANT`",
                brief(mark)
            ));
        }
    };
    if names.contains(&name) {
        return Ok(());
    }
    Err(unknown(kind, &brief(name), names))
}
