//! Shrinking as a user has it: how small a trace becomes, what the file says, how it ends.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;

use super::{KEPT, assert_ends, drydock, interrupted, replay, started, told};

/// Writes the trace of a seed that fails under `documented`, and answers its file.
fn found(folder: &Path, seed: u32) -> String {
    let file = format!("{seed}.jsonl");
    let seed = seed.to_string();
    let run = [
        "run",
        "demonstration",
        "--variant",
        "documented",
        "--store",
        "model",
        "--trace",
        &file,
        "--seed",
        &seed,
    ];
    assert_ends(
        &drydock(folder, &run),
        1,
        &format!("next:  cargo run --release -- shrink {file}"),
    );
    file
}

fn shrink(folder: &Path, arguments: &[&str]) -> Output {
    drydock(folder, &[&["shrink", "--store", "model"], arguments].concat())
}

/// How many lines of each kind a trace has.
fn lines(trace: &Path) -> BTreeMap<String, usize> {
    let mut lines = BTreeMap::new();
    for line in fs::read_to_string(trace).expect("it is there").lines() {
        let kind = line.split('"').nth(1).expect("each line is an object");
        *lines.entry(kind.to_owned()).or_default() += 1;
    }
    lines
}

#[test]
fn a_handful_of_items_is_left_and_each_has_its_certificate() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for seed in [1, 2, 4, 5, 6] {
        let file = found(folder.path(), seed);
        let before = lines(&folder.path().join(&file))["item"];
        let output = shrink(folder.path(), &[&file]);
        assert_ends(&output, 0, &format!("shrunk from {before} items to "));
        assert_ends(&output, 0, "1-minimal (each removal tried: ");
        assert_ends(&output, 0, "run twice on model, and on sqlite: the same");
        let smaller = format!("{seed}-shrunk.jsonl");
        let after = lines(&folder.path().join(&smaller));
        let parts = after["item"] + after.get("fixed").unwrap_or(&0);
        assert!(parts <= 6, "seed {seed}: {parts} are left\n{}", told(&output));
        assert_eq!(after["certificate"], parts, "seed {seed}");
        for store in ["sqlite", "model"] {
            let replay = ["replay", &smaller, "--expect", "--store", store];
            assert_ends(
                &drydock(folder.path(), &replay),
                0,
                "as the trace expects of `documented`",
            );
        }
    }
}

#[test]
fn a_random_fault_becomes_one_that_is_aimed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = found(folder.path(), 1);
    assert_ends(
        &shrink(folder.path(), &[&file]),
        0,
        "at a call    fault delay-request ",
    );
    let trace = fs::read_to_string(folder.path().join("1-shrunk.jsonl")).expect("it is there");
    let header = trace.lines().next().expect("it has a header");
    for plain in [
        r#""late":"0 in 1""#,
        r#""reset":"0 in 1""#,
        r#""marks":["fault request-late"]"#,
        r#""hardened":{"outcome":"passed""#,
    ] {
        assert!(header.contains(plain), "expected {plain} in {header}");
    }
}

#[test]
fn a_folder_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = found(folder.path(), 1);
    fs::create_dir(folder.path().join("there")).expect("the folder is made");
    let shrunk = shrink(folder.path(), &[&file, "-o", "there"]);
    assert_ends(&shrunk, 2, "there is a folder: name a file");
    assert!(shrunk.stdout.is_empty(), "nothing has begun: {}", told(&shrunk));
}

#[test]
fn a_run_whose_trace_is_to_be_a_folder_is_refused_before_it_begins() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("there")).expect("the folder is made");
    let run = drydock(folder.path(), &["run", "demonstration", "--trace", "there"]);
    assert_ends(&run, 2, "there is a folder: name a file");
    assert!(run.stdout.is_empty(), "nothing has begun: {}", told(&run));
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = found(folder.path(), 1);
    for (output, message) in [
        ("-", "this is not written to the standard output"),
        ("1.jsonl/smaller.jsonl", "cannot write 1.jsonl/smaller.jsonl"),
    ] {
        let shrunk = shrink(folder.path(), &[&file, "-o", output]);
        assert_ends(&shrunk, 2, message);
        assert!(shrunk.stdout.is_empty(), "nothing has begun: {}", told(&shrunk));
    }
}

#[test]
fn a_run_whose_trace_is_to_be_the_standard_output_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = drydock(folder.path(), &["run", "demonstration", "--trace", "-"]);
    assert_ends(&run, 2, "this is not written to the standard output");
}

