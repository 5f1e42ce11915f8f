//! What a run has shown, written to a trace.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sim::check::Violation;
use sim::run::{History, Report, StoreKind};
use sim::trace::{Expectation, Trace};
use sim::world::{PlanOf, World};

use super::run_plan;

/// Where the trace of a violation goes that nobody has named a file for.
pub fn file(violation: &Violation, scenario: &str, seed: u64) -> PathBuf {
    // A scenario of a folder does not make another one here.
    let scenario = scenario.replace('/', "-");
    Path::new("traces")
        .join("failures")
        .join(format!("{}-{scenario}-{seed}.jsonl", violation.invariant))
}

/// Writes the plan with what it has shown, and the history of one more run.
fn write_trace<W: World>(
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
        history: history.0,
    };
    let mut bytes = Vec::new();
    trace
        .write(W::NAME, &mut bytes)
        .context("a trace cannot be written to memory")?;
    put(file, &bytes).with_context(|| format!("cannot write {}", file.display()))
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
    let file = file.display();
    writeln!(out, "  trace: {file}")?;
    writeln!(
        out,
        "  next:  cargo run --release -- replay {file} --variant {variant} --log"
    )?;
    Ok(())
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
