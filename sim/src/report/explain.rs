//! An explanation, for people.

use std::io::{Result, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use similar::{ChangeTag, TextDiff};

use crate::check::{Disagreement, Side};
use crate::explain::{Entry, Explanation, Futures, Line, Odds, Rest};
use crate::printable::{brief, one_line, shortened};
use crate::report::figures::Of;

/// How wide a bar of odds is.
const BAR: u32 = 10;

/// How much of what both values share stands around a difference.
const AROUND: usize = 20;

/// How wide a story is.
const WIDTH: u16 = 118;

/// Tells how it came to a violation: the two values, the story, the turning point.
///
/// # Errors
/// What the writer answers.
pub fn write_explanation(explanation: &Explanation, out: &mut dyn Write) -> Result<()> {
    if let Some(values) = &explanation.violation.values {
        write_values(values, out)?;
    }
    write_story(explanation, out)?;
    if let Some(futures) = &explanation.futures {
        write_turning_point(explanation, futures, out)?;
    }
    Ok(())
}

/// The two values that disagree, one under the other, without most of what they share.
fn write_values(values: &Disagreement, out: &mut dyn Write) -> Result<()> {
    let Disagreement { expected, found } = values;
    let (one, other) = differing(&expected.value, &found.value);
    let width = [expected, found]
        .map(|side| brief(&side.whose).chars().count())
        .into_iter()
        .max();
    let width = width.unwrap_or_default();
    for (sign, Side { whose, .. }, value) in [("-", expected, one), ("+", found, other)] {
        writeln!(out, "  {sign} {:<width$}   {}", brief(whose), brief(&value))?;
    }
    Ok(())
}

/// Two values word by word, with `…` for a long row of words that both have.
fn differing(one: &str, other: &str) -> (String, String) {
    let (one, other) = (one_line(one), one_line(other));
    let diff = TextDiff::from_words(&*one, &*other);
    let mut sides = (String::new(), String::new());
    let mut same = String::new();
    let mut first = true;
    for change in diff.iter_all_changes() {
        let value = change.value();
        if change.tag() == ChangeTag::Equal {
            same += value;
            continue;
        }
        let shared = around(&std::mem::take(&mut same), !first, true);
        first = false;
        sides.0 += &shared;
        sides.1 += &shared;
        match change.tag() {
            ChangeTag::Delete => sides.0 += value,
            _ => sides.1 += value,
        }
    }
    let shared = around(&same, !first, false);
    (sides.0 + &shared, sides.1 + &shared)
}

/// What both have, shortened: its beginning behind a difference, its end before one.
fn around(same: &str, begins: bool, ends: bool) -> String {
    let characters: Vec<char> = same.chars().collect();
    let kept = AROUND * (usize::from(begins) + usize::from(ends));
    if characters.len() <= kept + 1 {
        return same.to_owned();
    }
    let begin = if begins { AROUND } else { 0 };
    let end = if ends {
        characters.len() - AROUND
    } else {
        characters.len()
    };
    let (begin, end) = (&characters[..begin], &characters[end..]);
    format!("{}…{}", String::from_iter(begin), String::from_iter(end))
}

fn write_story(explanation: &Explanation, out: &mut dyn Write) -> Result<()> {
    let story = &explanation.story;
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH);
    let mut nth = 0;
    for entry in &story.entries {
        let left_out = match entry {
            Entry::Line(line) => {
                let odds = is_last_of_step(explanation, nth)
                    .then(|| explanation.futures.as_ref()?.after.get(&line.step))
                    .flatten();
                nth += 1;
                table.add_row(row(explanation, nth, line, odds.copied()));
                continue;
            }
            Entry::Again { lines: 1, times, .. } => format!("… {} more", Of(*times as u64, "time")),
            Entry::Again { lines, times, .. } => {
                format!("… these {lines} lines {} more", Of(*times as u64, "time"))
            }
            Entry::LeftOut { hidden } => format!("… {} left out", Of(hidden.len() as u64, "line")),
        };
        table.add_row(["", "", "", "", &left_out]);
    }
    table.add_row(last_row(explanation));
    for column in [0, 2] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    if let Some(column) = table.column_mut(4) {
        column.set_delimiter(' ');
    }
    writeln!(out, "  how")?;
    for line in table.lines() {
        writeln!(out, "  {}", line.trim_end())?;
    }
    write!(out, "  left out: setting the world up")?;
    let left_out = [
        (story.routine, "that only carry on"),
        (story.elsewhere, "that the violation does not depend on"),
    ];
    for (steps, which) in left_out.iter().filter(|(steps, _)| *steps > 0) {
        write!(out, "; {} {which}", Of(*steps as u64, "step"))?;
    }
    writeln!(out)
}

