//! Every trace that is kept shows, under each variant that it names and on both stores, what it is expected to show.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Failed, Trial};
use sim::kernel::storage::Store;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::run::{Report, run as run_plan};
use sim::trace::{self, Expectation, Opened};
use sim::world::known::{self, Visit};
use sim::world::{PlanOf, World};
use tests::pieces::{run, trial};

fn main() -> ExitCode {
    let files = kept_files(&traces());
    let mut trials = vec![trial("traces::there_are_some", &[], {
        let some = files.len();
        move || {
            if some > 0 {
                Ok(())
            } else {
                Err("no trace is kept under traces/".into())
            }
        }
    })];
    for file in files {
        let name = file
            .strip_prefix(traces())
            .expect("it was found there")
            .display()
            .to_string();
        trials.extend(trials_of(&file, &name).unwrap_or_else(|error| {
            vec![trial(&format!("{name}::is_a_trace"), &[], move || {
                Err(error.into())
            })]
        }));
    }
    run(trials)
}

fn traces() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces")
}

/// The tests of a trace: one for each variant that it names.
fn trials_of(file: &Path, name: &str) -> Result<Vec<Trial>, String> {
    let told = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let reader = BufReader::new(File::open(file).map_err(|error| told(&error))?);
    let opened = trace::open(reader).map_err(|error| told(&error))?;
    let world = opened.world().clone();
    let kept = Kept { opened, name };
    let trials = known::with(&world, kept).expect("a trace of another world is not opened");
    trials.map_err(|error| told(&error))
}

/// A trace whose world is not known yet.
struct Kept<'a> {
    opened: Opened<BufReader<File>>,
    name: &'a str,
}

impl Visit for Kept<'_> {
    type Output = Result<Vec<Trial>, trace::TraceError>;

    fn visit<W: World>(self) -> Self::Output {
        let (trace, name) = (self.opened.read::<W>()?, self.name);
        if trace.expect.is_empty() {
            return Ok(vec![trial(&format!("{name}::expects_something"), &[], || {
                Err("a kept trace says in its header what is expected of it, by variant".into())
            })]);
        }
        let plan = std::sync::Arc::new(trace.plan);
        let trials = trace.expect.into_iter().map(|(variant, expected)| {
            let plan = std::sync::Arc::clone(&plan);
            trial(&format!("{name}::{variant}"), &[], move || {
                shows::<W>(&plan, &variant, &expected)
            })
        });
        Ok(trials.collect())
    }
}

/// All traces below a folder, but for those of failures that nobody has kept.
fn kept_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("failures") {
            files.extend(kept_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn shows<W: World>(plan: &PlanOf<W>, variant: &str, expected: &Expectation) -> Result<(), Failed> {
    let (sqlite, model) = (
        report::<W, SqliteStore>(plan, variant)?,
        report::<W, ModelStore>(plan, variant)?,
    );
    assert_eq!(sqlite, model, "the two stores give two runs");
    match expected.missed_by(&sqlite) {
        None => Ok(()),
        Some(missed) => Err(missed.into()),
    }
}

fn report<W: World, S: Store>(plan: &PlanOf<W>, variant: &str) -> Result<Report, Failed> {
    let deployment = W::deployment(variant);
    let deployment = deployment.ok_or_else(|| format!("{} has no variant `{variant}`", W::NAME))?;
    Ok(run_plan::<W, _, S>(plan, deployment, &Default::default(), ()))
}
