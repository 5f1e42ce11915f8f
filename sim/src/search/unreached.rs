//! What a sweep should have come by and did not: without it, its green means nothing.

use strum::VariantArray as _;

use super::Tally;
use crate::kernel::FaultKind;
use crate::scenario::Scenario;

/// Why a mark must be passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// It is a goal of the scenario: its place among them, from 0.
    Goal(usize),
    /// This knob of the scenario has the fault begin at a rate above zero.
    Knob(&'static str),
}

/// A mark that no run has passed, although one should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    /// The mark.
    pub mark: String,
    /// Why it should.
    pub wanted: Wanted,
}

/// The marks that no run of a scenario has passed: goals first, then kinds of faults.
#[must_use]
pub fn unreached<Own>(scenario: &Scenario<Own>, tally: &Tally) -> Vec<Unreached> {
    let goals = scenario.goals.iter().enumerate().map(|(nth, goal)| Unreached {
        mark: goal.to_string(),
        wanted: Wanted::Goal(nth),
    });
    let faults = FaultKind::VARIANTS.iter().filter_map(|kind| {
        let switch = scenario.knobs.switch(*kind);
        let knob = switch.knob.filter(|_| switch.is_on())?;
        Some(Unreached {
            mark: format!("fault {}", kind.name()),
            wanted: Wanted::Knob(knob),
        })
    });
    goals
        .chain(faults.filter(|fault| !scenario.goals.iter().any(|goal| *goal == fault.mark)))
        .filter(|wanted| tally.marks.count(&wanted.mark) == 0)
        .collect()
}
