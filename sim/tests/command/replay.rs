//! Replaying as a user has it: what is refused, what is skipped, what is void.

use std::fs;
use std::path::Path;
use std::process::Output;

use super::{KEPT, assert_ends, drydock, told, with};

fn replay(folder: &Path, arguments: &[&str]) -> Output {
    drydock(folder, &[&["replay", "--store", "model"], arguments].concat())
}

/// A trace of a failing run, with its history and hashes.
fn recorded(folder: &Path) -> String {
    let run = [
        "run",
        "demonstration",
        "--variant",
        "documented",
        "--seed",
        "1",
        "--store",
        "model",
    ];
    let output = drydock(folder, &[&run[..], &["--trace", "found.jsonl"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    fs::read_to_string(folder.join("found.jsonl")).expect("it is written")
}

/// The kept trace with one more line.
fn and(line: &str) -> String {
    format!("{}\n{line}\n", KEPT.trim_end())
}

#[test]
fn what_was_recorded_is_replayed_strictly() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    recorded(folder.path());
    let strict = replay(folder.path(), &["found.jsonl", "--strict"]);
    assert_ends(&strict, 1, "strict: nothing differs from what was recorded");
    let on_sqlite = drydock(folder.path(), &["replay", "found.jsonl", "--strict"]);
    assert_ends(&on_sqlite, 1, "strict: nothing differs from what was recorded");
    let expected = replay(folder.path(), &["found.jsonl", "--strict", "--expect"]);
    assert_ends(&expected, 0, "as the trace expects of `documented`");
}

#[test]
fn the_first_divergence_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trace = recorded(folder.path());
    let changed = |name: &str, text: String| {
        fs::write(folder.path().join(name), text).expect("the trace is written");
        replay(folder.path(), &[name, "--strict"])
    };
    let history: Vec<&str> = trace
        .lines()
        .filter(|line| line.starts_with(r#"{"history""#))
        .collect();
    let third = history[2];
    assert!(third.contains(r#""what":""#), "{third}");
    let other = changed(
        "other.jsonl",
        trace.replacen(third, &third.replacen(r#""what":""#, r#""what":"not "#, 1), 1),
    );
    assert_ends(&other, 3, "refused: line 3 of the history: expected step ");
    assert_ends(&other, 3, "`not ");
    assert_ends(&other, 3, "; came step ");
    let shorter = changed(
        "shorter.jsonl",
        trace.replacen(&format!("{}\n", history[history.len() - 1]), "", 1),
    );
    assert_ends(
        &shorter,
        3,
        &format!(
            "refused: line {} of the history: expected nothing more; came step ",
            history.len()
        ),
    );
    let at = trace.find(r#""full":""#).expect("the hash is recorded") + r#""full":""#.len();
    let mut hashed = trace.clone();
    hashed.replace_range(at..at + 4, "0000");
    assert_ends(
        &changed("hashed.jsonl", hashed),
        3,
        "refused: the hash `full`: expected 0000",
    );
    let without_history: String = trace
        .lines()
        .filter(|line| !line.starts_with(r#"{"history""#))
        .map(|line| format!("{line}\n"))
        .collect();
    let at = without_history.find(r#""full":""#).expect("the hash is recorded") + r#""full":""#.len();
    let mut unhistoried = without_history.clone();
    unhistoried.replace_range(at..at + 4, "0000");
    let refused = changed("unhistoried.jsonl", unhistoried);
    assert_ends(&refused, 3, "not compared: the trace does not have a history");
    assert_ends(&refused, 3, "refused: the hash `full`: expected 0000");
    assert_ends(
        &refused,
        3,
        "which event is the first other one only a history tells",
    );
    assert_ends(
        &changed("only-hashes.jsonl", without_history),
        1,
        "strict: nothing differs from what was recorded: the hash `behaviour`, the hash `full`",
    );
    // Whoever is not strict goes on.
    assert_ends(
        &replay(folder.path(), &["hashed.jsonl"]),
        1,
        "the hash `full` is not the one in the trace",
    );
}

#[test]
fn what_did_not_happen_is_why_the_rest_differs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trace = recorded(folder.path());
    let gone = r#"{"item":{"id":9000,"at":100000,"act":{"fault":{"evict":{"object":"follower/main#f77"}}}}}"#;
    let history = trace.find(r#"{"history""#).expect("it has one");
    let more = format!("{}{gone}\n{}", &trace[..history], &trace[history..]);
    fs::write(folder.path().join("more.jsonl"), more).expect("the trace is written");
    let refused = replay(folder.path(), &["more.jsonl", "--strict"]);
    assert_ends(&refused, 3, "skipped: 1 item that did not apply (item 9000)");
    assert_ends(&refused, 3, "refused: something of the trace did not apply");
    assert!(!told(&refused).contains("of the history"), "{}", told(&refused));
}

#[test]
fn a_history_of_another_variant_is_not_taken_for_this_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trace = recorded(folder.path());
    let hash = |name: &str| {
        let from = trace.find(&format!("\"{name}\":\"")).expect("it is recorded") + name.len() + 4;
        trace[from..from + 64].to_owned()
    };
    let also = format!(
        r#""expect":{{"hardened":{{"outcome":"passed","behaviour":"{}"}},"#,
        hash("behaviour")
    );
    let both = trace.replacen(r#""expect":{"#, &also, 1);
    fs::write(folder.path().join("both.jsonl"), both).expect("the trace is written");
    let own = replay(folder.path(), &["both.jsonl", "--strict"]);
    assert_ends(&own, 1, "strict: nothing differs from what was recorded: ");
    assert_ends(&own, 1, " lines of history");
    let refused = replay(
        folder.path(),
        &["both.jsonl", "--strict", "--variant", "hardened"],
    );
    assert_ends(
        &refused,
        3,
        "not compared: the trace does not have a history of its own (the one that is there is of `documented`), the hash `full`",
    );
    assert_ends(&refused, 3, "refused: the hash `behaviour`: expected ");
}

#[test]
fn another_failure_of_the_same_invariant_is_not_the_one_that_is_expected() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let expecting = |identity: &str| {
        let text = with(r#"{"violated":"DM-1"}"#, &format!(r#"{{"violated":{identity}}}"#));
        fs::write(folder.path().join("which.jsonl"), text).expect("the trace is written");
        replay(
            folder.path(),
            &["which.jsonl", "--expect", "--variant", "documented"],
        )
    };
    let of =
        |role: &str, class: &str| format!(r#"{{"invariant":"DM-1","roles":["{role}"],"class":"{class}"}}"#);
    assert_ends(
        &expecting(&of("follower", "moved-back")),
        0,
        "that DM-1 is violated (moved-back of follower)",
    );
    assert_ends(
        &expecting(&of("counter", "moved-back")),
        1,
        "not as the trace expects: expected that DM-1 is violated (moved-back of counter), and the run says: DM-1 violated",
    );
    assert_ends(
        &expecting(&of("folower", "moved-back")),
        2,
        "line 1: at expect.*.outcome.violated.roles: there is no role `folower`; did you mean `follower`? there is:",
    );
    assert_ends(
        &expecting(&of("follower", "moved")),
        2,
        "at expect.*.outcome.violated.class: there is no class `moved`",
    );
}

#[test]
fn without_anything_recorded_nothing_is_strict() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("kept.jsonl"), KEPT).expect("the trace is written");
    let strict = replay(folder.path(), &["kept.jsonl", "--strict"]);
    assert_ends(&strict, 2, "has neither a history nor a hash of `documented`");
}

#[test]
fn what_does_not_apply_is_skipped_and_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let gone = r#"{"item":{"id":90,"at":100000,"act":{"fault":{"evict":{"object":"follower/main#f77"}}}}}"#;
    let nobody = r#"{"item":{"id":91,"at":100000,"act":{"operation":{"nudge":{"follower":55}}}}}"#;
    let unasked = r#"{"item":{"id":93,"at":100000,"act":{"fault":{"cancel":{"item":77}}}}}"#;
    let aimed = r#"{"item":{"id":92,"at":0,"act":{"fault":{"call":{"aim":{"caller":"follower/main#f1","label":"pull-log","nth":70},"fault":"lose-answer"}}}}}"#;
    let fixed = r#"{"fixed":{"key":{"purpose":"reset","origin":{"item":91},"at":"counter/main","label":"","nth":3},"alternative":1}}"#;
    let all = [gone, nobody, unasked, aimed, fixed].join("\n");
    fs::write(folder.path().join("more.jsonl"), and(&all)).expect("the trace is written");
    let output = replay(
        folder.path(),
        &["more.jsonl", "--expect", "--variant", "hardened"],
    );
    assert_ends(
        &output,
        0,
        "skipped: 4 items and 1 fixed choice that did not apply (item 90, item 91, item 93, item 92, ",
    );
    let clean = drydock(
        folder.path(),
        &["replay", "more.jsonl", "--bisect", "--variant", "hardened"],
    );
    assert_ends(&clean, 125, "cannot tell: what is skipped may be what matters");
}

#[test]
fn a_trace_without_its_marks_is_void() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let marked = with(r#""note record-left-out"]"#, r#""fault evicted"]"#);
    fs::write(folder.path().join("marked.jsonl"), marked).expect("the trace is written");
    let output = replay(
        folder.path(),
        &["marked.jsonl", "--expect", "--variant", "hardened"],
    );
    assert_ends(
        &output,
        3,
        "void: the run never passed the mark `fault evicted`, so it shows nothing",
    );
}

#[test]
fn bisecting_exits_as_git_wants_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("kept.jsonl"), KEPT).expect("the trace is written");
    let bisect = |file: &str, variant: &str| {
        drydock(folder.path(), &["replay", file, "--bisect", "--variant", variant])
    };
    assert_ends(&bisect("kept.jsonl", "hardened"), 0, "passed");
    assert_ends(&bisect("kept.jsonl", "documented"), 1, "DM-1 violated");
    assert_ends(&bisect("kept.jsonl", "never-heard-of"), 125, "invalid value");
    assert_ends(&bisect("none.jsonl", "hardened"), 125, "cannot open none.jsonl");
    fs::write(folder.path().join("half.jsonl"), &KEPT[..300]).expect("the trace is written");
    assert_ends(&bisect("half.jsonl", "hardened"), 125, "half.jsonl: line 1: at ");
    // Its own failure is there in every version: bisected by that, the first one would be to blame.
    assert_ends(
        &drydock(folder.path(), &["replay", "kept.jsonl", "--bisect"]),
        125,
        "name the one that is bisected with --variant",
    );
}

#[test]
fn a_trace_of_another_format_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let of_format = |number: &str| {
        let text = with(r#""drydock-trace":1"#, &format!(r#""drydock-trace":{number}"#));
        fs::write(folder.path().join("other.jsonl"), text).expect("the trace is written");
        replay(folder.path(), &["other.jsonl"])
    };
    assert_ends(
        &of_format("3"),
        2,
        "line 1: is of format 3; this drydock reads formats 1 to 2: a later drydock has written it",
    );
    assert_ends(
        &of_format("0"),
        2,
        "line 1: is of format 0; this drydock reads formats 1 to 2: no drydock has ever",
    );
}
