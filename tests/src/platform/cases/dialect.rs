//! SQL beyond values and limits: texts of several statements, conflicts, schemas.

use protocol::host::Value;

use super::sql::{number, run, shows, sql};
use crate::platform::case::{Arm, Case, write};
use crate::platform::script::Do;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = texts();
    cases.extend(conflicts());
    cases.extend(schemas());
    cases
}

fn texts() -> Vec<Case> {
    vec![
        shows(
            "an_empty_text",
            "a text without a statement is refused",
            [run("")],
            "Other",
        ),
        shows("a_comment", "a comment alone is refused", [run("-- x")], "Other"),
        shows(
            "a_semicolon_at_the_end",
            "a semicolon may end a statement",
            [run("SELECT 1;")],
            "(1)",
        ),
        shows(
            "semicolons_at_the_end",
            "nothing may stand behind the last semicolon",
            [run("SELECT 1;;")],
            "Other",
        ),
        shows(
            "a_comment_at_the_end",
            "nor a comment",
            [run("SELECT 1; -- x")],
            "Other",
        ),
        shows(
            "the_last_of_several",
            "of several statements the last one answers",
            [run("SELECT 1; SELECT 2")],
            "(2)",
        ),
        shows(
            "parameters_of_the_last",
            "of several statements only the last one has parameters",
            [sql("SELECT 1; SELECT ?", [number("5")])],
            "(5)",
        ),
        shows(
            "parameters_of_the_first",
            "of several statements the first one cannot have parameters",
            [sql("SELECT ?; SELECT 1", [number("5")])],
            "ParameterCount",
        ),
        shows(
            "a_text_with_nul",
            "a text with NUL is refused",
            [run("SELECT 1\u{0}")],
            "Other",
        ),
        shows(
            "named_parameters",
            "a parameter can be named by its number, and twice",
            [sql("SELECT ?2, ?1, ?1", [number("1"), number("2")])],
            "(2, 1, 1)",
        ),
        shows(
            "overflow",
            "what overflows an integer is a real, and the largest integer is read as a double",
            [run(
                "SELECT 9223372036854775807, typeof(9223372036854775807 + 1), 1 / 0",
            )],
            "(9223372036854776000, real, null)",
        ),
        shows(
            "integer_overflow",
            "abs() of the least integer is refused",
            [run("SELECT abs(-9223372036854775807 - 1)")],
            "Other",
        ),
    ]
}

fn after_one(name: &'static str, says: &'static str, text: &str, sees: &str) -> Case {
    shows(name, says, [write("1"), run(text), Do::Read], sees)
}

fn conflicts() -> Vec<Case> {
    vec![
        after_one(
            "or_fail",
            "a conflict under OR FAIL leaves the rows before it",
            "INSERT OR FAIL INTO t (id, v) VALUES (5, '5'), (1, 'x'), (6, '6')",
            "Unique 1 5",
        ),
        after_one(
            "or_abort",
            "a conflict under OR ABORT leaves none of its rows",
            "INSERT OR ABORT INTO t (id, v) VALUES (5, '5'), (1, 'x')",
            "Unique 1",
        ),
        after_one(
            "or_ignore",
            "a conflict under OR IGNORE skips the row",
            "INSERT OR IGNORE INTO t (id, v) VALUES (1, 'x'), (6, '6')",
            "1 6",
        ),
        after_one(
            "or_replace",
            "a conflict under OR REPLACE replaces the row",
            "INSERT OR REPLACE INTO t (id, v) VALUES (1, 'x')",
            "x",
        ),
        after_one(
            "on_conflict_update",
            "a conflict can update the row",
            "INSERT INTO t (id, v) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET v = v || excluded.v",
            "1x",
        ),
        raises("raise_abort", "ABORT", "Constraint 1"),
        raises("raise_fail", "FAIL", "Constraint 1 2"),
        raises("raise_ignore", "IGNORE", "1"),
        shows(
            "a_cascade",
            "a foreign key can delete in cascade",
            [
                run("CREATE TABLE p (id INTEGER PRIMARY KEY)"),
                run("CREATE TABLE c (p INTEGER REFERENCES p (id) ON DELETE CASCADE)"),
                run("INSERT INTO p (id) VALUES (1)"),
                run("INSERT INTO c (p) VALUES (1)"),
                run("DELETE FROM p"),
                run("SELECT count(*) FROM c"),
            ],
            "(0)",
        ),
        shows(
            "a_key_of_two_columns",
            "UNIQUE over several columns",
            [
                run("CREATE TABLE n (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID"),
                run("INSERT INTO n (a, b) VALUES (1, 2)"),
                run("INSERT INTO n (a, b) VALUES (1, 2)"),
            ],
            "Unique",
        ),
    ]
}

