//! Keeping a trace as a user has it.

use std::fs;
use std::path::Path;

use super::{KEPT, assert_ends, drydock, told};

/// Finds a failure of a seed, and shrinks it.
fn shrunk(folder: &Path, seed: &str) -> String {
    let run = [
        "run",
        "demonstration",
        "--variant",
        "documented",
        "--store",
        "model",
        "--trace",
        "found.jsonl",
    ];
    let found = drydock(folder, &[&run[..], &["--seed", seed]].concat());
    assert_eq!(found.status.code(), Some(1), "{}", told(&found));
    let file = format!("{seed}-shrunk.jsonl");
    let output = drydock(
        folder,
        &["shrink", "found.jsonl", "-o", &file, "--store", "model"],
    );
    assert_ends(&output, 0, &format!("cargo run --release -- keep {file}"));
    file
}

#[test]
fn a_shrunk_trace_is_filed_once_with_what_is_expected_of_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = shrunk(folder.path(), "1");
    let kept = drydock(folder.path(), &["keep", &file]);
    assert_ends(&kept, 0, "kept: traces/demonstration/dm-2-");
    assert_ends(&kept, 0, "  documented   that DM-2 is violated");
    assert_ends(&kept, 0, "  hardened     that everything holds");
    let name = told(&kept);
    let name = name
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("kept: "))
        .expect("it names the file");
    let replay = drydock(folder.path(), &["replay", name, "--expect"]);
    assert_ends(&replay, 0, "as the trace expects of `documented`");
    assert_ends(&replay, 0, "as the trace expects of `hardened`");
    assert_ends(
        &drydock(folder.path(), &["replay", name, "--strict"]),
        1,
        "strict: nothing differs",
    );
    let again = drydock(folder.path(), &["keep", &file]);
    assert_ends(
        &again,
        2,
        &format!("{file}: this failure is kept already, by the same story: {name}"),
    );
    assert_eq!(
        fs::read_dir(folder.path().join("traces/demonstration"))
            .expect("it is there")
            .count(),
        1
    );
}

#[test]
fn what_is_not_shrunk_is_not_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("late.jsonl"), KEPT).expect("the trace is written");
    let refused = drydock(folder.path(), &["keep", "late.jsonl"]);
    assert_ends(
        &refused,
        2,
        "late.jsonl: only what is shrunk to the end is kept: try",
    );
    let file = shrunk(folder.path(), "1");
    let text = fs::read_to_string(folder.path().join(&file)).expect("it is written");
    let short: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with(r#"{"certificate""#))
        .collect();
    fs::write(folder.path().join("short.jsonl"), short.join("\n")).expect("the trace is written");
    assert_ends(
        &drydock(folder.path(), &["keep", "short.jsonl"]),
        2,
        "only what is shrunk to the end is kept",
    );
    assert!(
        !folder.path().join("traces/demonstration").exists(),
        "nothing is filed"
    );
}

#[test]
fn a_broken_trace_among_those_kept_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = shrunk(folder.path(), "1");
    let kept = folder.path().join("traces/demonstration");
    fs::create_dir_all(&kept).expect("the folder is made");
    fs::write(kept.join("broken.jsonl"), &KEPT[..100]).expect("the trace is written");
    let refused = drydock(folder.path(), &["keep", &file]);
    assert_ends(&refused, 2, "traces/demonstration/broken.jsonl: line 1: at ");
}
