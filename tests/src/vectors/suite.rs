//! One test of each vector, and tests of the suite itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::{Completion, Failed, Trial};

use super::files::{FILES, INDEX};
use super::load::{self, File, Kind, Vector};
use super::report::Report;
use super::unholdable::{ONE_IN, UNHOLDABLE};
use super::{Js, Run, Runner, Stop, runners};
use crate::pieces::other_vectors;

/// The tests of a run, and what is to be printed at its end.
pub struct Suite {
    /// One a vector, named `<file>::<vector>`, and a few named `suite::...`.
    pub trials: Vec<Trial>,
    /// Filled while the trials run.
    pub report: Arc<Report>,
}

/// The suite over the folder that `DRYDOCK_VECTORS` names, which may hold only some of the files, else over
/// `tests/vectors/`.
pub fn load() -> Suite {
    match other_vectors() {
        Some(folder) => over(&folder, Scope::Part),
        None => over(
            &PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("vectors"),
            Scope::Whole,
        ),
    }
}

/// Whether a folder must hold everything.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Whole,
    Part,
}

fn over(folder: &Path, scope: Scope) -> Suite {
    let report = Arc::new(Report::default());
    let files = match load::files(folder, INDEX) {
        Ok(files) => files,
        Err(why) => {
            return Suite {
                trials: vec![failing("suite::folder", why)],
                report,
            };
        }
    };
    let runners = runners();
    let mut trials = own_trials(folder, scope, &files, &runners);
    let by_file: BTreeMap<&str, Arc<Runner>> = runners
        .into_iter()
        .map(|runner| (runner.file, Arc::new(runner)))
        .collect();
    for file in files {
        let runner = by_file.get(file.stem.as_str());
        trials.extend(file_trials(file, runner, &report));
    }
    Suite { trials, report }
}

fn file_trials(file: File, runner: Option<&Arc<Runner>>, report: &Arc<Report>) -> Vec<Trial> {
    if !FILES.contains(&file.stem.as_str()) {
        let near = near(&file.stem);
        return vec![failing(
            &file.stem,
            format!("a file that the suite does not know; near: {near}"),
        )];
    }
    let vectors = match file.vectors {
        Ok(vectors) => vectors,
        Err(why) => return vec![failing(&file.stem, why)],
    };
    if vectors.is_empty() {
        return vec![failing(&file.stem, "the file holds no vectors".to_owned())];
    }
    let names = names(&file.stem, &vectors);
    let pairs = vectors.into_iter().zip(names);
    pairs
        .map(|(vector, name)| vector_trial(name, vector, runner.cloned(), Arc::clone(report)))
        .collect()
}

/// Names that no two vectors share: a repeated one gets its number.
fn names(file: &str, vectors: &[Vector]) -> Vec<String> {
    let mut seen = BTreeMap::new();
    let mut name = |vector: &Vector| {
        let name = format!("{file}::{}", one_line(&vector.name));
        let count = seen
            .entry(name.clone())
            .and_modify(|count| *count += 1)
            .or_insert(1);
        if *count == 1 {
            name
        } else {
            format!("{name} #{count}")
        }
    };
    vectors.iter().map(&mut name).collect()
}

/// Control characters would break the line that a test is listed on.
fn one_line(name: &str) -> String {
    name.chars()
        .flat_map(|c| {
            if c.is_control() {
                c.escape_default().collect::<Vec<_>>()
            } else {
                vec![c]
            }
        })
        .collect()
}

fn vector_trial(name: String, vector: Vector, runner: Option<Arc<Runner>>, report: Arc<Report>) -> Trial {
    let kind = vector.kind.clone();
    let id = name.clone();
    let run = move || -> Result<Completion, Failed> {
        let Some(kind) = vector.kind() else {
            return Err(format!("unknown kind {:?}", vector.kind).into());
        };
        let Some(runner) = runner else {
            return Err("no runner: no area covers this file".into());
        };
        let listed = UNHOLDABLE.iter().find(|(listed, _)| *listed == id);
        match (check(&runner, &vector), listed, kind) {
            (Err(Stop::Unheld(_)), Some((_, why)), _) => {
                report.unheld(&id, why);
                Ok(Completion::ignored_with(format!("cannot be held: {why}")))
            }
            // Whatever its kind: a vector that never ran has reported nothing.
            (Err(Stop::Unheld(why)), None, _) => {
                Err(format!("cannot be held, and is not listed: {why}").into())
            }
            (_, Some(_), _) => Err("listed as impossible to hold, and was held: take it off the list".into()),
            (Ok(None), None, Kind::Gates) => Ok(Completion::Completed),
            (Ok(None), None, Kind::Reported) => {
                report.uncertain(&id, "agrees");
                Ok(Completion::ignored_with("uncertain: agrees"))
            }
            (outcome, None, kind) => {
                let wrong = describe(outcome);
                if kind == Kind::Gates {
                    return Err(wrong.into());
                }
                report.uncertain(&id, &wrong);
                Ok(Completion::ignored_with("uncertain: differs, see the end"))
            }
        }
    };
    Trial::ignorable_test(name, run).with_kind(kind)
}

