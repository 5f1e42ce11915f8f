//! Scenario files, as the tool finds and reads them.

use std::fs;
use std::path::{Path, PathBuf};

use sim::scenario::{self, ScenarioError, built_in};
use sim::world::demonstration::DemonstrationWorld;
use sim::world::known::Visit;
use sim::world::{World, load, schema, with_world_of};

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

#[test]
fn the_last_part_of_a_name_is_enough() {
    let named = |name| scenario::find(name).map(|source| source.name().to_string());
    assert_eq!(named("chaos").expect("one has this name"), "lanes/chaos");
    assert_eq!(named("lanes/chaos").expect("it is there"), "lanes/chaos");
    let unknown = named("lanes/choas").expect_err("none has this name").to_string();
    assert!(
        unknown.starts_with("there is no scenario `lanes/choas`\n  did you mean `lanes/chaos`?"),
        "{unknown}"
    );
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

/// Where the demonstration's file says something, as messages have it.
#[track_caller]
fn line(text: &str) -> String {
    let line = DEMONSTRATION.lines().position(|line| line.contains(text));
    format!("mine.toml:{}: ", 1 + line.expect("the file has this line"))
}

#[test]
fn a_field_that_is_not_there_is_refused_with_what_was_meant() {
    for (before, after, message) in [
        (
            "purpose = ",
            "purpos = ",
            "unknown field `purpos`\n  did you mean `purpose`? known fields: world, purpose, weight",
        ),
        (
            "request-loss = ",
            "request-los = ",
            "unknown field `request-los` in [knobs]\n  did you mean `request-loss`? known fields: latency,",
        ),
        (
            "partition = { begins",
            "partition = { begin",
            "unknown field `begin` in [knobs.partition]\n  did you mean `begins`? known fields: begins, ends, least-us",
        ),
        (
            "fronts-most",
            "front-most",
            "unknown field `front-most` in [generate]\n  did you mean `fronts-most`? known fields: ",
        ),
        (
            "digest = \"goes-on\"",
            "digest = \"goes-of\"",
            "at knobs.digest: unknown value `goes-of`\n  did you mean `goes-on`? known values: suspends, goes-on",
        ),
    ] {
        let refused = refusal(before, after);
        let expected = line(before) + message;
        assert!(
            refused.starts_with(&expected),
            "expected {expected:?}, and not {refused:?}"
        );
    }
    let unlike = refusal("purpose = ", "xyzzy = ");
    assert!(
        unlike.contains("`xyzzy`\n  known fields: "),
        "nothing is near it: {unlike}"
    );
}

#[test]
fn values_that_cannot_be_are_refused_where_they_stand() {
    for (before, after, message) in [
        (
            "weight = 1",
            "weight = 0",
            "at weight: a scenario without weight is never swept",
        ),
        (
            "least-seeds = 100",
            "least-seeds = 0",
            "at least-seeds: no sweep has no seeds",
        ),
        (
            "lasts-ms = 40000",
            "lasts-ms = 9999999999999",
            "at lasts-ms: 9999999999999 is above",
        ),
        (
            "settles-ms = 80000",
            "settles-ms = -1",
            "at settles-ms: invalid value: integer `-1`",
        ),
        (
            "reset = \"1 in 100\"",
            "reset = \"5 in 0\"",
            "at knobs.reset: expected a rate such as",
        ),
        (
            "clog = { begins = \"1 in 60\"",
            "clog = { least-us = 0, begins = \"1 in 60\", ends = \"1 in 3\" } #",
            "at knobs.clog: a rate alone does nothing here",
        ),
        (
            "\"note records-applied\"",
            "\"note record-sealed\"",
            "at goals: `note record-sealed` is there twice",
        ),
        (
            "faults-most = 4",
            "faults-most = \"x\"",
            "at generate.faults-most: invalid type: string \"x\"",
        ),
        (
            "world = \"demonstration\"",
            "world = ",
            "string values must be quoted",
        ),
    ] {
        let refused = refusal(before, after);
        let expected = line(before) + message;
        assert!(
            refused.starts_with(&expected),
            "expected {expected:?}, and not {refused:?}"
        );
    }
    let missing = refusal("lasts-ms = 40000", "");
    assert!(missing.contains("missing field `lasts-ms`"), "{missing}");
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

/// With `DRYDOCK_BLESS=1` the schema is written anew.
#[test]
fn the_schema_is_that_of_the_code() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../scenarios/schema.json");
    let schema = serde_json::to_string_pretty(&schema()).expect("a schema is JSON") + "\n";
    if pieces::blesses() {
        fs::write(&file, schema).expect("the schema is written");
    } else {
        let there = fs::read_to_string(&file).expect("the schema is there");
        assert!(
            there == schema,
            "scenarios/schema.json is not what the code says: write it anew with DRYDOCK_BLESS=1 cargo test -p sim \
             --test scenarios"
        );
    }
}

#[test]
fn every_scenario_file_names_its_schema() {
    for source in built_in() {
        let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(source.file().as_str());
        let text = fs::read_to_string(&file).expect("the file is there");
        let named = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("#:schema "));
        let named = named.unwrap_or_else(|| panic!("{} begins with `#:schema PATH`", source.file()));
        let folder = file.parent().expect("it is in a folder");
        assert!(
            folder.join(named).exists(),
            "{}: {named} is the schema",
            source.file()
        );
    }
}
