//! SQL beyond values and limits: texts of several statements, conflicts, schemas.

use protocol::host::Value;

use super::sql::{number, run, shows, sql};
use crate::platform::case::{Arm, Case, write};
use crate::platform::script::Do;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = texts();
    cases.extend(conflicts());
    cases.extend(super::schema::cases());
    cases.extend(others());
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

fn others() -> Vec<Case> {
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
