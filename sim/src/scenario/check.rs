//! What a scenario file says that its types do not refuse.

use super::{Scenario, ScenarioError, Source};
use crate::plan::{LONGEST, PlanError};

/// Checks the fields of every world's scenario.
pub(super) fn check<Own>(scenario: &Scenario<Own>, source: &Source) -> Result<(), ScenarioError> {
    let refuse = |field: &str, reason: &str| source.refuse(&[field], &format!("at {field}: {reason}"));
    if scenario.weight == 0 {
        return Err(refuse(
            "weight",
            "a scenario without weight is never swept: expected at least 1",
        ));
    }
    if scenario.least_seeds == 0 {
        return Err(refuse(
            "least-seeds",
            "no sweep has no seeds: expected at least 1",
        ));
    }
    let most = LONGEST.0 / 1_000;
    for (field, found) in [
        ("lasts-ms", scenario.lasts_ms),
        ("settles-ms", scenario.settles_ms),
    ] {
        if found > most {
            return Err(refuse(field, &format!("{found} is above {most}, a hundred days")));
        }
    }
    for (nth, goal) in scenario.goals.iter().enumerate() {
        if scenario.goals[..nth].contains(goal) {
            let place = ["goals", &nth.to_string()];
            return Err(source.refuse(&place, &format!("at goals: `{goal}` is there twice")));
        }
    }
    scenario.knobs.check().map_err(|error| {
        let (PlanError::Above { field, .. } | PlanError::NoLength { field } | PlanError::Name { field, .. }) =
            error
        else {
            return source.refuse(&["knobs"], &error.to_string());
        };
        source.refuse(&field.split('.').collect::<Vec<_>>(), &error.to_string())
    })
}
