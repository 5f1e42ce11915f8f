//! SQL that makes, changes and shows tables.

use super::sql::{run, shows};
use crate::platform::case::{Case, abort, ask};
use crate::platform::script::Do;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = changes();
    cases.extend(shown());
    cases
}

fn altered(name: &'static str, says: &'static str, how: &str, then: &str, sees: &str) -> Case {
    let script = [
        run("CREATE TABLE n (a, b)"),
        run("INSERT INTO n (a, b) VALUES (1, 2)"),
        run(how),
        run(then),
    ];
    shows(name, says, script, sees)
}

fn changes() -> Vec<Case> {
    vec![
        altered(
            "add_column",
            "a column can be added",
            "ALTER TABLE n ADD COLUMN c DEFAULT 3",
            "SELECT a, b, c FROM n",
            "(1, 2, 3)",
        ),
        altered(
            "drop_column",
            "a column can be dropped",
            "ALTER TABLE n DROP COLUMN b",
            "SELECT * FROM n",
            "(1)",
        ),
        altered(
            "rename_column",
            "a column can be renamed",
            "ALTER TABLE n RENAME COLUMN b TO c",
            "SELECT c FROM n",
            "(2)",
        ),
        altered(
            "rename_table",
            "a table can be renamed",
            "ALTER TABLE n RENAME TO m",
            "SELECT a, b FROM m",
            "(1, 2)",
        ),
        shows(
            "a_renamed_table",
            "what names a table that is renamed names it still",
            [
                run("CREATE TABLE p (id INTEGER PRIMARY KEY, a)"),
                run("CREATE TABLE c (p INTEGER REFERENCES p (id))"),
                run("CREATE VIEW w AS SELECT a FROM p"),
                run("CREATE TRIGGER g AFTER INSERT ON p BEGIN INSERT INTO c (p) VALUES (new.id); END"),
                run("ALTER TABLE p RENAME TO q"),
                run("ALTER TABLE q RENAME COLUMN a TO b"),
                run("INSERT INTO q (id, b) VALUES (1, 2)"),
                run("SELECT p, b FROM c, w"),
                run("INSERT INTO c (p) VALUES (3)"),
            ],
            "(1, 2) Constraint",
        ),
        altered(
            "a_reserved_name_for_a_table",
            "a table cannot be renamed to a name that begins with _cf_",
            "ALTER TABLE n RENAME TO _cf_n",
            "SELECT a, b FROM n",
            "NotAuthorized (1, 2)",
        ),
        altered(
            "a_reserved_name_for_a_column",
            "a column can have a name that begins with _cf_",
            "ALTER TABLE n RENAME COLUMN b TO _cf_b",
            "SELECT a, _cf_b FROM n",
            "(1, 2)",
        ),
        altered(
            "reserved_names_for_others",
            "an index and a trigger cannot have a name that begins with _cf_",
            "CREATE INDEX _cf_i ON n (a)",
            "CREATE TRIGGER _cf_g AFTER INSERT ON n BEGIN SELECT 1; END",
            "NotAuthorized NotAuthorized",
        ),
        altered(
            "a_name_that_is_taken",
            "a table cannot be given a name that is taken",
            "ALTER TABLE n RENAME TO n",
            "SELECT a, b FROM n",
            "Other (1, 2)",
        ),
        altered(
            "drop_the_last_column",
            "the last column cannot be dropped",
            "ALTER TABLE n DROP COLUMN a; ALTER TABLE n DROP COLUMN b",
            "SELECT b FROM n",
            "Other (2)",
        ),
        shows(
            "drop_a_column_in_use",
            "a column cannot be dropped that an index names",
            [
                run("CREATE TABLE n (a, b)"),
                run("CREATE INDEX i ON n (b)"),
                run("ALTER TABLE n DROP COLUMN b"),
                run("SELECT count(*) FROM pragma_table_info('n')"),
            ],
            "Other (2)",
        ),
        shows(
            "the_schema_of_temporary_things",
            "there are no temporary things to read of, or to write",
            [
                run("SELECT name FROM sqlite_temp_schema"),
                run("UPDATE sqlite_temp_schema SET sql = 'x'"),
                run("DELETE FROM sqlite_temp_schema"),
                run("INSERT INTO sqlite_temp_schema (sql) VALUES ('x')"),
            ],
            "() Other Other NotAuthorized",
        ),
        altered(
            "drop_table",
            "a table can be dropped",
            "DROP TABLE n",
            "SELECT * FROM n",
            "NoSuchTable",
        ),
    ]
}

fn shown() -> Vec<Case> {
    vec![
        shows(
            "views_and_indexes",
            "views and indexes work",
            [
                run("CREATE TABLE n (a)"),
                run("CREATE INDEX i ON n (a)"),
                run("CREATE VIEW w AS SELECT a + 1 AS b FROM n"),
                run("INSERT INTO n (a) VALUES (1)"),
                run("SELECT b FROM w"),
            ],
            "(2)",
        ),
        shows(
            "autoincrement",
            "AUTOINCREMENT never gives a number twice",
            [
                run("CREATE TABLE n (id INTEGER PRIMARY KEY AUTOINCREMENT, v)"),
                run("INSERT INTO n (v) VALUES (1), (2)"),
                run("DELETE FROM n"),
                run("INSERT INTO n (v) VALUES (3)"),
                run("SELECT id FROM n"),
            ],
            "(3)",
        ),
        shows(
            "the_schema_can_be_read",
            "sqlite_master shows an object's own tables",
            [run("CREATE TABLE n (a)"), run("SELECT name FROM sqlite_master")],
            "(n)",
        ),
        shows(
            "the_schema_with_an_alarm",
            "an alarm shows as a table of the platform's own in sqlite_master",
            [
                run("CREATE TABLE n (a)"),
                Do::SetAlarm(60_000),
                run("SELECT name FROM sqlite_master ORDER BY name"),
            ],
            "(_cf_METADATA; n)",
        ),
        shows(
            "the_schema_without_an_alarm",
            "the alarm's table shows when the alarm is cleared, too",
            [
                Do::SetAlarm(60_000),
                Do::DeleteAlarm,
                run("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name"),
            ],
            "(_cf_METADATA, CREATE TABLE _cf_METADATA (\n        key INTEGER PRIMARY KEY,\n        value BLOB\n      ))",
        ),
        Case::new(
            "SQL, 6.2",
            "the_schema_of_a_lost_alarm",
            "the alarm's table does not show when the unit is lost that set the alarm",
        )
        .drive([ask("a", [Do::SetAlarm(60_000), abort()])])
        .drive([ask("a", [run("SELECT name FROM sqlite_master ORDER BY name")])])
        .sees(["[!aborted, remote, reset]", "()"]),
        shows(
            "the_alarms_table",
            "the alarm's table can be listed, and nothing else",
            [
                Do::SetAlarm(60_000),
                run("SELECT * FROM _cf_METADATA"),
                run("INSERT INTO _cf_METADATA (key) VALUES (1)"),
                run("DROP TABLE _cf_metadata"),
                run("PRAGMA table_info(_cf_METADATA)"),
                run("SELECT count(*) FROM pragma_table_list WHERE name = '_cf_METADATA'"),
            ],
            "NotAuthorized NotAuthorized NotAuthorized NotAuthorized (1)",
        ),
        shows(
            "sqlite_names",
            "names that begin with sqlite_ are refused",
            [run("CREATE TABLE sqlite_x (a)")],
            "Other",
        ),
    ]
}
