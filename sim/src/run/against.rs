//! A run, held against a history that was recorded.

use std::fmt;

use super::Line;
use crate::kernel::{Observed, Observer};
use crate::printable::one_line;

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
        let told = |line: &Option<Line>| line.as_ref().map_or_else(|| "nothing more".to_owned(), tell);
        let (mut expected, mut came) = (told(&self.expected), told(&self.came));
        if expected == came {
            // Then they differ in what brought them about.
            for (told, line) in [(&mut expected, &self.expected), (&mut came, &self.came)] {
                let cause = line.as_ref().and_then(|line| line.cause);
                *told += &cause.map_or_else(
                    || ", which no step brought about".to_owned(),
                    |cause| format!(", brought about by step {}", cause.0),
                );
            }
        }
        let (expected, came) = around_difference(&expected, &came);
        write!(
            f,
            "line {} of the history: expected {expected}; came {came}",
            self.nth
        )
    }
}

/// A line of a history for people. It may come from any file.
pub(super) fn tell(line: &Line) -> String {
    let Line {
        step, at, who, what, ..
    } = line;
    format!("step {} at {at}, {}: `{}`", step.0, one_line(who), one_line(what))
}

/// How much of a line is told before the first difference, and from there on.
const AROUND: usize = 160;

/// Two lines, without what is far from where they part.
pub(super) fn around_difference(one: &str, other: &str) -> (String, String) {
    let same = one
        .chars()
        .zip(other.chars())
        .take_while(|(one, other)| one == other);
    let from = same.count().saturating_sub(AROUND);
    let cut = |text: &str| {
        let rest = text.chars().skip(from);
        let told: String = rest.clone().take(2 * AROUND).collect();
        let before = if from > 0 { "…" } else { "" };
        let after = if rest.count() > 2 * AROUND { "…" } else { "" };
        format!("{before}{told}{after}")
    };
    (cut(one), cut(other))
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

    #[test]
    fn two_lines_that_part_never_look_the_same() {
        let line = |what: &'static str, cause| Line {
            step: StepId(7),
            at: Micros::from_millis(7),
            who: Text::new_static("toy/a"),
            what: Text::new_static(what),
            cause,
        };
        let long: &'static str = Box::leak(format!("{}a", "x".repeat(5_000)).into_boxed_str());
        let other: &'static str = Box::leak(format!("{}b", "x".repeat(5_000)).into_boxed_str());
        let cases = [
            (line("x", None), line("x", Some(StepId(3)))),
            (line("x", Some(StepId(2))), line("x", Some(StepId(3)))),
            (line("x\n", None), line("x ", None)),
            (line("x\u{200b}", None), line("x", None)),
            (line(long, None), line(other, None)),
        ];
        for (expected, came) in cases {
            let parting = Parting {
                nth: 1,
                expected: Some(expected),
                came: Some(came),
            };
            let told = parting.to_string();
            let (_, both) = told.split_once("expected ").expect("it says what was expected");
            let (expected, came) = both.split_once("; came ").expect("and what came");
            assert_ne!(expected, came, "{told}");
            assert!(told.len() < 2_000, "{told}");
            assert!(!told.contains(char::is_control), "{told:?}");
        }
    }
}
