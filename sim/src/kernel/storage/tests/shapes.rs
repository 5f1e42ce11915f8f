//! Tables and indexes that are made, changed and dropped, unique columns and AUTOINCREMENT, on each store.

use protocol::host::{SqlErrorKind as Kind, Value};

use super::super::model::ModelStore;
use super::super::sqlite::SqliteStore;
use super::{Store, fresh, kind_of_refusal, refused, run};

on_both_stores!(
    the_schema_is_listed_as_it_was_made,
    a_column_is_added_before_the_constraints,
    what_was_dropped_or_changed_comes_back,
    replace_takes_out_every_row_in_the_way,
    an_upsert_may_name_any_unique_columns,
    the_newest_index_is_looked_at_first,
    a_unique_index_is_not_made_over_equal_rows,
    a_number_is_never_used_again,
    a_sequence_is_taken_back_and_dropped_with_its_table,
);

/// Statements without parameters.
fn run_all<S: Store>(store: &mut S, statements: &[&str]) {
    for sql in statements {
        run(store, sql, &[]);
    }
}

fn texts<S: Store>(store: &mut S, sql: &str) -> Vec<Vec<String>> {
    let text = |value: &Value| value.as_text().unwrap_or("NULL").to_owned();
    let rows = run(store, sql, &[]);
    rows.iter().map(|row| row.iter().map(text).collect()).collect()
}

fn the_schema_is_listed_as_it_was_made<S: Store>() {
    let mut store = fresh::<S>();
    run_all(
        &mut store,
        &[
            "CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY AUTOINCREMENT, u TEXT UNIQUE, v, UNIQUE (v, u)) ; ",
            "CREATE TABLE gone (a UNIQUE)",
            "create  unique index  IF NOT EXISTS by_v  ON  t ( v )  ;",
            "CREATE TABLE k (a TEXT UNIQUE, b, PRIMARY KEY (a))",
            "CREATE INDEX last ON t (u, v)  ",
            "DROP TABLE gone",
            "CREATE TABLE gone (b)",
        ],
    );
    let list = "SELECT type, name, tbl_name, sql FROM sqlite_schema";
    let expected = [
        [
            "table",
            "t",
            "t",
            "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, u TEXT UNIQUE, v, UNIQUE (v, u))",
        ],
        ["index", "sqlite_autoindex_t_1", "t", "NULL"],
        ["index", "sqlite_autoindex_t_2", "t", "NULL"],
        [
            "table",
            "sqlite_sequence",
            "sqlite_sequence",
            "CREATE TABLE sqlite_sequence(name,seq)",
        ],
        ["index", "by_v", "t", "CREATE UNIQUE INDEX by_v  ON  t ( v )  "],
        [
            "table",
            "k",
            "k",
            "CREATE TABLE k (a TEXT UNIQUE, b, PRIMARY KEY (a))",
        ],
        ["index", "sqlite_autoindex_k_1", "k", "NULL"],
        ["index", "last", "t", "CREATE INDEX last ON t (u, v)  "],
        ["table", "gone", "gone", "CREATE TABLE gone (b)"],
    ];
    assert_eq!(texts(&mut store, list), expected);
    run(&mut store, "DROP INDEX by_v", &[]);
    let names = texts(&mut store, "SELECT name FROM sqlite_master WHERE type = 'index'");
    assert_eq!(
        names.concat(),
        [
            "sqlite_autoindex_t_1",
            "sqlite_autoindex_t_2",
            "sqlite_autoindex_k_1",
            "last"
        ]
    );
}

fn a_column_is_added_before_the_constraints<S: Store>() {
    let mut store = fresh::<S>();
    run_all(
        &mut store,
        &[
            "CREATE TABLE t (a TEXT, b INTEGER , PRIMARY KEY (a, b))",
            "INSERT INTO t (a, b) VALUES ('x', 1)",
            "ALTER TABLE t ADD COLUMN c  REAL NOT NULL DEFAULT 7 ; ",
            "ALTER TABLE t ADD d DEFAULT 'none'",
            "INSERT INTO t (a, b) VALUES ('y', 1)",
        ],
    );
    assert_eq!(
        texts(&mut store, "SELECT sql FROM sqlite_schema WHERE name = 't'").concat(),
        [
            "CREATE TABLE t (a TEXT, b INTEGER , c  REAL NOT NULL DEFAULT 7, d DEFAULT 'none', PRIMARY KEY (a, b))"
        ]
    );
    let row = |a: &str| [Value::text(a), 1.into(), 7.into(), Value::text("none")];
    assert_eq!(
        run(&mut store, "SELECT * FROM t ORDER BY a, b", &[]),
        [row("x"), row("y")]
    );
    let not_null = "ALTER TABLE t ADD COLUMN e NOT NULL";
    assert_eq!(
        refused(&mut store, not_null, &[]).to_string(),
        "Cannot add a NOT NULL column with default value NULL"
    );
    run_all(&mut store, &["DELETE FROM t", not_null]);
    assert_eq!(
        kind_of_refusal(&mut store, "INSERT INTO t (a, b) VALUES ('x', 1)", &[]),
        Kind::NotNull
    );
}

