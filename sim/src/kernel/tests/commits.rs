//! Commits and transactions: `platform.md` sections 4, 5 and 14, against both stores.

use protocol::host::{End, Statement, Text, Value};

use super::script::{Do, abort, call, keep, say, throw, write};
use super::world::{Setting, World, fixed};
use crate::kernel::storage::Store;
use crate::kernel::storage::model::ModelStore;
use crate::kernel::storage::sqlite::SqliteStore;
use crate::kernel::{Micros, Purpose, Span};

fn insert(id: u32, what: &'static str) -> Statement {
    Statement::new(
        "INSERT INTO t (id, v) VALUES (?, ?)",
        [Value::from(id), Value::text(what)],
    )
}

on_both_stores! {
    /// `workerd.md` T1.
    platform_4_1_the_writes_of_a_turn_are_one_unit(world) {
        let asked = world.ask(0, "a", [write("x"), Do::SetAlarm(500), write("y"), abort("boom")]);
        let after = world.ask(10, "a", [Do::Read, Do::ReadAlarm]);
        world.run(1_000);
        assert_eq!(world.answer(asked), "[boom, remote, reset]");
        assert_eq!(world.answer(after), "none");
        assert!(world.times("a", "wakes").is_empty());
        assert!(world.times("a", "commits").is_empty());
    }

    /// `workerd.md` T1: also a transaction that is complete.
    platform_4_4_a_transaction_is_durable_with_its_turn_and_not_before(world) {
        world.ask(0, "a", [write("x")]);
        let asked = world.ask(100, "a", [Do::Transact(vec![insert(2, "y")], End::Commit), say("done")]);
        world.ask(200, "a", [Do::Transact(vec![insert(3, "z")], End::Commit), abort("boom")]);
        world.run(1_000);
        assert_eq!(world.answered_at(asked), 120);
        assert_eq!(world.rows("a"), "x y");
    }

    /// `workerd.md` T4.
    platform_4_4_a_transaction_that_fails_undoes_itself_and_nothing_before_it(world) {
        world.ask(0, "a", [write("x")]);
        let batch = vec![insert(3, "lost"), insert(1, "taken")];
        let asked = world.ask(100, "a", [write("y"), Do::Transact(batch, End::Commit), write("z")]);
        world.run(1_000);
        assert_eq!(world.answer(asked), "Unique at 1");
        assert_eq!(world.rows("a"), "x y z");
    }

    platform_4_5_a_rolled_back_transaction_has_answered_and_left_nothing(world) {
        world.ask(0, "a", [write("x")]);
        let asked = world.ask(100, "a", [write("y"), Do::Transact(vec![insert(3, "tried")], End::Rollback), Do::Read]);
        world.run(1_000);
        assert_eq!(world.answer(asked), "x y");
        assert_eq!(world.rows("a"), "x y");
    }

    /// The error is caught, a good answer given, and half of the work stays.
    platform_4_8_a_statement_that_fails_undoes_nothing_before_it(world) {
        world.ask(0, "a", [write("x")]);
        let asked = world.ask(100, "a", [write("y"), Do::Sql(insert(1, "taken")), write("z"), say("fine")]);
        let after = world.ask(200, "a", [keep("alive"), Do::Read]);
        world.run(1_000);
        assert_eq!(world.answer(asked), "Unique fine");
        assert_eq!(world.answer(after), "x y z");
        assert_eq!(world.incarnation("a"), 0);
    }

    /// Also in an alarm: `platform_6_4` counts the rows.
    workerd_t3_a_throw_rolls_nothing_back(world) {
        let asked = world.ask(0, "a", [keep("memory"), write("x"), throw("no")]);
        let after = world.ask(100, "a", [Do::Recall, Do::Read]);
        world.run(1_000);
        assert_eq!(world.answer(asked), "[no]", "clients are told what was thrown");
        assert_eq!(world.answer(after), "memory x");
    }

    /// A multi-row insert is one statement.
    workerd_t7_a_statement_that_fails_is_undone_whole(world) {
        world.ask(0, "a", [write("x")]);
        let two = Statement::new("INSERT INTO t (id, v) VALUES (2, 'y'), (1, 'taken')", []);
        let asked = world.ask(100, "a", [Do::Sql(two), Do::Read]);
        world.run(1_000);
        assert_eq!(world.answer(asked), "Unique x");
    }

    workerd_t8_of_a_text_of_two_statements_the_first_stays_where_the_second_fails(world) {
        world.ask(0, "a", [write("x")]);
        let two = Statement::new("INSERT INTO t (id, v) VALUES (2, 'y'); INSERT INTO t (id, v) VALUES (1, 'z')", []);
        let asked = world.ask(100, "a", [Do::Sql(two), Do::Read]);
        world.run(1_000);
        assert_eq!(world.answer(asked), "Unique x y");
    }

    /// The first word of a text is not all of it: what follows a SELECT can write, and messages wait for that too.
    platform_3_1_a_write_behind_a_read_in_one_text_is_a_write(world) {
        world.ask(0, "a", [write("x")]);
        let both = Statement::new("SELECT v FROM t; INSERT INTO t (id, v) VALUES (2, 'y')", []);
        let asked = world.ask(100, "a", [Do::Sql(both.clone()), say("done")]);
        world.run(1_000);
        assert_eq!(world.answered_at(asked), 120);
        world.ask(1_100, "a", [Do::Sql(Statement { sql: Text::from(both.sql.replace('2', "3")), ..both }), abort("boom")]);
        world.run(2_000);
        assert_eq!(world.rows("a"), "x y");
    }

    platform_5_a_statement_past_a_limit_throws_and_the_object_lives(world) {
        let many = Statement::new("SELECT v FROM t WHERE id = ?", vec![Value::from(1); 101]);
        let long = Statement { sql: Text::from(format!("SELECT v FROM t {}", " ".repeat(100_000))), params: Vec::new() };
        let wide = Statement::new("INSERT INTO t (v) VALUES (?)", [Value::text("v".repeat(2_000_001))]);
        let asked = world.ask(0, "a", [write("x"), Do::Sql(many), Do::Sql(long), Do::Sql(wide), Do::Read]);
        world.run(100);
        assert_eq!(world.answer(asked), "TooManyParameters TooBig TooBig x");
    }
}

