//! Scenario files, as the tool finds and reads them.

use std::fs;
use std::path::{Path, PathBuf};

use sim::scenario::{self, ScenarioError, built_in};
use sim::world::demonstration::DemonstrationWorld;
use sim::world::known::Visit;
use sim::world::{World, load, with_world_of};

const DEMONSTRATION: &str = include_str!("../../scenarios/demonstration.toml");

/// The paths of all scenario files, below the folder of scenarios and without their ending.
fn files_below(folder: &Path, name: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let stem = path.file_stem().expect("it has a name").to_string_lossy();
        if path.is_dir() {
            files_below(&path, &format!("{name}{stem}/"), found);
        } else if path.extension().is_some_and(|ending| ending == "toml") {
            found.push(format!("{name}{stem}"));
        }
    }
}

#[test]
fn every_scenario_file_is_built_in() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let mut files = Vec::new();
    files_below(&folder, "", &mut files);
    let mut known: Vec<_> = built_in().map(|source| source.name().to_string()).collect();
    files.sort();
    known.sort();
    assert_eq!(
        files, known,
        "each file below scenarios/ has a row in `BUILT_IN` of sim/src/scenario/source.rs"
    );
}

#[test]
fn every_built_in_scenario_can_be_read() {
    struct Read<'a>(&'a scenario::Source);

    impl Visit for Read<'_> {
        type Output = Result<(), ScenarioError>;

        fn visit<W: World>(self) -> Self::Output {
            load::<W>(self.0).map(|_| ())
        }
    }

    for source in built_in() {
        let read = with_world_of(&source, Read(&source)).and_then(|read| read);
        assert!(read.is_ok(), "{}: {}", source.name(), read.unwrap_err());
    }
}

/// What the tool says about a file of a user that is the demonstration's with one text in place of another.
#[track_caller]
fn refusal(before: &str, after: &str) -> String {
    assert!(DEMONSTRATION.contains(before), "the file has {before:?}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("mine.toml");
    fs::write(&file, DEMONSTRATION.replacen(before, after, 1)).expect("the file is written");
    let source = scenario::find(&file.display().to_string()).expect("the file is there");
    let refused = load::<DemonstrationWorld>(&source).expect_err("it must be refused");
    refused
        .to_string()
        .replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn goals_that_no_run_can_pass_are_refused() {
    let line = 1 + DEMONSTRATION
        .lines()
        .position(|line| line.contains("\"note record-sealed\""))
        .expect("it is a goal");
    let refused = |goal| refusal("\"note record-sealed\"", goal);
    assert!(
        refused("\"note record-seeled\"").starts_with(&format!(
            "mine.toml:{line}: there is no note `record-seeled`\n  did you mean `record-sealed`?"
        )),
        "{}",
        refused("\"note record-seeled\"")
    );
    let unlike = refused("\"subject LR-9\"");
    assert!(
        unlike.contains("there is no subject `LR-9`\n  there is: DM-1, DM-2"),
        "what is like nothing is given no near match: {unlike}"
    );
    assert!(refused("\"sealed\"").contains("`sealed` is no mark: expected `await LABEL`"));
}

#[test]
fn a_world_that_is_not_there_is_refused() {
    struct Nothing;

    impl Visit for Nothing {
        type Output = ();

        fn visit<W: World>(self) {}
    }

    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("mine.toml");
    fs::write(&file, "purpose = \"none\"\nworld = \"demonstrations\"\n").expect("the file is written");
    let source = scenario::find(&file.display().to_string()).expect("the file is there");
    let refused = with_world_of(&source, Nothing)
        .expect_err("it must be refused")
        .to_string();
    assert!(
        refused.contains("mine.toml:2: there is no world `demonstrations`\n  did you mean `demonstration`?"),
        "{refused}"
    );
}
