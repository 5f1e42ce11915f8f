//! Sweeps as a user sees them: the table, the last line, the exit code, the traces.

use std::fs;
use std::path::Path;
use std::process::Output;

use super::{assert_ends, drydock, interrupted, started, told};

const SCENARIO: &str = include_str!("../../../scenarios/demonstration.toml");

fn sweep(folder: &Path, arguments: &[&str]) -> Output {
    drydock(folder, &[&["sweep", "--store", "model"], arguments].concat())
}

fn sweep_demonstration(folder: &Path, arguments: &[&str]) -> Output {
    sweep(folder, &[&["demonstration"], arguments].concat())
}

/// What it prints, without the figures of time: the speed of each row, and how long it took.
fn timeless(output: &Output) -> String {
    let text = told(output);
    let lines = text.lines().map(|line| {
        let words = line.split_whitespace().filter(|word| !word.ends_with('×'));
        let line = words.collect::<Vec<_>>().join(" ");
        let end = [" seeds in ", " seed in ", " runs in "]
            .iter()
            .find_map(|told| line.find(told));
        match end {
            Some(end) => line[..end].to_owned() + line.find([',', ':']).map_or("", |_| " …"),
            None => line,
        }
    });
    lines
        .filter(|line| !line.contains(" jobs · ") && !line.contains(" job · "))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A scenario file that is the demonstration's with some texts in place of others.
fn scenario_with(folder: &Path, name: &str, edits: &[(&str, &str)]) {
    let mut text = SCENARIO.to_owned();
    for (before, after) in edits {
        assert!(text.contains(before), "the demonstration's file has {before:?}");
        text = text.replacen(before, after, 1);
    }
    fs::write(folder.join(name), text).expect("the file is written");
}

#[test]
fn a_green_sweep_says_that_every_mark_was_passed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = sweep_demonstration(folder.path(), &["--seeds", "200"]);
    assert_ends(&output, 0, "green: 200 seeds in ");
    assert_ends(&output, 0, "nothing violated, every mark passed.");
    assert_ends(&output, 0, "1 in 20 repeated on sqlite");
    assert_eq!(
        fs::read_dir(folder.path()).expect("it is there").count(),
        0,
        "what passes leaves no file"
    );
}

#[test]
fn a_short_sweep_does_not_boast_of_marks() {
    let output = sweep(Path::new("."), &["demonstration", "--seeds", "3"]);
    assert_ends(
        &output,
        0,
        "and 1 of 1 scenarios too short to judge their marks (that takes 100 seeds).",
    );
}

#[test]
fn without_a_scenario_all_of_the_first_world_are_swept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = told(&sweep(folder.path(), &["--seeds", "1"]));
    assert!(text.starts_with("lanes · hardened · model"), "{text}");
    let all = ["lanes/chaos", "demonstration", "--seeds", "1"];
    assert_ends(
        &sweep(folder.path(), &all),
        2,
        "a sweep is of one world: lanes/chaos is of lanes, and demonstration of demonstration",
    );
}

#[test]
fn a_sweep_can_be_given_time_in_place_of_seeds() {
    let output = sweep_demonstration(Path::new("."), &["--for", "300ms"]);
    assert_ends(&output, 0, "green: ");
    assert_ends(
        &sweep_demonstration(Path::new("."), &["--for", "soon"]),
        2,
        "--for",
    );
}

#[test]
fn a_violation_is_told_with_the_trace_that_shows_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = sweep_demonstration(folder.path(), &["--variant", "documented", "--seeds", "100"]);
    assert_ends(
        &output,
        1,
        "DM-2 violated   a follower's value is the sum of the records up to its position",
    );
    assert_ends(&output, 1, "scenario demonstration, seed 1\n");
    let text = told(&output);
    let next = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("next:  cargo run --release -- "));
    let next: Vec<_> = next.expect("it says what comes next").split(' ').collect();
    assert_eq!(next[0], "explain", "what is found was made smaller");
    assert_ends(&drydock(folder.path(), &next), 0, "DM-2 violated");
    assert_ends(&output, 1, "shrunk from ");
    assert_ends(&output, 1, "1-minimal (each removal tried: ");
    let shrunk = "traces/failures/DM-2-demonstration-1-documented-shrunk.jsonl";
    let by_verdict = ["replay", shrunk, "--variant", "documented"];
    assert_ends(&drydock(folder.path(), &by_verdict), 1, "DM-2 violated");
    let by_expectation = ["replay", shrunk, "--expect"];
    assert_ends(&drydock(folder.path(), &by_expectation), 0, "DM-2 violated");
}

