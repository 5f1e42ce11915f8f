//! `drydock keep`: a shrunk trace, filed as a test.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::ValueHint;
use protocol::host::Text;
use sim::check::{Identity, Verdict};
use sim::report::figures::Of;
use sim::run::{History, Line, Pools, Report, StoreKind};
use sim::search::shrink::{certify, expectation};
use sim::trace::{self, Certificate, Expectation, Trace};
use sim::world::{PlanOf, World};

use super::failing::failing_variant;
use super::file::{WithTrace, read, with_trace};
use super::output::quoted;
use super::{default_variant, deployment};

/// File a shrunk trace as a test
///
/// The trace goes to FOLDER/WORLD, under a name made of the invariant and of what the plan does, and `cargo test` replays it
/// from then on. It must still show the failure that it is of. Each of its certificates is run once more, and recorded anew
/// with the history, and with what is expected of the variant that fails, of `documented` and of `hardened`, each with the
/// faults that must take effect.
///
/// A trace is refused that is not shrunk to the end, and one whose failure and story are those of a trace that is kept
/// already. Exits with 0 when it is filed.
#[derive(clap::Args)]
pub struct Arguments {
    /// The trace; `-` is the standard input
    #[arg(value_hint = ValueHint::FilePath, required = true)]
    traces: Vec<PathBuf>,
    /// The folder of kept traces
    #[arg(long, default_value = "traces", value_hint = ValueHint::DirPath, conflicts_with = "renew")]
    folder: PathBuf,
    /// The traces are kept already: record anew, in their files, what they show, as long as that is what they expect
    #[arg(long)]
    renew: bool,
}

/// What is recorded besides what a trace fails under, where a world has it.
const RECORDED: [&str; 2] = ["documented", "hardened"];

/// Does it, and answers the exit code.
pub fn keep(arguments: &Arguments, out: &mut dyn Write) -> Result<u8> {
    for named in &arguments.traces {
        let code = with_trace(
            named,
            KeepTrace {
                arguments,
                named,
                out,
            },
        )?;
        if code != 0 {
            return Ok(code);
        }
    }
    Ok(0)
}

/// Keeps a trace whose world is not known yet.
struct KeepTrace<'a> {
    arguments: &'a Arguments,
    named: &'a Path,
    out: &'a mut dyn Write,
}

impl WithTrace for KeepTrace<'_> {
    const WITH_HISTORY: bool = true;

    fn visit<W: World>(self, trace: Trace<W::Shape, W::Operation>) -> Result<u8> {
        let KeepTrace {
            arguments,
            named,
            out,
        } = self;
        if arguments.renew {
            return renew::<W>(trace, named, out);
        }
        if trace.shrunk.is_none() || !trace::is_1_minimal(&trace.plan, trace.certificates.len()) {
            bail!("{}", not_to_the_end(named));
        }
        let variant = failing_variant(None, named, &trace)?;
        let report = run_twice::<W>(&trace, &variant)?;
        if let Verdict::NotDeterministic(_) = report.verdict {
            writeln!(out, "{}", report.verdict)?;
            return Ok(report.verdict.exit_code());
        }
        let identity = same_failure::<W>(&trace, &variant, &report, named)?;
        let certificates = certificates::<W>(&trace.plan, &variant, &identity, named)?;
        let mut expect = BTreeMap::new();
        let recorded = RECORDED.into_iter().filter(|recorded| *recorded != variant);
        for under in recorded.chain([variant.as_str()]) {
            if W::variants().iter().any(|known| known.name == under) {
                let there = run_twice::<W>(&trace, under)?;
                let there = expectation(&there, &report);
                expect.extend(there.map(|expected| (Text::from(under), expected)));
            }
        }
        let kept = Trace {
            expect,
            certificates,
            history: history::<W>(&trace.plan, &variant)?,
            ..trace
        };
        let folder = arguments.folder.join(W::NAME);
        let file = file_new::<W>(&kept, &identity, named, &folder, out)?;
        tell::<W>(&kept, &file, out)?;
        Ok(0)
    }
}

fn not_to_the_end(named: &Path) -> String {
    format!(
        "{}: only what is shrunk to the end is kept: try\n  cargo run --release -- shrink {}",
        named.display(),
        quoted(named)
    )
}

fn run_twice<W: World>(trace: &Trace<W::Shape, W::Operation>, variant: &str) -> Result<Report> {
    let deployment = deployment::<W>(variant)?;
    Ok(Pools::default().run_twice::<W>(StoreKind::Sqlite, &trace.plan, &deployment))
}

/// The failure that a run shows, as long as it is the one that the trace is of: else it would become a trace of another.
fn same_failure<W: World>(
    trace: &Trace<W::Shape, W::Operation>,
    variant: &str,
    report: &Report,
    named: &Path,
) -> Result<Identity> {
    let (named_file, file) = (named.display(), quoted(named));
    let Some(expected) = trace.expect.get(variant) else {
        bail!(
            "{named_file}: the trace does not say what it expects of `{variant}`, so nobody knows what it is of"
        );
    };
    match (expected.missed_by(report), &report.verdict) {
        (None, Verdict::Violated(violation)) => Ok(Identity::of(violation)),
        (None, verdict) => {
            bail!("{named_file}: there is nothing to keep: under `{variant}` the run says: {verdict}")
        }
        (Some(missed), Verdict::Violated(_)) => bail!(
            "{named_file}: this is not any more what the trace is of: {missed}\n  to have it of what it shows now:  \
             cargo run --release -- shrink {file}"
        ),
        (Some(_), verdict) => {
            bail!("{named_file}: there is nothing to keep: under `{variant}` the run says: {verdict}")
        }
    }
}

