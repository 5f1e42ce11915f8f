//! One suite of cases, run on each store.

use protocol::host::SqlErrorKind as Kind;

use super::super::model::ModelStore;
use super::super::sqlite::SqliteStore;
use super::{Store, blob, fresh, kind_of_refusal, number, refused, run, statement};
use protocol::host::Value;

on_both_stores!(
    a_number_is_bound_as_a_real,
    an_error_undoes_its_statement_only,
    errors_name_kind_table_and_column,
    limits_are_the_platforms,
    marks_nest,
    a_mark_takes_tables_back_too,
    a_fork_has_contents_and_marks_of_its_own,
    a_digest_is_of_contents_alone,
    a_text_of_several_statements_keeps_what_ran,
    an_upsert_adds_to_what_is_there,
    replace_moves_a_row_to_the_end,
    names_may_stand_in_quotes,
    tables_can_be_listed,
    the_platforms_table_can_be_listed_and_is_in_no_contents,
    a_table_without_row_numbers_is_in_the_order_of_its_key,
);

fn open<S: Store>() -> S {
    let mut store = fresh::<S>();
    run(
        &mut store,
        "CREATE TABLE node (path TEXT PRIMARY KEY, n INTEGER NOT NULL DEFAULT 0, x)",
        &[],
    );
    store
}

const PUT: &str = "INSERT INTO node (path, n, x) VALUES (?, ?, ?)";
const ALL: &str = "SELECT path, n, x FROM node ORDER BY path";

fn put<S: Store>(store: &mut S, path: &str, n: u32) {
    run(store, PUT, &[Value::text(path), n.into(), Value::Null]);
}

fn paths<S: Store>(store: &mut S) -> Vec<String> {
    let rows = run(store, "SELECT path FROM node ORDER BY path", &[]);
    rows.iter()
        .filter_map(|row| row[0].as_text().map(str::to_owned))
        .collect()
}

fn a_number_is_bound_as_a_real<S: Store>() {
    let mut store = open::<S>();
    run(&mut store, PUT, &[7.into(), 7.into(), 7.into()]);
    run(&mut store, PUT, &[Value::text("nan"), 1.into(), number("NaN")]);
    run(
        &mut store,
        PUT,
        &[Value::text("z"), number("9007199254740993"), number("-0")],
    );
    run(
        &mut store,
        PUT,
        &[Value::text("zz"), Value::text("7.0"), blob(&[0, 255])],
    );
    let rows = run(&mut store, ALL, &[]);
    assert_eq!(rows[0], [Value::text("7.0"), 7.into(), 7.into()]);
    assert_eq!(rows[1], [Value::text("nan"), 1.into(), Value::Null]);
    assert_eq!(
        rows[2],
        [Value::text("z"), number("9007199254740992"), number("-0")]
    );
    assert_eq!(rows[3], [Value::text("zz"), 7.into(), blob(&[0, 255])]);
    // And so a number finds the text that it became.
    assert_eq!(
        run(&mut store, "SELECT n FROM node WHERE path = ?", &[7.into()]),
        [[Value::from(7)]]
    );
}

fn an_error_undoes_its_statement_only<S: Store>() {
    let mut store = open::<S>();
    put(&mut store, "a", 1);
    let twice = "INSERT INTO node (path, n) VALUES (?, ?), (?, ?)";
    let params = [Value::text("b"), 1.into(), Value::text("a"), 1.into()];
    assert_eq!(kind_of_refusal(&mut store, twice, &params), Kind::Unique);
    assert_eq!(paths(&mut store), ["a"]);
}

