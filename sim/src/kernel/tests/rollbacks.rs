//! Statements that roll back what they are part of: `workerd.md` T9. On SQLite, as the model runs none of them.

use protocol::host::{End, Statement, Value};

use super::script::{Do, abort, call, keep, write};
use super::sections::{enter, leave};
use super::world::{Setting, World};
use crate::kernel::storage::sqlite::SqliteStore;
use crate::kernel::{Changed, SectionEnd, SectionKind};

const FAILED: &str = "[internal error]";

fn conflict() -> Do {
    Do::Sql(statement())
}

fn statement() -> Statement {
    Statement::new("INSERT OR ROLLBACK INTO t (id, v) VALUES (1, 'x')", [])
}

fn insert(what: &str) -> Statement {
    Statement::new("INSERT INTO t (v) VALUES (?)", [Value::text(what)])
}

fn begin() -> Do {
    Do::Enter(SectionKind::Transaction)
}

fn commit() -> Do {
    Do::Leave(SectionEnd::Done)
}

/// An object with a row, which is durable long before 100 ms.
fn world() -> World<SqliteStore> {
    let mut world = World::of(Setting::default());
    world.ask(0, "a", [keep("memory"), write("1")]);
    world
}

/// The object does so at 100 ms: what is told, and what is left.
fn after(script: impl Into<Vec<Do>>) -> (String, String) {
    let mut world = world();
    let asked = world.ask(100, "a", script);
    world.run(1_000);
    assert_eq!(world.incarnation("a"), 1, "its object is reset");
    (world.answer(asked).to_owned(), world.rows("a"))
}

fn told(told: &str, left: &str) -> (String, String) {
    (told.to_owned(), left.to_owned())
}

#[test]
fn workerd_t9_a_conflict_that_rolls_back_loses_the_unit_and_resets_without_a_flag() {
    assert_eq!(after([write("2"), conflict()]), told(FAILED, "1"));
}

#[test]
fn workerd_t9_what_is_written_after_it_stays() {
    assert_eq!(after([write("2"), conflict(), write("3")]), told(FAILED, "1 3"));
}

#[test]
fn workerd_t9_what_is_written_after_it_stays_when_the_code_aborts() {
    let script = [write("2"), conflict(), write("3"), abort("boom")];
    assert_eq!(after(script), told("[boom, remote, reset]", "1 3"));
}

#[test]
fn workerd_t9_what_is_written_after_it_stays_when_the_code_works_on_and_is_stopped() {
    let mut world = world();
    let asked = world.ask(100, "a", [write("2"), conflict(), write("3"), Do::Work(100)]);
    world.reset(150, "a");
    world.run(1_000);
    assert_eq!(
        (world.rows("a").as_str(), world.answer(asked)),
        (
            "1 3",
            "[Durable Object reset because its machine failed., remote, retryable, reset]"
        )
    );
}

#[test]
fn workerd_t9_a_second_conflict_takes_its_batch_alone() {
    let batch = Do::Transact(vec![insert("4"), statement()], End::Commit);
    let script = [conflict(), write("3"), batch, write("5"), conflict()];
    assert_eq!(after(script), told(FAILED, "1 3 5"));
}

#[test]
fn workerd_t9_a_batch_with_such_a_conflict_is_lost_with_its_unit() {
    let batch = Do::Transact(vec![insert("3"), statement()], End::Commit);
    assert_eq!(after([write("2"), batch, write("4")]), told(FAILED, "1 4"));
}

/// It resets the object at its end, whatever that is.
#[test]
fn workerd_t9_a_transaction_is_lost_and_goes_on_to_its_end() {
    for end in [commit(), Do::Leave(SectionEnd::RollBack)] {
        let script = [
            write("2"),
            begin(),
            write("3"),
            Do::Sleep(10),
            conflict(),
            write("4"),
            Do::Sleep(10),
            write("5"),
            end,
            write("6"),
        ];
        assert_eq!(after(script), told("[internal error, remote, reset]", "1 2 4 5"));
    }
}

#[test]
fn workerd_t9_a_transaction_that_begins_in_a_lost_one_is_whole() {
    let inner = [
        begin(),
        write("4"),
        Do::Sleep(10),
        Do::Leave(SectionEnd::RollBack),
    ];
    let script = [
        &[begin(), conflict(), write("3")],
        &inner[..],
        &[begin(), write("5"), commit(), write("6"), commit()],
    ];
    assert_eq!(
        after(script.concat()),
        told("[internal error, remote, reset]", "1 3 5 6")
    );
}

/// To the object it is a commit that has failed.
#[test]
fn workerd_t9_no_section_is_entered_or_left_after_it() {
    for script in [
        vec![conflict(), write("2"), enter(), write("3")],
        vec![enter(), conflict(), write("2"), leave(), write("3")],
    ] {
        assert_eq!(after(script), told(FAILED, "1 2"));
    }
}

#[test]
fn workerd_t9_no_call_leaves() {
    let mut world = world();
    world.ask(100, "a", [call("b", []), write("2"), conflict(), call("b", [])]);
    world.run(1_000);
    assert!(!world.exists("b"));
}

#[test]
fn workerd_t9_who_waits_for_the_object_is_told_the_same() {
    let mut world = world();
    let waits = world.ask(90, "a", [Do::Sleep(500)]);
    let caller = world.ask(90, "b", [call("a", [Do::Sleep(500)]), Do::Await]);
    world.ask(100, "a", [conflict()]);
    world.run(1_000);
    assert_eq!((world.answer(waits), world.answer(caller)), (FAILED, FAILED));
}

/// The run is tried again for ever, as that of an object whose disk is full.
#[test]
fn workerd_t9_a_run_of_the_alarm_that_ends_so_does_not_count() {
    let mut world: World<SqliteStore> = World::of(Setting {
        alarm: |run| vec![keep("rung"), conflict(), write(&run.retry_count.to_string())],
        ..Setting::default()
    });
    world.ask(0, "a", [write("1"), Do::SetAlarm(100)]);
    world.run(5_000);
    assert_eq!(world.rows("a"), "1 0 0");
}

/// Somebody may have read what is lost.
#[test]
fn what_was_rolled_back_counts_as_changed() {
    let mut world = world();
    world.at(50, "a", |kernel, _, object, _| drop(kernel.changed(object)));
    world.ask(
        100,
        "a",
        [begin(), write("2"), Do::Sleep(10), conflict(), Do::Sleep(10)],
    );
    world.at(115, "a", |kernel, _, object, _| {
        assert!(matches!(kernel.changed(object), Changed::Everything));
    });
    world.run(1_000);
}
