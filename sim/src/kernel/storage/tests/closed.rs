//! SQLite is closed to the world: no file, no clock, no chance but the kernel's.

use std::fs;

use protocol::host::{Millis, SqlErrorKind as Kind, Value};

use super::super::sqlite::SqliteStore;
use super::super::{Store, StoreError, Surroundings};
use super::{fresh, kind_of_refusal, run, statement};

fn open() -> SqliteStore {
    fresh()
}

#[test]
fn what_the_platform_refuses_is_refused_and_touches_no_file() {
    let folder = std::env::temp_dir().join("drydock-closed");
    // What an earlier run left must not count against this one.
    let _absent_is_well = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for temporary files");
    let path = folder.join("reached.db");
    let path = path.to_str().expect("a path that is text");
    let refused = [
        format!("ATTACH '{path}' AS other"),
        format!("ATTACH 'file:{path}?mode=rwc' AS other"),
        format!("/* */ ; ATTACH DATABASE '{path}' AS other"),
        "DETACH main".to_owned(),
        format!("VACUUM INTO '{path}'"),
        "VACUUM".to_owned(),
        format!("SELECT load_extension('{path}')"),
        "PRAGMA journal_mode = WAL".to_owned(),
        "PRAGMA user_version".to_owned(),
        "PRAGMA writable_schema = ON".to_owned(),
        format!("PRAGMA temp_store_directory = '{}'", folder.display()),
        "SELECT * FROM pragma_database_list".to_owned(),
        "BEGIN".to_owned(),
        "COMMIT".to_owned(),
        "END TRANSACTION".to_owned(),
        "ROLLBACK".to_owned(),
        "ROLLBACK TO mark".to_owned(),
        "SAVEPOINT mine".to_owned(),
        "RELEASE mark".to_owned(),
        "CREATE TEMP TABLE t (a)".to_owned(),
        "CREATE TABLE temp.t (a)".to_owned(),
        "CREATE TABLE _cf_KV (a)".to_owned(),
        "SELECT sqlite_version()".to_owned(),
    ];
    for marked in [false, true] {
        let mut store = open();
        if marked {
            store.mark();
        }
        for sql in &refused {
            let expected = if sql.starts_with("VACUUM") {
                Kind::Other
            } else {
                Kind::NotAuthorized
            };
            assert_eq!(kind_of_refusal(&mut store, sql, &[]), expected, "{sql}");
        }
        for absent in [
            format!("SELECT writefile('{path}', 'x')"),
            format!("SELECT readfile('{path}')"),
        ] {
            kind_of_refusal(&mut store, &absent, &[]);
        }
        run(&mut store, "CREATE TABLE still_here (a)", &[]);
    }
    let files = fs::read_dir(&folder).expect("the folder is there").count();
    assert_eq!(files, 0, "a file was made in {}", folder.display());
}

#[test]
fn what_neither_a_rollback_nor_a_fork_would_see_is_not_carried() {
    let mut store = open();
    for sql in [
        "PRAGMA foreign_keys = OFF",
        "SELECT changes()",
        "CREATE VIRTUAL TABLE t USING fts5 (a)",
        "CREATE TABLE t (a PRIMARY KEY, b REFERENCES t (a) DEFERRABLE INITIALLY DEFERRED)",
    ] {
        let ran = store.run(&statement(sql, &[])).outcome;
        assert!(matches!(ran, Err(StoreError::Unsupported(_))), "{sql}: {ran:?}");
    }
    assert_eq!(run(&mut store, "PRAGMA foreign_keys", &[]), [[Value::from(1)]]);
}

#[test]
fn the_time_is_the_kernels() {
    let mut store = open();
    store.set_surroundings(Surroundings {
        now: Millis(1_700_000_000_123),
        entropy: 0,
    });
    for (sql, expected) in [
        ("SELECT datetime('now')", Value::text("2023-11-14 22:13:20")),
        ("SELECT datetime()", Value::text("2023-11-14 22:13:20")),
        ("SELECT CURRENT_TIMESTAMP", Value::text("2023-11-14 22:13:20")),
        ("SELECT CURRENT_DATE", Value::text("2023-11-14")),
        ("SELECT CURRENT_TIME", Value::text("22:13:20")),
        ("SELECT date('NOW', '+1 day')", Value::text("2023-11-15")),
        (
            "SELECT datetime('now', 'localtime')",
            Value::text("2023-11-14 22:13:20"),
        ),
        ("SELECT strftime('%s')", Value::text("1700000000")),
        ("SELECT strftime('%f', 'now')", Value::text("20.123")),
        ("SELECT unixepoch('now')", Value::from(1_700_000_000)),
        ("SELECT date(86400, 'unixepoch')", Value::text("1970-01-02")),
        ("SELECT date('nonsense')", Value::Null),
    ] {
        assert_eq!(run(&mut store, sql, &[]), [[expected]], "{sql}");
    }
    run(
        &mut store,
        "CREATE TABLE t (a, at DEFAULT CURRENT_TIMESTAMP)",
        &[],
    );
    run(&mut store, "INSERT INTO t (a) VALUES (1)", &[]);
    store.set_surroundings(Surroundings {
        now: Millis(0),
        entropy: 0,
    });
    run(&mut store, "INSERT INTO t (a) VALUES (2)", &[]);
    let rows = run(&mut store, "SELECT at FROM t ORDER BY a", &[]);
    assert_eq!(
        rows,
        [
            [Value::text("2023-11-14 22:13:20")],
            [Value::text("1970-01-01 00:00:00")]
        ]
    );
}