fn errors_name_kind_table_and_column<S: Store>() {
    let mut store = open::<S>();
    put(&mut store, "a", 1);
    let cases = [
        (
            PUT,
            vec![Value::text("a"), 1.into(), Value::Null],
            Kind::Unique,
            Some("node"),
            Some("path"),
        ),
        (
            PUT,
            vec![Value::text("b"), Value::Null, Value::Null],
            Kind::NotNull,
            Some("node"),
            Some("n"),
        ),
        (
            "SELECT path FROM nod",
            vec![],
            Kind::NoSuchTable,
            Some("nod"),
            None,
        ),
        (
            "SELECT pat FROM node",
            vec![],
            Kind::NoSuchColumn,
            None,
            Some("pat"),
        ),
        (
            "INSERT INTO node (pat) VALUES (1)",
            vec![],
            Kind::NoSuchColumn,
            Some("node"),
            Some("pat"),
        ),
        (
            "SELECT n FROM node WHERE path = ?",
            vec![],
            Kind::ParameterCount,
            None,
            None,
        ),
        (
            "SELECT n FROM node",
            vec![1.into()],
            Kind::ParameterCount,
            None,
            None,
        ),
    ];
    for (sql, params, kind, table, column) in cases {
        let error = refused(&mut store, sql, &params);
        let found = (error.kind, error.table.as_deref(), error.column.as_deref());
        assert_eq!(found, (kind, table, column), "{sql}");
    }
}

fn limits_are_the_platforms<S: Store>() {
    let mut store = open::<S>();
    let many = vec![Value::Null; 101];
    assert_eq!(kind_of_refusal(&mut store, ALL, &many), Kind::TooManyParameters);
    let long = format!("{ALL}{}", " ".repeat(100_001 - ALL.len()));
    assert_eq!(kind_of_refusal(&mut store, &long, &[]), Kind::TooBig);
    run(&mut store, &long[..100_000], &[]);
    let fat = [Value::text("fat"), 1.into(), blob(&vec![0; 2_000_001])];
    assert_eq!(kind_of_refusal(&mut store, PUT, &fat), Kind::TooBig);
    assert_eq!(paths(&mut store), [""; 0]);
}

fn marks_nest<S: Store>() {
    let mut store = open::<S>();
    put(&mut store, "a", 1);
    let outer = store.mark();
    put(&mut store, "b", 1);
    let inner = store.mark();
    put(&mut store, "c", 1);
    store.rollback_to(inner);
    assert_eq!(paths(&mut store), ["a", "b"]);
    put(&mut store, "d", 1);
    store.release(inner);
    let again = store.mark();
    assert_eq!(again, inner, "a mark is its depth");
    put(&mut store, "e", 1);
    store.rollback_to(outer);
    assert_eq!(paths(&mut store), ["a"]);
    put(&mut store, "f", 1);
    store.rollback_to(outer);
    assert_eq!(paths(&mut store), ["a"], "a mark stays when it was gone back to");
    put(&mut store, "g", 1);
    store.mark();
    store.forget_all();
    assert_eq!(paths(&mut store), ["a", "g"]);
    assert_eq!(store.mark(), outer);
}

fn a_mark_takes_tables_back_too<S: Store>() {
    let mut store = open::<S>();
    let before = store.digest();
    let mark = store.mark();
    run(&mut store, "CREATE TABLE other (a)", &[]);
    run(&mut store, "INSERT INTO other VALUES (1)", &[]);
    assert_eq!(run(&mut store, "SELECT * FROM other", &[]).len(), 1);
    store.rollback_to(mark);
    assert_eq!(
        kind_of_refusal(&mut store, "SELECT * FROM other", &[]),
        Kind::NoSuchTable
    );
    assert_eq!(store.digest(), before);
    run(&mut store, "CREATE TABLE other (a, b)", &[]);
    run(&mut store, "INSERT INTO other VALUES (1, 2)", &[]);
    let rows = store
        .run(&statement("SELECT * FROM other", &[]))
        .outcome
        .expect("the table is there");
    assert_eq!(*rows.columns, ["a", "b"]);
}

