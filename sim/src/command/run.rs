//! `drydock run`: one seed of a scenario, or a few in a row.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sim::check::{GENERAL, Verdict};
use sim::run::{History, Report};
use sim::scenario;
use sim::trace::{Expectation, Trace};
use sim::world::demonstration::DemonstrationWorld;
use sim::world::{PlanOf, World};

use super::log::{Log, LogLevel};
use super::{StoreKind, default_variant};

/// Run one seed of a scenario, or a few in a row
///
/// Prints the verdict and the two hashes of the run: `behaviour` covers what the protocol decided and answered, `full`
/// everything that happened. A run that is violated is written to a trace, with the command that replays it.
#[derive(clap::Args)]
pub struct Arguments {
    /// The scenario, for example `demonstration`
    scenario: String,
    /// The seed; with --count, the first one
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many seeds, one after the other; stops at the first that is not passed
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// Which store holds the objects' databases
    #[arg(long, value_enum, default_value_t = StoreKind::Sqlite)]
    store: StoreKind,
    /// The variant of the protocol's rules, see `drydock list` [default: hardened]
    #[arg(long)]
    variant: Option<String>,
    /// Log what happens, to standard error, as it happens
    #[arg(long, value_enum, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "info")]
    log: Option<LogLevel>,
    /// Write the trace of the last run to this file, whatever its verdict
    #[arg(long)]
    trace: Option<PathBuf>,
}

/// Which seeds are run twice, besides the last one and those that are not passed.
const REPEAT_EVERY: u64 = 16;

/// Does it, and answers the exit code.
pub fn run(arguments: &Arguments, out: &mut String) -> Result<u8> {
    arguments.log.iter().for_each(|level| level.start());
    let Some(scenario) = scenario::load(&arguments.scenario) else {
        let known: Vec<_> = scenario::names().collect();
        bail!(
            "there is no scenario `{}`; there is: {}",
            arguments.scenario,
            known.join(", ")
        );
    };
    run_world::<DemonstrationWorld>(arguments, &scenario?, out)
}

fn run_world<W: World>(
    arguments: &Arguments,
    scenario: &scenario::Scenario<W::Scenario>,
    out: &mut String,
) -> Result<u8> {
    let variant = arguments.variant.as_deref().unwrap_or(default_variant::<W>());
    let last = arguments
        .seed
        .checked_add(arguments.count - 1)
        .context("the last seed is past 2^64")?;
    let (mut events, mut simulated, mut marks) = (0, 0, BTreeMap::new());
    for seed in arguments.seed..=last {
        let plan = W::generate(scenario, seed);
        let mut report = arguments
            .store
            .run::<W>(&plan, variant, arguments.log.map(|_| Log))?;
        // What is told to anybody, and a share of all the rest, is compared with itself.
        if report.verdict != Verdict::Passed || seed == last || seed.is_multiple_of(REPEAT_EVERY) {
            report = arguments.store.run_twice::<W>(&plan, variant)?;
        }

        events += report.events;
        simulated += report.simulated.0;
        for (mark, count) in report.marks.iter() {
            *marks.entry(mark).or_insert(0) += count;
        }
        if seed < last && report.verdict == Verdict::Passed {
            continue;
        }
        if arguments.count > 1 && report.verdict == Verdict::Passed {
            writeln!(
                out,
                "passed: {} seeds of {} under {variant} on {}, {events} events, {} simulated seconds",
                arguments.count,
                scenario.name,
                arguments.store.name(),
                simulated / 1_000_000,
            )?;
            let faults = marks
                .iter()
                .filter_map(|(mark, count)| Some(format!("{} {count}", mark.strip_prefix("fault ")?)));
            writeln!(
                out,
                "  faults that took effect: {}",
                faults.collect::<Vec<_>>().join(", ")
            )?;
        } else {
            if seed > arguments.seed {
                writeln!(out, "{} seeds passed before this one", seed - arguments.seed)?;
            }
            writeln!(
                out,
                "{} · {variant} · {} · seed {seed}",
                scenario.name,
                arguments.store.name()
            )?;
            print::<W>(&report, out)?;
        }
        let file = match (&arguments.trace, &report.verdict) {
            (Some(file), _) => Some(file.clone()),
            (None, Verdict::Violated(violation)) => {
                Some(failures().join(format!("{}-{}-{seed}.jsonl", violation.invariant, scenario.name)))
            }
            _ => None,
        };
        if let Some(file) = file {
            write_trace::<W>(arguments, plan, variant, &report, &file)?;
            writeln!(out, "  trace: {}", file.display())?;
            writeln!(
                out,
                "  next:  cargo run --release -- replay {} --variant {variant} --log",
                file.display()
            )?;
        }
        return Ok(report.verdict.exit_code());
    }
    unreachable!("there is at least one seed, and the last one returns")
}

/// Where traces of failures go that nobody has named.
fn failures() -> PathBuf {
    Path::new("traces").join("failures")
}

/// What a run has shown, for people.
pub(super) fn print<W: World>(report: &Report, out: &mut String) -> fmt::Result {
    writeln!(out, "  {}", report.verdict)?;
    if let Verdict::Violated(violation) = &report.verdict {
        let mut known = W::invariants().iter().chain(&GENERAL);
        let broken = known.find(|invariant| invariant.id == violation.invariant);
        let statement = broken.map_or("an invariant without a statement", |invariant| {
            invariant.statement
        });
        writeln!(out, "  what must hold: {statement}")?;
    }
    writeln!(out, "  {} events, {} simulated", report.events, report.simulated)?;
    writeln!(out, "  behaviour  {}", report.behaviour)?;
    writeln!(out, "  full       {}", report.full)
}

/// Writes the plan with what it has shown, and the history of one more run.
fn write_trace<W: World>(
    arguments: &Arguments,
    plan: PlanOf<W>,
    variant: &str,
    report: &Report,
    file: &Path,
) -> Result<()> {
    let mut history = History::default();
    arguments.store.run::<W>(&plan, variant, &mut history)?;
    let expect = Expectation::of(report)
        .map(|expected| (variant.into(), expected))
        .into_iter()
        .collect();
    let trace = Trace {
        plan,
        expect,
        history: history.0,
    };
    let mut bytes = Vec::new();
    trace
        .write(W::NAME, &mut bytes)
        .context("a trace cannot be written to memory")?;
    put(file, &bytes).with_context(|| format!("cannot write {}", file.display()))
}

/// Writes a file whole or not at all: a killed run leaves no half trace behind, and two runs at once do not mix theirs.
/// What is no plain file (a pipe, a device) is written to as it stands.
fn put(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if fs::symlink_metadata(file).is_ok_and(|there| !there.is_file()) {
        return fs::write(file, bytes);
    }
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut unfinished = tempfile::NamedTempFile::new_in(folder)?;
    unfinished.write_all(bytes)?;
    unfinished.persist(file)?;
    Ok(())
}
