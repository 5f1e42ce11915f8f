//! The platform's table for the alarm, beside tables that come and go.

use super::super::model::ModelStore;
use super::super::sqlite::SqliteStore;
use super::{Store, fresh, run};
use protocol::host::Value;

const TABLES: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
const TEXTS: &str = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ? ORDER BY name";

#[test]
fn a_list_of_tables_is_never_an_old_one() {
    lists_are_new::<SqliteStore>();
    lists_are_new::<ModelStore>();
}

fn lists_are_new<S: Store>() {
    let mut store = fresh::<S>();
    run(&mut store, "CREATE TABLE node (path TEXT PRIMARY KEY)", &[]);
    store.show_alarm_table(true);
    let told = |store: &mut S, name: &str| {
        let names: Vec<_> = run(store, TABLES, &[]).concat();
        let texts: Vec<_> = run(store, TEXTS, &[Value::text(name)]).concat();
        (names, texts)
    };
    let names = |names: &[&str]| -> Vec<Value> { names.iter().map(Value::text).collect() };
    let without = (names(&["_cf_METADATA", "node"]), Vec::new());
    for text in ["CREATE TABLE tag (a)", "CREATE TABLE tag (b, c)"] {
        assert_eq!(told(&mut store, "tag"), without);
        assert_eq!(told(&mut store, "tag"), without);
        let mark = store.mark();
        run(&mut store, text, &[]);
        let with = (names(&["_cf_METADATA", "node", "tag"]), names(&[text]));
        assert_eq!(told(&mut store, "tag"), with);
        assert_eq!(told(&mut store, "tag"), with);
        store.rollback_to(mark);
        store.release(mark);
    }
    assert_eq!(told(&mut store, "tag"), without);
    store.show_alarm_table(false);
    assert_eq!(told(&mut store, "tag"), (names(&["node"]), Vec::new()));
}

/// What is told of a table's pages, or of another table, is looked up each time.
#[test]
fn only_what_the_schema_tells_is_told_from_memory() {
    let mut store = fresh::<SqliteStore>();
    run(&mut store, "CREATE TABLE node (path TEXT PRIMARY KEY)", &[]);
    store.show_alarm_table(true);
    let counts = "SELECT (SELECT COUNT(*) FROM node), name FROM sqlite_schema WHERE name = 'node'";
    for count in 0..3_u32 {
        assert_eq!(
            run(&mut store, counts, &[]),
            [[Value::from(count), Value::text("node")]]
        );
        run(
            &mut store,
            "INSERT INTO node (path) VALUES (?)",
            &[Value::from(count)],
        );
    }
}
