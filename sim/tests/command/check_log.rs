//! `drydock check-log`.

use std::fs;
use std::path::Path;

use super::drydock;

const DIGEST: &str = "1111111111111111111111111111111111111111111111111111111111111111";

fn record(parent: u64, generation: u64) -> String {
    format!(
        r#"{{"generation":{generation},"parent":{parent},"schemaVersion":"p1","fingerprint":"{DIGEST}","overflowed":false,"statements":[]}}"#
    )
}

/// Checks a file of these bytes: the exit code, and what was said.
fn checked(bytes: &[u8], more: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    fs::write(folder.path().join("log.json"), bytes).expect("the file is written");
    let arguments: Vec<&str> = ["check-log", "log.json"].iter().chain(more).copied().collect();
    let output = drydock(folder.path(), &arguments);
    let told = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&told).into_owned())
}

#[test]
fn a_log_that_is_a_chain_passes() {
    let text = [record(3, 5), record(5, 6)].join("\n");
    assert_eq!(checked(text.as_bytes(), &["--since", "3"]).0, Some(0));
    let (code, told) = checked(text.as_bytes(), &["--since", "2"]);
    assert_eq!(code, Some(1));
    assert!(
        told.contains("log.json:1: LR-2: the log after 2 begins with record 5"),
        "{told}"
    );
}

#[test]
fn a_log_that_is_none_is_told_with_file_and_line() {
    let (code, told) = checked([record(3, 5), record(4, 6)].join("\n").as_bytes(), &[]);
    assert_eq!(code, Some(1));
    assert!(
        told.starts_with("log.json:2: LR-1: record 6 builds on 4"),
        "{told}"
    );
}

#[test]
fn a_log_with_nothing_to_compare_is_void() {
    assert_eq!(checked(record(3, 5).as_bytes(), &[]).0, Some(3));
    assert_eq!(checked(b"", &[]).0, Some(3));
}

#[test]
fn what_cannot_be_read_is_bad_input() {
    for (bytes, says) in [
        (&b"\xff\xfe"[..], "log.json: line 1: these bytes are not UTF-8"),
        (b"{\"records\":[{}]}", "log.json: line 1: "),
        (b"[1, 2", "log.json: line 1: "),
    ] {
        let (code, told) = checked(bytes, &[]);
        assert_eq!(code, Some(2), "{told}");
        assert!(told.contains(says), "{told}");
    }
    let missing = drydock(Path::new("."), &["check-log", "no-such-file"]);
    assert_eq!(missing.status.code(), Some(2));
}
