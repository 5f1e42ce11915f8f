//! The command as a user has it: exit codes, messages, files.

mod check_log;
mod completions;
mod count;
mod explain;
mod gate;
mod keep;
mod killed;
mod replay;
mod shrink;
mod sweep;
mod worlds;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};

const KEPT: &str = include_str!("../../../traces/demonstration/older-answer-last.jsonl");

fn drydock(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drydock"));
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the command starts")
}

/// A command that takes longer than anybody waits, once it has printed its first line: the child, that line, and the rest
/// to come.
fn started(folder: &Path, arguments: &[&str]) -> (Child, String, BufReader<ChildStdout>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_drydock"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut out = BufReader::new(child.stdout.take().expect("it has a standard output"));
    let mut line = String::new();
    out.read_line(&mut line).expect("it prints a line");
    (child, line, out)
}

/// Interrupts a command that has started: its exit code, and the rest of what it printed.
fn interrupted(mut child: Child, mut out: BufReader<ChildStdout>) -> (Option<i32>, String) {
    kill_process(Pid::from_child(&child), Signal::INT).expect("the signal is sent");
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("it prints the rest");
    (child.wait().expect("it ends").code(), rest)
}

/// Replays what stands on the standard input.
fn replay(trace: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drydock"));
    let mut child = command
        .args(["replay", "-", "--store", "model"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A reader that has seen enough closes its end: the rest need not go in.
    let _ = child
        .stdin
        .take()
        .expect("it has a standard input")
        .write_all(trace);
    child.wait_with_output().expect("it ends")
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn assert_ends(output: &Output, code: i32, message: &str) {
    assert_eq!(output.status.code(), Some(code), "{}", told(output));
    assert!(
        told(output).contains(message),
        "expected {message:?} in:\n{}",
        told(output)
    );
}

/// The kept trace with one text in place of another.
fn with(before: &str, after: &str) -> Vec<u8> {
    assert!(KEPT.contains(before), "the kept trace has {before:?}");
    KEPT.replacen(before, after, 1).into_bytes()
}

#[test]
fn a_hostile_trace_is_refused_with_line_and_field() {
    let header = KEPT.lines().next().expect("a trace has a header");
    let deep = "[".repeat(100_000);
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        (
            "empty",
            Vec::new(),
            "line 1: expected the header of a trace, and the file is empty",
        ),
        (
            "no header",
            b"[]\n".to_vec(),
            "line 1: invalid length 0, expected the header of a trace",
        ),
        (
            "something behind a line",
            format!("{header} {{\n").into_bytes(),
            "line 1: trailing characters at column",
        ),
        ("truncated", KEPT.as_bytes()[..100].to_vec(), "line 1: at "),
        (
            "truncated item",
            KEPT.as_bytes()[..header.len() + 40].to_vec(),
            "line 2: at ",
        ),
        (
            "an item beyond all time",
            with(r#""at":500000"#, r#""at":18446744073709551615"#),
            "line 3: at item.at: 18446744073709551615 is above",
        ),
        (
            "a clog without a length",
            with(r#""notice":"#, r#""clog":"1 in 2","notice":"#),
            "line 1: at knobs.clog: a rate alone does nothing here",
        ),
        (
            "an error that no storage has",
            with(
                r#"{"call":{"aim":{"caller":"follower/main#f1","label":"pull-log","nth":1},"fault":{"delay-answer":600}}}"#,
                r#"{"statement":{"object":"counter/main","after":0,"error":"unique"}}"#,
            ),
            "line 4: at item.act.fault.error: Unique is no error of the storage",
        ),
        (
            "not UTF-8",
            [header.as_bytes(), b"\n\xff\xfe\n"].concat(),
            "line 2: is not UTF-8",
        ),
        (
            "a byte order mark",
            ["\u{feff}".as_bytes(), KEPT.as_bytes()].concat(),
            "line 1: begins with a byte order mark",
        ),
        (
            "deep",
            format!("{header}\n{deep}\n").into_bytes(),
            "line 2: expected value at column 1",
        ),
        (
            "a long line",
            format!("{header}\n{}\n", "x".repeat(2 << 20)).into_bytes(),
            "line 2: is longer than",
        ),
        (
            "two headers",
            format!("{header}\n{header}\n").into_bytes(),
            "line 2: is a second header: a file holds one trace",
        ),
        (
            "two items",
            format!("{KEPT}{}\n", KEPT.lines().nth(1).unwrap()).into_bytes(),
            "item 0 is there twice",
        ),
        (
            "another format",
            with("\"drydock-trace\":1", "\"drydock-trace\":3"),
            "line 1: is of format 3; this drydock reads formats 1 to 2",
        ),
        (
            "another world",
            with("\"world\":\"demonstration\"", "\"world\":\"elsewhere\""),
            "line 1: is of the world `elsewhere`",
        ),
        (
            "an unknown field",
            with("\"seed\":1", "\"seed\":1,\"sede\":2"),
            "unknown field `sede`",
        ),
        (
            "an unknown field of an item",
            with("\"front\":0,\"by\"", "\"front\":0,\"buy\":1,\"by\""),
            "line 3: at ",
        ),
        (
            "a negative number",
            with("\"seed\":1", "\"seed\":-1"),
            "line 1: at seed",
        ),
        (
            "a number past 64 bits",
            with("\"seed\":1", "\"seed\":99999999999999999999"),
            "line 1: at seed",
        ),
        (
            "a number past all",
            with("\"seed\":1", "\"seed\":1e999"),
            "line 1: at ",
        ),
        ("a fraction", with("\"at\":500000", "\"at\":0.5"), "line 3: at "),
        (
            "a rate of nothing",
            with("\"request-loss\":\"0 in 1\"", "\"request-loss\":\"5 in 0\""),
            "line 1: at knobs.request-loss",
        ),
        (
            "a span that ends before it begins",
            with(
                "\"least-us\":5000,\"most-us\":5000",
                "\"least-us\":6000,\"most-us\":5000",
            ),
            "line 1: at knobs.latency",
        ),
        (
            "an endless run",
            with("\"lasts\":10000000", "\"lasts\":18446744073709551615"),
            "line 1: at lasts",
        ),
        (
            "endless followers",
            with("\"followers\":1", "\"followers\":4294967295"),
            "line 1: at shape.followers",
        ),
        (
            "a name that prints a line",
            with("\"written by hand\"", "\"x\\n  passed\""),
            "line 1: at scenario",
        ),
        (
            "an unknown variant",
            with("\"documented\":", "\"undocumented\":"),
            "line 1: at expect: there is no variant `undocumented`",
        ),
        (
            "an unknown invariant",
            with("\"DM-1\"", "\"DM-99\""),
            "there is no invariant `DM-99`",
        ),
        (
            "an unknown mark",
            with("\"note record-left-out\"", "\"note record-left-over\""),
            "line 1: at expect.*.marks: there is no note `record-left-over`; did you mean `record-left-out`?",
        ),
        (
            "a mark of no kind",
            with("\"note record-left-out\"", "\"notes record-left-out\""),
            "line 1: at expect.*.marks: `notes record-left-out` is no mark",
        ),
        (
            "an item after the end",
            with(r#""at":500000"#, r#""at":10000001"#),
            "line 3: at item.at: 10.000001 s is after the plan's time, which lasts 10.000 s",
        ),
        (
            "an endless name",
            with("\"written by hand\"", &format!("\"{}\"", "x".repeat(100_000))),
            "line 1: at scenario: `xxx",
        ),
        (
            "an unknown field with an endless name",
            with("\"seed\":1", &format!("\"seed\":1,\"{}\":2", "x".repeat(100_000))),
            "line 1: at ",
        ),
        (
            "a world whose name moves the cursor",
            with("\"world\":\"demonstration\"", "\"world\":\"else\\u001b[2Jwhere\""),
            "line 1: is of the world `else\\u{1b}[2Jwhere`",
        ),
    ];
    for (name, trace, message) in cases {
        let output = replay(&trace);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", told(&output));
        assert!(
            told(&output).contains(message),
            "{name}: expected {message:?} in:\n{}",
            told(&output)
        );
        assert!(told(&output).len() < 4_000, "{name}: what is told is bounded");
    }
}

#[test]
fn what_names_nobody_happens_to_nobody() {
    let header = KEPT.lines().next().expect("a trace has a header");
    let item = r#"{"item":{"id":0,"at":5,"act":{"fault":{"reset":{"object":"counter/elsewhere"}}}}}"#;
    assert_ends(
        &replay(format!("{header}\n{item}\n").as_bytes()),
        3,
        "void: no object and no front Worker had a single turn",
    );
    assert_ends(&replay(header.as_bytes()), 3, "void");
}

#[test]
fn exit_codes_tell_the_verdict() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trace = folder.path().join("kept.jsonl");
    fs::write(&trace, KEPT).expect("the trace is written");
    let replay = |more: &[&str]| drydock(folder.path(), &[&["replay", "kept.jsonl"], more].concat());
    assert_ends(&replay(&["--variant", "hardened"]), 0, "passed");
    assert_ends(
        &replay(&["--variant", "documented"]),
        1,
        "what must hold: within one incarnation a follower's position never",
    );
    assert_ends(
        &replay(&["--expect"]),
        0,
        "as the trace expects of `documented`: that DM-1 is violated",
    );
    assert_ends(
        &replay(&["--expect", "--variant", "gate-not-taken"]),
        3,
        "the trace expects nothing of `gate-not-taken`",
    );
    assert_ends(
        &replay(&["--variant", "harderned"]),
        2,
        "a similar value exists: 'hardened'",
    );
    assert_ends(
        &drydock(folder.path(), &["replay", "missing.jsonl"]),
        2,
        "cannot open missing.jsonl",
    );
    assert_ends(
        &drydock(folder.path(), &["run", "demonstration", "--count", "20"]),
        0,
        "passed: 20 seeds",
    );
    assert_ends(
        &drydock(folder.path(), &["run", "nothing"]),
        2,
        "there is no scenario `nothing`",
    );
    let past = [
        "run",
        "demonstration",
        "--seed",
        "18446744073709551615",
        "--count",
        "2",
    ];
    assert_ends(&drydock(folder.path(), &past), 2, "the last seed is past 2^64");
    assert_ends(&drydock(folder.path(), &["list"]), 0, "alarm-not-set-again");
}

#[test]
fn a_failure_is_written_and_replays() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let found = drydock(
        folder.path(),
        &["run", "demonstration", "--variant", "documented", "--count", "50"],
    );
    assert_ends(&found, 1, "violated");
    let text = told(&found);
    let file = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("trace: "))
        .expect("it tells the file")
        .to_owned();
    assert_ends(
        &drydock(folder.path(), &["replay", &file, "--expect"]),
        0,
        "as the trace expects",
    );
    assert_ends(
        &drydock(folder.path(), &["replay", &file, "--expect", "--store", "model"]),
        0,
        "as the trace expects",
    );
    let logged = drydock(folder.path(), &["replay", &file, "--log", "warn"]);
    assert!(
        String::from_utf8_lossy(&logged.stderr).contains("fault"),
        "faults are logged: {}",
        told(&logged)
    );
    let left: Vec<_> = fs::read_dir(folder.path().join("traces/failures"))
        .expect("the folder is there")
        .collect();
    assert_eq!(left.len(), 1, "one trace and nothing unfinished: {left:?}");
}
