//! The story of a violation: its causal past, in order, in words, with what is routine left out.

use std::collections::BTreeSet;

use protocol::host::Text;

use super::account::Account;
use super::line::{Line, lines_of};
use crate::kernel::StepId;
use crate::plan::Item;
use crate::world::{Weight, World};

/// How many lines a story has before its middle is left out.
const LINES_MOST: usize = 40;

/// How many lines of the end stay in any case: what led there at last.
const LAST: usize = 24;

/// How many lines before those tell of the plan: its items, and what its clients are told.
const OF_PLAN: usize = 12;

/// The longest row of lines that is looked for as one that repeats itself.
const REPEATED_MOST: usize = 8;

/// How often it must come in a row, before it is told as that.
const TIMES_LEAST: usize = 3;

/// What stands in a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Something happens.
    Line(Line),
    /// The lines before, so many of them, come again so often; then they come once more, as told next.
    Again {
        /// How many lines.
        lines: usize,
        /// How often.
        times: usize,
    },
    /// Something that is left out, so that the rest can be read.
    LeftOut {
        /// How many lines.
        lines: usize,
    },
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
    /// Tells what these steps were.
    #[must_use]
    pub fn of<W: World>(account: &Account, past: &BTreeSet<StepId>, items: &[Item<W::Operation>]) -> Self {
        let steps = account.steps.iter().filter(|(step, _)| past.contains(step));
        let all = steps.flat_map(|(step, happened)| lines_of::<W>(*step, happened, items));
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
            Entry::Line(line) => Some(line),
            Entry::Again { .. } | Entry::LeftOut { .. } => None,
        })
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
            let text = &mut lines[between].text;
            *text = format!("before {awaits}, {text}");
        }
    }
    lines
}

/// Tells a row of lines that comes again and again once, says how often it comes, and tells the last time.
fn without_repeats(lines: Vec<Line>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let (size, times) = repeated(&lines[at..]);
        if times < TIMES_LEAST {
            entries.push(Entry::Line(lines[at].clone()));
            at += 1;
            continue;
        }
        let block = |nth: usize| {
            lines[at + nth * size..at + (nth + 1) * size]
                .iter()
                .cloned()
                .map(Entry::Line)
        };
        entries.extend(block(0));
        entries.push(Entry::Again {
            lines: size,
            times: times - 2,
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
    if entries.len() <= LINES_MOST {
        return entries;
    }
    let last = entries.len() - LAST;
    let of_plan = |(at, entry): &(usize, &Entry)| {
        *at < last && matches!(entry, Entry::Line(line) if line.item.is_some())
    };
    let of_plan: Vec<usize> = entries
        .iter()
        .enumerate()
        .filter(of_plan)
        .map(|(at, _)| at)
        .collect();
    let of_plan = of_plan[of_plan.len().saturating_sub(OF_PLAN)..].to_vec();
    let mut kept: Vec<Entry> = Vec::new();
    for (at, entry) in entries.into_iter().enumerate() {
        let stays = at >= last || of_plan.contains(&at);
        match (kept.last_mut(), stays) {
            (_, true) => kept.push(entry),
            (Some(Entry::LeftOut { lines }), false) => *lines += 1,
            (_, false) => kept.push(Entry::LeftOut { lines: 1 }),
        }
    }
    kept
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
            kind: kind.to_owned(),
            weight: Weight::Tells,
            origin: Some(crate::kernel::Origin::Item(step as u32)),
        }
    }

    fn told(entries: &[Entry]) -> Vec<String> {
        let told = entries.iter().map(|entry| match entry {
            Entry::Line(line) => format!("{} {}", line.step.0, line.text),
            Entry::Again { lines, times } => format!("{lines} lines {times} times"),
            Entry::LeftOut { lines } => format!("{lines} left out"),
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
    fn a_long_story_keeps_the_plan_and_its_end() {
        let mut lines: Vec<_> = (0..100)
            .map(|nth| Entry::Line(line(nth, "a", &nth.to_string())))
            .collect();
        if let Entry::Line(line) = &mut lines[10] {
            line.item = Some(7);
        }
        let kept = without_middle(lines);
        assert_eq!(kept.len(), LAST + 3);
        assert_eq!(told(&kept)[..3], ["10 left out", "10 does 10", "65 left out"]);
    }
}