/// What the removals of a plan show now.
fn certificates<W: World>(
    plan: &PlanOf<W>,
    variant: &str,
    identity: &Identity,
    named: &Path,
) -> Result<Vec<Certificate>> {
    let certified = certify::<W>(plan, &deployment::<W>(variant)?, identity, StoreKind::Sqlite);
    certified.map_err(|part| {
        anyhow!(
            "{}: it fails in the same way without {part}, whatever its certificate says: try\n  cargo run --release -- \
             shrink {}",
            named.display(),
            quoted(named)
        )
    })
}

/// The history of one more run, so that it is that of the hashes beside it.
fn history<W: World>(plan: &PlanOf<W>, variant: &str) -> Result<Vec<Line>> {
    let mut history = History::default();
    Pools::default().run::<W>(StoreKind::Sqlite, plan, deployment::<W>(variant)?, &mut history);
    Ok(history.0)
}

/// Files a trace under a name that nobody has, where no other one is of the same failure and story. One command at a time
/// does so in a folder: of two that bring the same, the second one sees the first one's.
fn file_new<W: World>(
    kept: &Trace<W::Shape, W::Operation>,
    identity: &Identity,
    named: &Path,
    folder: &Path,
    out: &mut dyn Write,
) -> Result<PathBuf> {
    let cannot = || format!("cannot write to {}", folder.display());
    fs::create_dir_all(folder).with_context(cannot)?;
    let turn = File::open(folder).with_context(cannot)?;
    turn.lock().with_context(cannot)?;
    let story = trace::story::<W>(&kept.plan);
    if let Some(twin) = twin::<W>(folder, identity, &story, out)? {
        bail!(
            "{}: this failure is kept already, by the same story: {}",
            named.display(),
            twin.display()
        );
    }
    let name = trace::name(identity, &story);
    let numbered = (2..).map(|nth| format!("{name}-{nth}"));
    for name in std::iter::once(name.clone()).chain(numbered) {
        let file = folder.join(format!("{name}.jsonl"));
        match kept.save_new(W::NAME, &file) {
            Ok(()) => return Ok(file),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| format!("cannot write {}", file.display())),
        }
    }
    unreachable!("some number is free")
}

/// A kept trace of the same failure and the same story. What cannot be read is told: it is no reason to keep nothing.
fn twin<W: World>(
    folder: &Path,
    identity: &Identity,
    story: &[String],
    out: &mut dyn Write,
) -> Result<Option<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        files.push(
            entry
                .with_context(|| format!("cannot read {}", folder.display()))?
                .path(),
        );
    }
    files.retain(|file| file.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    for file in files {
        let kept = match read::<W>(&file) {
            Ok(kept) => kept,
            Err(error) => {
                writeln!(out, "not compared, as it cannot be read: {error:#}")?;
                continue;
            }
        };
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

/// Records anew what a kept trace shows, as long as that is what it expects: whole identities, hashes, certificates and
/// history of this version. What it is of, its marks and its plan stay.
fn renew<W: World>(trace: Trace<W::Shape, W::Operation>, named: &Path, out: &mut dyn Write) -> Result<u8> {
    if named == Path::new("-") {
        bail!("a trace is renewed in its file, and the standard input is none");
    }
    if trace.expect.is_empty() {
        bail!("{}: not renewed: the trace expects nothing", named.display());
    }
    let mut renewed = trace.clone();
    for (variant, expected) in &trace.expect {
        let report = run_twice::<W>(&trace, variant)?;
        if let Some(missed) = expected.missed_by(&report) {
            bail!(
                "{}: not renewed: under `{variant}` it does not show what it expects: {missed}",
                named.display()
            );
        }
        let Some(now) = Expectation::of(&report) else {
            bail!(
                "{}: not renewed: under `{variant}`: {}",
                named.display(),
                report.verdict
            );
        };
        // A trace that holds no hashes is to outlive changes of behaviour without a word.
        let anew = Expectation {
            outcome: now.outcome,
            marks: expected.marks.clone(),
            behaviour: expected.behaviour.and(now.behaviour),
            full: expected.full.and(now.full),
        };
        if let Verdict::Violated(violation) = &report.verdict
            && trace.failing() == Some(variant)
            && !trace.certificates.is_empty()
        {
            let identity = Identity::of(violation);
            renewed.certificates = certificates::<W>(&trace.plan, variant, &identity, named)?;
        }
        renewed.expect.insert(variant.clone(), anew);
    }
    if let Some(variant) = trace.of_history() {
        renewed.history = history::<W>(&trace.plan, variant)?;
    }
    let cannot = || format!("cannot write {}", named.display());
    let text = fs::read_to_string(named).with_context(cannot)?;
    let bytes = trace::renewed(&text, &renewed).with_context(cannot)?;
    trace::put(named, &bytes).with_context(cannot)?;
    writeln!(out, "renewed: {}", named.display())?;
    tell_expectations(&renewed.expect, out)?;
    Ok(0)
}

fn tell_expectations(expect: &BTreeMap<Text, Expectation>, out: &mut dyn Write) -> Result<()> {
    let width = expect
        .keys()
        .map(|variant| variant.len())
        .max()
        .unwrap_or_default();
    for (variant, expected) in expect {
        let marks = match expected.marks.len() {
            0 => String::new(),
            marks => format!(", past {}", Of(marks as u64, "mark")),
        };
        writeln!(out, "  {variant:<width$}   {}{marks}", expected.outcome)?;
    }
    Ok(())
}

fn tell<W: World>(kept: &Trace<W::Shape, W::Operation>, file: &Path, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "kept: {}", file.display())?;
    tell_expectations(&kept.expect, out)?;
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