#[test]
fn who_does_not_want_it_smaller_has_it_as_it_was_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments = ["--variant", "documented", "--seeds", "100", "--no-shrink"];
    let output = sweep_demonstration(folder.path(), &arguments);
    assert_ends(
        &output,
        1,
        "next:  cargo run --release -- shrink traces/failures/DM-2-demonstration-1-documented.jsonl",
    );
    let traces = fs::read_dir(folder.path().join("traces/failures")).expect("there are traces");
    assert_eq!(traces.count(), 1);
    let few = ["--variant", "documented", "--seeds", "100", "--shrink-runs", "3"];
    let output = sweep_demonstration(folder.path(), &few);
    assert_ends(&output, 1, "not 1-minimal: its 3 runs are spent");
}

#[test]
fn only_what_is_new_or_expired_fails_a_sweep() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let all = [
        "--variant",
        "documented",
        "--seeds",
        "100",
        "--no-shrink",
        "--known",
        "known.toml",
    ];
    let known = |text: &str, today: &str| {
        fs::write(folder.path().join("known.toml"), text).expect("the file is written");
        sweep_demonstration(folder.path(), &[&all[..], &["--today", today]].concat())
    };
    let entry = |invariant: &str| {
        format!(
            "[[failure]]\ninvariant = \"{invariant}\"\nreason = \"as documented\"\nowner = \"sites\"\nexpires = \"2027-01-31\"\n"
        )
    };
    let every: String = [
        "DM-1", "DM-2", "DM-3", "DM-4", "DM-5", "DM-6", "DM-L1", "DM-L2", "DM-L3",
    ]
    .map(entry)
    .concat();
    let every = every.split("[[failure]]").filter(|entry| {
        let list = told(&drydock(folder.path(), &["list"]));
        let id = entry.lines().find_map(|line| line.strip_prefix("invariant = "));
        id.is_some_and(|id| list.contains(id.trim_matches('"')))
    });
    let every: String = every.map(|entry| format!("[[failure]]{entry}")).collect();
    let green = known(&every, "2027-01-31");
    assert_ends(&green, 0, "DM-2 known   a follower's value");
    assert_ends(&green, 0, "as documented (sites), until 2027-01-31");
    assert_ends(
        &green,
        0,
        "nothing violated but what is known (3), and 1 of 1 scenarios too short to judge",
    );
    assert_ends(
        &green,
        0,
        "known, and not shown by any seed: DM-3, until 2027-01-31: as documented (sites)",
    );
    let expired = known(&every, "2027-02-01");
    assert_ends(&expired, 1, "DM-2 violated");
    assert_ends(&expired, 1, "was known until 2027-01-31: as documented (sites)");
    assert_ends(
        &expired,
        1,
        "expired: DM-3 was known until 2027-01-31: as documented (sites): take it out",
    );
    let new = known(&entry("DM-3"), "2027-01-31");
    assert_ends(&new, 1, "DM-2 violated");
    assert_ends(
        &known("[[failure]]\ninvariant = \"DM-22\"", "2027-01-31"),
        2,
        "known.toml:1: ",
    );
    assert_ends(
        &known(&entry("DM-22"), "2027-01-31"),
        2,
        "known.toml:2: at failure.invariant: there is no invariant `DM-22`",
    );
    assert_ends(
        &known(&every, "2027-02-30"),
        2,
        "`2027-02-30` is no day: expected one as 2027-01-31",
    );
}

#[test]
fn what_is_past_its_day_fails_a_sweep_that_does_not_show_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let entry =
        "[[failure]]\ninvariant = \"DM-3\"\nreason = \"why\"\nowner = \"sites\"\nexpires = \"2027-01-31\"\n";
    fs::write(folder.path().join("known.toml"), entry).expect("the file is written");
    let on = |day: &str| {
        let arguments = ["--seeds", "3", "--known", "known.toml", "--today", day];
        sweep_demonstration(folder.path(), &arguments)
    };
    assert_ends(&on("2027-01-31"), 0, "known, and not shown by any seed: DM-3");
    assert_ends(&on("2027-02-01"), 1, "1 known failure past their day.");
}

#[test]
fn what_is_found_can_be_pasted_into_the_file_of_known_failures() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments = [
        "--variant",
        "documented",
        "--seeds",
        "100",
        "--no-shrink",
        "--keep-going",
    ];
    let output = told(&sweep_demonstration(folder.path(), &arguments));
    let mut entries = String::new();
    let mut lines = output.lines();
    while lines.any(|line| line == "  to let it be for now, in the file of --known:") {
        for line in lines.by_ref().take_while(|line| line.starts_with("    ")) {
            entries += &format!("{}\n", line.trim_start());
        }
    }
    assert!(entries.matches("[[failure]]").count() > 1, "{output}");
    assert!(entries.contains("class = \"other-sum\""), "{entries}");
    fs::write(folder.path().join("known.toml"), entries).expect("the file is written");
    let known = [&arguments[..], &["--known", "known.toml"]].concat();
    let again = sweep_demonstration(folder.path(), &known);
    assert_ends(&again, 0, "nothing violated but what is known");
}