/// The other store does not know these words.
#[test]
fn platform_4_6_the_words_of_transactions_are_refused() {
    for word in ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT s", "RELEASE s"] {
        let mut world = World::<SqliteStore>::of(Setting::default());
        let asked = world.ask(
            0,
            "a",
            [write("x"), Do::Sql(Statement::new(word, [])), write("y")],
        );
        world.run(100);
        assert_eq!(world.answer(asked), "NotAuthorized", "{word}");
        assert_eq!(world.rows("a"), "x y", "{word}");
    }
}

/// The first commit would be slow and the second one quick.
#[test]
fn platform_4_2_commits_are_confirmed_in_the_order_they_were_made() {
    let mut setting = Setting {
        fixed: vec![
            fixed(Purpose::Confirm, 0, "a", u64::MAX),
            fixed(Purpose::Confirm, 1, "a", 0),
        ],
        ..Setting::default()
    };
    setting.knobs.confirm = Span {
        least: Micros::from_millis(1),
        most: Micros::from_millis(50),
    };
    let mut world = World::<ModelStore>::of(setting);
    let first = world.ask(0, "a", [write("x")]);
    let second = world.ask(10, "a", [write("y")]);
    world.run(1_000);
    assert_eq!(world.times("a", "commit no. 0 is durable"), [50]);
    assert_eq!(world.times("a", "commit no. 1 is durable"), [50]);
    assert_eq!((world.answered_at(first), world.answered_at(second)), (50, 50));
}

#[test]
fn platform_4_3_an_await_between_two_writes_makes_two_units() {
    for wait in [vec![Do::Sleep(5)], vec![call("b", []), Do::Await]] {
        let mut world = World::<SqliteStore>::of(Setting::default());
        let script = [&[write("x")], &wait[..], &[write("y"), abort("boom")]].concat();
        let asked = world.ask(0, "a", script);
        world.run(1_000);
        assert_eq!(world.rows("a"), "x", "{wait:?}");
        assert_eq!(world.answer(asked), "[boom, remote, reset]");
    }
}

/// The unit is under way when the machine fails, with a row from either side of some work, and the alarm.
#[test]
fn platform_4_1_a_machine_that_fails_keeps_all_of_a_unit_or_nothing() {
    fn on<S: Store>(lost: u64) -> (String, Vec<u64>) {
        let mut world = World::<S>::of(Setting {
            fixed: vec![fixed(Purpose::Survivors, 1, "a", lost)],
            ..Setting::default()
        });
        world.ask(0, "a", [write("x"), Do::SetAlarm(500), Do::Work(5), write("y")]);
        world.reset(15, "a");
        world.run(1_000);
        (world.rows("a"), world.times("a", "wakes"))
    }
    for (lost, rows, wakes) in [(0, "x y", vec![500]), (1, "", vec![])] {
        for left in [on::<ModelStore>(lost), on::<SqliteStore>(lost)] {
            assert_eq!(left, (rows.to_owned(), wakes.clone()), "{lost} commits are lost");
        }
    }
}

/// Three commits are under way when the machine fails. However many are lost, they are the last ones.
#[test]
fn platform_14_2_of_unconfirmed_commits_a_prefix_survives() {
    fn on<S: Store>(lost: u64) -> (String, Vec<String>) {
        let mut world = World::<S>::of(Setting {
            fixed: vec![fixed(Purpose::Survivors, 4, "a", lost)],
            ..Setting::default()
        });
        let asked = [0, 40, 45, 50].map(|at| world.ask(at, "a", [write(&at.to_string())]));
        world.reset(55, "a");
        world.run(1_000);
        let answers = asked.map(|item| world.answer(item).to_owned());
        (world.rows("a"), answers.to_vec())
    }
    for (lost, left) in [(0, "0 40 45 50"), (1, "0 40 45"), (2, "0 40"), (3, "0")] {
        for (rows, answers) in [on::<ModelStore>(lost), on::<SqliteStore>(lost)] {
            assert_eq!(rows, left, "{lost} are lost");
            assert_eq!(answers[0], "", "it was confirmed, and its client told");
            assert!(
                answers[1..]
                    .iter()
                    .all(|answer| answer.contains("machine failed"))
            );
        }
    }
}

/// The order of confirmations and the numbers of commits go on where they were.
#[test]
fn platform_14_2_the_next_incarnation_commits_behind_what_has_survived() {
    let mut world = World::<SqliteStore>::of(Setting {
        fixed: vec![fixed(Purpose::Survivors, 1, "a", 0)],
        ..Setting::default()
    });
    world.ask(0, "a", [write("x")]);
    world.reset(5, "a");
    let asked = world.ask(6, "a", [Do::Read, write("y")]);
    world.reset(100, "a");
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), ("x", 26));
    assert_eq!(world.rows("a"), "x y", "what was confirmed is never lost");
}
