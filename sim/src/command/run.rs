//! `drydock run`: one seed of a scenario, or a few in a row.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueHint;
use indicatif::ProgressDrawTarget;
use sim::check::Verdict;
use sim::run::{Report, StoreKind};
use sim::scenario::{self, Scenario, Source};
use sim::world::known::Visit;
use sim::world::{PlanOf, World, load, with_world_of};

use super::file::refuse_no_file;
use super::interrupt::{self, Interrupt};
use super::log::{Log, LogLevel};
use super::progress::Progress;
use super::{
    ScenarioName, default_variant, failure, run_plan, run_plan_twice, statement, store_names, variant_names,
};

/// Run one seed of a scenario, or a few in a row
///
/// Prints the verdict and the two hashes of the run: `behaviour` covers what the protocol decided and answered, `full`
/// everything that happened. A run that is violated is written to a trace, with the command that replays it.
///
/// With --count: shows on a terminal how far it is. Ctrl-C ends it after the seed that is under way, and a second
/// Ctrl-C at once.
#[derive(clap::Args)]
pub struct Arguments {
    /// The scenario, for example `demonstration`, or a file of your own that ends in `.toml`; `drydock list` has them all
    #[arg(value_parser = ScenarioName, hide_possible_values = true, value_hint = ValueHint::FilePath)]
    scenario: String,
    /// The seed; with --count, the first one
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many seeds, one after the other; stops at the first that is not passed
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// Print a line for each seed as it is done: `SEED BEHAVIOUR FULL`, the seed and its two hashes
    ///
    /// For comparing runs: on another machine, of another build, of another version. They come before the verdict.
    #[arg(long)]
    hashes: bool,
    /// Which store holds the objects' databases
    #[arg(long, value_parser = store_names(), default_value = StoreKind::Sqlite.name())]
    store: StoreKind,
    /// The variant of the protocol's rules, see `drydock list` [default: hardened]
    #[arg(long, value_parser = variant_names(), hide_possible_values = true)]
    variant: Option<String>,
    /// Log what happens, to standard error, as it happens
    #[arg(long, value_enum, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "info")]
    log: Option<LogLevel>,
    /// Write the trace of the last run to this file, whatever its verdict
    #[arg(long, value_hint = ValueHint::FilePath)]
    trace: Option<PathBuf>,
}

/// Which seeds are run twice, besides the last one and those that are not passed.
const REPEAT_EVERY: u64 = 16;

/// Does it, and answers the exit code.
pub fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<u8> {
    arguments.trace.iter().try_for_each(|file| refuse_no_file(file))?;
    arguments.log.iter().for_each(|level| level.start());
    let source = scenario::find(&arguments.scenario)?;
    let run = RunScenario {
        source: &source,
        arguments,
        out,
    };
    with_world_of(&source, run)?
}

/// Runs a scenario whose world is not known yet.
struct RunScenario<'a> {
    source: &'a Source,
    arguments: &'a Arguments,
    out: &'a mut dyn Write,
}

impl Visit for RunScenario<'_> {
    type Output = Result<u8>;

    fn visit<W: World>(self) -> Result<u8> {
        run_world::<W>(self.arguments, &load::<W>(self.source)?, self.out)
    }
}

/// The seeds that have passed, taken together.
#[derive(Debug, Default)]
struct Passed {
    seeds: u64,
    events: u64,
    simulated: u64,
    marks: BTreeMap<String, u64>,
}

impl Passed {
    fn add(&mut self, report: &Report) {
        self.seeds += 1;
        self.events += report.events;
        self.simulated += report.simulated.0;
        for (mark, count) in report.marks.iter() {
            *self.marks.entry(mark).or_insert(0) += count;
        }
    }
}

