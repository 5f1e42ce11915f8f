//! `drydock gate`: whether to deploy.

mod planted;
mod swept;

use std::fs;
use std::io::Write;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Error, Result, bail};
use clap::ValueHint;
use sim::report::figures::{Of, Took};
use sim::report::gate::{Case, Cases, Stands, worse};
use sim::run::StoreKind;
use sim::scenario::{self, Source};
use sim::search::Watcher as _;
use sim::search::known::{Date, Known};
use sim::search::measured::{Measured, file_of};
use sim::world::World;
use sim::world::known::{self, Visit};

use super::file::refuse_no_file;
use super::interrupt::{self, Interrupt};
use super::progress::Progress;
use super::replay;
use super::shrinking::target;
use super::sweep::{KnownOnDay, known_on_day};
use super::watch::Clock;

/// Say whether to deploy: all that must hold before a version of the protocol is let out
///
/// The kept traces show what they are expected to show; a sample of planted defects is found, by each invariant that can
/// find one, so that a broken checker does not pass; and every scenario is swept with so many seeds that the defect which is
/// hardest to find there would be missed with a chance of 1 in 1,000 at most. With a budget it takes as many of them as
/// there is time for, and says what chance is left; but so many always that the marks of each scenario are judged. The
/// last line is the verdict.
#[derive(clap::Args)]
pub struct Arguments {
    /// How long it may take, as 90s, 10m or 2h; seeds are what it saves on
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    budget: Option<Duration>,
    /// Write what was checked, as JUnit XML
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    junit: Option<PathBuf>,
    /// A TOML file of failures that are known, as of `sweep`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    known: Option<PathBuf>,
    /// What day it is, as 2027-01-31, for --known [default: what the system says, in UTC]
    #[arg(long, value_name = "DATE", requires = "known")]
    today: Option<Date>,
    /// With a chance of 1 in so many at most the hardest of the planted defects would be missed
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(2..))]
    one_in: u32,
    /// The first seed: that of the day's number finds what those of every other day have missed
    #[arg(long, default_value_t = 1)]
    from: u64,
    /// How many runs go on at once [default: as many as there are processors]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// The folder of the kept traces
    #[arg(long, default_value = "traces", value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    traces: PathBuf,
}

/// Does it, and answers the exit code.
pub fn gate(arguments: &Arguments, out: &mut dyn Write) -> Result<u8> {
    known::with(known::DEFAULT, GateOf { arguments, out }).context("there is no world")?
}

struct GateOf<'a> {
    arguments: &'a Arguments,
    out: &'a mut dyn Write,
}

impl Visit for GateOf<'_> {
    type Output = Result<u8>;

    fn visit<W: World>(self) -> Result<u8> {
        let GateOf { arguments, out } = self;
        // What is wrong with a file is told before there is anything to lose.
        arguments.junit.iter().try_for_each(|file| refuse_no_file(file))?;
        let known = known_on_day::<W>(arguments.known.as_deref(), arguments.today)?;
        let interrupt = Interrupt::listen()?;
        let whole = Clock::start(arguments.budget, interrupt.clone(), Progress::new(None, target()));
        let mut gate = Gate::<W> {
            arguments,
            interrupt,
            whole,
            measured: Measured::of::<W>().with_context(|| file_of(W::NAME))?,
            cases: Cases::default(),
            of: PhantomData,
        };
        if let Err(error) = gate.judge(&known, out) {
            gate.has_ended_early(&error);
        }
        let code = if gate.interrupt.asked() {
            interrupt::EXIT_CODE
        } else {
            gate.cases.exit_code()
        };
        // Whether or not the verdict could be told, which is worth no less where this cannot be written.
        match gate.write_junit() {
            Ok(()) => Ok(code),
            Err(error) => {
                tell_error(&error);
                Ok(worse(code, BAD_INPUT))
            }
        }
    }
}

/// The exit code where something cannot be read or written.
const BAD_INPUT: u8 = 2;

/// Tells of an error that is not the only thing that has come of it, and so cannot be what all of it answers.
fn tell_error(error: &Error) {
    anstream::eprintln!("error: {error:#}");
}

/// A gate that is being passed.
struct Gate<'a, W: World> {
    arguments: &'a Arguments,
    interrupt: Interrupt,
    whole: Clock,
    measured: Measured,
    cases: Cases,
    of: PhantomData<W>,
}