#[test]
fn what_is_shrunk_gets_no_smaller() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = found(folder.path(), 1);
    shrink(folder.path(), &[&file, "-o", "once.jsonl"]);
    let again = shrink(folder.path(), &["once.jsonl", "-o", "twice.jsonl"]);
    assert_ends(&again, 0, "1-minimal");
    let plan = |file: &str| {
        let trace = fs::read_to_string(folder.path().join(file)).expect("it is there");
        let lines = trace.lines().skip(1).map(str::to_owned);
        lines.collect::<Vec<_>>()
    };
    assert_eq!(plan("once.jsonl"), plan("twice.jsonl"));
}

#[test]
fn jobs_change_no_byte() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (seed, runs) in [(1, "20000"), (2, "20000"), (4, "40")] {
        let file = found(folder.path(), seed);
        let with = |jobs: &str| {
            let smaller = format!("with-{jobs}.jsonl");
            let arguments = [&file, "-o", &smaller, "--jobs", jobs, "--runs", runs];
            assert_ends(&shrink(folder.path(), &arguments), 0, "shrunk from");
            fs::read(folder.path().join(smaller)).expect("it is written")
        };
        let alone = with("1");
        for jobs in ["2", "5"] {
            assert!(alone == with(jobs), "seed {seed}, {runs} runs, {jobs} jobs");
        }
    }
}

#[test]
fn too_few_runs_are_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = found(folder.path(), 1);
    let output = shrink(folder.path(), &[&file, "--runs", "9", "-o", "larger.jsonl"]);
    assert_ends(&output, 0, "not 1-minimal: its 9 runs are spent, 0 of ");
    assert_ends(
        &drydock(folder.path(), &["replay", "larger.jsonl", "--expect"]),
        0,
        "as the trace expects of `documented`",
    );
}

/// Shrinks a trace that stands in `a.jsonl`: how that ends, and whether nothing else is there then.
fn shrink_a(trace: &str, arguments: &[&str]) -> (Output, bool) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("a.jsonl"), trace).expect("the trace is written");
    let output = shrink(folder.path(), &[&["a.jsonl"], arguments].concat());
    let files = fs::read_dir(folder.path()).expect("it is there").count();
    (output, files == 1)
}

#[test]
fn what_passes_is_bad_input() {
    let (output, _) = shrink_a(KEPT, &["--variant", "hardened"]);
    assert_ends(
        &output,
        2,
        "a.jsonl: there is nothing to shrink: under `hardened` on model the run says: passed",
    );
}

#[test]
fn of_what_does_not_fail_no_trace_is_written() {
    let (output, is_alone) = shrink_a(KEPT, &["--variant", "hardened"]);
    assert!(is_alone, "no other file may be there: {}", told(&output));
}

#[test]
fn what_does_nothing_is_bad_input() {
    let header = KEPT.lines().next().expect("it has a header");
    assert_ends(
        &shrink_a(header, &[]).0,
        2,
        "under `documented` on model the run says: void: the plan does nothing",
    );
}

#[test]
fn what_is_no_trace_is_not_shrunk() {
    let broken = KEPT.replacen("\"violated\":\"DM-1\"", "\"passed\":1", 1);
    assert_ends(&shrink_a(&broken, &[]).0, 2, "a.jsonl: line 1: at expect");
}

#[test]
fn a_trace_that_expects_no_failure_needs_a_variant() {
    let passes = KEPT.replacen("{\"violated\":\"DM-1\"}", "\"passed\"", 1);
    assert_ends(
        &shrink_a(&passes, &[]).0,
        2,
        "the trace expects no variant to be violated: name one with --variant",
    );
}

#[test]
fn a_trace_that_is_not_there_is_bad_input() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert_ends(
        &shrink(folder.path(), &["missing.jsonl"]),
        2,
        "cannot open missing.jsonl",
    );
}

