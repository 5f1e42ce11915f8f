//! The story of a violation: its causal past, in order, in words, with what is routine left out.

use std::collections::BTreeSet;

use protocol::host::Text;

use super::account::{Account, Arrow};
use super::futures::Futures;
use super::line::{Beside, Line, lines_of};
use crate::kernel::StepId;
use crate::world::{PlanOf, Weight, World};

/// How many lines of a terminal a story takes at most, about: what is left out of its middle takes one too.
const HEIGHT_MOST: usize = 28;

/// How many of them tell in any case of its end: what led there at last.
const HEIGHT_OF_LAST: usize = 17;

/// How many tell of the plan before that: its items, what its clients are told, and the faults that chance adds.
const HEIGHT_OF_PLAN: usize = 8;

/// How much of a line's text a terminal's line takes.
const TEXT_WIDTH: usize = 62;

/// The longest row of lines that is looked for as one that repeats itself.
const REPEATED_MOST: usize = 8;

/// How often it must come in a row, before it is told as that.
const TIMES_LEAST: usize = 3;

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
    /// Tells what these steps were. In the judged one the violation was seen.
    #[must_use]
    pub fn of<W: World>(
        account: &Account,
        past: &BTreeSet<StepId>,
        plan: &PlanOf<W>,
        judged: Option<StepId>,
    ) -> Self {
        let steps = account.steps.iter().filter(|(step, _)| past.contains(step));
        let faults = account
            .arrows
            .iter()
            .filter(|(_, struck, arrow)| *arrow == Arrow::Plan && past.contains(struck));
        let faults: BTreeSet<StepId> = faults.map(|(begun, ..)| *begun).collect();
        let beside = |step| Beside {
            is_judged: judged == Some(step),
            begins_fault: faults.contains(&step),
        };
        let all = steps.flat_map(|(step, happened)| lines_of::<W>(*step, happened, plan, beside(*step)));
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

/// Tells a row of lines that comes again and again once, says how often it comes, and tells the last time.
fn without_repeats(lines: Vec<Line>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let (size, times) = repeated(&lines[at..]);
        if times < TIMES_LEAST {
            entries.push(Entry::from(lines[at].clone()));
            at += 1;
            continue;
        }
        let block = |nth: usize| {
            lines[at + nth * size..at + (nth + 1) * size]
                .iter()
                .cloned()
                .map(Entry::from)
        };
        entries.extend(block(0));
        entries.push(Entry::Again {
            lines: size,
            times: times - 2,
            hidden: lines[at + size..at + (times - 1) * size].to_vec(),
        });
        entries.extend(block(times - 1));
        at += size * times;
    }
    entries
}

/// The row at the beginning of these lines that repeats itself over the most of them, and how often.
fn repeated(lines: &[Line]) -> (usize, usize) {
    let same = |one: &Line, other: &Line| (&one.party, &one.kind) == (&other.party, &other.kind);
    let times = |size: usize| {
        let blocks = lines.chunks_exact(size);
        blocks
            .take_while(|block| block.iter().zip(lines).all(|(one, other)| same(one, other)))
            .count()
    };
    let sizes = 1..=REPEATED_MOST.min(lines.len() / TIMES_LEAST);
    let found = sizes
        .map(|size| (size, times(size)))
        .filter(|(_, times)| *times >= TIMES_LEAST);
    // Of two that cover as much, the shorter one.
    found
        .rev()
        .max_by_key(|(size, times)| size * times)
        .unwrap_or((1, 1))
}

