//! `drydock replay`: a trace once more.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::ValueHint;
use sim::check::Verdict;
use sim::kernel::RunHash;
use sim::report::figures::Of;
use sim::run::{Against, Report, Skipped, StoreKind};
use sim::trace::{Expected, Missed, Trace};
use sim::world::World;

use super::failing::failing_variant;
use super::file::{WithTrace, with_trace};
use super::log::{Log, LogLevel};
use super::{default_variant, run_plan, run_plan_twice, store_names, variant_names};

/// Replay a trace
///
/// Exits by the verdict of the run. With --expect: with 0 when the run shows what the trace expects of this variant,
/// else with the code of the verdict, or with 1 where that would be 0; a run that does not pass the marks that are
/// expected of it is void.
///
/// What of the trace no longer applies is skipped, and told: faults aimed at calls that are not made any more, choices that
/// are not, items that name what is not there. With --strict it is not, and neither is any difference from what was recorded.
#[derive(clap::Args)]
pub struct Arguments {
    /// The trace; `-` is the standard input
    #[arg(value_hint = ValueHint::FilePath)]
    trace: PathBuf,
    /// Judge by what the trace expects, for each variant that it names
    #[arg(long)]
    expect: bool,
    /// Refuse the run, as void, where it first differs from the history and the hashes in the trace
    #[arg(long)]
    strict: bool,
    /// Exit as `git bisect run` wants it: 0 where everything holds, 1 where it does not, and 125 where this version of the
    /// code cannot run the trace, or its run shows nothing
    #[arg(long, conflicts_with_all = ["strict", "expect"])]
    bisect: bool,
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

/// The exit code of what has shown nothing.
const VOID: u8 = 3;

/// How many things that did not apply are named.
const SKIPPED_NAMED: usize = 5;

/// What `git bisect run` takes for a version that cannot be tested.
const CANNOT_TELL: u8 = 125;

/// Ends a command whose arguments are refused: of a version that does not know the variant that is bisected, nothing can be
/// told.
pub fn refuse(error: &clap::Error) -> ! {
    let bisects = std::env::args().any(|argument| argument == "--bisect");
    if bisects && error.use_stderr() {
        // Whoever bisects reads the exit code.
        let _ = error.print();
        std::process::exit(i32::from(CANNOT_TELL));
    }
    error.exit()
}

/// Does it, and answers the exit code.
pub fn replay(arguments: &Arguments, out: &mut dyn Write) -> Result<u8> {
    arguments.log.iter().for_each(|level| level.start());
    if !arguments.bisect {
        return with_trace(&arguments.trace, ReplayTrace { arguments, out });
    }
    // The simulator itself can fail, of an earlier version too.
    let replayed = catch_unwind(AssertUnwindSafe(|| {
        with_trace(&arguments.trace, ReplayTrace { arguments, out })
    }));
    match replayed {
        Ok(Ok(code @ 0..=1)) => Ok(code),
        Ok(Ok(_)) | Err(_) => Ok(CANNOT_TELL),
        Ok(Err(error)) => {
            anstream::eprintln!("error: {error:#}");
            Ok(CANNOT_TELL)
        }
    }
}

/// Replays a trace whose world is not known yet.
struct ReplayTrace<'a> {
    arguments: &'a Arguments,
    out: &'a mut dyn Write,
}

impl WithTrace for ReplayTrace<'_> {
    const WITH_HISTORY: bool = true;

    fn visit<W: World>(self, trace: Trace<W::Shape, W::Operation>) -> Result<u8> {
        if self.arguments.bisect {
            // One run is judged: that of the variant whose failure is looked for.
            let named = self.arguments.variant.as_deref();
            let variant = failing_variant(named, &self.arguments.trace, &trace)?;
            return replay_variant::<W>(self.arguments, &trace, &variant, self.out);
        }
        let mut code = 0;
        for variant in variants::<W>(self.arguments, &trace) {
            let this = replay_variant::<W>(self.arguments, &trace, variant, self.out)?;
            code = worse(code, this);
        }
        Ok(code)
    }
}

