//! `drydock keep`: a shrunk trace, filed as a test.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::ValueHint;
use protocol::host::Text;
use sim::check::{Identity, Verdict};
use sim::report::figures::Of;
use sim::run::{Pools, StoreKind};
use sim::search::shrink::expectation;
use sim::trace::{self, Expectation, Trace};
use sim::world::World;

use super::failing::failing_variant;
use super::file::{WithTrace, read, with_trace, write};
use super::output::quoted;
use super::{default_variant, deployment};

/// File a shrunk trace as a test
///
/// The trace goes to FOLDER/WORLD, under a name made of the invariant and of what the plan does, and `cargo test` replays it
/// from then on. What is expected of it is recorded anew: of the variant that fails, of `documented` and of `hardened`, each
/// with the faults that must take effect.
///
/// A trace is refused that is not shrunk to the end, and one whose failure and story are those of a trace that is kept
/// already. Exits with 0 when it is filed.
#[derive(clap::Args)]
pub struct Arguments {
    /// The trace; `-` is the standard input
    #[arg(value_hint = ValueHint::FilePath)]
    trace: PathBuf,
    /// The folder of kept traces
    #[arg(long, default_value = "traces", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
}

/// What is recorded besides what a trace fails under, where a world has it.
const RECORDED: [&str; 2] = ["documented", "hardened"];

/// Does it, and answers the exit code.
pub fn keep(arguments: &Arguments, out: &mut dyn Write) -> Result<u8> {
    with_trace(&arguments.trace, KeepTrace { arguments, out })
}

/// Keeps a trace whose world is not known yet.
struct KeepTrace<'a> {
    arguments: &'a Arguments,
    out: &'a mut dyn Write,
}

impl WithTrace for KeepTrace<'_> {
    const WITH_HISTORY: bool = true;

    fn visit<W: World>(self, trace: Trace<W::Shape, W::Operation>) -> Result<u8> {
        let KeepTrace { arguments, out } = self;
        let named = arguments.trace.display();
        if trace.shrunk.is_none() || !trace::is_1_minimal(&trace.plan, trace.certificates.len()) {
            bail!(
                "{named}: only what is shrunk to the end is kept: try\n  cargo run --release -- shrink {}",
                quoted(&arguments.trace)
            );
        }
        let variant = failing_variant(None, &arguments.trace, &trace)?;
        let shown = shown::<W>(&trace, &variant)?;
        let Verdict::Violated(violation) = &shown.verdict else {
            if let Verdict::NotDeterministic(_) = shown.verdict {
                writeln!(out, "{}", shown.verdict)?;
                return Ok(shown.verdict.exit_code());
            }
            bail!(
                "{named}: there is nothing to keep: under `{variant}` the run says: {}",
                shown.verdict
            );
        };
        let identity = Identity::of(violation);
        let story = trace::story::<W>(&trace.plan);
        let folder = arguments.folder.join(W::NAME);
        if let Some(kept) = twin::<W>(&folder, &identity, &story)? {
            bail!(
                "{named}: this failure is kept already, by the same story: {}",
                kept.display()
            );
        }
        let file = free_name(&folder, &trace::name(&identity, &story));
        let mut expect = BTreeMap::from([(Text::from(variant.as_str()), shown.expectation)]);
        for recorded in RECORDED.into_iter().filter(|recorded| *recorded != variant) {
            if W::variants().iter().any(|known| known.name == recorded) {
                let there = shown_under::<W>(&trace, recorded, &shown.report)?;
                expect.extend(there.map(|expected| (Text::from(recorded), expected)));
            }
        }
        let kept = Trace { expect, ..trace };
        write::<W>(&kept, &file)?;
        tell::<W>(&kept, &file, out)?;
        Ok(0)
    }
}

/// What a trace shows under the variant that it fails under.
struct Shown {
    verdict: Verdict,
    report: sim::run::Report,
    expectation: Expectation,
}

fn shown<W: World>(trace: &Trace<W::Shape, W::Operation>, variant: &str) -> Result<Shown> {
    let pools = Pools::default();
    let report = pools.run_twice::<W>(StoreKind::Sqlite, &trace.plan, &deployment::<W>(variant)?);
    let expectation = expectation(&report, &report);
    let expectation = expectation.or_else(|| trace.expect.get(variant).cloned());
    Ok(Shown {
        verdict: report.verdict.clone(),
        expectation: expectation.context("a run that shows nothing is expected to show nothing")?,
        report,
    })
}

/// What is expected of another variant; none where it shows nothing.
fn shown_under<W: World>(
    trace: &Trace<W::Shape, W::Operation>,
    variant: &str,
    failing: &sim::run::Report,
) -> Result<Option<Expectation>> {
    let deployment = deployment::<W>(variant)?;
    let report = Pools::default().run_twice::<W>(StoreKind::Sqlite, &trace.plan, &deployment);
    Ok(expectation(&report, failing))
}

/// A kept trace of the same failure and the same story.
fn twin<W: World>(folder: &Path, identity: &Identity, story: &[String]) -> Result<Option<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        files.push(
            entry
                .with_context(|| format!("cannot read {}", folder.display()))?
                .path(),
        );
    }
    files.retain(|file| file.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    for file in files {
        let kept = read::<W>(&file)?;
        if trace::story::<W>(&kept.plan) != story {
            continue;
        }
        let Ok(variant) = failing_variant(None, &file, &kept) else {
            continue;
        };
        let report = Pools::default().run::<W>(StoreKind::Sqlite, &kept.plan, deployment::<W>(&variant)?, ());
        if matches!(&report.verdict, Verdict::Violated(violation) if Identity::of(violation) == *identity) {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// A file that is not there yet.
fn free_name(folder: &Path, name: &str) -> PathBuf {
    let numbered = (2..).map(|nth| format!("{name}-{nth}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names
        .find_map(|name| {
            let file = folder.join(format!("{name}.jsonl"));
            (!file.exists()).then_some(file)
        })
        .expect("some number is free")
}

fn tell<W: World>(kept: &Trace<W::Shape, W::Operation>, file: &Path, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "kept: {}", file.display())?;
    for (variant, expected) in &kept.expect {
        let marks = match expected.marks.len() {
            0 => String::new(),
            marks => format!(", past {}", Of(marks as u64, "mark")),
        };
        writeln!(out, "  {variant:<12} {}{marks}", expected.outcome)?;
    }
    let default = default_variant::<W>();
    if kept
        .expect
        .get(default)
        .is_some_and(|expected| expected.outcome != trace::Expected::Passed)
    {
        writeln!(
            out,
            "  `{default}` is expected to fail: change that when it is mended"
        )?;
    }
    writeln!(out, "  next:  cargo test --test traces")?;
    Ok(())
}
