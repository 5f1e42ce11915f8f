//! `drydock shrink`: a trace that fails, made as small as it gets.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::ValueHint;
use indicatif::ProgressDrawTarget;
use protocol::host::Text;
use sim::check::{Identity, Verdict, Violation};
use sim::plan::Plan;
use sim::report::figures::{Of, Took};
use sim::report::shrink::write_smallest;
use sim::run::{History, Pools, Report, StoreKind};
use sim::search::shrink::{self, Ended, RUNS, Settings, Smallest};
use sim::trace::{Expectation, Shrunk, Trace};
use sim::world::{PlanOf, World};

use super::failing::failing_variant;
use super::file::{WithTrace, with_trace, write};
use super::interrupt::{self, Interrupt};
use super::progress::Progress;
use super::watch::Clock;
use super::{
    default_variant, deployment, failure, jobs, run_plan, run_plan_twice, statement, store_names,
    variant_names,
};

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
    #[arg(value_hint = ValueHint::FilePath)]
    trace: PathBuf,
    /// Where the smaller trace goes [default: beside the trace, with `-shrunk` in its name]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// The variant of the protocol's rules [default: the first that the trace expects to be violated]
    #[arg(long, value_parser = variant_names(), hide_possible_values = true)]
    variant: Option<String>,
    /// How many runs go on at once [default: as many as there are processors]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// How many runs it takes at most
    #[arg(long, default_value_t = RUNS, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Which store holds the objects' databases
    #[arg(long, value_parser = store_names(), default_value = StoreKind::Sqlite.name())]
    store: StoreKind,
}

/// Does it, and answers the exit code.
pub fn shrink(arguments: &Arguments, out: &mut dyn Write) -> Result<u8> {
    with_trace(&arguments.trace, ShrinkTrace { arguments, out })
}

/// Shrinks a trace whose world is not known yet.
struct ShrinkTrace<'a> {
    arguments: &'a Arguments,
    out: &'a mut dyn Write,
}

impl WithTrace for ShrinkTrace<'_> {
    fn visit<W: World>(self, trace: Trace<W::Shape, W::Operation>) -> Result<u8> {
        let ShrinkTrace { arguments, out } = self;
        let variant = failing_variant(arguments.variant.as_deref(), &arguments.trace, &trace)?;
        let report = run_plan_twice::<W>(arguments.store, &trace.plan, &variant)?;
        let violation = match &report.verdict {
            Verdict::Violated(violation) => violation,
            Verdict::NotDeterministic(_) => return not_deterministic(&report, out),
            verdict => bail!(
                "{}: there is nothing to shrink: under `{variant}` on {} the run says: {verdict}",
                arguments.trace.display(),
                arguments.store.name()
            ),
        };
        let settings = Settings {
            store: arguments.store,
            jobs: jobs(arguments.jobs),
            runs: arguments.runs,
        };
        // Whoever has read the heading can end it.
        let interrupt = Interrupt::listen()?;
        write_heading::<W>(&trace.plan, &variant, settings, violation, out)?;
        let clock = Clock::start(None, interrupt, Progress::of_shrinking(progress_target()));
        let smallest = shrink::shrink::<W, _>(
            &trace.plan,
            &Identity::of(violation),
            settings,
            || deployment::<W>(&variant).expect("the variant was there before"),
            &clock,
        );
        let took = clock.stop();
        // Without a single run, as when it is interrupted at once, the plan itself is the smallest.
        let smallest = smallest.unwrap_or_else(|| Smallest {
            plan: trace.plan.clone(),
            certificates: Vec::new(),
            runs: 0,
            ended: Ended::Interrupted,
        });
        let done = Done {
            arguments,
            variant: &variant,
            from: trace.plan.items.len(),
            smallest,
            took: Took(took),
        };
        done.hand_over::<W>(out)
    }
}

fn progress_target() -> ProgressDrawTarget {
    if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
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

fn not_deterministic(report: &Report, out: &mut dyn Write) -> Result<u8> {
    writeln!(out, "{}", report.verdict)?;
    Ok(report.verdict.exit_code())
}

/// A search that is over, and what it was asked.
struct Done<'a, S, O> {
    arguments: &'a Arguments,
    variant: &'a str,
    from: usize,
    smallest: Smallest<S, O>,
    took: Took,
}