/// A trigger that refuses a row once it stands.
fn raises(name: &'static str, how: &str, sees: &str) -> Case {
    let what = match how {
        "IGNORE" => "RAISE(IGNORE)".to_owned(),
        how => format!("RAISE({how}, 'no')"),
    };
    let when = if how == "FAIL" { "AFTER" } else { "BEFORE" };
    shows(
        name,
        "a trigger refuses as it says",
        [
            write("1"),
            run(&format!(
                "CREATE TRIGGER g {when} INSERT ON t BEGIN SELECT {what}; END"
            )),
            run("INSERT INTO t (v) VALUES ('2')"),
            Do::Read,
        ],
        sees,
    )
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

fn schemas() -> Vec<Case> {
    vec![
        shows(
            "strict_tables",
            "a STRICT table takes a whole number as an integer, and refuses others",
            [
                run("CREATE TABLE n (i INTEGER) STRICT"),
                sql("INSERT INTO n (i) VALUES (?)", [number("7")]),
                sql("INSERT INTO n (i) VALUES (?)", [number("1.5")]),
                sql("INSERT INTO n (i) VALUES (?)", [Value::text("x")]),
                run("SELECT i, typeof(i) FROM n"),
            ],
            "Constraint Constraint (7, integer)",
        ),
        shows(
            "generated_columns",
            "generated columns work",
            [
                run("CREATE TABLE n (i INTEGER, d AS (i * 2))"),
                run("INSERT INTO n (i) VALUES (7)"),
                run("SELECT d FROM n"),
            ],
            "(14)",
        ),
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
        )
        .kernel(Arm::Differs(
            "the simulated platform keeps the alarm elsewhere; code has no business there",
            &["(n)"],
        )),
        shows(
            "sqlite_names",
            "names that begin with sqlite_ are refused",
            [run("CREATE TABLE sqlite_x (a)")],
            "Other",
        ),
        shows("analyze", "ANALYZE works", [run("ANALYZE")], "done"),
        shows("reindex", "REINDEX works", [run("REINDEX")], "done"),
        shows("detach", "DETACH", [run("DETACH x")], "NotAuthorized"),
        shows(
            "an_unknown_token",
            "what is no token is refused",
            [run("SELECT 'x")],
            "Syntax",
        ),
        shows(
            "foreign_keys_can_be_off",
            "foreign keys can be switched off where nothing was written yet",
            [run("PRAGMA foreign_keys = OFF"), run("PRAGMA foreign_keys")],
            "(0)",
        )
        .kernel(Arm::Absent("the store does not switch them: such a run is void")),
        shows(
            "text_that_is_no_unicode",
            "a text that is not Unicode is read with U+FFFD",
            [run("SELECT CAST(x'41ff42' AS TEXT)")],
            "(A\u{FFFD}B)",
        ),
        shows(
            "a_value_that_is_computed",
            "a value that is computed cannot have 9,000,000 bytes",
            [run("SELECT length(zeroblob(9000000))")],
            "TooBig",
        ),
    ]
}