#[test]
fn chance_is_the_kernels_and_a_fork_repeats_it() {
    let draw = |entropy| {
        let mut store = open();
        store.set_surroundings(Surroundings {
            now: Millis(0),
            entropy,
        });
        run(
            &mut store,
            "SELECT random(), random(), hex(randomblob(8)), hex(randomblob(8))",
            &[],
        )
    };
    let drawn = draw(1);
    assert_eq!(drawn, draw(1));
    assert_ne!(drawn, draw(2));
    assert_ne!(drawn[0][0], drawn[0][1]);
    assert_ne!(drawn[0][2], drawn[0][3]);

    let mut store = open();
    run(&mut store, "CREATE TABLE t (a)", &[]);
    store.set_surroundings(Surroundings {
        now: Millis(0),
        entropy: 9,
    });
    store.mark();
    run(&mut store, "INSERT INTO t VALUES (random())", &[]);
    let before = store.digest();
    let mut fork = store.fork();
    assert_eq!((store.digest(), fork.digest()), (before, before));
    let next = "SELECT random()";
    assert_eq!(run(&mut store, next, &[]), run(&mut fork, next, &[]));
}

#[test]
fn a_statement_that_rolls_back_the_transaction_leaves_that_to_its_caller() {
    let mut store = open();
    run(&mut store, "CREATE TABLE t (a PRIMARY KEY)", &[]);
    let outer = store.mark();
    run(&mut store, "INSERT INTO t VALUES (1)", &[]);
    let inner = store.mark();
    run(&mut store, "INSERT INTO t VALUES (2)", &[]);
    let before = store.digest();
    let ran = store
        .run(&statement("INSERT OR ROLLBACK INTO t VALUES (1)", &[]))
        .outcome;
    let Err(StoreError::RolledBack(error)) = ran else {
        panic!("it rolled nothing back: {ran:?}")
    };
    assert_eq!(error.kind, Kind::Unique);
    assert_eq!(store.digest(), before);
    store.rollback_to(inner);
    assert_eq!(run(&mut store, "SELECT a FROM t", &[]), [[Value::from(1)]]);
    store.rollback_to(outer);
    assert_eq!(run(&mut store, "SELECT a FROM t", &[]), [[Value::Null; 1]; 0]);
}

#[test]
fn what_insert_or_fail_left_is_in_a_fork_too() {
    let mut store = open();
    run(&mut store, "CREATE TABLE t (a PRIMARY KEY)", &[]);
    store.mark();
    let twice = "INSERT OR FAIL INTO t VALUES (1), (2), (1), (3)";
    assert_eq!(kind_of_refusal(&mut store, twice, &[]), Kind::Unique);
    let before = store.contents();
    assert_eq!(before["t"].len(), 2);
    assert_eq!(store.fork().contents(), before);
}

#[test]
fn a_statement_that_is_too_large_for_its_machine_breaks_nothing() {
    let mut store = open();
    let sum = vec!["~x"; 90].join("+");
    let sums = vec![sum.as_str(); 100].join(", ");
    let view = format!("CREATE VIEW w AS SELECT max({sums}) AS m FROM v");
    run(&mut store, "CREATE TABLE v (x)", &[]);
    run(&mut store, &view, &[]);
    let reading = |times: usize| {
        let reads: Vec<_> = (0..times)
            .map(|nth| format!("(SELECT m FROM w WHERE {nth} < m)"))
            .collect();
        format!("SELECT {}", reads.join(", "))
    };
    assert_eq!(
        run(&mut store, &reading(3), &[]),
        [[Value::Null, Value::Null, Value::Null]]
    );
    assert_eq!(kind_of_refusal(&mut store, &reading(4), &[]), Kind::NoMemory);
}

#[test]
fn a_table_is_not_renamed_to_what_is_the_platforms() {
    let mut store = open();
    run(&mut store, "CREATE TABLE t (a)", &[]);
    for text in [
        "ALTER TABLE t RENAME TO _cf_t",
        "ALTER TABLE t RENAME TO /* x */ \"_CF_t\"",
        "CREATE INDEX _cf_i ON t (a)",
    ] {
        assert_eq!(
            kind_of_refusal(&mut store, text, &[]),
            Kind::NotAuthorized,
            "{text}"
        );
    }
    run(&mut store, "ALTER TABLE t RENAME TO u", &[]);
    assert_eq!(run(&mut store, "SELECT a FROM u", &[]), [[Value::Null; 1]; 0]);
}

/// Also where the table was there before the mark.
#[test]
fn what_was_renamed_or_dropped_comes_back_and_is_in_a_fork() {
    let mut store = open();
    run(&mut store, "CREATE TABLE t (a, b)", &[]);
    run(&mut store, "INSERT INTO t VALUES (1, 2)", &[]);
    let before = store.digest();
    let mark = store.mark();
    for text in [
        "ALTER TABLE t RENAME TO u",
        "ALTER TABLE u RENAME COLUMN a TO c",
        "ALTER TABLE u DROP COLUMN b",
    ] {
        run(&mut store, text, &[]);
    }
    let after = store.digest();
    assert_ne!(after, before);
    assert_eq!(store.fork().digest(), after);
    assert_eq!(run(&mut store, "SELECT c FROM u", &[]), [[Value::from(1)]]);
    store.rollback_to(mark);
    assert_eq!(store.digest(), before);
    assert_eq!(
        run(&mut store, "SELECT a, b FROM t", &[]),
        [[Value::from(1), Value::from(2)]]
    );
}
