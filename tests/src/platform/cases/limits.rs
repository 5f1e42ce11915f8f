//! What SQL refuses.

use protocol::host::{Text, Value};

use super::sql::{number, run, run_with, shows, sql};
use crate::platform::case::{Arm, Case, write};
use crate::platform::script::{Do, Param, Sql};

pub(super) fn cases() -> Vec<Case> {
    let mut cases = sizes();
    cases.extend(refusals());
    cases
}

fn of_length(text: &str, length: usize) -> Do {
    Do::Sql(Sql {
        sql: Text::new(text),
        length,
        params: Vec::new(),
    })
}

fn list(count: usize, item: impl Fn(usize) -> String, separator: &str) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(separator)
}

fn sizes() -> Vec<Case> {
    let params = |count: usize| {
        let marks = list(count, |_| "?".to_owned(), ", ");
        sql(
            &format!("SELECT 1 WHERE 1 IN ({marks})"),
            (0..count).map(|_| number("1")),
        )
    };
    let columns = |count: usize| {
        let columns = list(count, |nth| format!("c{nth}"), ", ");
        run(&format!("CREATE TABLE w{count} ({columns})"))
    };
    let terms = |count: usize| run(&list(count, |_| "SELECT 1".to_owned(), " UNION ALL "));
    let pattern = |length: usize| run(&format!("SELECT 'x' LIKE '{}'", "x".repeat(length)));
    let deep = |depth: usize| run(&format!("SELECT 1{}", "+1".repeat(depth)));
    let row = |length: usize| {
        [
            run("CREATE TABLE r (v TEXT)"),
            run_with("INSERT INTO r (v) VALUES (?)", [Param::Long(length)]),
            run("SELECT length(v) FROM r"),
        ]
    };
    vec![
        shows(
            "a_hundred_parameters",
            "a statement can have 100 parameters",
            [params(100)],
            "(1)",
        ),
        shows(
            "a_hundred_and_one_parameters",
            "a statement cannot have 101 parameters",
            [params(101)],
            "TooManyParameters",
        ),
        shows(
            "parameter_one_hundred_and_one",
            "a parameter cannot have a number above 100",
            [sql("SELECT ?101", [])],
            "TooManyParameters",
        ),
        shows(
            "too_few_parameters",
            "a statement needs as many parameters as it names",
            [sql("SELECT ?, ?", [number("1")])],
            "ParameterCount",
        ),
        shows(
            "too_many_parameters",
            "a statement takes no more parameters than it names",
            [sql("SELECT ?", [number("1"), number("2")])],
            "ParameterCount",
        ),
        shows(
            "a_hundred_thousand_bytes",
            "a statement can have 100,000 bytes",
            [of_length("SELECT 1", 100_000)],
            "(1)",
        ),
        shows(
            "a_hundred_thousand_and_one_bytes",
            "a statement cannot have 100,001 bytes",
            [of_length("SELECT 1", 100_001)],
            "TooBig",
        ),
        shows(
            "two_million_bytes",
            "a row can have almost 2,000,000 bytes",
            row(1_999_900),
            "(1999900)",
        ),
        shows(
            "more_than_two_million_bytes",
            "a row cannot have 2,100,000 bytes",
            row(2_100_000),
            "TooBig ()",
        )
        .runtime(Arm::Differs(
            "it takes 8,388,304 bytes, and took 2,199,995 in April 2026; production documents 2 MB, and `Limits::row_bytes` has all three",
            &["(2100000)"],
        )),
        shows(
            "nine_million_bytes",
            "a row cannot have 9,000,000 bytes",
            row(9_000_000),
            "TooBig ()",
        ),
        shows(
            "a_hundred_columns",
            "a table can have 100 columns",
            [columns(100)],
            "done",
        ),
        shows(
            "a_hundred_and_one_columns",
            "a table cannot have 101 columns",
            [columns(101)],
            "Other",
        ),
        shows(
            "five_terms",
            "a compound SELECT can have 5 terms",
            [terms(5)],
            "(1; 1; 1; 1; 1)",
        ),
        shows(
            "six_terms",
            "a compound SELECT cannot have 6 terms",
            [terms(6)],
            "Other",
        ),
        shows(
            "a_deep_expression",
            "an expression can be 99 deep",
            [deep(98)],
            "(99)",
        ),
        shows(
            "a_too_deep_expression",
            "an expression cannot be 102 deep",
            [deep(101)],
            "Other",
        ),
        shows("a_pattern", "a pattern can have 50 bytes", [pattern(50)], "(0)"),
        shows(
            "a_long_pattern",
            "a pattern cannot have 51 bytes",
            [pattern(51)],
            "Other",
        ),
        shows(
            "a_thousand_rows",
            "VALUES can have 1,000 rows",
            [
                run("CREATE TABLE v (x)"),
                values(1_000),
                run("SELECT count(*) FROM v"),
            ],
            "(1000)",
        ),
        shows(
            "many_instructions",
            "a statement can compile to 160,000 instructions",
            instructions(3),
            "(null, null, null) 1",
        ),
        shows(
            "too_many_instructions",
            "a statement cannot compile to 215,000 instructions, which breaks nothing",
            instructions(4),
            "NoMemory 1",
        ),
        shows(
            "ten_triggers_deep",
            "triggers can set each other off 10 deep",
            triggers(10),
            "(1)",
        ),
        shows(
            "eleven_triggers_deep",
            "triggers cannot set each other off 11 deep",
            triggers(11),
            "Other (0)",
        ),
        shows(
            "many_arguments",
            "a function can have 100 arguments",
            [run(&format!(
                "SELECT max({})",
                list(100, |nth| nth.to_string(), ", ")
            ))],
            "(99)",
        ),
    ]
}

