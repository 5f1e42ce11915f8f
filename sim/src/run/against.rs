//! A run, held against a history that was recorded.

use std::fmt;

use super::Line;
use crate::kernel::{Observed, Observer};

/// Holds a run against a history, up to where they part.
#[derive(Clone, Debug)]
pub struct Against<'a> {
    recorded: &'a [Line],
    /// How many lines were the same.
    same: usize,
    /// The first one that was another.
    other: Option<Line>,
}

/// Where a run and the history part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// The line of the history, from 1.
    pub nth: usize,
    /// What it says; none where the history is over.
    pub expected: Option<Line>,
    /// What has happened; none where the run is over.
    pub came: Option<Line>,
}

impl<'a> Against<'a> {
    /// Against this history.
    #[must_use]
    pub fn history(recorded: &'a [Line]) -> Self {
        Against {
            recorded,
            same: 0,
            other: None,
        }
    }

    /// Where they part, now that the run is over; none where they do not.
    #[must_use]
    pub fn parting(&self) -> Option<Parting> {
        let expected = self.recorded.get(self.same);
        if expected.is_none() && self.other.is_none() {
            return None;
        }
        Some(Parting {
            nth: self.same + 1,
            expected: expected.cloned(),
            came: self.other.clone(),
        })
    }
}

impl Observer for Against<'_> {
    fn observe(&mut self, seen: &Observed<'_>) {
        if self.other.is_some() {
            return;
        }
        let line = Line::of(seen);
        if self.recorded.get(self.same) == Some(&line) {
            self.same += 1;
        } else {
            self.other = Some(line);
        }
    }
}

impl fmt::Display for Parting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |line: &Option<Line>, none: &str| line.as_ref().map_or_else(|| none.to_owned(), tell);
        write!(
            f,
            "line {} of the history: expected {}; came {}",
            self.nth,
            told(&self.expected, "nothing more"),
            told(&self.came, "nothing more")
        )
    }
}

/// A line of a history for people. It may come from any file.
pub(super) fn tell(line: &Line) -> String {
    let Line {
        step, at, who, what, ..
    } = line;
    let told = format!("step {} at {at}, {who}: `{what}`", step.0);
    let plain = |character: char| if character.is_control() { ' ' } else { character };
    told.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use protocol::host::Text;

    use super::*;
    use crate::kernel::{Micros, StepId, What};

    fn parting(recorded: u64, happens: u64) -> Option<Parting> {
        let who = Text::new_static("toy/a");
        let seen = |nth| Observed {
            step: StepId(nth),
            at: Micros::from_millis(nth),
            who: &who,
            what: What::Confirmed { nth },
        };
        let recorded: Vec<Line> = (0..recorded).map(|nth| Line::of(&seen(nth))).collect();
        let mut against = Against::history(&recorded);
        (0..happens).for_each(|nth| against.observe(&seen(nth)));
        against.parting()
    }

    #[test]
    fn the_same_history_does_not_part() {
        assert_eq!(parting(3, 3), None);
    }

    #[test]
    fn one_that_is_over_parts_at_its_end() {
        let told = |recorded, happens| parting(recorded, happens).expect("they part").to_string();
        let line = "step 2 at 0.002 s, toy/a: `commit no. 2 is durable`";
        assert_eq!(
            told(3, 2),
            format!("line 3 of the history: expected {line}; came nothing more")
        );
        assert_eq!(
            told(2, 3),
            format!("line 3 of the history: expected nothing more; came {line}")
        );
    }
}
