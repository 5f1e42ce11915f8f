//! Commands that are killed at any moment leave whole files behind, and of a shrinking the smallest trace so far.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use protocol::host::Text;
use sim::check::{Identity, Verdict};
use sim::run::{Pools, StoreKind};
use sim::trace::{self, Expected};
use sim::world::World;
use sim::world::demonstration::DemonstrationWorld;

use super::{drydock, told};

/// How often each command is killed, and where nobody waits for it.
const TIMES: u64 = 50;
const TIMES_MOST: u64 = 100;

/// Moments, as a generator of Lehmer's draws them from a seed.
struct Moments(u64);

impl Moments {
    fn next(&mut self, most: Duration) -> Duration {
        self.0 = self.0 * 48_271 % 2_147_483_647;
        most * u32::try_from(self.0 >> 11).expect("20 bits") / (1 << 20)
    }
}

/// Starts a command, and kills it with SIGKILL after a while; whether it was still running.
fn killed(folder: &Path, arguments: &[&str], after: Duration) -> bool {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drydock"));
    let mut child = command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    #[expect(clippy::disallowed_methods, reason = "the moment of a kill is no run's")]
    sleep(after);
    let ran = child.try_wait().expect("its state is known").is_none();
    child.kill().expect("the signal is sent");
    child.wait().expect("it ends");
    ran
}

/// How long a command takes that nobody kills: the moments are within that.
#[expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "how long a process takes is no run's"
)]
fn takes(folder: &Path, arguments: &[&str]) -> Duration {
    let begun = std::time::Instant::now();
    drydock(folder, arguments);
    begun.elapsed()
}

/// The traces of a folder.
fn traces(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    files
}

/// What stands in a folder under a hidden name.
fn hidden(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with('.')).collect()
}

/// Leaves in a folder what a writer leaves there that is killed while it writes: no kill may have come at such a moment.
fn leave_unfinished(folder: &Path) {
    fs::write(folder.join(".drydock-killed.tmp"), "half a trace").expect("it is written");
}

/// Reads a trace and replays it: it shows the failure that it is expected to show. Answers how many items it has.
fn replays(file: &Path) -> usize {
    let bytes = fs::read(file).expect("it is there");
    let trace = trace::read::<DemonstrationWorld>(&bytes[..]);
    let trace = trace.unwrap_or_else(|error| panic!("{} is not whole: {error}", file.display()));
    let expected = &trace.expect[&Text::new_static("documented")];
    let deployment = DemonstrationWorld::deployment("documented").expect("the variant is there");
    let report = Pools::default().run::<DemonstrationWorld>(StoreKind::Model, &trace.plan, deployment, ());
    assert_eq!(expected.missed_by(&report), None, "{}", file.display());
    assert!(matches!(expected.outcome, Expected::Violated(_)));
    trace.plan.items.len()
}

#[test]
fn a_sweep_that_is_killed_leaves_whole_traces() {
    kill_a_sweep(TIMES, Moments(20_261_130));
}

#[test]
#[ignore = "takes minutes"]
fn a_sweep_that_is_killed_a_hundred_times_leaves_whole_traces() {
    kill_a_sweep(TIMES_MOST, Moments(20_261_201));
}

fn kill_a_sweep(times: u64, mut moments: Moments) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sweep = [
        "sweep",
        "demonstration",
        "--variant",
        "documented",
        "--keep-going",
        "--seeds",
        "60",
        "--store",
        "model",
    ];
    let most = takes(folder.path(), &sweep);
    fs::remove_dir_all(folder.path().join("traces")).expect("it has found something");
    let (mut running, mut found) = (0, 0);
    for _ in 0..times {
        let after = moments.next(most);
        running += u64::from(killed(folder.path(), &sweep, after));
        let traces = traces(&folder.path().join("traces/failures"));
        found = found.max(traces.len());
        for file in &traces {
            replays(file);
        }
    }
    assert!(
        running > times / 5,
        "only {running} of {times} were still running when they were killed"
    );
    assert!(found > 2, "only {found} traces were there");
    leave_unfinished(&folder.path().join("traces/failures"));
    drydock(folder.path(), &sweep);
    let left = hidden(&folder.path().join("traces/failures"));
    assert!(left.is_empty(), "who comes next takes away {left:?}");
}

#[test]
fn a_shrinking_that_is_killed_leaves_the_smallest_so_far() {
    kill_a_shrinking(TIMES, Moments(30_261_130));
}

#[test]
#[ignore = "takes minutes"]
fn a_shrinking_that_is_killed_a_hundred_times_leaves_the_smallest_so_far() {
    kill_a_shrinking(TIMES_MOST, Moments(30_261_201));
}

fn kill_a_shrinking(times: u64, mut moments: Moments) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = [
        "run",
        "demonstration",
        "--variant",
        "documented",
        "--store",
        "model",
        "--trace",
        "found.jsonl",
        "--seed",
        "2",
    ];
    let found = drydock(folder.path(), &run);
    assert_eq!(found.status.code(), Some(1), "{}", told(&found));
    let before = replays(&folder.path().join("found.jsonl"));
    let shrink = [
        "shrink",
        "found.jsonl",
        "-o",
        "smaller.jsonl",
        "--store",
        "model",
        "--jobs",
        "1",
    ];
    let smaller = folder.path().join("smaller.jsonl");
    let most = takes(folder.path(), &shrink);
    let (mut running, mut partly) = (0, 0);
    for _ in 0..times {
        let _ = fs::remove_file(&smaller);
        let after = moments.next(most);
        running += u64::from(killed(folder.path(), &shrink, after));
        if smaller.exists() {
            let items = replays(&smaller);
            // The first steps make a plan plainer and take nothing out of it.
            assert!(items <= before);
            partly += u64::from(items < before);
        }
    }
    assert!(
        running > times / 5,
        "only {running} of {times} were still running when they were killed"
    );
    assert!(
        partly > times / 5,
        "only {partly} of {times} had come to a smaller trace"
    );
    // What is left over does no harm to who comes next.
    leave_unfinished(folder.path());
    let whole = drydock(folder.path(), &shrink);
    assert_eq!(whole.status.code(), Some(0), "{}", told(&whole));
    assert_eq!(hidden(folder.path()), [""; 0], "who comes next takes it away");
    assert_eq!(identity(&smaller), identity(&folder.path().join("found.jsonl")));
}

fn identity(file: &Path) -> Identity {
    let bytes = fs::read(file).expect("it is there");
    let trace = trace::read::<DemonstrationWorld>(&bytes[..]).expect("it is a trace");
    let deployment = DemonstrationWorld::deployment("documented").expect("the variant is there");
    let report = Pools::default().run::<DemonstrationWorld>(StoreKind::Model, &trace.plan, deployment, ());
    match report.verdict {
        Verdict::Violated(violation) => Identity::of(&violation),
        other => panic!("{}: {other}", file.display()),
    }
}
