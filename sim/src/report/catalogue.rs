//! The catalogue of planted defects as tables for the documentation: Markdown.

use std::fmt::{Result, Write};

use super::figures::{Exactly, Of};
use crate::search::measured::{Measured, MeasuredDefect};
use crate::search::power::seeds_until;
use crate::world::{Origin, Planted};

/// The classes of entries, by the letter with which their ids begin.
const CLASSES: [(char, &str); 5] = [
    ('H', "the lanes once had"),
    ('S', "suspected in the documented protocol"),
    ('A', "reported of the platform"),
    ('C', "reported of systems with one writer and replicas"),
    ('G', "reported of partitioned ids"),
];

/// The three tables: defects by class, what was found that nobody had planted, and what each change is worth. `absent` are
/// the entries that are not planted.
#[must_use]
pub fn tables(planted: &[Planted], absent: &[(&str, &str)], measured: &Measured) -> String {
    let mut text = String::new();
    write_classes(planted, absent, measured, &mut text).expect("a text takes it");
    text.push('\n');
    write_unplanted(planted, &mut text).expect("a text takes it");
    text.push('\n');
    write_ablation(planted, measured, &mut text).expect("a text takes it");
    text
}

/// The part of a defect's seeds that finds it: the hardest of some.
fn hardest<'a>(defects: impl Iterator<Item = &'a Planted>, measured: &Measured) -> String {
    let found = defects
        .filter_map(|defect| measured.get(defect.variant))
        .filter(|defect| defect.found > 0);
    let hardest = found.min_by(|a, b| a.rate().share().total_cmp(&b.rate().share()));
    hardest.map_or_else(
        || "-".to_owned(),
        |defect| format!("`{}`: {}", defect.name, median(defect)),
    )
}

fn median(defect: &MeasuredDefect) -> String {
    seeds_until(defect.rate().share(), 0.5)
        .map_or_else(|| "never".to_owned(), |seeds| Of(seeds, "seed").to_string())
}

fn write_classes(
    planted: &[Planted],
    absent: &[(&str, &str)],
    measured: &Measured,
    to: &mut String,
) -> Result {
    writeln!(
        to,
        "| class | entries | planted | as defects | found | not found yet | no run shows | not planted | hardest to find, in the median |"
    )?;
    writeln!(to, "| --- | --- | --- | --- | --- | --- | --- | --- | --- |")?;
    let row =
        |name: &str, entries: String, as_entries: String, not: String, of: &[&Planted], to: &mut String| {
            let is_found =
                |defect: &&Planted| measured.get(defect.variant).is_some_and(|known| known.found > 0);
            let found = of.iter().copied().filter(is_found).count();
            let open = of
                .iter()
                .copied()
                .filter(|defect| defect.unseen.is_none() && !is_found(defect));
            let unseen = of.iter().filter(|defect| defect.unseen.is_some());
            writeln!(
                to,
                "| {name} | {entries} | {as_entries} | {} | {found} | {} | {} | {not} | {} |",
                of.len(),
                open.count(),
                unseen.count(),
                hardest(of.iter().copied(), measured)
            )
        };
    for (letter, about) in CLASSES {
        let of: Vec<&Planted> = planted
            .iter()
            .filter(|defect| defect.sources.iter().any(|entry| entry.starts_with(letter)))
            .collect();
        let mut entries: Vec<&str> = of
            .iter()
            .flat_map(|defect| defect.sources.iter().copied())
            .filter(|entry| entry.starts_with(letter))
            .collect();
        entries.sort_unstable();
        entries.dedup();
        let not = absent
            .iter()
            .filter(|(entry, _)| entry.starts_with(letter))
            .count();
        let all = entries.len() + not;
        row(
            &format!("{letter}: {about}"),
            all.to_string(),
            entries.len().to_string(),
            not.to_string(),
            &of,
            to,
        )?;
    }
    let of_origin = |origin| {
        planted
            .iter()
            .filter(|defect| defect.origin == origin)
            .collect::<Vec<_>>()
    };
    let none = || "-".to_owned();
    row(
        "changes that are taken back",
        none(),
        none(),
        none(),
        &of_origin(Origin::Ablation),
        to,
    )?;
    row(
        "mutants of rules and steps",
        none(),
        none(),
        none(),
        &of_origin(Origin::Mutant),
        to,
    )
}

fn write_unplanted(planted: &[Planted], to: &mut String) -> Result {
    writeln!(
        to,
        "| found in the documented protocol, and in no catalogue | invariant | what goes wrong, and what mends it |"
    )?;
    writeln!(to, "| --- | --- | --- |")?;
    let found = planted
        .iter()
        .filter(|defect| defect.origin == Origin::Ablation && defect.sources.is_empty());
    for defect in found {
        let name = defect.variant.trim_start_matches("without-");
        writeln!(
            to,
            "| `{name}` | {} | {} |",
            defect.invariants.join(", "),
            defect.about
        )?;
    }
    Ok(())
}

fn write_ablation(planted: &[Planted], measured: &Measured, to: &mut String) -> Result {
    writeln!(
        to,
        "| hardened without | catalogue | violates | found by `drydock defects` in | seeds in the median | with 95 % |"
    )?;
    writeln!(to, "| --- | --- | --- | --- | --- | --- |")?;
    for defect in planted.iter().filter(|defect| defect.origin == Origin::Ablation) {
        let name = defect.variant.trim_start_matches("without-");
        let known = measured.get(defect.variant).filter(|known| known.found > 0);
        let seeds = |probability| {
            let seeds = known.and_then(|known| seeds_until(known.rate().share(), probability));
            seeds.map_or_else(|| "-".to_owned(), |seeds| Exactly(seeds).to_string())
        };
        writeln!(
            to,
            "| `{name}` | {} | {} | {} | {} | {} |",
            if defect.sources.is_empty() {
                "-".to_owned()
            } else {
                defect.sources.join(", ")
            },
            known.map_or_else(
                || defect.invariants.join(", "),
                |known| {
                    known
                        .violated
                        .keys()
                        .map(|invariant| invariant.as_str())
                        .collect::<Vec<_>>()
                        .join(", ")
                }
            ),
            known.map_or("-", |known| known.scenario.as_str()),
            seeds(0.5),
            seeds(0.95)
        )?;
    }
    Ok(())
}
