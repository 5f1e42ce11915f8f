//! The history of a run, as lines for people.

use protocol::host::Text;
use serde::{Deserialize, Serialize};

use crate::kernel::{Micros, Observed, Observer, StepId, What};

/// One line of a run's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// During which step.
    pub step: StepId,
    /// When.
    pub at: Micros,
    /// To whom.
    pub who: Text,
    /// What.
    pub what: Text,
    /// The step that this one was sent, set or begun in, where a turn begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<StepId>,
}

/// Keeps the history of a run.
#[derive(Clone, Debug, Default)]
pub struct History(pub Vec<Line>);

impl Line {
    /// What was seen, as a line.
    pub(super) fn of(seen: &Observed<'_>) -> Self {
        let cause = if let What::Delivered { cause, .. } = seen.what {
            cause
        } else {
            None
        };
        Line {
            step: seen.step,
            at: seen.at,
            who: seen.who.clone(),
            what: Text::from(seen.what.to_string()),
            cause,
        }
    }
}

impl Observer for History {
    fn observe(&mut self, seen: &Observed<'_>) {
        self.0.push(Line::of(seen));
    }
}