fn a_fork_has_contents_and_marks_of_its_own<S: Store>() {
    let mut store = open::<S>();
    put(&mut store, "a", 1);
    let outer = store.mark();
    put(&mut store, "b", 1);
    let inner = store.mark();
    put(&mut store, "c", 1);
    let mut fork = store.fork();
    assert_eq!(fork.contents(), store.contents());
    assert_eq!(fork.digest(), store.digest());
    put(&mut fork, "in the fork", 1);
    assert_eq!(paths(&mut store), ["a", "b", "c"]);
    fork.rollback_to(inner);
    assert_eq!(paths(&mut fork), ["a", "b"]);
    fork.rollback_to(outer);
    assert_eq!(paths(&mut fork), ["a"]);
    assert_eq!(paths(&mut store), ["a", "b", "c"]);
    store.rollback_to(inner);
    store.release(inner);
    assert_eq!(paths(&mut store), ["a", "b"]);
}

fn a_digest_is_of_contents_alone<S: Store>() {
    let (mut one, mut other) = (open::<S>(), open::<S>());
    put(&mut one, "a", 1);
    put(&mut one, "b", 2);
    put(&mut other, "c", 3);
    put(&mut other, "b", 1);
    put(&mut other, "a", 1);
    assert_ne!(one.digest(), other.digest());
    run(
        &mut other,
        "UPDATE node SET n = ? WHERE path = ?",
        &[2.into(), Value::text("b")],
    );
    assert_ne!(one.digest(), other.digest());
    run(&mut other, "DELETE FROM node WHERE path = ?", &[Value::text("c")]);
    assert_eq!(one.digest(), other.digest());
    assert_eq!(one.contents(), other.contents());
    run(&mut other, "CREATE TABLE empty (a)", &[]);
    assert_ne!(one.digest(), other.digest(), "the schema belongs to it");
}

fn a_text_of_several_statements_keeps_what_ran<S: Store>() {
    let mut store = open::<S>();
    let both = "INSERT INTO node (path) VALUES ('a'); INSERT INTO node (path) VALUES (?);";
    run(&mut store, both, &[Value::text("b")]);
    assert_eq!(paths(&mut store), ["a", "b"]);
    let second_fails = "INSERT INTO node (path) VALUES ('c'); INSERT INTO node (path) VALUES (?)";
    assert_eq!(
        kind_of_refusal(&mut store, second_fails, &[Value::text("a")]),
        Kind::Unique
    );
    assert_eq!(paths(&mut store), ["a", "b", "c"]);
    let not_the_last = "DELETE FROM node WHERE path = ?; SELECT 1 FROM node";
    assert!(
        store
            .run(&statement(not_the_last, &[Value::text("a")]))
            .outcome
            .is_err()
    );
    assert_eq!(paths(&mut store), ["a", "b", "c"]);
}

fn an_upsert_adds_to_what_is_there<S: Store>() {
    let mut store = open::<S>();
    let upsert = "INSERT INTO node (path, n, x) VALUES (?, ?, ?) \
                  ON CONFLICT (path) DO UPDATE SET n = n + 1, x = excluded.x";
    for x in 0..3_u32 {
        run(&mut store, upsert, &[Value::text("a"), 5.into(), x.into()]);
    }
    assert_eq!(
        run(&mut store, ALL, &[]),
        [[Value::text("a"), 7.into(), 2.into()]]
    );
}

fn replace_moves_a_row_to_the_end<S: Store>() {
    let mut store = open::<S>();
    put(&mut store, "a", 1);
    put(&mut store, "b", 1);
    run(
        &mut store,
        "INSERT OR REPLACE INTO node (path, n) VALUES (?, ?)",
        &[Value::text("a"), 9.into()],
    );
    let rows = run(&mut store, "SELECT n, path FROM node", &[]);
    assert_eq!(
        rows,
        [[Value::from(1), Value::text("b")], [9.into(), Value::text("a")]]
    );
}

