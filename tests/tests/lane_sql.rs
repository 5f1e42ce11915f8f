//! What the flows of lanes write, executed by SQLite: the statements are SQL, and they say what the contract means.

use protocol::host::{End, Millis, Statement, Text, Value};
use protocol::json::Json;
use protocol::lanes::log::{Application, ApplyOptions, Position, apply_record};
use protocol::lanes::meta::{Key, Write};
use protocol::lanes::restore::{Place, page_statement, restore_statements};
use protocol::lanes::rules::Rules;
use protocol::lanes::seal::{Buffer, store_record};
use protocol::lanes::wire::{Chunk, LoggedStatement, Record};
use protocol::lanes::{bind, fingerprint};
use protocol::number::Number;
use tests::database::Database;

const RULES: &Rules = &Rules::DOCUMENTED;

/// How many rows the statement gave, or changed.
fn run(db: &Database, statement: &Statement) -> usize {
    let rows = db.run(statement).expect("it runs");
    if !rows.columns.is_empty() {
        return rows.rows.len();
    }
    let changes = db.run(&plain("SELECT changes()")).expect("a count");
    let count = changes
        .first()
        .and_then(Value::as_number)
        .and_then(Number::to_u32_exact);
    count.expect("a count") as usize
}

fn plain(sql: &str) -> Statement {
    Statement {
        sql: Text::new(sql),
        params: Vec::new(),
    }
}

fn text(db: &Database, sql: &str) -> String {
    let rows = db.run(&plain(sql)).expect("it runs");
    rows.first().and_then(Value::as_text).expect("a text").to_owned()
}

fn lane() -> Database {
    let db = Database::in_memory();
    for table in [
        "cfw_meta (k TEXT PRIMARY KEY, v TEXT NOT NULL)",
        "node (nid INTEGER PRIMARY KEY, title TEXT UNIQUE)",
        "key_value (collection TEXT, name TEXT, value BLOB)",
        "cfw_repl_log (generation INTEGER PRIMARY KEY, parent INTEGER, schema_version TEXT, fingerprint TEXT,
             overflowed INTEGER DEFAULT 0, statements TEXT, sealed_at INTEGER) WITHOUT ROWID",
    ] {
        run(&db, &plain(&format!("CREATE TABLE {table}")));
    }
    db
}

#[test]
fn a_text_that_is_stored_is_not_written_again() {
    let db = lane();
    let set = |value: &str| run(&db, &Write::Meta(Key::APPLIED, Text::new(value)).into_statement());
    assert_eq!([set("6"), set("6"), set("7")], [1, 0, 1]);
    assert_eq!(text(&db, "SELECT v FROM cfw_meta WHERE k = 'repl_applied'"), "7");
}

#[test]
fn a_record_is_applied_chunk_by_chunk() {
    let db = lane();
    let insert = |title: &str| {
        // NaN is bound as NULL, so SQLite chooses the row's id.
        let params = vec![Number::NAN.into(), title.into()];
        LoggedStatement::new("INSERT INTO node (nid, title) VALUES (?, ?)", params)
    };
    let statements = ["a", "b", "c"].map(insert).into();
    let record = Record {
        schema_version: Text::new("p1").into(),
        fingerprint: Text::new("f").into(),
        ..Record::sealed(5.into(), 6.into(), statements)
    };
    let position = Position {
        applied: 5.into(),
        inflight: None,
    };
    let options = ApplyOptions {
        local_schema: Some("p1"),
        chunk_size: 2.into(),
    };
    let Application::Runs { batches, .. } = apply_record(RULES, &position, &record, &options) else {
        panic!("it applies");
    };
    let mut markers = Vec::new();
    for batch in batches {
        let (statements, end, _) = batch.into_parts();
        assert_eq!(end, End::Commit);
        for statement in &statements {
            run(&db, statement);
        }
        markers.push(text(&db, "SELECT v FROM cfw_meta WHERE k = 'repl_inflight'"));
    }
    assert_eq!(markers, ["5:6", "5:6", ""]);
    assert_eq!(text(&db, "SELECT group_concat(title, '') FROM node"), "abc");
}

#[test]
fn a_record_sealed_twice_keeps_its_schema_and_its_time() {
    let db = lane();
    let seal = |fingerprint: &str, schema: &str, at: u64| {
        let record = Record {
            schema_version: Text::new(schema).into(),
            fingerprint: Text::new(fingerprint).into(),
            ..Buffer::opened_at(4.into()).into_record(5.into())
        };
        run(&db, &store_record(&record, Millis(at)));
    };
    seal("f", "p1", 1_000);
    seal("g", "p2", 2_000);
    let row = "SELECT schema_version || fingerprint || sealed_at || statements FROM cfw_repl_log";
    assert_eq!(text(&db, row), "p1g1000[]");
}

/// A page is read, carried as a chunk and written; a row goes when another one takes its unique value (`lanes.md`
/// 19.17), and bytes arrive as a text (19.10, 19.14).
#[test]
fn a_page_is_written_as_it_is_read_but_for_bytes() {
    let db = lane();
    let chunk = |rows: Vec<Json>, first: bool| Chunk {
        table: Text::new("node").into(),
        columns: vec![Json::from("nid"), Json::from("title")].into(),
        rows: rows.into(),
        first: first.into(),
        ..Chunk::default()
    };
    let bytes = bind::jsonable(&Value::Bytes(protocol::host::Bytes([1, 2][..].into())));
    let row = |nid: i32, title: &Json| Json::Array(vec![nid.into(), title.clone()]);
    let (a, b) = (Json::from("a"), Json::from("b"));
    for chunk in [
        chunk(vec![row(1, &a), row(2, &b)], true),
        chunk(vec![row(3, &a), row(4, &bytes)], false),
    ] {
        for bound in restore_statements(&chunk) {
            run(&db, &bind::statement(&bound));
        }
    }
    assert_eq!(
        text(&db, "SELECT group_concat(nid || title, ' ') FROM node"),
        "2b 3a 4[object Object]"
    );
    assert_eq!(run(&db, &page_statement("node", Place::default())), 3);
    assert_eq!(
        run(&db, &page_statement("node", Place { index: 0, offset: 2 })),
        1
    );
}

#[test]
fn the_state_is_read_by_one_statement_a_table() {
    let db = lane();
    run(&db, &plain("INSERT INTO key_value VALUES ('state', 'a', NULL)"));
    assert_eq!(run(&db, &fingerprint::read_rows("key_value")), 1);
    let absent = db.run(&fingerprint::read_rows("key_value_expire"));
    assert!(absent.is_err(), "a table that is not there is told");
}
