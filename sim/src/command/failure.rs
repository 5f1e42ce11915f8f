//! What a run has shown, written to a trace.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use sim::check::{Verdict, Violation};
use sim::run::{History, Report, StoreKind};
use sim::trace::{Expectation, Trace};
use sim::world::{PlanOf, World};

use super::file::write;
use super::output::quoted;
use super::{default_variant, run_plan};

/// Where the trace of a violation goes that nobody has named a file for.
pub fn file<W: World>(violation: &Violation, scenario: &str, seed: u64, variant: &str) -> PathBuf {
    // A scenario of a folder does not make another one here.
    let scenario = scenario.replace('/', "-");
    let of = if variant == default_variant::<W>() {
        String::new()
    } else {
        format!("-{variant}")
    };
    Path::new("traces")
        .join("failures")
        .join(format!("{}-{scenario}-{seed}{of}.jsonl", violation.invariant))
}

/// Writes the plan with what it has shown, and the history of one more run.
pub fn write_trace<W: World>(
    store: StoreKind,
    plan: PlanOf<W>,
    variant: &str,
    report: &Report,
    file: &Path,
) -> Result<()> {
    let mut history = History::default();
    run_plan::<W>(store, &plan, variant, &mut history)?;
    let expect = Expectation::of(report)
        .map(|expected| (variant.into(), expected))
        .into_iter()
        .collect();
    let trace = Trace {
        plan,
        expect,
        shrunk: None,
        certificates: Vec::new(),
        history: history.0,
    };
    write::<W>(&trace, file)
}

/// Writes it too, and says how to go on from it.
pub fn tell_trace<W: World>(
    store: StoreKind,
    plan: PlanOf<W>,
    variant: &str,
    report: &Report,
    file: &Path,
    out: &mut dyn Write,
) -> Result<()> {
    write_trace::<W>(store, plan, variant, report, file)?;
    tell_next(variant, &report.verdict, file, out)
}

/// Says where a trace is, and how to go on from it.
pub fn tell_next(variant: &str, verdict: &Verdict, file: &Path, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "  trace: {}", file.display())?;
    let file = quoted(file);
    let replay = format!("cargo run --release -- replay {file} --variant {variant} --log");
    if let Verdict::Violated(_) = verdict {
        writeln!(out, "  next:  cargo run --release -- shrink {file}")?;
        writeln!(out, "         {replay}")?;
    } else {
        writeln!(out, "  next:  {replay}")?;
    }
    Ok(())
}