#[test]
fn hostile_certificates_are_refused_with_line_and_field() {
    let header = KEPT.lines().next().expect("it has a header");
    let shrunk = header.replacen(
        "\"expect\":",
        "\"shrunk\":{\"variant\":\"documented\",\"from\":9},\"expect\":",
        1,
    );
    let rest: String = KEPT.lines().skip(1).map(|line| format!("{line}\n")).collect();
    let line = KEPT.lines().count() + 1;
    let with = |header: &str, certificate: &str| {
        replay(format!("{header}\n{rest}{{\"certificate\":{certificate}}}\n").as_bytes())
    };
    let good = r#"{"of":{"item":0},"instead":"passed"}"#;
    assert_ends(&with(&shrunk, good), 1, "DM-1 violated");
    for (certificate, message) in [
        (
            r#"{"of":{"item":77},"instead":"passed"}"#,
            "at certificate.of: no line before this one has item 77",
        ),
        (
            r#"{"of":{"fixed":{"purpose":"order","origin":{"item":9},"at":"a\u001b[2J","label":"","nth":1}},"instead":"passed"}"#,
            "at certificate.of: no line before this one has the fixed choice Order of item 9 at a\\u{1b}[2J",
        ),
        (r#"{"of":{"item":-1},"instead":"passed"}"#, "at certificate.of"),
        (r#"{"of":{"item":0},"instead":"fine"}"#, "at certificate.instead"),
        (r#"{"of":{"item":0}}"#, "missing field `instead`"),
        (
            r#"{"of":{"item":0},"instead":"passed","why":1}"#,
            "unknown field `why`",
        ),
        (
            r#"{"of":{"item":0},"instead":{"void":"a\n  passed"}}"#,
            "at certificate.instead: `a\\n  passed` holds control characters",
        ),
        (
            r#"{"of":{"item":0},"instead":{"violated":{"invariant":"DM-99","roles":[],"class":""}}}"#,
            "at certificate.instead.violated.invariant: there is no invariant `DM-99`",
        ),
        (
            r#"{"of":{"item":0},"instead":{"violated":{"invariant":"DM-1","roles":["a\u0007"],"class":""}}}"#,
            "at certificate.instead: `a\\u{7}` holds control characters",
        ),
    ] {
        let output = with(&shrunk, certificate);
        assert_ends(&output, 2, &format!("line {line}: at "));
        assert_ends(&output, 2, message);
    }
    let twice = format!("{good}}}\n{{\"certificate\":{good}");
    assert_ends(
        &with(&shrunk, &twice),
        2,
        &format!(
            "line {}: at certificate.of: item 0 has a certificate already",
            line + 1
        ),
    );
    assert_ends(
        &with(header, good),
        2,
        &format!("line {line}: at certificate: the header says of no variant"),
    );
    let unknown = shrunk.replacen("\"variant\":\"documented\"", "\"variant\":\"undocumented\"", 1);
    assert_ends(
        &with(&unknown, good),
        2,
        "line 1: at shrunk.variant: there is no variant `undocumented`",
    );
}

#[test]
fn an_interrupted_search_writes_the_smallest_so_far() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = found(folder.path(), 1);
    // So many reads that halving takes a while.
    let trace = fs::read_to_string(folder.path().join(&file)).expect("it is there");
    let mut long: String = trace
        .lines()
        .filter(|line| !line.starts_with("{\"history\""))
        .map(|line| format!("{line}\n"))
        .collect();
    for id in 1_000..2_500 {
        long += &format!(
            "{{\"item\":{{\"id\":{id},\"at\":{id}000,\"act\":{{\"operation\":{{\"read\":{{\"front\":0}}}}}}}}}}\n"
        );
    }
    fs::write(folder.path().join("long.jsonl"), long).expect("the trace is written");
    let slow = [
        "shrink",
        "long.jsonl",
        "--store",
        "model",
        "--variant",
        "documented",
    ];
    let (child, _, out) = started(folder.path(), &slow);
    let (code, rest) = interrupted(child, out);
    assert_eq!(code, Some(130), "{rest}");
    assert!(rest.contains("not 1-minimal: interrupted, "), "{rest}");
    assert!(rest.contains("missing: "), "it says what is missing:\n{rest}");
    assert!(
        !rest.contains("cargo run --release -- keep"),
        "what is not shrunk to the end is not for keeping:\n{rest}"
    );
    assert_ends(
        &drydock(
            folder.path(),
            &["replay", "long-shrunk.jsonl", "--expect", "--store", "model"],
        ),
        0,
        "as the trace expects of `documented`",
    );
}

#[test]
#[cfg(unix)]
fn a_pipe_gets_one_trace() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = found(folder.path(), 2);
    let output = shrink(folder.path(), &[&file, "-o", "/dev/stderr"]);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let written = String::from_utf8_lossy(&output.stderr);
    let headers = written
        .lines()
        .filter(|line| line.starts_with(r#"{"drydock-trace""#));
    assert_eq!(headers.count(), 1, "those so far are for files: {written}");
}