/// Leaves out of a story that is too long what stands before its end, but for the last lines there that tell of the plan.
fn without_middle(entries: Vec<Entry>) -> Vec<Entry> {
    if entries.iter().map(Entry::height).sum::<usize>() <= HEIGHT_MOST {
        return entries;
    }
    // The last one stays however long it is: there the violation was seen.
    let last = fitting(&entries, entries.len(), HEIGHT_OF_LAST, |_| true);
    let last = last.first().copied().unwrap_or(entries.len().saturating_sub(1));
    let is_of_plan =
        |entry: &Entry| matches!(entry, Entry::Line(line) if line.item.is_some() || line.begins_fault);
    let of_plan = fitting(&entries, last, HEIGHT_OF_PLAN, is_of_plan);
    let mut kept: Vec<Entry> = Vec::new();
    for (at, entry) in entries.into_iter().enumerate() {
        if at >= last || of_plan.contains(&at) {
            kept.push(entry);
            continue;
        }
        let lines = match entry {
            Entry::Line(line) => vec![*line],
            Entry::Again { hidden, .. } | Entry::LeftOut { hidden } => hidden,
        };
        match kept.last_mut() {
            Some(Entry::LeftOut { hidden }) => hidden.extend(lines),
            _ => kept.push(Entry::LeftOut { hidden: lines }),
        }
    }
    kept
}

/// The places of the last of these entries before one of them that are so, as many as fit into a height.
fn fitting(entries: &[Entry], before: usize, height: usize, is: impl Fn(&Entry) -> bool) -> Vec<usize> {
    let mut left = height;
    let mut places = Vec::new();
    for at in (0..before).rev().filter(|at| is(&entries[*at])) {
        let Some(rest) = left.checked_sub(entries[at].height()) else {
            break;
        };
        left = rest;
        places.push(at);
    }
    places.reverse();
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Micros;

    fn line(step: u64, party: &'static str, kind: &str) -> Line {
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
            opening: String::new(),
            kind: kind.to_owned(),
            weight: Weight::Tells,
            origin: Some(crate::kernel::Origin::Item(step as u32)),
        }
    }

    fn told(entries: &[Entry]) -> Vec<String> {
        let told = entries.iter().map(|entry| match entry {
            Entry::Line(line) => format!("{} {}", line.step.0, line.text),
            Entry::Again { lines, times, .. } => format!("{lines} lines {times} times"),
            Entry::LeftOut { hidden } => format!("{} left out", hidden.len()),
        });
        told.collect()
    }

    #[test]
    fn a_row_that_repeats_itself_is_told_once_and_at_its_end() {
        let mut lines = vec![line(0, "a", "x")];
        for nth in 0..5 {
            lines.push(line(1 + 2 * nth, "a", "pull"));
            lines.push(line(2 + 2 * nth, "b", "log"));
        }
        lines.push(line(20, "a", "x"));
        let entries = without_repeats(lines);
        assert_eq!(
            told(&entries),
            [
                "0 does x",
                "1 does pull",
                "2 does log",
                "2 lines 3 times",
                "9 does pull",
                "10 does log",
                "20 does x"
            ]
        );
    }

    #[test]
    fn twice_is_no_repetition() {
        let lines: Vec<_> = (0..4)
            .map(|nth| line(nth, "a", ["x", "y"][nth as usize % 2]))
            .collect();
        assert_eq!(without_repeats(lines).len(), 4);
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
    fn a_long_story_keeps_the_plan_and_its_end() {
        let mut lines: Vec<_> = (0..100)
            .map(|nth| Entry::from(line(nth, "a", &nth.to_string())))
            .collect();
        if let Entry::Line(line) = &mut lines[10] {
            line.item = Some(7);
        }
        let kept = without_middle(lines);
        assert_eq!(kept.len(), HEIGHT_OF_LAST + 3);
        assert_eq!(told(&kept)[..3], ["10 left out", "10 does 10", "72 left out"]);
    }

    #[test]
    fn long_lines_count_for_what_they_take() {
        let long = |nth| {
            let mut line = line(nth, "a", &nth.to_string());
            line.text = "long ".repeat(30);
            line.item = Some(1);
            Entry::from(line)
        };
        let kept = without_middle((0..100).map(long).collect());
        let height: usize = kept.iter().map(Entry::height).sum();
        assert!(height <= HEIGHT_MOST, "{height}");
        assert!(matches!(kept.last(), Some(Entry::Line(line)) if line.step.0 == 99));
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
            ["40 left out", "40 does 40", "42 left out"]
        );
        let all: usize = story.entries.iter().map(|entry| entry.hidden().len()).sum();
        assert_eq!(all + story.lines().count(), 100, "nothing is lost");
    }
}