impl<S: Clone, O: Clone + serde::Serialize> Done<'_, S, O> {
    /// Checks the smaller plan, writes it, and tells of it.
    fn hand_over<W: World<Shape = S, Operation = O>>(self, out: &mut dyn Write) -> Result<u8> {
        let (store, plan, runs) = (self.arguments.store, &self.smallest.plan, self.smallest.runs);
        let report = run_plan_twice::<W>(store, plan, self.variant)?;
        let both = Pools::default().run_on_both::<W, _>(store, plan, &deployment::<W>(self.variant)?);
        for report in [&report, &both.report] {
            if let Verdict::NotDeterministic(_) = report.verdict {
                return not_deterministic(report, out);
            }
        }
        let Verdict::Violated(violation) = &report.verdict else {
            bail!("the smaller trace does not fail any more: {}", report.verdict);
        };
        writeln!(out, "  {}", violation.detail)?;
        write_smallest(self.from, violation, &self.smallest, out)?;
        writeln!(out, "  {} in {}", Of(runs, "run"), self.took)?;
        let other = store.other().name();
        match &both.void {
            None => writeln!(out, "  run twice on {}, and on {other}: the same", store.name())?,
            Some(why) => writeln!(out, "  run twice on {}, and not on {other}: {why}", store.name())?,
        }
        let file = file(self.arguments, violation, plan);
        let trace = self.trace::<W>(&report)?;
        write::<W>(&trace, &file)?;
        let file = file.display();
        writeln!(out, "  trace: {file}")?;
        writeln!(
            out,
            "  next:  cargo run --release -- replay {file} --variant {} --log",
            self.variant
        )?;
        if self.smallest.ended == Ended::Interrupted {
            writeln!(out, "interrupted: this is the smallest trace so far.")?;
            return Ok(interrupt::EXIT_CODE);
        }
        Ok(0)
    }

    fn trace<W: World<Shape = S, Operation = O>>(&self, report: &Report) -> Result<Trace<S, O>> {
        let Done {
            arguments,
            variant,
            smallest,
            ..
        } = self;
        let mut history = History::default();
        run_plan::<W>(arguments.store, &smallest.plan, variant, &mut history)?;
        Ok(Trace {
            plan: smallest.plan.clone(),
            expect: self.expect::<W>(report)?,
            shrunk: Some(Shrunk {
                variant: Text::new(variant),
                from: u32::try_from(self.from).unwrap_or(u32::MAX),
            }),
            certificates: smallest.certificates.clone(),
            history: history.0,
        })
    }

    /// That the variant fails, and that the default one passes, where it does. Both must come by the faults that were
    /// there: without them neither shows anything.
    fn expect<W: World<Shape = S, Operation = O>>(
        &self,
        report: &Report,
    ) -> Result<BTreeMap<Text, Expectation>> {
        let faults = report.marks.iter().map(|(mark, _)| mark);
        let faults: Vec<_> = faults.filter(|mark| mark.starts_with("fault ")).collect();
        let mut expect = BTreeMap::new();
        let mut add = |variant: &str, report: &Report| {
            let marks = faults.iter().filter(|mark| report.marks.count(mark) > 0);
            if let Some(expected) = Expectation::of(report) {
                let marks = marks.map(Text::new).collect();
                expect.insert(Text::new(variant), Expectation { marks, ..expected });
            }
        };
        add(self.variant, report);
        let default = default_variant::<W>();
        if self.variant != default {
            let there = run_plan_twice::<W>(self.arguments.store, &self.smallest.plan, default)?;
            if there.verdict == Verdict::Passed {
                add(default, &there);
            }
        }
        Ok(expect)
    }
}

/// Where the smaller trace goes.
fn file<S, O>(arguments: &Arguments, violation: &Violation, plan: &Plan<S, O>) -> PathBuf {
    if let Some(file) = &arguments.output {
        return file.clone();
    }
    let trace = if arguments.trace == Path::new("-") {
        failure::file(violation, &plan.scenario, plan.seed)
    } else {
        arguments.trace.clone()
    };
    let stem = trace
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    trace.with_file_name(format!("{stem}-shrunk.jsonl"))
}
