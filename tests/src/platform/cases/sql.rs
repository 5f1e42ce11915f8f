//! What SQL takes, what it refuses, and how values come back.

use protocol::host::{Text, Value};
use protocol::number::Number;

use crate::platform::case::{Arm, Case, ask, write};
use crate::platform::script::{Do, Param, Sql};

/// A statement without parameters.
pub(super) fn run(text: &str) -> Do {
    run_with(text, [])
}

/// A statement with parameters.
pub(super) fn run_with(text: &str, params: impl Into<Vec<Param>>) -> Do {
    Do::Sql(Sql {
        sql: Text::new(text),
        length: 0,
        params: params.into(),
    })
}

/// A statement with values for parameters.
pub(super) fn sql(text: &str, params: impl IntoIterator<Item = Value>) -> Do {
    run_with(text, params.into_iter().map(Param::Is).collect::<Vec<_>>())
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = values();
    cases.extend(super::limits::cases());
    cases
}

pub(super) fn shows(name: &'static str, says: &'static str, script: impl Into<Vec<Do>>, sees: &str) -> Case {
    Case::new("SQL, 5", name, says)
        .drive([ask("a", script.into())])
        .sees([sees])
}

pub(super) fn number(text: &str) -> Value {
    Value::Number(Number::parse(text))
}

fn values() -> Vec<Case> {
    const COLUMNS: &str = "CREATE TABLE c (i INTEGER, x TEXT, b BLOB, n)";
    const TYPES: &str = "SELECT typeof(i), typeof(x), typeof(b), typeof(n) FROM c";
    const ALL: &str = "SELECT i, x, b, n FROM c";
    let seven = || std::iter::repeat_n(number("7"), 4);
    vec![
        shows(
            "numbers_bind_as_real",
            "every number is bound as REAL",
            [sql("SELECT typeof(?), ? || ''", [number("1"), number("1")])],
            "(real, 1.0)",
        ),
        shows(
            "a_columns_affinity_converts",
            "the affinity of a column says what becomes of a bound number",
            [
                run(COLUMNS),
                sql("INSERT INTO c (i, x, b, n) VALUES (?, ?, ?, ?)", seven()),
                run(TYPES),
                run(ALL),
            ],
            "(integer, text, real, real) (7, 7.0, 7, 7)",
        ),
        shows(
            "literals_are_not_bound",
            "a literal is no bound number",
            [
                run(COLUMNS),
                run("INSERT INTO c (i, x, b, n) VALUES (7, 7, 7, 7)"),
                run(TYPES),
                run(ALL),
            ],
            "(integer, text, integer, integer) (7, 7, 7, 7)",
        ),
        shows(
            "fractions_stay",
            "a number that is no integer stays what it is in an INTEGER column",
            [
                run("CREATE TABLE c (i INTEGER)"),
                sql("INSERT INTO c (i) VALUES (?)", [number("1.5")]),
                run("SELECT i, typeof(i) FROM c"),
            ],
            "(1.5, real)",
        ),
        shows(
            "big_integers_are_rounded",
            "an integer beyond 2^53 is read as the nearest double",
            [run("SELECT 9007199254740993, CAST(9007199254740993 AS TEXT)")],
            "(9007199254740992, 9007199254740993)",
        ),
        shows(
            "not_a_number_is_null",
            "NaN is bound as NULL",
            [sql("SELECT ?, typeof(?)", [number("NaN"), number("NaN")])],
            "(null, null)",
        ),
        shows(
            "infinity_comes_back",
            "infinity is bound and read as such",
            [sql(
                "SELECT ?, typeof(?)",
                [number("Infinity"), number("-Infinity")],
            )],
            "({\"number\":\"Infinity\"}, real)",
        ),
        shows(
            "minus_zero_comes_back",
            "minus zero keeps its sign where no column converts it",
            [sql("SELECT ?", [number("-0")])],
            "({\"number\":\"-0\"})",
        ),
        shows(
            "null_text_and_blob_come_back",
            "NULL, texts and blobs come back as they are",
            [sql(
                "SELECT ?, ?, ?, typeof(?)",
                [Value::Null, Value::text("a\u{0}ü\u{1F600}"), blob(), blob()],
            )],
            "(null, a\u{0}ü\u{1F600}, {\"bytes\":\"00ff\"}, blob)",
        ),
        shows(
            "columns_of_one_name_stay",
            "two columns of one name are two values of a row",
            [run("SELECT 1 AS x, 2 AS x")],
            "(1, 2)",
        ),
        shows(
            "json_sees_reals",
            "a bound number is a real in JSON too",
            [sql("SELECT json_array(?)", [number("1")])],
            "([1.0])",
        ),
        shows(
            "functions_work",
            "RETURNING, common tables, windows and JSON work",
            [
                write("1"),
                run("INSERT INTO t (v) VALUES ('2') RETURNING id, v"),
                run(
                    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT sum(i) FROM n",
                ),
                run("SELECT row_number() OVER (ORDER BY id) FROM t"),
                run("SELECT json_extract('{\"x\": 3}', '$.x')"),
            ],
            "(2, 2) (6) (1; 2) (3)",
        ),
        shows(
            "full_text_works",
            "virtual tables of FTS5 work",
            [run("CREATE VIRTUAL TABLE f USING fts5 (x)")],
            "done",
        )
        .kernel(Arm::Absent(
            "the store runs no virtual tables: such a run is void",
        )),
        shows(
            "changes_are_counted",
            "changes() and last_insert_rowid() tell of the last statement that wrote",
            [
                run("CREATE TABLE n (id INTEGER PRIMARY KEY, v)"),
                run("INSERT INTO n (v) VALUES (1), (2)"),
                run("SELECT changes(), last_insert_rowid()"),
            ],
            "(2, 2)",
        )
        .kernel(Arm::Absent("the store runs neither: such a run is void")),
        shows(
            "large_numbers_stay_real",
            "a number that no integer column can hold stays a real there",
            [
                run("CREATE TABLE n (i INTEGER)"),
                sql("INSERT INTO n (i) VALUES (?)", [number("1e300")]),
                sql("INSERT INTO n (i) VALUES (?)", [number("9007199254740992")]),
                run("SELECT i, typeof(i) FROM n"),
            ],
            "(1e+300, real; 9007199254740992, integer)",
        ),
        shows(
            "time_and_chance_work",
            "date functions, random() and randomblob() work",
            [run(
                "SELECT typeof(datetime('now')), typeof(random()), length(randomblob(4))",
            )],
            "(text, integer, 4)",
        ),
        Case::untested(
            "2.7",
            "a cursor that is held across an await has no snapshot",
            "the seam hands out rows, not cursors",
            "the seam hands out rows, not cursors",
        ),
        Case::untested(
            "SQL",
            "booleans bind as texts, objects as '[object Object]', BigInt throws, a lone surrogate is replaced",
            "a value of the seam is NULL, a number, a text of Unicode or a blob",
            "a value of the seam is NULL, a number, a text of Unicode or a blob",
        ),
    ]
}

fn blob() -> Value {
    Value::Bytes(protocol::host::Bytes(vec![0, 255].into()))
}
