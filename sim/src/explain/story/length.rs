//! Makes a story short enough to be read: what repeats itself is told once, and of what is too long the middle is left out.

use super::{Entry, Line};

/// How many lines of a terminal a story takes at most, about: those of the three parts below, each with the gaps that it makes,
/// and one that says what is left out before all of them.
const HEIGHT_MOST: usize = 28;

/// How many of them tell in any case of its end: what led there at last.
const HEIGHT_OF_LAST: usize = 15;

/// How many tell of the plan before that: its items, what its clients are told, and the faults that chance adds; and of what is
/// left out between them.
const HEIGHT_OF_PLAN: usize = 7;

/// How many tell before that of writes to what is wrong, and of what is left out between them.
const HEIGHT_OF_WRITES: usize = 5;

/// The longest row of lines that is looked for as one that repeats itself.
const REPEATED_MOST: usize = 8;

/// How often it must come in a row, before it is told as that.
const TIMES_LEAST: usize = 3;

/// How many lines must go, for it to be worth the line that says so.
const HIDDEN_LEAST: usize = 2;

/// Tells a row of lines that comes again and again once, says how often it comes, and tells the last time.
pub(super) fn without_repeats(lines: Vec<Line>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let (size, times) = repeated(&lines[at..]);
        if times < TIMES_LEAST || size * (times - 2) < HIDDEN_LEAST {
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

/// Leaves out of a story that is too long what stands before its end, but for the last lines there that tell of the plan, and
/// of writes to what is wrong.
pub(super) fn without_middle(entries: Vec<Entry>) -> Vec<Entry> {
    if entries.iter().map(Entry::height).sum::<usize>() <= HEIGHT_MOST {
        return entries;
    }
    let mut stays = vec![false; entries.len()];
    keep_fitting(&entries, &mut stays, HEIGHT_OF_LAST, |_| true);
    // The last one stays however long it is: there the violation was seen.
    stays[entries.len() - 1] = true;
    keep_fitting(
        &entries,
        &mut stays,
        HEIGHT_OF_PLAN,
        |entry| matches!(entry, Entry::Line(line) if line.item.is_some() || line.begins_fault),
    );
    keep_fitting(
        &entries,
        &mut stays,
        HEIGHT_OF_WRITES,
        |entry| matches!(entry, Entry::Line(line) if line.writes_what_is_wrong),
    );
    let mut kept: Vec<Entry> = Vec::new();
    for (entry, stays) in entries.into_iter().zip(stays) {
        if stays {
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
    kept.into_iter().map(told_if_short).collect()
}

/// What is left out, or the line itself where it is a single one that takes no more than to say so.
fn told_if_short(entry: Entry) -> Entry {
    if let Entry::LeftOut { hidden } = &entry
        && let [line] = &hidden[..]
    {
        let told = Entry::from(line.clone());
        if told.height() <= entry.height() {
            return told;
        }
    }
    entry
}

/// Keeps more of these entries: the last ones that are so, as many as fit into a height, with the lines that say what is left
/// out between them.
fn keep_fitting(entries: &[Entry], stays: &mut [bool], height: usize, is: impl Fn(&Entry) -> bool) {
    let mut left = height;
    for at in (0..entries.len()).rev() {
        if stays[at] || !is(&entries[at]) {
            continue;
        }
        let after = stays.get(at + 1).copied().unwrap_or(true);
        let before = at > 0 && stays[at - 1];
        // By itself it makes two gaps of one.
        let gap = usize::from(!after && !before);
        let Some(rest) = left.checked_sub(entries[at].height() + gap) else {
            break;
        };
        left = rest;
        stays[at] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{line, told};
    use super::*;

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
    fn a_single_line_between_two_of_a_kind_is_told() {
        let three: Vec<_> = (0..3).map(|nth| line(nth, "a", "x")).collect();
        assert_eq!(
            told(&without_repeats(three)),
            ["0 does x", "1 does x", "2 does x"],
            "a line stands in the place of the one that would say that it is counted"
        );
    }

    /// A story of so many lines, of which some are of the plan.
    fn with_items(lines: u64, is_item: impl Fn(u64) -> bool) -> Vec<Entry> {
        let lines = (0..lines).map(|nth| {
            let mut line = line(nth, "a", &nth.to_string());
            line.item = is_item(nth).then_some(7);
            Entry::from(line)
        });
        lines.collect()
    }

    #[test]
    fn a_single_line_is_not_left_out_to_say_so() {
        assert_eq!(
            told(&without_middle(with_items(40, |nth| nth == 10 || nth == 12)))[..4],
            ["10 left out", "10 does 10", "11 does 11", "12 does 12"],
            "a line stands in the place of the one that would say that it is left out"
        );
    }

    #[test]
    fn what_is_left_out_between_kept_lines_counts_too() {
        let kept = without_middle(with_items(200, |nth| nth % 3 == 0));
        let height: usize = kept.iter().map(Entry::height).sum();
        assert!(
            height <= HEIGHT_MOST,
            "{height} of {HEIGHT_MOST}: {:?}",
            told(&kept)
        );
    }

    #[test]
    fn writes_of_several_places_count_with_what_is_between_them() {
        let mut lines = with_items(200, |nth| nth % 6 == 0);
        for entry in lines.iter_mut().skip(3).step_by(6) {
            if let Entry::Line(line) = entry {
                line.writes_what_is_wrong = true;
            }
        }
        let kept = without_middle(lines);
        let height: usize = kept.iter().map(Entry::height).sum();
        assert!(
            height <= HEIGHT_MOST,
            "{height} of {HEIGHT_MOST}: {:?}",
            told(&kept)
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
        if let Entry::Line(line) = &mut lines[50] {
            line.writes_what_is_wrong = true;
        }
        let kept = without_middle(lines);
        assert_eq!(kept.len(), HEIGHT_OF_LAST + 5);
        assert_eq!(
            told(&kept)[..5],
            [
                "10 left out",
                "10 does 10",
                "39 left out",
                "50 does 50",
                "34 left out"
            ]
        );
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
}
