//! A run does not depend on the process that it is made in: its surroundings, its clock, how it was compiled.
//!
//! The processes print a line of hashes for each seed, and each must print what the first one does: on `model` for all
//! seeds, on `sqlite` for a share of them, as it takes longer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::LazyLock;

use libtest_mimic::Failed;
use pieces::{Piece, run, trial};

/// Store and number of seeds.
const RUNS: [(&str, usize); 2] = [("model", 500), ("sqlite", 40)];

/// What this build prints, in the surroundings of the test.
static HERE: LazyLock<Result<Vec<String>, Failed>> =
    LazyLock::new(|| hashes(|| Command::new(env!("CARGO_BIN_EXE_drydock"))));

fn main() -> ExitCode {
    run(vec![
        trial(
            "processes::other_surroundings_change_nothing",
            &[],
            other_surroundings_change_nothing,
        ),
        trial(
            "processes::a_clock_ten_years_ahead_changes_nothing",
            &[Piece::Faketime],
            a_clock_ten_years_ahead_changes_nothing,
        ),
        trial(
            "processes::the_release_build_changes_nothing",
            &[Piece::Release],
            the_release_build_changes_nothing,
        ),
    ])
}

/// The variables of the other surroundings, in an order in which no shell would have them.
const VARIABLES: [&str; 8] = [
    "ZULU=1",
    "TZ=Pacific/Kiritimati",
    "RUST_LOG=trace",
    "LC_ALL=tr_TR.UTF-8",
    "HOME=/nowhere",
    "LANG=ar_EG.UTF-8",
    "DRYDOCK_SEED=99",
    "ALPHA=a much longer value than the others have, so that the stack begins elsewhere",
];

/// Another locale, time zone and working directory, and an environment that is cleared, shuffled and filled anew: `env`
/// hands variables on in the order in which they are given.
fn other_surroundings_change_nothing() -> Result<(), Failed> {
    let folder = std::env::temp_dir().canonicalize()?;
    let there = hashes(|| {
        let mut command = Command::new("env");
        command
            .arg("-i")
            .args(VARIABLES)
            .arg(env!("CARGO_BIN_EXE_drydock"))
            .current_dir(&folder);
        command
    })?;
    compare(&there, "in another environment and working directory")
}

fn a_clock_ten_years_ahead_changes_nothing() -> Result<(), Failed> {
    let library = Piece::Faketime.require()?.canonicalize()?;
    assert_clock_is_ahead(&library)?;
    let there = hashes(|| ten_years_ahead(&library, env!("CARGO_BIN_EXE_drydock")))?;
    compare(&there, "with the clock ten years ahead")
}

fn ten_years_ahead(library: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    command.env("LD_PRELOAD", library).env("FAKETIME", "+10y");
    command
}

/// A library that does not load leaves the clock alone, and the test would show nothing.
fn assert_clock_is_ahead(library: &Path) -> Result<(), Failed> {
    let seconds =
        |mut date: Command| -> Result<i64, Failed> { Ok(printed(date.args(["-u", "+%s"]))?.trim().parse()?) };
    let ahead = seconds(ten_years_ahead(library, "date"))? - seconds(Command::new("date"))?;
    let ten_years = 10 * 365 * 24 * 3_600;
    if (ten_years - 60..=ten_years + 3 * 24 * 3_600 + 60).contains(&ahead) {
        return Ok(());
    }
    Err(format!(
        "with {} loaded `date` is {ahead} s ahead, not ten years: {} must name a libfaketime.so.1 for this machine",
        library.display(),
        Piece::Faketime.variable()
    )
    .into())
}

fn the_release_build_changes_nothing() -> Result<(), Failed> {
    let release = Piece::Release.require()?.canonicalize()?;
    assert_is_another_build(&release)?;
    let there = hashes(|| Command::new(&release))?;
    compare(
        &there,
        "in the release build (is it of this source? `cargo build --release`)",
    )
}

/// This build under another name would agree with itself.
fn assert_is_another_build(release: &PathBuf) -> Result<(), Failed> {
    if fs::read(release)? == fs::read(env!("CARGO_BIN_EXE_drydock"))? {
        return Err(format!("{} is the build that is tested", Piece::Release.variable()).into());
    }
    Ok(())
}

/// The lines of hashes that a command prints on each store.
fn hashes(drydock: impl Fn() -> Command) -> Result<Vec<String>, Failed> {
    let mut lines = Vec::new();
    for (store, seeds) in RUNS {
        let count = seeds.to_string();
        let mut command = drydock();
        command.args([
            "run",
            "demonstration",
            "--hashes",
            "--store",
            store,
            "--count",
            &count,
        ]);
        let text = printed(&mut command)?;
        let of_seeds = text.lines().take(seeds).map(|line| format!("{store} {line}"));
        lines.extend(of_seeds);
        assert!(
            text.lines()
                .nth(seeds)
                .is_some_and(|line| line.starts_with("passed: ")),
            "{command:?} prints {seeds} lines of hashes and then its verdict, and not:\n{text}"
        );
    }
    Ok(lines)
}

fn printed(command: &mut Command) -> Result<String, Failed> {
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?} ends with {}: {told}", output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn compare(there: &[String], how: &str) -> Result<(), Failed> {
    let here = HERE
        .as_ref()
        .map_err(|failed| failed.message().unwrap_or_default().to_owned())?;
    match here.iter().zip(there).find(|(here, there)| here != there) {
        None => Ok(()),
        Some((here, there)) => Err(format!(
            "a run differs {how}. STORE SEED BEHAVIOUR FULL was\n    {here}\nand there\n    {there}\n\
             Compare what `drydock run demonstration --seed SEED --store STORE --log trace` tells both ways."
        )
        .into()),
    }
}
