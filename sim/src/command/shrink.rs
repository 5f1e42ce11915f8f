//! `drydock shrink`: a trace that fails, made as small as it gets.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::ValueHint;
use sim::check::{Verdict, Violation};
use sim::report::figures::Of;
use sim::run::StoreKind;
use sim::search::shrink::{RUNS, Settings};
use sim::trace::Trace;
use sim::world::{PlanOf, World};

use super::failing::failing_variant;
use super::file::{WithTrace, refuse_no_file, refuse_unwritable, with_trace};
use super::interrupt::{self, Interrupt};
use super::shrink_table::{Wanted, table};
use super::shrinking::{Outcome, Shrinking, beside};
use super::{failure, jobs, run_plan_twice, statement, store_names, variant_names};

/// The exit code where two runs of one plan differ.
const NOT_DETERMINISTIC: u8 = 4;

/// Make a trace that fails as small as it gets
///
/// Takes out of it whatever the failure does not need, and makes plainer what is left: as long as the same invariant is
/// violated, by the same roles, in the same way. The result is the same whatever the number of jobs. It is 1-minimal:
/// nothing can be taken out by itself, and the file has a certificate that says of each thing what happens without it.
///
/// Before it is written the result is run twice, and on the other store. Exits with 0 when it is written; a trace that
/// does not fail is bad input.
///
/// Shows on a terminal how far it is. Ctrl-C ends it after the runs that are under way, and writes the smallest trace so
/// far; a second Ctrl-C at once.
#[derive(clap::Args)]
pub struct Arguments {
    /// The trace; `-` is the standard input
    #[arg(value_hint = ValueHint::FilePath, required_unless_present = "table")]
    trace: Option<PathBuf>,
    /// Where the smaller trace goes [default: beside the trace, with `-shrunk` in its name]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// In place of one trace, the failures of many seeds of the first world of `drydock list`: finds at least one of each
    /// kind, shrinks them, leaves their traces in traces/failures and prints how small they have become
    #[arg(long, conflicts_with_all = ["trace", "output"])]
    table: bool,
    /// How many seeds that fail the table has, at least
    #[arg(long, requires = "table", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// The variant of the protocol's rules [default: the first that the trace expects to be violated; of a table:
    /// documented]
    #[arg(long, value_parser = variant_names(), hide_possible_values = true)]
    variant: Option<String>,
    /// How many runs go on at once [default: as many as there are processors]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// How many runs it takes at most
    #[arg(long, default_value_t = RUNS, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Which store holds the objects' databases; those of a table are found on model, and shrunk on this one
    #[arg(long, value_parser = store_names(), default_value = StoreKind::Sqlite.name())]
    store: StoreKind,
}

/// Does it, and answers the exit code.
pub fn shrink(arguments: &Arguments, out: &mut dyn Write) -> Result<u8> {
    arguments
        .output
        .iter()
        .try_for_each(|file| refuse_no_file(file))?;
    let settings = Settings {
        store: arguments.store,
        jobs: jobs(arguments.jobs),
        runs: arguments.runs,
    };
    match &arguments.trace {
        Some(trace) => {
            let shrink = ShrinkTrace {
                arguments,
                trace,
                settings,
                out,
            };
            with_trace(trace, shrink)
        }
        None => {
            let wanted = Wanted {
                variant: arguments.variant.as_deref().unwrap_or(DOCUMENTED),
                seeds: arguments.seeds,
                settings,
            };
            table(wanted, out)
        }
    }
}

/// The variant whose failures a table is of, where nobody names one.
const DOCUMENTED: &str = "documented";

/// Shrinks a trace whose world is not known yet.
struct ShrinkTrace<'a> {
    arguments: &'a Arguments,
    trace: &'a Path,
    settings: Settings,
    out: &'a mut dyn Write,
}

impl WithTrace for ShrinkTrace<'_> {
    fn visit<W: World>(self, trace: Trace<W::Shape, W::Operation>) -> Result<u8> {
        let ShrinkTrace {
            arguments,
            trace: named,
            settings,
            out,
        } = self;
        let variant = failing_variant(arguments.variant.as_deref(), named, &trace)?;
        let report = run_plan_twice::<W>(arguments.store, &trace.plan, &variant)?;
        let violation = match &report.verdict {
            Verdict::Violated(violation) => violation,
            Verdict::NotDeterministic(_) => {
                writeln!(out, "{}", report.verdict)?;
                return Ok(NOT_DETERMINISTIC);
            }
            verdict => bail!(
                "{}: there is nothing to shrink: under `{variant}` on {} the run says: {verdict}",
                named.display(),
                arguments.store.name()
            ),
        };
        let file = file::<W>(arguments, named, violation, &trace.plan, &variant);
        refuse_unwritable::<W>(&trace, &file)?;
        // Whoever has read the heading can end it.
        let interrupt = Interrupt::listen()?;
        write_heading::<W>(&trace.plan, &variant, settings, violation, out)?;
        let shrinking = Shrinking::<W> {
            plan: &trace.plan,
            variant: &variant,
            violation,
            settings,
            file: &file,
            interrupt,
        };
        match shrinking.run(out)? {
            Outcome::Written => Ok(0),
            Outcome::NotDeterministic => Ok(NOT_DETERMINISTIC),
            Outcome::Interrupted => Ok(interrupt::EXIT_CODE),
        }
    }
}

fn write_heading<W: World>(
    plan: &PlanOf<W>,
    variant: &str,
    settings: Settings,
    violation: &Violation,
    out: &mut dyn Write,
) -> Result<()> {
    let (store, jobs) = (settings.store.name(), Of(settings.jobs.get() as u64, "job"));
    writeln!(
        out,
        "{} · {variant} · {store} · {jobs} · seed {}",
        plan.scenario, plan.seed
    )?;
    writeln!(
        out,
        "{} violated   {}",
        violation.invariant,
        statement::<W>(violation)
    )?;
    Ok(out.flush()?)
}

/// Where the smaller trace goes.
fn file<W: World>(
    arguments: &Arguments,
    named: &Path,
    violation: &Violation,
    plan: &PlanOf<W>,
    variant: &str,
) -> PathBuf {
    if let Some(file) = &arguments.output {
        return file.clone();
    }
    let trace = if named == Path::new("-") {
        failure::file::<W>(violation, &plan.scenario, plan.seed, variant)
    } else {
        named.to_owned()
    };
    beside(&trace)
}
