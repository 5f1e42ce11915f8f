//! Every trace that is kept shows, under each variant that it names and on both stores, what it is expected to show.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::Failed;
use sim::kernel::storage::Store;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::run::{Report, run as run_plan};
use sim::trace::Expectation;
use sim::world::World;
use sim::world::demonstration::DemonstrationWorld;
use tests::pieces::{run, trial};
use tests::simulated::{DemonstrationPlan, kept};

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
        let trace = kept(&name);
        if trace.expect.is_empty() {
            trials.push(trial(&format!("{name}::expects_something"), &[], || {
                Err("a kept trace says in its header what is expected of it, by variant".into())
            }));
        }
        for (variant, expected) in trace.expect {
            let plan = trace.plan.clone();
            trials.push(trial(&format!("{name}::{variant}"), &[], move || {
                shows(&plan, &variant, &expected)
            }));
        }
    }
    run(trials)
}

fn traces() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces")
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

fn shows(plan: &DemonstrationPlan, variant: &str, expected: &Expectation) -> Result<(), Failed> {
    let (sqlite, model) = (
        report::<SqliteStore>(plan, variant)?,
        report::<ModelStore>(plan, variant)?,
    );
    assert_eq!(sqlite, model, "the two stores give two runs");
    match expected.missed_by(&sqlite) {
        None => Ok(()),
        Some(missed) => Err(missed.into()),
    }
}

fn report<S: Store>(plan: &DemonstrationPlan, variant: &str) -> Result<Report, Failed> {
    let program = DemonstrationWorld::program(variant);
    let program = program.ok_or_else(|| format!("the demonstration has no variant `{variant}`"))?;
    Ok(run_plan::<DemonstrationWorld, _, S>(
        plan,
        program,
        &Default::default(),
        (),
    ))
}