fn values(count: usize) -> Do {
    run(&format!(
        "INSERT INTO v (x) VALUES {}",
        list(count, |_| "(1)".to_owned(), ", ")
    ))
}

/// A statement that compiles to some 54,000 instructions for each time that it reads a view; it is run beside a write.
fn instructions(times: usize) -> Vec<Do> {
    let sum = list(90, |_| "~x".to_owned(), "+");
    let sums = list(100, |_| sum.clone(), ", ");
    let read = |nth| format!("(SELECT m FROM w WHERE {nth} < m)");
    vec![
        write("1"),
        run("CREATE TABLE v (x)"),
        run(&format!("CREATE VIEW w AS SELECT max({sums}) AS m FROM v")),
        run(&format!("SELECT {}", list(times, read, ", "))),
        Do::Read,
    ]
}

/// Tables, each of which has a trigger that writes the next; how many rows the last one has after a write to the first.
fn triggers(depth: usize) -> Vec<Do> {
    let tables = (0..=depth).map(|nth| run(&format!("CREATE TABLE t{nth} (x)")));
    let triggers = (0..depth).map(|nth| {
        let next = nth + 1;
        run(&format!(
            "CREATE TRIGGER g{nth} AFTER INSERT ON t{nth} BEGIN INSERT INTO t{next} (x) VALUES (1); END"
        ))
    });
    let first = run("INSERT INTO t0 (x) VALUES (1)");
    let last = run(&format!("SELECT count(*) FROM t{depth}"));
    tables.chain(triggers).chain([first, last]).collect()
}