/// Whether the line of this place is the last one of its step: there its odds stand.
fn is_last_of_step(explanation: &Explanation, at: usize) -> bool {
    let mut from = explanation.story.lines().skip(at).map(|line| line.step);
    let own = from.next();
    from.next() != own
}

fn row(explanation: &Explanation, nth: usize, line: &Line, odds: Option<Odds>) -> [String; 5] {
    let item = line
        .item
        .map_or_else(String::new, |item| format!(" (item {item})"));
    [
        nth.to_string(),
        odds.map(bar).unwrap_or_default(),
        line.at.since(explanation.begins).to_string(),
        line.who.clone(),
        format!("{}{item}", line.text),
    ]
}

/// What is wrong, and when that was seen.
fn last_row(explanation: &Explanation) -> [String; 5] {
    let violation = &explanation.violation;
    [
        String::new(),
        String::new(),
        explanation.ends.since(explanation.begins).to_string(),
        "violated".to_owned(),
        format!(
            "{}: {}",
            violation.invariant,
            shortened(&violation.detail, WRONG_MOST)
        ),
    ]
}

/// How much is told of what is wrong: all of it stands above the story.
const WRONG_MOST: usize = 120;

/// Odds as a bar, and in hundredths.
fn bar(odds: Odds) -> String {
    let full = (odds.percent() * BAR).div_ceil(100);
    let (full, empty) = (full as usize, (BAR - full) as usize);
    format!(
        "{}{} {:>3} %",
        "█".repeat(full),
        "░".repeat(empty),
        odds.percent()
    )
}

fn write_turning_point(explanation: &Explanation, futures: &Futures, out: &mut dyn Write) -> Result<()> {
    let (first, each) = (
        futures.at_first.percent(),
        Of(futures.at_first.of.into(), "other future"),
    );
    match futures.rest {
        Rest::Operations => {}
        Rest::IsLeftOut => writeln!(
            out,
            "  all of {each} come to it even without the faults of the plan; so beside each line stands how many do where the \
             plan ends there"
        )?,
    }
    let Some((step, before, after)) = futures.turning_point() else {
        return match futures.decided_at_last() {
            Some(before) => writeln!(
                out,
                "  decided in the last line only: before it {} % of {each} come to it, from the beginning {first} %",
                before.percent()
            ),
            None => writeln!(
                out,
                "  no turning point: {first} % of {each} come to it from the beginning on, and no line before the violation \
                 itself changes that by a quarter"
            ),
        };
    };
    let place = explanation
        .story
        .lines()
        .zip(1..)
        .filter(|(line, _)| line.step == step)
        .last();
    let (_, nth) = place.expect("a turning point is a step of the story");
    writeln!(
        out,
        "  turning point: line {nth}. From there on {} % of {each} come to it, before it {} %, from the beginning {first} %",
        after.percent(),
        before.percent()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_values_share_is_left_out() {
        let shared = "a long row of words that both of them have and nobody needs";
        let (one, other) = differing(&format!("{shared}, \"b8\" x"), &format!("{shared}, \"b7\" x"));
        assert_eq!(one, "…e and nobody needs, \"b8\" x");
        assert_eq!(other, "…e and nobody needs, \"b7\" x");
    }

    #[test]
    fn short_values_stand_whole() {
        assert_eq!(differing("7", "8"), ("7".to_owned(), "8".to_owned()));
        assert_eq!(differing("7", "7"), ("7".to_owned(), "7".to_owned()));
    }

    #[test]
    fn a_bar_is_as_long_as_its_odds() {
        assert_eq!(bar(Odds { fail: 0, of: 20 }), "░░░░░░░░░░   0 %");
        assert_eq!(bar(Odds { fail: 1, of: 20 }), "█░░░░░░░░░   5 %");
        assert_eq!(bar(Odds { fail: 20, of: 20 }), "██████████ 100 %");
    }
}