fn names_may_stand_in_quotes<S: Store>() {
    let mut store = open::<S>();
    run(
        &mut store,
        r#"CREATE TABLE "tag" ("tag" TEXT PRIMARY KEY, "n" INTEGER)"#,
        &[],
    );
    let upsert =
        r#"INSERT INTO "tag" ("tag", "n") VALUES (?, 1) ON CONFLICT ("tag") DO UPDATE SET "n" = "n" + 1"#;
    for _ in 0..2 {
        run(&mut store, upsert, &[Value::text("a")]);
    }
    let rows = run(&mut store, r#"SELECT * FROM "tag" LIMIT 400 OFFSET 0"#, &[]);
    assert_eq!(rows, [[Value::text("a"), Value::from(2)]]);
    run(&mut store, r#"DELETE FROM "tag" WHERE "n" = 2"#, &[]);
    assert_eq!(run(&mut store, "SELECT * FROM tag", &[]).len(), 0);
}

fn the_platforms_table_can_be_listed_and_is_in_no_contents<S: Store>() {
    let mut store = open::<S>();
    let (contents, digest) = (store.contents(), store.digest());
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let own = [[Value::text("node")]];
    assert_eq!(run(&mut store, tables, &[]), own);
    store.show_alarm_table(true);
    let mark = store.mark();
    let with_platforms = [[Value::text("_cf_METADATA")], [Value::text("node")]];
    assert_eq!(run(&mut store, tables, &[]), with_platforms);
    assert_eq!((store.contents(), store.digest()), (contents, digest));
    run(&mut store, "INSERT INTO node (path) VALUES ('new')", &[]);
    assert_eq!(run(&mut store, tables, &[]), with_platforms);
    store.rollback_to(mark);
    store.show_alarm_table(false);
    assert_eq!(run(&mut store, tables, &[]), own);
}

fn tables_can_be_listed<S: Store>() {
    let mut store = open::<S>();
    run(
        &mut store,
        r#"CREATE TABLE IF NOT EXISTS "Log" (id INTEGER PRIMARY KEY)"#,
        &[],
    );
    let tables = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    assert_eq!(
        run(&mut store, tables, &[]),
        [
            [
                Value::text("Log"),
                Value::text(r#"CREATE TABLE "Log" (id INTEGER PRIMARY KEY)"#)
            ],
            [
                Value::text("node"),
                Value::text("CREATE TABLE node (path TEXT PRIMARY KEY, n INTEGER NOT NULL DEFAULT 0, x)")
            ],
        ]
    );
    let indexes = "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? ORDER BY name";
    assert_eq!(run(&mut store, indexes, &[Value::text("node")]), [[Value::Null]]);
    assert_eq!(run(&mut store, indexes, &[Value::text("Log")]).len(), 0);
}

fn a_table_without_row_numbers_is_in_the_order_of_its_key<S: Store>() {
    let mut store = open::<S>();
    run(
        &mut store,
        "CREATE TABLE log (generation INTEGER PRIMARY KEY, x TEXT) WITHOUT ROWID",
        &[],
    );
    let put =
        "INSERT INTO log (generation, x) VALUES (?, ?) ON CONFLICT (generation) DO UPDATE SET x = excluded.x";
    for (generation, x) in [(9, "a"), (3, "b"), (7, "c"), (3, "d")] {
        run(&mut store, put, &[Value::from(generation), Value::text(x)]);
    }
    let shown = run(&mut store, "SELECT generation, x FROM log", &[]);
    let row = |generation: u32, x: &str| [Value::from(generation), Value::text(x)];
    assert_eq!(shown, [row(3, "d"), row(7, "c"), row(9, "a")]);
    let after = "SELECT x FROM log WHERE generation > ? ORDER BY generation LIMIT ?";
    assert_eq!(
        run(&mut store, after, &[Value::from(3), Value::from(1)]),
        [[Value::text("c")]]
    );
    assert_eq!(
        run(&mut store, "SELECT MAX(generation) FROM log", &[]),
        [[Value::from(9)]]
    );
    assert_eq!(
        kind_of_refusal(&mut store, put, &[Value::Null, Value::Null]),
        Kind::NotNull
    );
    // What is no whole number is one of the key's values like any other.
    run(&mut store, put, &[Value::text("x"), Value::Null]);
    let names = "SELECT name FROM sqlite_schema WHERE tbl_name = 'log' ORDER BY name";
    assert_eq!(run(&mut store, names, &[]), [[Value::text("log")]]);
}
