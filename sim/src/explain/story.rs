//! The story of a violation: its causal past, in order, in words, with what is routine left out.

mod length;

use std::collections::BTreeSet;

use protocol::host::Text;

use super::account::{Account, Arrow};
use super::futures::Futures;
use super::line::{Line, StepFacts, lines_of};
use crate::check::Violation;
use crate::kernel::StepId;
use crate::world::{PlanOf, Weight, World};
use length::{without_middle, without_repeats};

/// How much of a line's text a terminal's line takes.
const TEXT_WIDTH: usize = 62;

/// What stands in a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Something happens.
    Line(Box<Line>),
    /// The lines before, so many of them, come again so often; then they come once more, as told next.
    Again {
        /// How many lines.
        lines: usize,
        /// How often.
        times: usize,
        /// What they say in between.
        hidden: Vec<Line>,
    },
    /// Something that is left out, so that the rest can be read.
    LeftOut {
        /// What it says.
        hidden: Vec<Line>,
    },
}

impl From<Line> for Entry {
    fn from(line: Line) -> Self {
        Entry::Line(Box::new(line))
    }
}

impl Entry {
    /// The lines in it that are not told one by one.
    #[must_use]
    pub fn hidden(&self) -> &[Line] {
        match self {
            Entry::Line(_) => &[],
            Entry::Again { hidden, .. } | Entry::LeftOut { hidden } => hidden,
        }
    }

    /// How many lines of a terminal it takes, about.
    fn height(&self) -> usize {
        match self {
            Entry::Line(line) => line.text.chars().count().div_ceil(TEXT_WIDTH).max(1),
            Entry::Again { .. } | Entry::LeftOut { .. } => 1,
        }
    }
}

/// A story.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    /// What happens, in order.
    pub entries: Vec<Entry>,
    /// How many steps of the run the violation does not depend on.
    pub elsewhere: usize,
    /// How many it depends on that only carry on: confirmations, timers, reads of the configuration.
    pub routine: usize,
}

impl Story {
    /// Tells what these steps were, which led to the violation. In the judged one it was seen.
    #[must_use]
    pub fn of<W: World>(
        account: &Account,
        past: &BTreeSet<StepId>,
        plan: &PlanOf<W>,
        violation: &Violation,
        judged: Option<StepId>,
    ) -> Self {
        let steps = account.steps.iter().filter(|(step, _)| past.contains(step));
        let faults = account
            .arrows
            .iter()
            .filter(|(_, struck, arrow)| *arrow == Arrow::Plan && past.contains(struck));
        let faults: BTreeSet<StepId> = faults.map(|(begun, ..)| *begun).collect();
        let facts = |step| StepFacts {
            is_judged: judged == Some(step),
            begins_fault: faults.contains(&step),
            wrong: &violation.detail,
        };
        let all = steps.flat_map(|(step, happened)| lines_of::<W>(*step, happened, plan, facts(*step)));
        let lines: Vec<Line> = all.filter(|line| line.weight == Weight::Tells).collect();
        let told: BTreeSet<StepId> = lines.iter().map(|line| line.step).collect();
        let lines = interleaved(lines, &account.waits);
        let entries = without_middle(without_repeats(lines));
        Story {
            entries,
            elsewhere: account.steps.keys().filter(|step| !past.contains(step)).count(),
            routine: account.steps.keys().filter(|step| past.contains(step)).count() - told.len(),
        }
    }

    /// The lines that are told.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Line(line) => Some(&**line),
            Entry::Again { .. } | Entry::LeftOut { .. } => None,
        })
    }

    /// The steps that are not told one by one, after the last one before this whose odds are known: where they jump between
    /// the two, it was in one of these.
    pub(super) fn hidden_before(&self, step: StepId, futures: &Futures) -> Vec<StepId> {
        let known = futures.after.range(..step).next_back().map(|(known, _)| *known);
        let hidden = self.entries.iter().flat_map(Entry::hidden).map(|line| line.step);
        let between: BTreeSet<StepId> = hidden
            .filter(|hidden| known.is_none_or(|known| known < *hidden) && *hidden < step)
            .collect();
        between.into_iter().collect()
    }

    /// Tells a step by itself that is not told one by one.
    pub(super) fn unfold(&mut self, step: StepId) {
        let is_it = |line: &Line| line.step == step;
        let Some(at) = self
            .entries
            .iter()
            .position(|entry| entry.hidden().iter().any(is_it))
        else {
            return;
        };
        let hidden = self.entries[at].hidden().to_vec();
        let from = hidden.iter().position(is_it).expect("it is one of them");
        let (before, rest) = hidden.split_at(from);
        let own = rest.iter().take_while(|line| is_it(line)).count();
        let (own, after) = rest.split_at(own);
        let left_out = |lines: &[Line]| {
            (!lines.is_empty()).then(|| Entry::LeftOut {
                hidden: lines.to_vec(),
            })
        };
        let unfolded = left_out(before)
            .into_iter()
            .chain(own.iter().cloned().map(Entry::from))
            .chain(left_out(after));
        self.entries.splice(at..=at, unfolded);
    }
}