fn replay_variant<W: World>(
    arguments: &Arguments,
    trace: &Trace<W::Shape, W::Operation>,
    variant: &str,
    out: &mut dyn Write,
) -> Result<u8> {
    let (store, plan) = (arguments.store, &trace.plan);
    if arguments.log.is_some() {
        run_plan::<W>(store, plan, variant, Log)?;
    }
    let report = run_plan_twice::<W>(store, plan, variant)?;
    let store_name = store.name();
    writeln!(
        out,
        "{} · {variant} · {store_name} · seed {}",
        plan.scenario, plan.seed
    )?;
    super::run::print::<W>(&report, out)?;
    write_skipped(&report.skipped, out)?;
    let expected = trace.expect.get(variant);
    if arguments.strict {
        if let Some(refusal) = refusal::<W>(arguments, trace, variant, &report)? {
            writeln!(out, "  refused: {refusal}")?;
            return Ok(VOID);
        }
        writeln!(out, "  strict: nothing differs from what was recorded")?;
    } else if let Some(expected) = expected {
        tell_difference("behaviour", expected.behaviour, report.behaviour, out)?;
        tell_difference("full", expected.full, report.full, out)?;
    }
    if arguments.bisect && !report.skipped.is_empty() {
        writeln!(out, "  cannot tell: what is skipped may be what matters")?;
        return Ok(VOID);
    }
    let missed = expected.and_then(|expected| expected.missed_by(&report));
    if !arguments.expect {
        return Ok(match &missed {
            Some(missed @ Missed::Mark(_)) => {
                writeln!(out, "  void: {missed}")?;
                VOID
            }
            Some(Missed::Outcome {
                expected: Expected::Violated(_),
                found: Verdict::Violated(other),
            }) if arguments.bisect => {
                let other = &other.invariant;
                writeln!(
                    out,
                    "  cannot tell: it fails by {other}, which is not what is looked for"
                )?;
                VOID
            }
            _ => report.verdict.exit_code(),
        });
    }
    let Some(expected) = expected else {
        writeln!(out, "  the trace expects nothing of `{variant}`")?;
        return Ok(VOID);
    };
    match &missed {
        None => writeln!(out, "  as the trace expects of `{variant}`: {}", expected.outcome)?,
        Some(missed @ Missed::Mark(_)) => writeln!(out, "  void: {missed}")?,
        Some(missed) => writeln!(out, "  not as the trace expects: {missed}")?,
    }
    Ok(missed.map_or(0, |missed| missed.exit_code()))
}

/// Where a run first differs from what the trace has recorded of this variant.
fn refusal<W: World>(
    arguments: &Arguments,
    trace: &Trace<W::Shape, W::Operation>,
    variant: &str,
    report: &Report,
) -> Result<Option<String>> {
    // A trace has one history: that of the variant that fails.
    let failing = failing_variant(None, &arguments.trace, trace);
    let history = match failing {
        Ok(failing) if failing == variant => trace.history.as_slice(),
        _ => &[],
    };
    let expected = trace.expect.get(variant);
    let hashes = expected.map_or_else(Vec::new, |expected| {
        let of = |name, recorded: Option<RunHash>, found| Some((name, recorded?, found));
        let behaviour = of("behaviour", expected.behaviour, report.behaviour);
        let full = of("full", expected.full, report.full);
        [behaviour, full].into_iter().flatten().collect()
    });
    if history.is_empty() && hashes.is_empty() {
        bail!(
            "{}: the trace has neither a history nor a hash of `{variant}`, so there is nothing to hold it against",
            arguments.trace.display()
        );
    }
    if !history.is_empty() {
        let mut against = Against::history(history);
        run_plan::<W>(arguments.store, &trace.plan, variant, &mut against)?;
        if let Some(parting) = against.parting() {
            return Ok(Some(parting.to_string()));
        }
    }
    let other = hashes.into_iter().find(|(_, recorded, found)| recorded != found);
    if let Some((name, recorded, found)) = other {
        return Ok(Some(format!(
            "the hash `{name}`: expected {recorded}; came {found}"
        )));
    }
    Ok((!report.skipped.is_empty()).then(|| "something of the trace did not apply".to_owned()))
}

/// Says what of the plan did not come to apply.
fn write_skipped(skipped: &Skipped, out: &mut dyn Write) -> io::Result<()> {
    if skipped.is_empty() {
        return Ok(());
    }
    let Skipped { items, fixed } = skipped;
    let counts = [(items.len(), "item"), (fixed.len(), "fixed choice")];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<_> = counts
        .map(|(count, what)| Of(count as u64, what).to_string())
        .collect();
    let items = items.iter().map(|item| format!("item {item}"));
    let fixed = fixed.iter().map(|key| key.to_string().escape_debug().to_string());
    let which: Vec<_> = items.chain(fixed).take(SKIPPED_NAMED).collect();
    let more = if skipped.items.len() + skipped.fixed.len() > which.len() {
        ", …"
    } else {
        ""
    };
    writeln!(
        out,
        "  skipped: {} that did not apply ({}{more})",
        counts.join(" and "),
        which.join(", ")
    )
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
