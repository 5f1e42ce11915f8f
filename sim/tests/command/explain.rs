//! Explaining as a user has it.

use std::fs;

use super::{KEPT, assert_ends, drydock, told};

#[test]
fn a_failure_is_told_from_the_invariant_to_the_next_command() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("late.jsonl"), KEPT).expect("the trace is written");
    let output = drydock(folder.path(), &["explain", "late.jsonl", "--store", "model"]);
    let parts = [
        "DM-1 violated   within one incarnation a follower's position never moves back",
        "  - it stood at    2\n  + it stands at   1\n",
        "  how\n",
        "client       adds 5, as `first`, at front 0 (item 1)",
        "left out: setting the world up; ",
        "turning point: line ",
        "  next:  cargo run --release -- shrink late.jsonl",
        "cargo run --release -- replay late.jsonl --variant documented --log",
    ];
    for part in parts {
        assert_ends(&output, 0, part);
    }
    let again = drydock(
        folder.path(),
        &["explain", "late.jsonl", "--store", "model", "--jobs", "3"],
    );
    assert_eq!(told(&output), told(&again), "it depends on the trace alone");
    let on_sqlite = drydock(folder.path(), &["explain", "late.jsonl"]);
    assert_eq!(told(&output), told(&on_sqlite));
}

#[test]
fn a_story_can_be_drawn() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("late.jsonl"), KEPT).expect("the trace is written");
    let drawn = |how| drydock(folder.path(), &["explain", "late.jsonl", how, "--store", "model"]);
    let dot = drawn("--dot");
    assert_ends(&dot, 0, "digraph story {\n");
    assert_ends(&dot, 0, "  s0 -> s1;\n");
    assert!(told(&dot).ends_with("-> v;\n}\n"), "{}", told(&dot));
    let mermaid = drawn("--mermaid");
    assert_ends(
        &mermaid,
        0,
        "flowchart TD\n  s0[\"0.000 s operator: lets follower 1 follow",
    );
    assert_ends(&mermaid, 0, "  v([\"DM-1 violated: ");
    assert_ends(
        &drydock(folder.path(), &["explain", "late.jsonl", "--dot", "--mermaid"]),
        2,
        "cannot be used with",
    );
}

#[test]
fn what_cannot_be_explained_is_bad_input() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("late.jsonl"), KEPT).expect("the trace is written");
    assert_ends(
        &drydock(folder.path(), &["explain", "late.jsonl", "--variant", "hardened"]),
        2,
        "late.jsonl: there is nothing to explain: under `hardened` on sqlite the run says: passed",
    );
    fs::write(folder.path().join("half.jsonl"), &KEPT[..200]).expect("the trace is written");
    assert_ends(
        &drydock(folder.path(), &["explain", "half.jsonl"]),
        2,
        "half.jsonl: line 1: at ",
    );
    assert_ends(
        &drydock(folder.path(), &["explain", "none.jsonl"]),
        2,
        "cannot open none.jsonl",
    );
}