impl<W: World> Gate<'_, W> {
    /// Looks at all of it, and tells the verdict.
    fn judge(&mut self, known: &KnownOnDay, out: &mut dyn Write) -> Result<()> {
        self.kept_traces(out)?;
        self.planted(out)?;
        let left = self.sweep(&known.valid, out)?;
        self.tell_expired(&known.expired, out)?;
        let took = Took(self.whole.stop());
        if self.interrupt.asked() {
            writeln!(out, "do not deploy: the gate was interrupted, after {took}.")?;
        } else {
            let verdict = self.cases.verdict(&format!("{left}; it took {took}"));
            writeln!(out, "{verdict}")?;
        }
        Ok(out.flush()?)
    }

    /// Tells of what has kept it from being judged or told to the end, and counts that among what was looked at: what has
    /// failed before stays as bad as it is.
    fn has_ended_early(&mut self, error: &Error) {
        tell_error(error);
        self.cases.0.push(Case {
            suite: "gate",
            name: "comes to its end".to_owned(),
            stands: Stands::Fails {
                code: BAD_INPUT,
                why: format!("{error:#}"),
            },
            took: self.whole.time(),
        });
    }

    /// Writes what was looked at, where that is asked for.
    fn write_junit(&self) -> Result<()> {
        let Some(file) = &self.arguments.junit else {
            return Ok(());
        };
        let xml = self.cases.junit()?;
        fs::write(file, xml).with_context(|| format!("cannot write {}", file.display()))
    }

    fn add(
        &mut self,
        suite: &'static str,
        name: String,
        stands: Stands,
        took: Duration,
        out: &mut dyn Write,
    ) -> Result<()> {
        let told = match &stands {
            Stands::Fails { why, .. } | Stands::Void(why) => Some(format!("{suite}: {name}: {why}")),
            Stands::Holds | Stands::NotAsked => None,
        };
        // It counts whether or not it can be told.
        self.cases.0.push(Case {
            suite,
            name,
            stands,
            took,
        });
        told.map_or(Ok(()), |told| Ok(writeln!(out, "{told}")?))
    }

    /// Each kept trace shows what it is expected to show.
    fn kept_traces(&mut self, out: &mut dyn Write) -> Result<()> {
        let files = kept_files(&self.arguments.traces)?;
        if files.is_empty() {
            bail!("{}: no trace is kept there", self.arguments.traces.display());
        }
        for file in &files {
            if self.interrupt.asked() {
                return Ok(());
            }
            let (before, mut told) = (self.whole.time(), Vec::new());
            let code = replay::expect(file, StoreKind::Sqlite, &mut told)?;
            let took = self.whole.time().saturating_sub(before);
            let told = String::from_utf8_lossy(&told).trim_end().to_owned();
            let stands = match code {
                0 => Stands::Holds,
                3 => Stands::Void(told),
                code => Stands::Fails { code, why: told },
            };
            self.add("kept traces", file.display().to_string(), stands, took, out)?;
        }
        writeln!(out, "kept traces: {} replayed", Of(files.len() as u64, "trace"))?;
        Ok(out.flush()?)
    }

    /// No known failure may stand in the file beyond its day.
    fn tell_expired(&mut self, expired: &[Known], out: &mut dyn Write) -> Result<()> {
        if self.arguments.known.is_none() {
            return Ok(());
        }
        let stands = if expired.is_empty() {
            Stands::Holds
        } else {
            let told = expired.iter().map(|known| {
                format!(
                    "{} was known until {}: {} ({})",
                    known.pattern(),
                    known.expires,
                    known.reason,
                    known.owner
                )
            });
            Stands::Fails {
                code: 1,
                why: told.collect::<Vec<_>>().join("\n"),
            }
        };
        self.add(
            "known",
            "no known failure is past its day".to_owned(),
            stands,
            Duration::ZERO,
            out,
        )
    }
}

fn sources<W: World>() -> Vec<Source> {
    scenario::built_in()
        .filter(|source| source.world().is_ok_and(|world| world == W::NAME))
        .collect()
}

/// All traces below a folder, but for those of failures that nobody has kept.
fn kept_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry
            .with_context(|| format!("cannot read {}", folder.display()))?
            .path();
        if path.is_dir() && !path.ends_with("failures") {
            files.extend(kept_files(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
