//! What was planted, and how soon it was found.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Result, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use protocol::host::Text;
use serde::{Serialize, Serializer};

use super::figures::{Exactly, Of, Took};
use crate::search::detect::Detection;
use crate::search::measured::{Measured, MeasuredDefect};
use crate::search::power::{Rate, rule_of_three, seeds_until};
use crate::world::{Origin, Planted};

/// How a defect stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// No seed has found it.
    NotFound,
    /// It is found, and by none of the invariants that must catch it.
    ByOthers,
    /// It is found too late: at the median or at 95 %.
    Late,
    /// It is found, although the catalogue says that no run shows it.
    SeenAfterAll,
    /// No seed has found it, as the catalogue says.
    Unseen,
    /// It is found.
    Found,
}

/// Within how many seeds a defect must be found in the median, and with 95 %.
const LATEST: (u64, u64) = (200, 2_000);

impl Standing {
    /// How a defect stands of which a pass has shown this.
    #[must_use]
    pub fn of(defect: &Planted, detection: &Detection, violated: &BTreeMap<Text, u64>) -> Self {
        let caught = detection.by.keys().chain(violated.keys());
        let caught: BTreeSet<&str> = caught.map(Text::as_str).collect();
        let rate = Rate {
            found: detection.found,
            runs: detection.runs,
        };
        let (median, most) = LATEST;
        let is_late = seeds_until(rate.share(), 0.5).is_none_or(|seeds| seeds > median)
            || seeds_until(rate.share(), 0.95).is_none_or(|seeds| seeds > most);
        match (defect.unseen, detection.found) {
            (Some(_), 0) => Standing::Unseen,
            (Some(_), _) => Standing::SeenAfterAll,
            (None, 0) => Standing::NotFound,
            (None, _) if !defect.invariants.iter().any(|must| caught.contains(must)) => Standing::ByOthers,
            (None, _) if is_late => Standing::Late,
            (None, _) => Standing::Found,
        }
    }

    /// Whether that is not as it must be.
    #[must_use]
    pub const fn is_failing(&self) -> bool {
        !matches!(self, Standing::Unseen | Standing::Found)
    }

    const fn in_words(&self) -> &'static str {
        match self {
            Standing::NotFound => "NOT FOUND",
            Standing::ByOthers => "by others only",
            Standing::Late => "late",
            Standing::SeenAfterAll => "found after all: take `unseen` away",
            Standing::Unseen => "unseen, as said",
            Standing::Found => "",
        }
    }
}

/// A defect, and what was measured of it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Row {
    /// The variant.
    pub variant: Text,
    /// Where it comes from.
    #[serde(serialize_with = "name")]
    pub origin: Origin,
    /// The entries of the catalogue that it is made from.
    pub sources: Vec<&'static str>,
    /// What is wrong with it.
    pub about: Text,
    /// How it stands.
    pub standing: Standing,
    /// By which invariant it was found first, and how often.
    pub by: BTreeMap<Text, u64>,
    /// How long the pass took.
    #[serde(serialize_with = "millis")]
    pub took: Took,
    /// What was measured.
    pub measured: MeasuredDefect,
}

fn name<S: Serializer>(origin: &Origin, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    origin.name().serialize(serializer)
}

fn millis<S: Serializer>(took: &Took, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    u64::try_from(took.0.as_millis())
        .unwrap_or(u64::MAX)
        .serialize(serializer)
}

impl Row {
    /// It in a line, for whoever waits.
    #[must_use]
    pub fn in_a_line(&self) -> String {
        let MeasuredDefect {
            found,
            runs,
            scenario,
            ..
        } = &self.measured;
        format!(
            "{:<36} {scenario:<16} {found:>3} of {runs:>5} in {:<10} {} {}",
            self.variant,
            self.took.to_string(),
            self.caught(),
            self.standing.in_words(),
        )
    }

    fn caught(&self) -> String {
        let mut by: Vec<_> = self.by.iter().collect();
        by.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let told: Vec<_> = by
            .iter()
            .map(|(invariant, count)| format!("{invariant} {count}"))
            .collect();
        told.join(", ")
    }

    fn cells(&self) -> [String; 10] {
        let rate = self.measured.rate();
        let (low, high) = rate.interval();
        let seeds = |probability| {
            seeds_until(rate.share(), probability)
                .map_or_else(|| "-".to_owned(), |seeds| Exactly(seeds).to_string())
        };
        let p = if rate.found == 0 {
            format!("below {:.4}", rule_of_three(rate.runs))
        } else {
            format!("{:.3} ({low:.3} to {high:.3})", rate.share())
        };
        let sources = if self.sources.is_empty() {
            self.origin.name().to_owned()
        } else {
            self.sources.join(" ")
        };
        [
            self.variant.to_string(),
            sources,
            self.measured.scenario.to_string(),
            p,
            seeds(0.5),
            seeds(0.95),
            self.took.to_string(),
            self.caught(),
            self.measured
                .smallest
                .map_or_else(String::new, |items| items.to_string()),
            self.standing.in_words().to_owned(),
        ]
    }
}

/// Writes a table of them: those that do not stand as they must first, then those that are found most seldom.
///
/// # Errors
/// What the writer answers.
pub fn write_rows(rows: &[Row], out: &mut dyn Write) -> Result<()> {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by(|a, b| {
        let rank = |row: &Row| (!row.standing.is_failing(), row.measured.found > 0);
        let share = |row: &Row| row.measured.rate().share();
        rank(a).cmp(&rank(b)).then_with(|| share(a).total_cmp(&share(b)))
    });
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header([
        "defect", "source", "scenario", "p (95 %)", "median", "95 %", "time", "by", "items", "",
    ]);
    for column in [4, 5, 6, 8] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for row in sorted {
        table.add_row(row.cells());
    }
    writeln!(out, "{}", table.trim_fmt())
}

/// Writes which invariant catches which defect, at any time of a run, and which of them nothing else catches.
///
/// # Errors
/// What the writer answers.
pub fn write_matrix(measured: &Measured, out: &mut dyn Write) -> Result<()> {
    let mut catches: BTreeMap<&str, (Vec<&str>, Vec<&str>)> = BTreeMap::new();
    for defect in &measured.defects {
        for invariant in defect.violated.keys() {
            let (all, alone) = catches.entry(invariant).or_default();
            all.push(&defect.name);
            if defect.violated.len() == 1 {
                alone.push(&defect.name);
            }
        }
    }
    for (invariant, (all, alone)) in catches {
        let only = if alone.is_empty() {
            "none that no other does".to_owned()
        } else {
            format!("alone: {}", alone.join(", "))
        };
        writeln!(
            out,
            "{invariant:<8} catches {}; {only}",
            Of(all.len() as u64, "defect")
        )?;
    }
    Ok(())
}
