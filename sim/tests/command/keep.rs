//! Keeping a trace as a user has it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

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
fn a_broken_trace_among_those_kept_is_named_and_in_nobodys_way() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = shrunk(folder.path(), "1");
    let kept = folder.path().join("traces/demonstration");
    fs::create_dir_all(&kept).expect("the folder is made");
    fs::write(kept.join("broken.jsonl"), &KEPT[..100]).expect("the trace is written");
    let output = drydock(folder.path(), &["keep", &file]);
    assert_ends(
        &output,
        0,
        "not compared, as it cannot be read: traces/demonstration/broken.jsonl: line 1: at ",
    );
    assert_ends(&output, 0, "kept: traces/demonstration/dm-2-");
}

/// Adds an item that the failure does not need, with a certificate that says it does.
fn padded(folder: &Path, file: &str) -> String {
    let text = fs::read_to_string(folder.join(file)).expect("it is written");
    let item = r#"{"item":{"id":900,"at":1,"act":{"operation":{"read":{"front":0}}}}}"#;
    let certificate = r#"{"certificate":{"of":{"item":900},"instead":"passed"}}"#;
    let first = text.find("{\"certificate\"").expect("it has certificates");
    let padded = format!("{}{item}\n{certificate}\n{}", &text[..first], &text[first..]);
    fs::write(folder.join("padded.jsonl"), padded).expect("the trace is written");
    "padded.jsonl".to_owned()
}

#[test]
fn certificates_are_run_and_not_believed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = shrunk(folder.path(), "1");
    let padded = padded(folder.path(), &file);
    assert_ends(
        &drydock(folder.path(), &["keep", &padded]),
        2,
        "padded.jsonl: it fails in the same way without item 900, whatever its certificate says",
    );
    let text = fs::read_to_string(folder.path().join(&file)).expect("it is written");
    let lie = text.replace(r#""instead":"passed""#, r#""instead":{"void":"so they say"}"#);
    assert_ne!(lie, text);
    fs::write(folder.path().join("lie.jsonl"), lie).expect("the trace is written");
    let kept = drydock(folder.path(), &["keep", "lie.jsonl"]);
    assert_ends(&kept, 0, "kept: ");
    let name = told(&kept)
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("kept: ").map(str::to_owned));
    let filed =
        fs::read_to_string(folder.path().join(name.expect("it names the file"))).expect("it is filed");
    assert!(!filed.contains("so they say"), "what they show now is recorded");
}

#[test]
fn a_trace_of_another_failure_than_it_says_is_not_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = shrunk(folder.path(), "1");
    let text = fs::read_to_string(folder.path().join(&file)).expect("it is written");
    let other = text.replacen("\"class\":\"other-sum\"", "\"class\":\"other-sum:elsewhere\"", 1);
    assert_ne!(other, text);
    fs::write(folder.path().join("other.jsonl"), other).expect("the trace is written");
    assert_ends(
        &drydock(folder.path(), &["keep", "other.jsonl"]),
        2,
        "other.jsonl: this is not any more what the trace is of: expected that DM-2 is violated",
    );
}

#[test]
fn hashes_and_history_are_of_one_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = shrunk(folder.path(), "1");
    let text = fs::read_to_string(folder.path().join(&file)).expect("it is written");
    // As an earlier version would have left it.
    let stale = text.replace("\"what\":\"", "\"what\":\"once ");
    fs::write(folder.path().join("stale.jsonl"), stale).expect("the trace is written");
    let kept = drydock(folder.path(), &["keep", "stale.jsonl"]);
    assert_ends(&kept, 0, "kept: ");
    let name = told(&kept);
    let name = name
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("kept: "))
        .expect("it names the file");
    let strict = drydock(
        folder.path(),
        &["replay", name, "--strict", "--variant", "documented"],
    );
    assert_ends(&strict, 1, "strict: nothing differs from what was recorded: ");
    assert_ends(
        &strict,
        1,
        " lines of history, the hash `behaviour`, the hash `full`",
    );
}

#[test]
fn several_at_once_do_not_overwrite_each_other() {
    const AT_ONCE: usize = 8;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = shrunk(folder.path(), "1");
    let all_at_once = |files: &[String]| -> Vec<Output> {
        let started = files.iter().map(|file| {
            Command::new(env!("CARGO_BIN_EXE_drydock"))
                .args(["keep", file])
                .current_dir(folder.path())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the command starts")
        });
        let started: Vec<_> = started.collect();
        let ended = started
            .into_iter()
            .map(|child| child.wait_with_output().expect("it ends"));
        ended.collect()
    };
    let outputs = all_at_once(&vec![file; AT_ONCE]);
    let kept = outputs
        .iter()
        .filter(|output| output.status.code() == Some(0))
        .count();
    assert_eq!(kept, 1, "one of them is the first");
    for output in &outputs {
        if output.status.code() != Some(0) {
            assert_ends(output, 2, "this failure is kept already, by the same story");
        }
    }
    let left: Vec<_> = fs::read_dir(folder.path().join("traces/demonstration"))
        .expect("it is there")
        .collect();
    assert_eq!(left.len(), 1, "one trace and nothing unfinished: {left:?}");
}

#[test]
fn a_kept_trace_is_renewed_and_stays_what_it_is_of() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("late.jsonl"), KEPT).expect("the trace is written");
    let renewed = drydock(folder.path(), &["keep", "--renew", "late.jsonl"]);
    assert_ends(&renewed, 0, "renewed: late.jsonl");
    assert_ends(&renewed, 0, "that DM-1 is violated (moved-back of follower)");
    let text = fs::read_to_string(folder.path().join("late.jsonl")).expect("it is there");
    let identity = r#"{"violated":{"invariant":"DM-1","roles":["follower"],"class":"moved-back"}}"#;
    let expected = KEPT.replacen(r#"{"violated":"DM-1"}"#, identity, 1).replacen(
        "\"drydock-trace\":1",
        "\"drydock-trace\":2",
        1,
    );
    assert_eq!(text, expected, "nothing else has changed, to the byte");
    let wrong = text.replacen("\"class\":\"moved-back\"", "\"class\":\"moved-back:twice\"", 1);
    fs::write(folder.path().join("wrong.jsonl"), &wrong).expect("the trace is written");
    let refused = drydock(folder.path(), &["keep", "--renew", "wrong.jsonl"]);
    assert_ends(
        &refused,
        2,
        "wrong.jsonl: not renewed: under `documented` it does not show what it expects",
    );
    let after = fs::read_to_string(folder.path().join("wrong.jsonl")).expect("it is there");
    assert_eq!(after, wrong);
}
