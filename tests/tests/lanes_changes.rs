//! Each change of the hardened protocol is needed: without it, its own trace violates its invariant, and with it the
//! same trace passes. That the traces show what they say is `--test traces`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use protocol::lanes::changes::CHANGES;
use sim::trace::{self, Expected};
use sim::world::lanes::LanesWorld;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/lanes")
}

#[test]
fn each_change_has_a_trace_that_needs_it() {
    for change in &CHANGES {
        let path = folder().join(format!("{}.jsonl", change.name));
        let file = File::open(&path).unwrap_or_else(|error| {
            panic!(
                "{}: {error}: sweep and shrink `{}`",
                path.display(),
                change.without
            )
        });
        let trace = trace::read::<LanesWorld>(BufReader::new(file))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let expected = |variant: &str| trace.expect.get(variant).map(|expected| &expected.outcome);
        assert!(
            matches!(
                expected(change.without),
                Some(Expected::Violated(pattern)) if pattern.invariant == change.invariant
            ),
            "{} shows that {} is violated without the change",
            path.display(),
            change.invariant
        );
        assert_eq!(
            expected("hardened"),
            Some(&Expected::Passed),
            "{} passes with all changes",
            path.display()
        );
    }
}

#[test]
fn each_trace_of_a_change_is_of_one_that_there_is() {
    let names: BTreeSet<String> = CHANGES
        .iter()
        .map(|change| format!("{}.jsonl", change.name))
        .collect();
    let files = fs::read_dir(folder())
        .expect("the traces of lanes are there")
        .flatten();
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        assert!(
            names.contains(&name),
            "traces/lanes/{name} is no change's: take it away, or name it after one"
        );
    }
}

#[test]
fn a_change_is_known_by_one_name() {
    let names: BTreeSet<&str> = CHANGES.iter().map(|change| change.name).collect();
    assert_eq!(names.len(), CHANGES.len());
    for change in &CHANGES {
        assert_eq!(change.without, format!("without-{}", change.name));
    }
}
