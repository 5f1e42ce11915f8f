//! Which tables a statement is said to write.

use protocol::host::{Statement, Text, Value};

use super::super::Store;
use super::super::model::ModelStore;
use super::super::sqlite::SqliteStore;
use super::{fresh, run, statement};

fn written<S: Store>(store: &mut S, statement: &Statement) -> Vec<Text> {
    store.run(statement).writes.tables().to_vec()
}

fn check<S: Store>(store: &mut S, cases: &[(&str, &[&str])]) {
    for (sql, tables) in cases {
        assert_eq!(written(store, &statement(sql, &[])), *tables, "{sql}");
    }
}

fn what_both_stores_run<S: Store>() {
    let mut store = fresh::<S>();
    check(
        &mut store,
        &[
            (
                "CREATE TABLE t (a INTEGER PRIMARY KEY, b NOT NULL)",
                &["sqlite_schema", "t"],
            ),
            ("CREATE TABLE IF NOT EXISTS t (a)", &["sqlite_schema", "t"]),
            ("CREATE TABLE u (a TEXT PRIMARY KEY)", &["sqlite_schema", "u"]),
            ("SELECT a FROM t", &[]),
            ("INSERT INTO t (a, b) VALUES (1, 1)", &["t"]),
            // Another table of that name: it is not begun.
            ("CREATE TABLE t (a)", &[]),
            // Begun, and undone.
            ("INSERT INTO t (a, b) VALUES (1, 1)", &["t"]),
            ("INSERT INTO t (a, b) VALUES (2, NULL)", &["t"]),
            // Not begun.
            ("INSERT INTO t (a, c) VALUES (1, 1)", &[]),
            ("INSERT INTO v (a) VALUES (1)", &[]),
            ("INSERT INTO t (a, b) VALUES (?, ?)", &[]),
            ("REPLACE INTO u (a) VALUES ('x')", &["u"]),
            (
                "INSERT INTO u (a) VALUES ('x') ON CONFLICT (a) DO NOTHING",
                &["u"],
            ),
            ("UPDATE t SET b = 1 WHERE a = 7", &["t"]),
            ("DELETE FROM t", &["t"]),
            ("INSERT INTO u (a) VALUES ('y'); SELECT a FROM t", &["u"]),
            (
                "INSERT INTO u (a) VALUES ('z'); DELETE FROM t; DELETE FROM v",
                &["t", "u"],
            ),
            ("CREATE UNIQUE INDEX i ON t (a)", &["sqlite_schema", "t"]),
            // There is nothing to do, and SQLite has named no table yet.
            ("CREATE INDEX IF NOT EXISTS i ON t (b)", &["sqlite_schema"]),
            ("CREATE INDEX i ON t (b)", &[]),
            ("ALTER TABLE t ADD COLUMN c", &["sqlite_schema", "t"]),
            ("DROP INDEX i", &["sqlite_schema", "t"]),
            ("DROP INDEX IF EXISTS i", &["sqlite_schema"]),
            ("DROP TABLE u", &["sqlite_schema", "u"]),
            ("DROP TABLE IF EXISTS u", &["sqlite_schema"]),
            ("DROP TABLE u", &[]),
            (
                "CREATE TABLE s (id INTEGER PRIMARY KEY AUTOINCREMENT)",
                &["s", "sqlite_schema"],
            ),
            ("INSERT INTO s (id) VALUES (NULL)", &["s"]),
            ("UPDATE sqlite_sequence SET seq = 7", &["sqlite_schema"]),
            ("DROP TABLE s", &["s", "sqlite_schema"]),
        ],
    );
}

#[test]
fn sqlite() {
    what_both_stores_run::<SqliteStore>();
}

#[test]
fn model() {
    what_both_stores_run::<ModelStore>();
}

/// What `update_hook` would miss, and what reaches further than the statement says.
#[test]
fn what_only_sqlite_runs() {
    let mut store = fresh::<SqliteStore>();
    for sql in [
        "CREATE TABLE t (a PRIMARY KEY) WITHOUT ROWID",
        "CREATE TABLE child (t REFERENCES t (a) ON DELETE CASCADE)",
        "CREATE TABLE told (a)",
        "CREATE TRIGGER tells AFTER INSERT ON t BEGIN INSERT INTO told VALUES (new.a); END",
        "CREATE VIEW seen AS SELECT a FROM t",
    ] {
        run(&mut store, sql, &[]);
    }
    check(
        &mut store,
        &[
            ("INSERT INTO t VALUES (1) RETURNING a", &["t", "told"]),
            ("REPLACE INTO t VALUES (1)", &["child", "t", "told"]),
            ("DELETE FROM t", &["child", "t"]),
            ("WITH x AS (SELECT 1) INSERT INTO told SELECT * FROM x", &["told"]),
            ("WITH x AS (SELECT 1) SELECT * FROM x, seen", &[]),
            // To SQLite, and so to the platform, as much a write as what it explains.
            ("EXPLAIN DELETE FROM t", &["child", "t"]),
            ("PRAGMA table_info(t)", &[]),
            ("CREATE INDEX i ON told (a)", &["sqlite_schema", "told"]),
            ("ALTER TABLE told ADD COLUMN b", &["sqlite_schema", "told"]),
            ("DROP VIEW seen", &["seen", "sqlite_schema"]),
            ("DROP TABLE told", &["sqlite_schema", "told"]),
        ],
    );
    assert_eq!(run(&mut store, "SELECT COUNT(*) FROM t", &[]), [[Value::from(0)]]);
}