/// Says of what comes between a call and its answer, at one of the two who talk and from elsewhere, that it does.
fn interleaved(mut lines: Vec<Line>, waits: &[(StepId, StepId)]) -> Vec<Line> {
    let mut said = BTreeSet::new();
    for at in 0..lines.len() {
        let Some(awaits) = lines[at].awaits.clone() else {
            continue;
        };
        let (step, origin) = (lines[at].step, lines[at].origin.clone());
        let Some((_, answered)) = waits.iter().find(|(begun, _)| *begun == step) else {
            continue;
        };
        let talking: Vec<Text> = lines[at].asks.iter().chain([&lines[at].party]).cloned().collect();
        let between = lines.iter().position(|other| {
            let is_between = step < other.step && other.step < *answered;
            is_between && talking.contains(&other.party) && other.origin.is_some() && other.origin != origin
        });
        if let Some(between) = between
            && said.insert(between)
        {
            let awaits = awaits_of(&awaits, &lines[between].who);
            lines[between].comes_before(&awaits);
        }
    }
    lines
}

/// What is waited for, as it is said beside what somebody does: whoever is to answer has another request before it.
fn awaits_of(awaits: &str, who: &str) -> String {
    match awaits.strip_suffix(" answers") {
        Some(asked) if asked == who => "it answers another request".to_owned(),
        Some(asked) => format!("{asked} answers another request"),
        None => awaits.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Micros;

    pub(super) fn line(step: u64, party: &'static str, kind: &str) -> Line {
        Line {
            step: StepId(step),
            at: Micros(step),
            who: party.to_owned(),
            text: format!("does {kind}"),
            item: None,
            party: Text::new_static(party),
            asks: Vec::new(),
            awaits: None,
            begins_fault: false,
            writes_what_is_wrong: false,
            opening: String::new(),
            kind: kind.to_owned(),
            weight: Weight::Tells,
            origin: Some(crate::kernel::Origin::Item(step as u32)),
        }
    }

    pub(super) fn told(entries: &[Entry]) -> Vec<String> {
        let told = entries.iter().map(|entry| match entry {
            Entry::Line(line) => format!("{} {}", line.step.0, line.text),
            Entry::Again { lines, times, .. } => format!("{lines} lines {times} times"),
            Entry::LeftOut { hidden } => format!("{} left out", hidden.len()),
        });
        told.collect()
    }

    #[test]
    fn what_comes_between_a_call_and_its_answer_is_said_to() {
        let mut asks = line(1, "lane", "ask");
        asks.awaits = Some("the log comes".to_owned());
        asks.asks = vec![Text::new_static("primary")];
        let lines = vec![
            asks,
            line(2, "other", "x"),
            line(3, "primary", "seal"),
            line(5, "lane", "apply"),
        ];
        let lines = interleaved(lines, &[(StepId(1), StepId(4))]);
        let texts: Vec<_> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "does ask",
                "does x",
                "before the log comes, does seal",
                "does apply"
            ]
        );
    }

    #[test]
    fn who_is_to_answer_has_another_request_before_it() {
        let awaits = "the primary answers";
        assert_eq!(awaits_of(awaits, "the primary"), "it answers another request");
        assert_eq!(
            awaits_of(awaits, "front 0"),
            "the primary answers another request"
        );
        assert_eq!(awaits_of("the log comes", "front 0"), "the log comes");
    }

    #[test]
    fn what_comes_while_the_same_is_waited_for_is_said_once() {
        let told = |opening: &str| {
            let mut line = line(1, "lane", "x");
            line.opening = opening.to_owned();
            line.text = format!("{opening}, does x");
            line.comes_before("the log comes");
            line.text
        };
        assert_eq!(
            told("once the log comes"),
            "once the log comes, which another request asked for, does x"
        );
        assert_eq!(
            told("once KV answers"),
            "once KV answers, and before the log comes, does x"
        );
    }

    #[test]
    fn a_hidden_step_is_told_by_itself() {
        let lines: Vec<_> = (0..100)
            .map(|nth| Entry::from(line(nth, "a", &nth.to_string())))
            .collect();
        let mut story = Story {
            entries: without_middle(lines),
            ..Story::default()
        };
        story.unfold(StepId(40));
        assert_eq!(
            told(&story.entries)[..3],
            ["40 left out", "40 does 40", "44 left out"]
        );
        let all: usize = story.entries.iter().map(|entry| entry.hidden().len()).sum();
        assert_eq!(all + story.lines().count(), 100, "nothing is lost");
    }
}