fn refusals() -> Vec<Case> {
    let refused = |name, says, text: &str, kind| shows(name, says, [write("1"), run(text)], kind);
    vec![
        refused("begin", "BEGIN is refused", "BEGIN", "NotAuthorized"),
        refused("commit", "COMMIT is refused", "COMMIT", "NotAuthorized"),
        refused("rollback", "ROLLBACK is refused", "ROLLBACK", "NotAuthorized"),
        refused(
            "savepoint",
            "SAVEPOINT is refused",
            "SAVEPOINT s",
            "NotAuthorized",
        ),
        refused("release", "RELEASE is refused", "RELEASE s", "NotAuthorized"),
        refused("vacuum", "VACUUM is refused", "VACUUM", "Other"),
        refused(
            "attach",
            "ATTACH is refused",
            "ATTACH ':memory:' AS x",
            "NotAuthorized",
        ),
        refused(
            "temporary",
            "temporary tables are refused",
            "CREATE TEMP TABLE x (v)",
            "NotAuthorized",
        ),
        refused(
            "reserved",
            "names that begin with _cf_ are refused",
            "CREATE TABLE _cf_x (v)",
            "NotAuthorized",
        ),
        refused(
            "user_version",
            "PRAGMA user_version is refused",
            "PRAGMA user_version",
            "NotAuthorized",
        ),
        refused(
            "journal_mode",
            "PRAGMA journal_mode is refused",
            "PRAGMA journal_mode",
            "NotAuthorized",
        ),
        refused(
            "schema_version",
            "PRAGMA schema_version is refused",
            "PRAGMA schema_version",
            "NotAuthorized",
        ),
        refused(
            "page_count",
            "PRAGMA page_count is refused",
            "PRAGMA page_count",
            "NotAuthorized",
        ),
        refused(
            "integrity_check",
            "PRAGMA integrity_check is refused",
            "PRAGMA integrity_check",
            "NotAuthorized",
        ),
        refused(
            "writable_schema",
            "PRAGMA writable_schema is refused",
            "PRAGMA writable_schema = 1",
            "NotAuthorized",
        ),
        refused(
            "synchronous",
            "PRAGMA synchronous is refused",
            "PRAGMA synchronous = 0",
            "NotAuthorized",
        ),
        refused(
            "cache_size",
            "PRAGMA cache_size is refused",
            "PRAGMA cache_size",
            "NotAuthorized",
        ),
        refused(
            "compile_options",
            "PRAGMA compile_options is refused",
            "PRAGMA compile_options",
            "NotAuthorized",
        ),
        refused(
            "generate_series",
            "there is no generate_series",
            "SELECT * FROM generate_series(1, 2)",
            "NoSuchTable",
        ),
        refused("regexp", "there is no REGEXP", "SELECT 'x' REGEXP 'x'", "Other"),
        refused(
            "load_extension",
            "load_extension is refused",
            "SELECT load_extension('x')",
            "NotAuthorized",
        ),
        refused(
            "sqlite_version",
            "sqlite_version is refused",
            "SELECT sqlite_version()",
            "NotAuthorized",
        ),
        refused(
            "unique",
            "UNIQUE",
            "INSERT INTO t (id, v) VALUES (1, 'x')",
            "Unique",
        ),
        refused("syntax", "what is no SQL is refused", "SELEC 1", "Syntax"),
        refused(
            "no_table",
            "a table must be there",
            "SELECT * FROM nowhere",
            "NoSuchTable",
        ),
        refused(
            "no_column",
            "a column must be there",
            "SELECT absent FROM t",
            "NoSuchColumn",
        ),
        shows(
            "not_null",
            "NOT NULL",
            [
                run("CREATE TABLE n (v NOT NULL)"),
                sql("INSERT INTO n (v) VALUES (?)", [Value::Null]),
            ],
            "NotNull",
        ),
        shows(
            "foreign_keys",
            "foreign keys are enforced",
            [
                run("CREATE TABLE p (id INTEGER PRIMARY KEY)"),
                run("CREATE TABLE c (p INTEGER REFERENCES p (id))"),
                run("INSERT INTO c (p) VALUES (1)"),
            ],
            "Constraint",
        ),
        shows(
            "check",
            "a CHECK is enforced",
            [
                run("CREATE TABLE n (v CHECK (v < 5))"),
                run("INSERT INTO n (v) VALUES (7)"),
            ],
            "Constraint",
        ),
        shows(
            "quick_check",
            "PRAGMA quick_check is allowed",
            [run("PRAGMA quick_check")],
            "(ok)",
        ),
        shows(
            "foreign_key_check",
            "PRAGMA foreign_key_check is allowed",
            [run("PRAGMA foreign_key_check")],
            "()",
        ),
        shows(
            "index_list",
            "PRAGMA index_list is allowed",
            [
                run("CREATE TABLE n (v TEXT UNIQUE)"),
                run("PRAGMA index_list (n)"),
            ],
            "(0, sqlite_autoindex_n_1, 1, u, 0)",
        ),
        shows(
            "foreign_keys_are_on",
            "PRAGMA foreign_keys is allowed",
            [run("PRAGMA foreign_keys")],
            "(1)",
        ),
        shows(
            "table_info",
            "PRAGMA table_info is allowed",
            [run("CREATE TABLE n (v TEXT)"), run("PRAGMA table_info (n)")],
            "(0, v, TEXT, 0, null, 0)",
        ),
    ]
}