fn what_was_dropped_or_changed_comes_back<S: Store>() {
    let mut store = fresh::<S>();
    run_all(
        &mut store,
        &[
            "CREATE TABLE t (a, b)",
            "CREATE TABLE u (a)",
            "CREATE UNIQUE INDEX by_a ON t (a)",
            "INSERT INTO t (a, b) VALUES (1, 2)",
        ],
    );
    let (contents, digest) = (store.contents(), store.digest());
    let mark = store.mark();
    run_all(
        &mut store,
        &[
            "ALTER TABLE t ADD COLUMN c DEFAULT 5",
            "DROP INDEX by_a",
            "INSERT INTO t (a, b) VALUES (1, 2)",
            "CREATE INDEX by_b ON t (b)",
            "DROP TABLE u",
        ],
    );
    let mut fork = store.fork();
    assert_eq!(fork.digest(), store.digest());
    assert_ne!(store.digest(), digest);
    run(&mut fork, "DROP TABLE t", &[]);
    assert!(fork.contents().is_empty());
    store.rollback_to(mark);
    fork.rollback_to(mark);
    for store in [&mut store, &mut fork] {
        assert_eq!((store.contents(), store.digest()), (contents.clone(), digest));
        assert_eq!(
            kind_of_refusal(store, "INSERT INTO t (a, b) VALUES (1, 3)", &[]),
            Kind::Unique
        );
        assert_eq!(
            refused(store, "DROP INDEX by_b", &[]).to_string(),
            "no such index: by_b"
        );
    }
}

/// Three rows of a table whose columns are unique each by itself.
fn of_unique_columns<S: Store>() -> S {
    let mut store = fresh::<S>();
    run_all(
        &mut store,
        &[
            "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT UNIQUE, v UNIQUE)",
            "INSERT INTO t (id, u, v) VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30)",
        ],
    );
    store
}

fn ids<S: Store>(store: &mut S) -> Vec<Value> {
    run(store, "SELECT id FROM t ORDER BY id", &[]).concat()
}

fn replace_takes_out_every_row_in_the_way<S: Store>() {
    let mut store = of_unique_columns::<S>();
    run(&mut store, "REPLACE INTO t (id, u, v) VALUES (3, 'a', 20)", &[]);
    assert_eq!(
        run(&mut store, "SELECT * FROM t", &[]),
        [[Value::from(3), Value::text("a"), 20.into()]]
    );
    run(
        &mut store,
        "INSERT OR IGNORE INTO t (id, u, v) VALUES (4, 'z', 20)",
        &[],
    );
    assert_eq!(ids(&mut store), [3.into()]);
    // NULL is equal to nothing.
    run(
        &mut store,
        "REPLACE INTO t (id, u) VALUES (5, NULL), (6, NULL)",
        &[],
    );
    assert_eq!(ids(&mut store), [3.into(), 5.into(), 6.into()]);
}

fn an_upsert_may_name_any_unique_columns<S: Store>() {
    let mut store = of_unique_columns::<S>();
    let upsert = "INSERT INTO t (id, u, v) VALUES (?, ?, ?) ON CONFLICT (u) DO UPDATE SET v = excluded.v";
    run(&mut store, upsert, &[1.into(), Value::text("b"), 25.into()]);
    let rows = run(&mut store, "SELECT id, v FROM t ORDER BY id", &[]);
    assert_eq!(
        rows,
        [
            [1.into(), 10.into()],
            [2.into(), 25.into()],
            [Value::from(3), 30.into()]
        ]
    );
    // What is set is in another row's way.
    let error = refused(&mut store, upsert, &[9.into(), Value::text("b"), 30.into()]);
    assert_eq!(error.to_string(), "UNIQUE constraint failed: t.v");
    // Another conflict than the one that is named.
    let error = refused(&mut store, upsert, &[1.into(), Value::text("z"), 40.into()]);
    assert_eq!(error.to_string(), "UNIQUE constraint failed: t.id");
    let ignore = "INSERT INTO t (id, u, v) VALUES (1, 'z', 30) ON CONFLICT DO NOTHING";
    run(&mut store, ignore, &[]);
    assert_eq!(ids(&mut store).len(), 3);
}

