//! How small the failures of many seeds become, as a table.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{Result, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

use super::figures::{Exactly, Of, Took};
use crate::check::Identity;
use crate::printable::shortened;

/// How much of the way in which a failure comes about is told.
const CLASS_MOST: usize = 44;

/// What a plan holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// What people do.
    pub operations: usize,
    /// What breaks.
    pub faults: usize,
    /// Choices that are fixed.
    pub fixed: usize,
}

impl Size {
    /// How many things that is: a fixed choice stands for a fault that strikes just there.
    #[must_use]
    pub fn all(self) -> usize {
        self.operations + self.faults + self.fixed
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} + {}", self.operations, self.faults + self.fixed)
    }
}

/// One failing seed.
#[derive(Clone, Debug)]
pub struct Row {
    /// Of which scenario.
    pub scenario: String,
    /// Which.
    pub seed: u64,
    /// Its failure.
    pub identity: Identity,
    /// How large its plan is.
    pub before: Size,
    /// How large the smallest one is that fails as it does.
    pub after: Size,
    /// How many runs that took.
    pub runs: u64,
    /// How long.
    pub took: Took,
    /// Whether nothing of that can be taken out by itself.
    pub is_1_minimal: bool,
    /// Whether it shows the same failure when it is run again, twice and on the other store.
    pub keeps: bool,
}

/// Writes the table, and what it comes to.
///
/// # Errors
/// What the writer answers.
pub fn write_table(rows: &[Row], out: &mut dyn Write) -> Result<()> {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header([
        "scenario",
        "seed",
        "violated",
        "in which way",
        "operations + faults",
        "left",
        "runs",
        "time",
        "",
    ]);
    for column in [1, 4, 5, 6, 7] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for row in rows {
        table.add_row([
            row.scenario.clone(),
            row.seed.to_string(),
            row.identity.invariant.to_string(),
            short(&row.identity.class),
            row.before.to_string(),
            row.after.to_string(),
            Exactly(row.runs).to_string(),
            row.took.to_string(),
            remark(row).to_owned(),
        ]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    if rows.is_empty() {
        return writeln!(out, "no seed fails.");
    }
    let left: Vec<usize> = rows.iter().map(|row| row.after.all()).collect();
    let times: Vec<_> = rows.iter().map(|row| row.took.0).collect();
    let invariants: BTreeSet<_> = rows.iter().map(|row| &row.identity.invariant).collect();
    let kinds: BTreeSet<_> = rows.iter().map(|row| &row.identity).collect();
    let minimal = rows.iter().filter(|row| row.is_1_minimal).count();
    let kept = rows.iter().filter(|row| row.keeps).count();
    writeln!(
        out,
        "{} of {} of {}: {minimal} are 1-minimal, {kept} replay on both stores as the same failure.",
        Of(rows.len() as u64, "seed"),
        Of(kinds.len() as u64, "kind"),
        Of(invariants.len() as u64, "invariant")
    )?;
    writeln!(
        out,
        "left: {} in the median, {} at most; time: {} in the median, {} at most.",
        Of(median(&left) as u64, "item"),
        largest(&left),
        Took(median(&times)),
        Took(largest(&times))
    )
}

fn remark(row: &Row) -> &'static str {
    match (row.keeps, row.is_1_minimal) {
        (true, true) => "1-minimal",
        (true, false) => "not 1-minimal",
        (false, _) => "does not replay",
    }
}

fn short(class: &str) -> String {
    shortened(class, CLASS_MOST).into_owned()
}

/// The one in the middle; of two, the larger.
fn median<T: Copy + Ord>(all: &[T]) -> T {
    let mut sorted = all.to_vec();
    sorted.sort();
    sorted[sorted.len() / 2]
}

fn largest<T: Copy + Ord>(all: &[T]) -> T {
    *all.iter().max().expect("there is one")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use protocol::host::Text;

    use super::*;
    use crate::check::Pattern;
    use crate::world::lanes::LanesWorld;
    use crate::world::vocabulary;

    fn row(invariant: &'static str, left: usize, millis: u64) -> Row {
        let size = |operations, faults| Size {
            operations,
            faults,
            fixed: 0,
        };
        Row {
            scenario: "lanes/chaos".to_owned(),
            seed: 7,
            identity: Identity {
                invariant: invariant.into(),
                roles: BTreeSet::new(),
                class: "behind".into(),
            },
            before: size(50, 11),
            after: size(left, 0),
            runs: 1_234,
            took: Took(Duration::from_millis(millis)),
            is_1_minimal: left < 9,
            keeps: true,
        }
    }

    #[test]
    fn a_table_says_what_it_comes_to() {
        let rows = [row("LR-1", 3, 800), row("LR-1", 9, 2_000), row("LR-2", 4, 90)];
        let mut out = Vec::new();
        write_table(&rows, &mut out).expect("memory takes it");
        let told = String::from_utf8(out).expect("it is text");
        assert!(told.contains("50 + 11"), "{told}");
        assert!(told.contains("1,234"), "{told}");
        assert!(
            told.contains("3 seeds of 2 kinds of 2 invariants: 2 are 1-minimal, 3 replay"),
            "{told}"
        );
        assert!(
            told.ends_with(
                "left: 4 items in the median, 9 at most; time: 0.8 s in the median, 2.0 s at most.\n"
            ),
            "{told}"
        );
    }

    #[test]
    fn without_a_failure_there_is_none() {
        let mut out = Vec::new();
        write_table(&[], &mut out).expect("memory takes it");
        assert!(
            String::from_utf8(out)
                .expect("it is text")
                .ends_with("no seed fails.\n")
        );
    }

    /// The part of a text between two others.
    fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
        let (_, rest) = text.split_once(begin).expect(begin);
        rest.split_once(end).expect(end).0
    }

    /// The cells of a line of a table: what stands two spaces apart.
    fn cells(line: &str) -> Vec<&str> {
        let cells = line.split("  ").map(str::trim);
        cells.filter(|cell| !cell.is_empty()).collect()
    }

    #[test]
    fn the_table_of_the_readme_is_one_that_the_command_prints() {
        const AGAIN: &str = "print it anew: cargo run --release -- shrink --table";
        let readme = include_str!("../../../README.md");
        let shrinking = between(readme, "\n## Shrink\n", "\n## ");
        assert!(
            shrinking.contains("cargo run --release -- shrink --table "),
            "{AGAIN}"
        );
        let table = between(shrinking, "<summary>The table</summary>\n\n```\n", "\n```");
        let mut out = Vec::new();
        write_table(&[row("LR-1", 3, 800)], &mut out).expect("memory takes it");
        let printed = String::from_utf8(out).expect("it is text");
        let mut lines = table.lines();
        let header = lines.next().map(cells);
        assert_eq!(header, printed.lines().next().map(cells), "{AGAIN}");
        let rows: Vec<_> = lines.map(cells).collect();
        for row in &rows {
            let [_, _, id, class, before, .., remark] = row[..] else {
                panic!("{row:?} is no row: {AGAIN}");
            };
            let shown = Pattern {
                class: Some(Text::new(class)),
                ..Pattern::any(Text::new(id))
            };
            let known = vocabulary::<LanesWorld>().check(&shown);
            assert_eq!(known, Ok(()), "{AGAIN}");
            assert!(before.contains(" + "), "{row:?}: {AGAIN}");
            assert_eq!(remark, "1-minimal", "{row:?}");
        }
        assert!(rows.len() >= 30, "it has {} rows: {AGAIN}", rows.len());
        let sum = format!("{} seeds of ", rows.len());
        assert!(shrinking.contains(&sum), "its sum says so: {AGAIN}");
    }
}
