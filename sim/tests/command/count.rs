//! Many seeds in a row: what they print, and how they are interrupted.

use std::path::Path;

use super::{assert_ends, drydock, interrupted, started};

/// One line for each seed, and each as a single run prints it.
#[test]
fn hashes_are_those_of_single_runs() {
    let run = |arguments: &[&str]| {
        let output = drydock(
            Path::new("."),
            &[&["run", "demonstration", "--store", "model"], arguments].concat(),
        );
        assert_ends(&output, 0, "passed");
        String::from_utf8(output.stdout).expect("it prints text")
    };
    let many = run(&["--hashes", "--seed", "7", "--count", "3"]);
    let lines: Vec<Vec<&str>> = many
        .lines()
        .take(3)
        .map(|line| line.split(' ').collect())
        .collect();
    for (seed, line) in ["7", "8", "9"].iter().zip(lines) {
        let single = run(&["--seed", seed]);
        let hash = |name| {
            let line = single.lines().find_map(|line| line.trim().strip_prefix(name));
            line.expect("a single run prints both hashes").trim()
        };
        assert_eq!(
            line,
            [*seed, hash("behaviour"), hash("full")],
            "a line is `SEED BEHAVIOUR FULL`, with the hashes of the run of that seed alone"
        );
    }
}

/// Progress is for people: what reads a pipe is not told.
#[test]
fn without_a_terminal_there_is_no_progress() {
    let output = drydock(
        Path::new("."),
        &["run", "demonstration", "--store", "model", "--count", "20"],
    );
    assert_ends(&output, 0, "passed: 20 seeds");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        told, "",
        "nothing but a terminal is shown progress, see `command::progress`"
    );
}

#[test]
fn an_interrupted_run_says_how_many_seeds_passed() {
    let endless = [
        "run",
        "demonstration",
        "--store",
        "model",
        "--hashes",
        "--count",
        "1000000000",
    ];
    let (child, line, out) = started(Path::new("."), &endless);
    assert!(
        line.starts_with("1 "),
        "the first line is of the first seed: {line:?}"
    );
    let (code, rest) = interrupted(child, out);
    assert_eq!(
        code,
        Some(130),
        "130 is what README.md promises; it printed:\n{rest}"
    );
    let done = rest.lines().count(); // the first line was read before, and the last one is no hash
    assert_eq!(
        rest.lines().last(),
        Some(format!("interrupted: {done} of 1000000000 seeds were run, and all of them passed").as_str()),
        "its last line counts the seeds that are done"
    );
}