fn run_world<W: World>(
    arguments: &Arguments,
    scenario: &Scenario<W::Scenario>,
    out: &mut dyn Write,
) -> Result<u8> {
    let variant = arguments.variant.as_deref().unwrap_or(default_variant::<W>());
    let last = arguments
        .seed
        .checked_add(arguments.count - 1)
        .context("the last seed is past 2^64")?;
    // One run has an end soon enough: there, Ctrl-C is the end of the process, as anywhere.
    let interrupt = (arguments.count > 1).then(Interrupt::listen).transpose()?;
    let mut progress = progress(arguments);
    let mut passed = Passed::default();
    for seed in arguments.seed..=last {
        if interrupt.as_ref().is_some_and(Interrupt::asked) {
            progress.clear();
            let (seeds, count) = (passed.seeds, arguments.count);
            writeln!(
                out,
                "interrupted: {seeds} of {count} seeds were run, and all of them passed"
            )?;
            return Ok(interrupt::EXIT_CODE);
        }
        let plan = W::generate(scenario, seed);
        let report = run_seed::<W>(arguments, &plan, variant, seed == last, &mut progress)?;
        progress.seed_done();
        if arguments.hashes {
            writeln!(out, "{seed} {} {}", report.behaviour, report.full)?;
        }
        if report.verdict == Verdict::Passed {
            passed.add(&report);
            if seed < last {
                continue;
            }
        }
        progress.clear();
        if arguments.count > 1 && report.verdict == Verdict::Passed {
            print_passed(arguments, &passed, variant, out)?;
        } else {
            print_one::<W>(arguments, variant, &plan, &report, out)?;
        }
        if let Err(error) = write_trace::<W>(arguments, plan, variant, &report, out) {
            // What the run has shown is told by the exit code all the same.
            if report.verdict == Verdict::Passed {
                return Err(error);
            }
            anstream::eprintln!("error: {error:#}");
        }
        return Ok(report.verdict.exit_code());
    }
    unreachable!("there is at least one seed, and the last one returns")
}

/// How far the command is: on a terminal that has room for it, as nothing else is printed there meanwhile.
fn progress(arguments: &Arguments) -> Progress {
    let lines_on_terminal = arguments.hashes && io::stdout().is_terminal();
    let target = if arguments.count > 1 && arguments.log.is_none() && !lines_on_terminal {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    Progress::new(Some(arguments.count), target)
}

fn run_seed<W: World>(
    arguments: &Arguments,
    plan: &PlanOf<W>,
    variant: &str,
    is_last: bool,
    progress: &mut Progress,
) -> Result<Report> {
    let log = arguments.log.map(|_| Log);
    let report = run_plan::<W>(arguments.store, plan, variant, (log, progress))?;
    // What is told to anybody, and a share of all the rest, is compared with itself.
    if report.verdict != Verdict::Passed || is_last || plan.seed.is_multiple_of(REPEAT_EVERY) {
        return run_plan_twice::<W>(arguments.store, plan, variant);
    }
    Ok(report)
}

fn print_passed(
    arguments: &Arguments,
    passed: &Passed,
    variant: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "passed: {} seeds of {} under {variant} on {}, {} events, {} simulated seconds",
        passed.seeds,
        arguments.scenario,
        arguments.store.name(),
        passed.events,
        passed.simulated / 1_000_000,
    )?;
    let faults = passed
        .marks
        .iter()
        .filter_map(|(mark, count)| Some(format!("{} {count}", mark.strip_prefix("fault ")?)));
    writeln!(
        out,
        "  faults that took effect: {}",
        faults.collect::<Vec<_>>().join(", ")
    )
}

fn print_one<W: World>(
    arguments: &Arguments,
    variant: &str,
    plan: &PlanOf<W>,
    report: &Report,
    out: &mut dyn Write,
) -> io::Result<()> {
    let before = plan.seed - arguments.seed;
    if before > 0 {
        writeln!(out, "{before} seeds passed before this one")?;
    }
    writeln!(
        out,
        "{} · {variant} · {} · seed {}",
        plan.scenario,
        arguments.store.name(),
        plan.seed
    )?;
    print::<W>(report, out)
}

/// What a run has shown, for people.
pub(super) fn print<W: World>(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  {}", report.verdict)?;
    if let Verdict::Violated(violation) = &report.verdict {
        writeln!(out, "  what must hold: {}", statement::<W>(violation))?;
    }
    writeln!(out, "  {} events, {} simulated", report.events, report.simulated)?;
    writeln!(out, "  behaviour  {}", report.behaviour)?;
    writeln!(out, "  full       {}", report.full)
}

/// Writes a trace, where one is asked for or something is violated, and says how to go on from it.
fn write_trace<W: World>(
    arguments: &Arguments,
    plan: PlanOf<W>,
    variant: &str,
    report: &Report,
    out: &mut dyn Write,
) -> Result<()> {
    let file = match (&arguments.trace, &report.verdict) {
        (Some(file), _) => file.clone(),
        (None, Verdict::Violated(violation)) => {
            failure::file::<W>(violation, &plan.scenario, plan.seed, variant)
        }
        _ => return Ok(()),
    };
    failure::tell_trace::<W>(arguments.store, plan, variant, report, &file, out)
}