fn the_newest_index_is_looked_at_first<S: Store>() {
    let mut store = of_unique_columns::<S>();
    let both = "INSERT INTO t (u, v) VALUES ('a', 20)";
    let words = |store: &mut S| refused(store, both, &[]).to_string();
    assert_eq!(words(&mut store), "UNIQUE constraint failed: t.v");
    run(&mut store, "CREATE UNIQUE INDEX by_u ON t (u)", &[]);
    assert_eq!(words(&mut store), "UNIQUE constraint failed: t.u");
    run(&mut store, "DROP INDEX by_u", &[]);
    assert_eq!(words(&mut store), "UNIQUE constraint failed: t.v");
    // SQLite reads the schema anew.
    let mark = store.mark();
    run(&mut store, "CREATE UNIQUE INDEX by_u ON t (u)", &[]);
    store.rollback_to(mark);
    assert_eq!(words(&mut store), "UNIQUE constraint failed: t.v");
}

fn a_unique_index_is_not_made_over_equal_rows<S: Store>() {
    let mut store = fresh::<S>();
    run_all(
        &mut store,
        &[
            "CREATE TABLE t (a, b)",
            "INSERT INTO t (a, b) VALUES (1, 1), (1.0, 2), (NULL, 3), (NULL, 3)",
        ],
    );
    let digest = store.digest();
    assert_eq!(
        refused(&mut store, "CREATE UNIQUE INDEX i ON t (a)", &[]).to_string(),
        "UNIQUE constraint failed: t.a"
    );
    assert_eq!(store.digest(), digest);
    run(&mut store, "CREATE UNIQUE INDEX i ON t (a, b)", &[]);
    let again = "INSERT INTO t (a, b) VALUES (NULL, 3)";
    run(&mut store, again, &[]);
    assert_eq!(run(&mut store, "SELECT COUNT(*) FROM t", &[]), [[Value::from(5)]]);
}

const SEQUENCE: &str = "SELECT name, seq FROM sqlite_sequence";

fn a_number_is_never_used_again<S: Store>() {
    let mut store = fresh::<S>();
    run_all(
        &mut store,
        &[
            "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, v UNIQUE)",
            "INSERT INTO t (v) VALUES ('a'), ('b')",
            "DELETE FROM t",
            "INSERT INTO t (v) VALUES ('c')",
        ],
    );
    assert_eq!(ids(&mut store), [3.into()]);
    // A row that is not inserted counts as well.
    run(&mut store, "INSERT OR IGNORE INTO t (id, v) VALUES (9, 'c')", &[]);
    assert_eq!(run(&mut store, SEQUENCE, &[]), [[Value::text("t"), 9.into()]]);
    run(
        &mut store,
        "INSERT INTO t (id, v) VALUES (5, 'd'), (NULL, 'e')",
        &[],
    );
    assert_eq!(ids(&mut store), [3.into(), 5.into(), 10.into()]);
    run_all(
        &mut store,
        &[
            "DELETE FROM sqlite_sequence",
            "DELETE FROM t WHERE id > 4",
            "INSERT INTO t (v) VALUES ('f')",
        ],
    );
    assert_eq!(run(&mut store, SEQUENCE, &[]), [[Value::text("t"), 4.into()]]);
}

fn a_sequence_is_taken_back_and_dropped_with_its_table<S: Store>() {
    let mut store = fresh::<S>();
    let create = "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, v)";
    let insert = "INSERT INTO t (v) VALUES (1)";
    assert_eq!(kind_of_refusal(&mut store, SEQUENCE, &[]), Kind::NoSuchTable);
    run_all(&mut store, &[create, insert]);
    let mark = store.mark();
    run_all(&mut store, &[insert, insert]);
    let mut fork = store.fork();
    assert_eq!(run(&mut fork, SEQUENCE, &[]), [[Value::text("t"), 3.into()]]);
    store.rollback_to(mark);
    assert_eq!(run(&mut store, SEQUENCE, &[]), [[Value::text("t"), 1.into()]]);
    run(&mut store, "DROP TABLE t", &[]);
    assert_eq!(run(&mut store, SEQUENCE, &[]).len(), 0);
    run_all(&mut store, &[create, insert]);
    assert_eq!(ids(&mut store), [1.into()]);
}
