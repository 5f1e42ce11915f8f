//! What shells are told of the command line.

use std::path::Path;

use super::{assert_ends, drydock};

#[track_caller]
fn assert_completes(shell: &str, words: &[&str]) {
    let output = drydock(Path::new("."), &["completions", shell]);
    assert_ends(&output, 0, "drydock");
    let script = String::from_utf8(output.stdout).expect("a script is text");
    for word in words {
        assert!(
            script.contains(word),
            "the script for {shell} must know `{word}`, see `command::completions`"
        );
    }
}

#[test]
fn each_shell_completes_commands_and_options() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert_completes(
            shell,
            &[
                "list",
                "run",
                "sweep",
                "replay",
                "completions",
                "expect",
                "hashes",
                "keep-going",
            ],
        );
    }
}

/// The other two are told of no values.
#[test]
fn three_shells_complete_variants_and_stores() {
    for shell in ["bash", "fish", "zsh"] {
        assert_completes(shell, &["gate-not-taken", "sqlite"]);
    }
}

/// The others are told of no values but those of options.
#[test]
fn two_shells_complete_scenarios() {
    for shell in ["bash", "zsh"] {
        assert_completes(shell, &["demonstration"]);
    }
}

#[test]
fn an_unknown_shell_is_refused_with_those_there_are() {
    let output = drydock(Path::new("."), &["completions", "cmd"]);
    assert_ends(
        &output,
        2,
        "[possible values: bash, elvish, fish, powershell, zsh]",
    );
}
