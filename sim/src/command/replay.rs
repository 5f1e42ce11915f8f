//! `drydock replay`: a trace once more.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::ValueHint;
use sim::kernel::RunHash;
use sim::run::StoreKind;
use sim::trace::Trace;
use sim::world::World;

use super::file::{WithTrace, with_trace};
use super::log::{Log, LogLevel};
use super::{default_variant, run_plan, run_plan_twice, store_names, variant_names};

/// Replay a trace
///
/// Exits by the verdict of the run. With --expect: with 0 when the run shows what the trace expects of this variant,
/// else with the code of the verdict, or with 1 where that would be 0.
#[derive(clap::Args)]
pub struct Arguments {
    /// The trace; `-` is the standard input
    #[arg(value_hint = ValueHint::FilePath)]
    trace: PathBuf,
    /// Judge by what the trace expects, for each variant that it names
    #[arg(long)]
    expect: bool,
    /// Which store holds the objects' databases
    #[arg(long, value_parser = store_names(), default_value = StoreKind::Sqlite.name())]
    store: StoreKind,
    /// The variant of the protocol's rules [default: with --expect all that the trace names, else the first it names]
    #[arg(long, value_parser = variant_names(), hide_possible_values = true)]
    variant: Option<String>,
    /// Log what happens, to standard error, as it happens
    #[arg(long, value_enum, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "info")]
    log: Option<LogLevel>,
}

/// Does it, and answers the exit code.
pub fn replay(arguments: &Arguments, out: &mut dyn Write) -> Result<u8> {
    arguments.log.iter().for_each(|level| level.start());
    with_trace(&arguments.trace, ReplayTrace { arguments, out })
}

/// Replays a trace whose world is not known yet.
struct ReplayTrace<'a> {
    arguments: &'a Arguments,
    out: &'a mut dyn Write,
}

impl WithTrace for ReplayTrace<'_> {
    fn visit<W: World>(self, trace: Trace<W::Shape, W::Operation>) -> Result<u8> {
        replay_world::<W>(self.arguments, &trace, self.out)
    }
}

fn replay_world<W: World>(
    arguments: &Arguments,
    trace: &Trace<W::Shape, W::Operation>,
    out: &mut dyn Write,
) -> Result<u8> {
    let mut code = 0;
    for variant in variants::<W>(arguments, trace) {
        if arguments.log.is_some() {
            run_plan::<W>(arguments.store, &trace.plan, variant, Log)?;
        }
        let report = run_plan_twice::<W>(arguments.store, &trace.plan, variant)?;
        writeln!(
            out,
            "{} · {variant} · {} · seed {}",
            trace.plan.scenario,
            arguments.store.name(),
            trace.plan.seed
        )?;
        super::run::print::<W>(&report, out)?;
        let expected = trace.expect.get(variant);
        if let Some(expected) = expected {
            tell_difference("behaviour", expected.behaviour, report.behaviour, out)?;
            tell_difference("full", expected.full, report.full, out)?;
        }
        let this = if !arguments.expect {
            report.verdict.exit_code()
        } else if let Some(expected) = expected {
            let missed = expected.missed_by(&report);
            let judged = missed.as_deref().map_or_else(
                || format!("as the trace expects of `{variant}`: {}", expected.outcome),
                |missed| format!("not as the trace expects: {missed}"),
            );
            writeln!(out, "  {judged}")?;
            missed.map_or(0, |_| report.verdict.exit_code().max(1))
        } else {
            writeln!(out, "  the trace expects nothing of `{variant}`")?;
            3
        };
        code = worse(code, this);
    }
    Ok(code)
}

/// The exit code that takes precedence: 4, then 1, then 3, then 0.
fn worse(one: u8, other: u8) -> u8 {
    let rank = |code| [0, 3, 1, 4].iter().position(|ranked| *ranked == code);
    if rank(other) > rank(one) { other } else { one }
}

/// Says when a hash is not what it was: no failure, since behaviour may change on purpose.
fn tell_difference(name: &str, before: Option<RunHash>, now: RunHash, out: &mut dyn Write) -> io::Result<()> {
    if before.is_some_and(|before| before != now) {
        writeln!(
            out,
            "  the hash `{name}` is not the one in the trace: the code has changed since it was written"
        )?;
    }
    Ok(())
}

fn variants<'a, W: World>(
    arguments: &'a Arguments,
    trace: &'a Trace<W::Shape, W::Operation>,
) -> Vec<&'a str> {
    if let Some(variant) = &arguments.variant {
        return vec![variant];
    }
    let named = trace.expect.keys().map(|variant| variant.as_str());
    let named: Vec<_> = if arguments.expect {
        named.collect()
    } else {
        named.take(1).collect()
    };
    if named.is_empty() {
        vec![default_variant::<W>()]
    } else {
        named
    }
}
