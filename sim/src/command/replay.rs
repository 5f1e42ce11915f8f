//! `drydock replay`: a trace once more.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::ValueHint;
use protocol::host::Text;
use sim::check::{Identity, Verdict};
use sim::kernel::RunHash;
use sim::printable::brief;
use sim::report::figures::Of;
use sim::run::{Against, Line, Report, Skipped, StoreKind};
use sim::trace::{Expectation, Expected, Missed, Trace};
use sim::world::World;

use super::failing::bisected_variant;
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
    /// code cannot run the trace, or its run shows nothing. Where the trace names several variants, --variant must say which
    #[arg(long, conflicts_with_all = ["strict", "expect"])]
    bisect: bool,
    /// Which store holds the objects' databases
    #[arg(long, value_parser = store_names(), default_value = StoreKind::Sqlite.name())]
    store: StoreKind,
    /// The variant of the protocol's rules [default: with --expect all that the trace names, with --strict that of its
    /// history, else the first it names]
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

/// Replays a trace and judges it by what it expects, for each variant that it names: the exit code.
pub fn expect(trace: &Path, store: StoreKind, out: &mut dyn Write) -> Result<u8> {
    let arguments = Arguments {
        trace: trace.to_owned(),
        expect: true,
        strict: false,
        bisect: false,
        store,
        variant: None,
        log: None,
    };
    replay(&arguments, out)
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
            let variant = bisected_variant(named, &self.arguments.trace, &trace)?;
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
        if !is_as_recorded::<W>(arguments, trace, variant, &report, out)? {
            return Ok(VOID);
        }
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
                let other = Identity::of(other);
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

/// What a trace has recorded of a variant's run.
struct Recorded<'a> {
    history: &'a [Line],
    /// Whose history the trace has, where it is not this variant's.
    history_of: Option<&'a Text>,
    /// The hashes: what each is called, what was recorded, what came.
    hashes: Vec<(&'static str, Option<RunHash>, RunHash)>,
}

impl<'a> Recorded<'a> {
    fn of<S, O>(trace: &'a Trace<S, O>, variant: &str, report: &Report) -> Self {
        let of = trace.of_history();
        let is_own = of.is_some_and(|of| of == variant);
        let expected = trace.expect.get(variant);
        let hash = |of: fn(&Expectation) -> Option<RunHash>| expected.and_then(of);
        Recorded {
            history: if is_own { &trace.history } else { &[] },
            history_of: of.filter(|_| !is_own),
            hashes: vec![
                ("behaviour", hash(|expected| expected.behaviour), report.behaviour),
                ("full", hash(|expected| expected.full), report.full),
            ],
        }
    }

    /// What is there to hold a run against, and what is not.
    fn told(&self) -> (Vec<String>, Vec<String>) {
        let (mut there, mut missing) = (Vec::new(), Vec::new());
        match (self.history.len(), self.history_of) {
            (0, None) => missing.push("a history".to_owned()),
            (0, Some(of)) => missing.push(format!(
                "a history of its own (the one that is there is of `{of}`)"
            )),
            (lines, _) => there.push(format!("{} of history", Of(lines as u64, "line"))),
        }
        for (name, recorded, _) in &self.hashes {
            let list = if recorded.is_some() {
                &mut there
            } else {
                &mut missing
            };
            list.push(format!("the hash `{name}`"));
        }
        (there, missing)
    }

    /// The hashes that are not what was recorded.
    fn other_hashes(&self) -> impl Iterator<Item = (&'static str, RunHash, RunHash)> {
        let recorded = self
            .hashes
            .iter()
            .filter_map(|(name, recorded, came)| Some((*name, (*recorded)?, *came)));
        recorded.filter(|(_, recorded, came)| recorded != came)
    }
}

/// Holds a run against all that the trace has recorded of it, and tells; whether nothing differs.
fn is_as_recorded<W: World>(
    arguments: &Arguments,
    trace: &Trace<W::Shape, W::Operation>,
    variant: &str,
    report: &Report,
    out: &mut dyn Write,
) -> Result<bool> {
    let recorded = Recorded::of(trace, variant, report);
    let (there, missing) = recorded.told();
    if there.is_empty() {
        bail!(
            "{}: the trace has neither a history nor a hash of `{variant}`, so there is nothing to hold it against",
            arguments.trace.display()
        );
    }
    if !missing.is_empty() {
        writeln!(
            out,
            "  not compared: the trace does not have {}",
            missing.join(", ")
        )?;
    }
    // What did not happen of the plan is why the rest differs.
    if !report.skipped.is_empty() {
        writeln!(out, "  refused: something of the trace did not apply")?;
        return Ok(false);
    }
    if !recorded.history.is_empty() {
        let mut against = Against::history(recorded.history);
        run_plan::<W>(arguments.store, &trace.plan, variant, &mut against)?;
        if let Some(parting) = against.parting() {
            writeln!(out, "  refused: {parting}")?;
            return Ok(false);
        }
    }
    let Some((name, expected, came)) = recorded.other_hashes().next() else {
        writeln!(
            out,
            "  strict: nothing differs from what was recorded: {}",
            there.join(", ")
        )?;
        return Ok(true);
    };
    writeln!(
        out,
        "  refused: the hash `{name}`: expected {expected}; came {came}"
    )?;
    let why = if recorded.history.is_empty() {
        "which event is the first other one only a history tells: `keep --renew` and `run --trace` write one"
    } else {
        "line by line the history is the same: what differs is in values that it does not tell"
    };
    writeln!(out, "  {why}")?;
    Ok(false)
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
    let fixed = fixed.iter().map(|key| brief(&key.to_string()).into_owned());
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
    // Nothing but the run that was recorded: that is the history's.
    if let Some(recorded) = trace
        .of_history()
        .filter(|_| arguments.strict && !arguments.expect)
    {
        return vec![recorded];
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