#[test]
fn going_on_collects_each_kind_of_violation_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = sweep_demonstration(
        folder.path(),
        &["--variant", "documented", "--seeds", "100", "--keep-going"],
    );
    assert_ends(&output, 1, "seeds have shown it, this one first");
    assert_ends(&output, 1, "violated: 100 seeds in ");
    let text = told(&output);
    let findings = text
        .lines()
        .filter(|line| line.contains("scenario demonstration, seed "))
        .count();
    assert!(findings > 1, "there is more than one kind:\n{text}");
    let traces = fs::read_dir(folder.path().join("traces/failures")).expect("there are traces");
    assert_eq!(
        traces.count(),
        2 * findings,
        "one trace as found and one shrunk for each:\n{text}"
    );
}

#[test]
fn a_sweep_that_never_comes_by_its_goals_is_void() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    scenario_with(
        folder.path(),
        "lazy.toml",
        &[
            ("operations-most = 60", "operations-most = 0"),
            (
                "\"note record-sealed\",",
                "\"note record-sealed\", \"fault alarm-stuck\",",
            ),
            ("least-seeds = 100", "least-seeds = 20"),
            ("reset = \"1 in 100\"", "reset = \"1 in 1000000\""),
            ("faults-most = 4", "faults-most = 0"),
        ],
    );
    let line = |text: &str| {
        let file = fs::read_to_string(folder.path().join("lazy.toml")).expect("it was written");
        let line = file.lines().position(|line| line.contains(text));
        1 + line.expect("the file has this line")
    };
    let output = sweep(folder.path(), &["lazy.toml", "--seeds", "30"]);
    for part in [
        "void: scenario lazy ran 30 seeds and never came by what it is for.".to_owned(),
        format!(
            "goal `subject DM-4` 0 times     lazy.toml:{}",
            line("subject DM-4")
        ),
        format!(
            "`fault reset` took effect 0 times, although knob reset has it begin     lazy.toml:{}",
            line("reset = ")
        ),
        format!(
            "likely: knob alarm-now-sticks does not bring it about     lazy.toml:{}",
            line("alarm-now-sticks")
        ),
        format!(
            "likely: operations-most (0) leaves no room for two additions     lazy.toml:{}",
            line("operations-most")
        ),
        "1 of 1 scenarios have shown nothing.".to_owned(),
    ] {
        assert_ends(&output, 3, &part);
    }
    let run = drydock(folder.path(), &["run", "./lazy.toml", "--seed", "7"]);
    assert_ends(&run, 0, "lazy · hardened · sqlite · seed 7");
    let short = sweep(folder.path(), &["lazy.toml", "--seeds", "19"]);
    assert_ends(
        &short,
        0,
        "and 1 of 1 scenarios too short to judge their marks (that takes 20 seeds).",
    );
}

#[test]
fn bad_input_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (arguments, message) in [
        (
            &["demonstrashon", "--seeds", "3"][..],
            "did you mean `demonstration`?",
        ),
        (&["missing.toml", "--seeds", "3"], "cannot read missing.toml: "),
        (&[], "--seeds <SEEDS>"),
        (&["--seeds", "0"], "--seeds"),
        (&["--seeds", "3", "--jobs", "0"], "--jobs"),
        (
            &["--seeds", "3", "--variant", "harderned"],
            "a similar value exists: 'hardened'",
        ),
        (
            &["--seeds", "3", "--from", "18446744073709551614"],
            "the last seed is past 2^64",
        ),
    ] {
        let output = sweep(folder.path(), arguments);
        assert_ends(&output, 2, message);
        assert!(output.stdout.is_empty(), "nothing has begun: {}", told(&output));
    }
}

#[test]
fn jobs_change_no_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for arguments in [
        &["--seeds", "60", "--variant", "hardened"][..],
        &["--seeds", "60", "--variant", "documented"],
        &["--seeds", "60", "--variant", "documented", "--keep-going"],
    ] {
        let run = |jobs| {
            timeless(&sweep_demonstration(
                folder.path(),
                &[arguments, &["--jobs", jobs]].concat(),
            ))
        };
        assert_eq!(run("1"), run("2"), "{arguments:?}");
    }
}

#[test]
fn an_interrupted_sweep_tells_what_is_done() {
    let endless = [
        "sweep",
        "demonstration",
        "--store",
        "model",
        "--seeds",
        "1000000000",
    ];
    let (child, heading, out) = started(Path::new("."), &endless);
    assert!(heading.contains("1,000,000,000 seeds from 1"), "{heading:?}");
    let (code, rest) = interrupted(child, out);
    assert_eq!(
        code,
        Some(130),
        "130 is what README.md promises; it printed:\n{rest}"
    );
    assert!(rest.contains("never reached"), "the table is there:\n{rest}");
    let last = rest.lines().last().expect("there is a last line");
    assert!(
        last.starts_with("interrupted: ") && last.ends_with("nothing violated."),
        "{last:?}"
    );
}