/// Runs one vector: nothing when it is right, else what is wrong.
fn check(runner: &Runner, vector: &Vector) -> Result<Option<String>, Stop> {
    let answer = match runner.run {
        Run::Judge(judge) => return judge(&vector.input, &vector.expect),
        Run::Answer(answer) => answer(&vector.input),
    };
    let expected_throw = match &vector.expect {
        Js::Object(entries) if entries.len() == 1 && entries[0].0 == "$throws" => Some(entries[0].1.text()?),
        _ => None,
    };
    Ok(match (answer, expected_throw) {
        (Err(Stop::Unheld(why)), _) => return Err(Stop::Unheld(why)),
        (Err(Stop::Threw(text)), Some(expected)) if text == expected => None,
        (Err(Stop::Threw(text)), Some(expected)) => {
            Some(format!("threw {text:?}, expected to throw {expected:?}"))
        }
        (Err(Stop::Threw(text)), None) => Some(format!("threw {text:?}, expected {}", vector.expect)),
        (Ok(answer), Some(expected)) => Some(format!("answered {answer}, expected to throw {expected:?}")),
        // `null` is no result, in whichever of JavaScript's two ways.
        (Ok(Js::Undefined), None) if vector.expect == Js::Null => None,
        (Ok(answer), None) => answer.difference(&vector.expect).map(|difference| {
            format!(
                "the answer{difference}\n   input {}\n  answer {answer}\nexpected {}",
                vector.input, vector.expect
            )
        }),
    })
}

fn describe(outcome: Result<Option<String>, Stop>) -> String {
    match outcome {
        Ok(wrong) => wrong.unwrap_or_default(),
        Err(Stop::Threw(text)) => format!("threw {text:?}"),
        Err(Stop::Unheld(why)) => format!("the typed API cannot hold this input, which is not listed: {why}"),
    }
}

/// Tests of the suite: whether tables, folder and runners agree.
fn own_trials(folder: &Path, scope: Scope, files: &[File], runners: &[Runner]) -> Vec<Trial> {
    let mut trials = vec![
        verdict("suite::runners", unfit_runners(runners)),
        verdict("suite::unholdable inputs are few", too_many(files)),
    ];
    if scope == Scope::Whole {
        trials.push(verdict("suite::files", missing(files)));
        trials.push(verdict("suite::index", index_differs(folder, files)));
        trials.push(verdict("suite::unholdable inputs exist", unknown_vectors(files)));
    }
    trials
}

fn unfit_runners(runners: &[Runner]) -> Vec<String> {
    let unknown = runners.iter().filter(|runner| !FILES.contains(&runner.file));
    let twice = runners
        .iter()
        .enumerate()
        .filter(|(at, runner)| runners[..*at].iter().any(|earlier| earlier.file == runner.file));
    unknown
        .map(|runner| {
            format!(
                "a runner for {}, which is no file; near: {}",
                runner.file,
                near(runner.file)
            )
        })
        .chain(twice.map(|(_, runner)| format!("two runners for {}", runner.file)))
        .collect()
}

fn missing(files: &[File]) -> Vec<String> {
    let absent = FILES
        .iter()
        .filter(|known| !files.iter().any(|file| file.stem == **known));
    absent.map(|file| format!("{file}.json is missing")).collect()
}

fn index_differs(folder: &Path, files: &[File]) -> Vec<String> {
    let index = match load::index(folder, INDEX) {
        Ok(index) => index,
        Err(why) => return vec![why],
    };
    let mut wrong: Vec<String> = Vec::new();
    for entry in &index {
        let file = files
            .iter()
            .find(|file| format!("{}.json", file.stem) == entry.file);
        let held = file.and_then(|file| file.vectors.as_ref().ok()).map(Vec::len);
        if held != Some(entry.vectors) {
            wrong.push(format!(
                "{}: the index says {} vectors, found {held:?}",
                entry.file, entry.vectors
            ));
        }
    }
    let unlisted = files.iter().filter(|file| {
        !index
            .iter()
            .any(|entry| entry.file == format!("{}.json", file.stem))
    });
    wrong.extend(unlisted.map(|file| format!("{}.json is not in the index", file.stem)));
    wrong
}

fn held_names(files: &[File]) -> Vec<String> {
    let held = files
        .iter()
        .filter_map(|file| Some((file, file.vectors.as_ref().ok()?)));
    held.flat_map(|(file, vectors)| names(&file.stem, vectors))
        .collect()
}

fn unknown_vectors(files: &[File]) -> Vec<String> {
    let held = held_names(files);
    let unknown = UNHOLDABLE
        .iter()
        .filter(|(name, _)| !held.iter().any(|held| held == name));
    unknown
        .map(|(name, _)| format!("{name} is listed and does not exist"))
        .collect()
}

fn too_many(files: &[File]) -> Vec<String> {
    let held = held_names(files);
    let listed = UNHOLDABLE
        .iter()
        .filter(|(name, _)| held.iter().any(|held| held == name))
        .count();
    // A folder with a handful of vectors may hold one of those that are listed.
    let most = (held.len() / ONE_IN).max(1);
    let wrong = (listed > most).then(|| {
        format!(
            "{listed} of {} vectors are listed, at most {most} may be",
            held.len()
        )
    });
    wrong.into_iter().collect()
}

/// The known file whose name begins most like this one.
fn near(name: &str) -> &'static str {
    let shared = |file: &&&str| {
        let lower = |text: &str| text.to_ascii_lowercase().into_bytes();
        lower(file)
            .iter()
            .zip(lower(name))
            .take_while(|(a, b)| **a == *b)
            .count()
    };
    FILES.iter().max_by_key(shared).copied().unwrap_or("none")
}

fn verdict(name: &str, wrong: Vec<String>) -> Trial {
    let passes = if wrong.is_empty() {
        Ok(())
    } else {
        Err(Failed::from(wrong.join("\n")))
    };
    Trial::test(name, move || passes)
}

fn failing(name: &str, why: String) -> Trial {
    Trial::test(name, move || Err(why.into()))
}
