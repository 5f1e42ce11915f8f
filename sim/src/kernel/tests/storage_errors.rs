//! Errors of the storage that no statement is to blame for: `platform.md` 4.7 and 4.8.

use protocol::host::{End, SqlErrorKind, Statement, Text, Value};

use super::script::{Do, keep, say, write};
use super::world::{Setting, World, fixed, knobs, lasting};
use crate::kernel::storage::Store;
use crate::kernel::storage::model::ModelStore;
use crate::kernel::storage::sqlite::SqliteStore;
use crate::kernel::{Episode, FaultKind, Purpose, Ratio, Trouble};

const BREAKING: [SqlErrorKind; 4] = [
    SqlErrorKind::Full,
    SqlErrorKind::Io,
    SqlErrorKind::NoMemory,
    SqlErrorKind::Interrupted,
];

/// The table is there already.
fn insert(what: &str) -> Statement {
    Statement::new("INSERT INTO t (v) VALUES (?)", [Value::text(what)])
}

fn broken(answer: &str) -> bool {
    answer.ends_with(", remote, reset]")
}

/// An object with a row; the statement after next meets an error of this kind.
fn struck<S: Store>(kind: SqlErrorKind) -> World<S> {
    let mut world = World::of(Setting::default());
    world.ask(0, "a", [keep("memory"), write("x")]);
    world.at(50, "a", move |kernel, item, object, _| {
        kernel.strike_statement(item, object, 1, kind);
    });
    world
}

#[test]
fn platform_4_7_an_error_that_rolls_back_breaks_the_object_even_if_it_is_caught() {
    fn on<S: Store>(kind: SqlErrorKind, script: Vec<Do>) {
        let mut world = struck::<S>(kind);
        let asked = world.ask(100, "a", script);
        let after = world.ask(200, "a", [Do::Recall, Do::Read]);
        world.run(1_000);
        assert!(broken(world.answer(asked)), "{kind:?}: {}", world.answer(asked));
        assert_eq!(world.answer(after), " x", "{kind:?}: nothing of the turn is left");
        assert_eq!(world.marks("a", FaultKind::StorageRefused), [100], "{kind:?}");
        assert_eq!(world.faults(), ["storage-refused"], "{kind:?}");
    }
    for kind in BREAKING {
        let alone = vec![Do::Sql(insert("y")), Do::Sql(insert("z")), say("fine")];
        let together = vec![
            Do::Transact(vec![insert("y"), insert("z")], End::Commit),
            say("fine"),
        ];
        let reading = vec![Do::Sql(insert("y")), Do::Read, say("fine")];
        for script in [alone, together, reading] {
            on::<ModelStore>(kind, script.clone());
            on::<SqliteStore>(kind, script);
        }
    }
}

#[test]
fn platform_4_8_an_ordinary_error_leaves_the_object_and_what_ran_before_it() {
    fn on<S: Store>() {
        let mut world = struck::<S>(SqlErrorKind::Other);
        let script = [
            Do::Sql(insert("y")),
            Do::Sql(insert("z")),
            Do::Sql(insert("more")),
            say("fine"),
        ];
        let asked = world.ask(100, "a", script);
        let after = world.ask(200, "a", [Do::Recall, Do::Read]);
        world.run(1_000);
        assert_eq!(world.answer(asked), "Other fine");
        assert_eq!(world.answer(after), "memory x y more");
        assert_eq!(world.marks("a", FaultKind::StorageRefused), [100]);
    }
    on::<ModelStore>();
    on::<SqliteStore>();
}

/// From 50 to 150 ms, every statement that writes meets an error.
fn refusing<S: Store>(kind: SqlErrorKind) -> World<S> {
    let mut world = World::of(Setting::default());
    world.ask(0, "a", [keep("memory"), write("x")]);
    world.trouble(50, ("a", "a"), 100, move |object, _| {
        Trouble::StorageError(object, kind)
    });
    world
}

#[test]
fn a_full_disk_can_be_read_and_not_written() {
    let mut world = refusing::<SqliteStore>(SqlErrorKind::Full);
    let reads = world.ask(60, "a", [Do::Read]);
    let writes = [100, 110].map(|at| world.ask(at, "a", [Do::Sql(insert("y")), say("fine")]));
    let after = world.ask(160, "a", [Do::Sql(insert("z")), Do::Read]);
    world.run(1_000);
    assert_eq!(world.answer(reads), "x");
    assert!(writes.iter().all(|item| broken(world.answer(*item))));
    assert_eq!(world.answer(after), "x z");
    assert_eq!(world.marks("a", FaultKind::StorageRefused), [100, 110]);
}

#[test]
fn platform_4_8_a_statement_that_meets_an_ordinary_error_leaves_nothing() {
    fn on<S: Store>() {
        let mut world = refusing::<S>(SqlErrorKind::Other);
        let batch = vec![insert("y"), insert("z")];
        let script = [
            Do::Sql(insert("y")),
            Do::Transact(batch, End::Commit),
            Do::Read,
            Do::Recall,
        ];
        let asked = world.ask(100, "a", script);
        world.run(1_000);
        assert_eq!(world.answer(asked), "Other Other at 0 x memory");
        assert_eq!(world.rows("a"), "x");
    }
    on::<ModelStore>();
    on::<SqliteStore>();
}

#[test]
fn statements_meet_errors_at_the_rate_of_the_knob() {
    let mut knobs = knobs();
    knobs.storage_error = Episode::once(Ratio::ALWAYS);
    let mut world = World::<ModelStore>::of(Setting {
        knobs,
        fixed: vec![fixed(Purpose::StorageErrorKind, 0, "a", 1)],
        ..Setting::default()
    });
    let asked = world.ask(0, "a", [Do::Read, say("fine")]);
    world.run(1_000);
    assert!(broken(world.answer(asked)));
    let ran = world.times("a", "runs SELECT v FROM t -> ");
    assert_eq!(ran, [0]);
    assert_eq!(world.marks("a", FaultKind::StorageRefused), [0]);
}

/// It begins with a turn that only reads, and strikes the one that writes.
#[test]
fn an_episode_of_errors_strikes_what_writes_while_it_lasts() {
    let mut knobs = knobs();
    knobs.storage_error = lasting(100, Ratio::ALWAYS).at_rate(Ratio::NEVER);
    let mut world = World::<ModelStore>::of(Setting {
        knobs,
        fixed: vec![fixed(Purpose::StorageError, 1, "a", 1)],
        ..Setting::default()
    });
    world.ask(0, "a", [write("x")]);
    let reads = world.ask(100, "a", [Do::Read]);
    let writes = [150, 201].map(|at| world.ask(at, "a", [Do::Sql(insert("y")), say("fine")]));
    world.run(1_000);
    assert_eq!(world.answer(reads), "x");
    assert!(broken(world.answer(writes[0])));
    assert_eq!(world.answer(writes[1]), "fine");
    assert_eq!(world.marks("a", FaultKind::StorageRefused), [150]);
}

#[test]
fn a_front_worker_has_no_storage_that_could_fail() {
    let mut knobs = knobs();
    knobs.storage_error = Episode::once(Ratio::ALWAYS);
    let mut world = World::<ModelStore>::of(Setting {
        knobs,
        ..Setting::default()
    });
    let asked = world.ask(0, "front 0", [Do::Get(Text::new_static("k"))]);
    world.run(1_000);
    assert_eq!(world.answer(asked), "nothing");
}
