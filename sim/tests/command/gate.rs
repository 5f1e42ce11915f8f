//! A gate that cannot say or write all that it has found.

use std::fs;

use super::{assert_ends, drydock, with};

/// A folder with a trace that shows something else than it is expected to show.
fn with_a_trace_that_fails() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let traces = folder.path().join("traces");
    fs::create_dir(&traces).expect("the folder is made");
    let trace = with(r#"{"violated":"DM-1"}"#, r#""passed""#);
    fs::write(traces.join("kept.jsonl"), trace).expect("the trace is written");
    folder
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_under_the_output_takes_neither_the_verdict_nor_the_file_away() {
    use std::process::{Command, Stdio};
    let folder = with_a_trace_that_fails();
    let full = fs::OpenOptions::new().write(true).open("/dev/full");
    let mut command = Command::new(env!("CARGO_BIN_EXE_drydock"));
    let output = command
        .args(["gate", "--junit", "gate.xml"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(full.expect("the system has it"))
        .output()
        .expect("the command starts");
    assert_ends(&output, 1, "cannot print: ");
    let xml = fs::read_to_string(folder.path().join("gate.xml")).expect("it is written all the same");
    assert!(
        xml.contains("traces/kept.jsonl") && xml.contains("cannot print: "),
        "it must have the trace that fails, and what has ended the gate:\n{xml}"
    );
}

#[test]
fn what_ends_a_gate_is_written_too() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let gate = drydock(
        folder.path(),
        &["gate", "--traces", "missing", "--junit", "gate.xml"],
    );
    assert_ends(&gate, 2, "error: cannot read missing");
    let xml = fs::read_to_string(folder.path().join("gate.xml")).expect("it is written all the same");
    assert!(xml.contains("cannot read missing"), "it must say why:\n{xml}");
}

#[test]
fn a_file_that_cannot_be_written_is_told_beside_what_ends_a_gate() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let gate = drydock(
        folder.path(),
        &["gate", "--traces", "missing", "--junit", "nowhere/gate.xml"],
    );
    assert_ends(&gate, 2, "error: cannot write nowhere/gate.xml");
    assert_ends(&gate, 2, "error: cannot read missing");
}
