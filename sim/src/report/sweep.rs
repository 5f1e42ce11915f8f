//! A sweep, for people.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Result, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, Table};
use protocol::host::Text;

use super::figures::{About, Exactly, Long, Of, speed};
use crate::check::{Measure, Measures};
use crate::run::StoreKind;
use crate::scenario::{Scenario, Source};
use crate::search::{Tally, Unreached, Wanted};
use crate::world::{Suspect, World};

/// How many marks a cell of the table names.
const NAMED: usize = 3;

/// The runs of one scenario, and what none of them has come by.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The scenario's name.
    pub name: &'a str,
    /// Its runs.
    pub tally: &'a Tally,
    /// The marks that none has passed, although one should; `None` where the sweep was not long enough to tell.
    pub unreached: Option<&'a [Unreached]>,
}

/// One row for each scenario.
#[must_use]
pub fn table(rows: &[Row<'_>]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header([
        "scenario",
        "seeds",
        "events",
        "simulated",
        "speed",
        "violated",
        "never reached",
    ]);
    for column in 1..=4 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for row in rows {
        let tally = row.tally;
        let speed = speed(tally.simulated, tally.took);
        table.add_row([
            Cell::new(row.name),
            Cell::new(Exactly(tally.seeds)),
            Cell::new(About(tally.events)),
            Cell::new(Long(tally.simulated)),
            Cell::new(speed.map_or_else(nothing, |times| format!("{}×", Exactly(times)))),
            Cell::new(violations(tally)),
            Cell::new(row.unreached.map_or_else(|| "not judged".to_owned(), names)),
        ]);
    }
    table.trim_fmt()
}

fn nothing() -> String {
    "–".to_owned()
}

fn violations(tally: &Tally) -> String {
    let differed = (tally.differed > 0).then(|| format!("not deterministic {}", tally.differed));
    let violated = tally.violated.iter().map(|(id, count)| format!("{id} {count}"));
    let all: Vec<_> = differed.into_iter().chain(violated).collect();
    if all.is_empty() {
        "0".to_owned()
    } else {
        all.join(", ")
    }
}

fn names(unreached: &[Unreached]) -> String {
    if unreached.is_empty() {
        return nothing();
    }
    let named = unreached
        .iter()
        .take(NAMED)
        .map(|unreached| unreached.mark.as_str());
    let mut names = named.collect::<Vec<_>>().join(", ");
    if unreached.len() > NAMED {
        names += &format!(" and {} more", unreached.len() - NAMED);
    }
    names
}

/// Says how near the runs came to bounds.
///
/// # Errors
/// What the writer answers.
pub fn write_measures(tallies: &[Tally], out: &mut dyn Write) -> Result<()> {
    let mut all = Measures::default();
    for tally in tallies {
        all.add(&tally.measures);
    }
    for (invariant, Measure { what, most, bound }, times) in all.iter() {
        match bound {
            Some(bound) => writeln!(out, "{invariant}   {what}: at most {most}, the bound is {bound}")?,
            None => writeln!(
                out,
                "{invariant}   {what}: {times} times, at most {most}; nothing is promised"
            )?,
        }
    }
    Ok(())
}

/// Says which runs have shown nothing, and on which store.
///
/// # Errors
/// What the writer answers.
pub fn write_void_runs(tallies: &[Tally], store: StoreKind, out: &mut dyn Write) -> Result<()> {
    let there = store.other().name();
    let mut void: BTreeMap<(&str, &Text), u64> = BTreeMap::new();
    for tally in tallies {
        let here = tally
            .void
            .iter()
            .map(|(why, count)| ((store.name(), why), *count));
        let repeated = tally.void_there.iter().map(|(why, count)| ((there, why), *count));
        for (what, count) in here.chain(repeated) {
            *void.entry(what).or_default() += count;
        }
    }
    for ((store, why), count) in void {
        writeln!(
            out,
            "{} runs on {store} have shown nothing: {why}",
            Exactly(count)
        )?;
    }
    Ok(())
}

/// Says what a scenario never came by, and where its file is likely at fault.
///
/// # Errors
/// What the writer answers.
pub fn write_unreached<W: World>(
    scenario: &Scenario<W::Scenario>,
    source: &Source,
    tally: &Tally,
    unreached: &[Unreached],
    out: &mut dyn Write,
) -> Result<()> {
    let (name, seeds) = (&scenario.name, Of(tally.seeds, "seed"));
    writeln!(
        out,
        "void: scenario {name} ran {seeds} and never came by what it is for."
    )?;
    for Unreached { mark, wanted } in unreached {
        match wanted {
            Wanted::Goal(nth) => {
                let place = place(source, &["goals", &nth.to_string()]);
                writeln!(out, "  goal `{mark}` 0 times{place}")?;
            }
            Wanted::Knob(knob) => {
                let place = place(source, &["knobs", knob]);
                writeln!(
                    out,
                    "  `{mark}` took effect 0 times, although knob {knob} has it begin{place}"
                )?;
            }
        }
    }
    for suspect in suspects::<W>(scenario, source, unreached) {
        writeln!(out, "  likely: {suspect}")?;
    }
    Ok(())
}

/// Where in a scenario's file something stands, to be put behind what is said of it.
fn place(source: &Source, path: &[&str]) -> String {
    source
        .line_of(path)
        .map_or_else(String::new, |line| format!("     {}:{line}", source.file()))
}

/// What may keep marks from being passed, each once: what the world knows of, knobs that have to do with them, and what
/// is off where the generator is told what to do.
fn suspects<W: World>(
    scenario: &Scenario<W::Scenario>,
    source: &Source,
    unreached: &[Unreached],
) -> BTreeSet<String> {
    let mut suspects = BTreeSet::new();
    for Unreached { mark, wanted } in unreached {
        if let Some(Suspect { path, why }) = W::suspect(scenario, mark) {
            suspects.insert(why + &place(source, path));
        } else if let Wanted::Goal(_) = wanted {
            suspects.extend(suspects_of_goal(scenario, source, mark));
        }
    }
    if suspects.is_empty() {
        let (seeds, place) = (scenario.least_seeds, place(source, &["least-seeds"]));
        suspects.insert(format!(
            "what the generator asks for, or least-seeds ({}) is too small{place}",
            Exactly(seeds)
        ));
    }
    suspects
}

fn suspects_of_goal<Own>(scenario: &Scenario<Own>, source: &Source, mark: &str) -> Vec<String> {
    let file = source.file();
    let Some(knob) = mark
        .strip_prefix("fault ")
        .and_then(|kind| scenario.knobs.switch_of(kind)?.knob)
    else {
        let off = source.switched_off("generate").into_iter();
        return off
            .map(|(key, line)| format!("{key} is off     {file}:{line}"))
            .collect();
    };
    vec![match source.line_of(&["knobs", knob]) {
        Some(line) => format!("knob {knob} does not bring it about     {file}:{line}"),
        None => format!("knob {knob}, which brings it about, is not set     {file}"),
    }]
}
