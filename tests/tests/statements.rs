//! What vectors cannot say about the shapes of statements: properties, checked against SQLite itself where it knows.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use protocol::host::Text;
use protocol::lanes::forward::{
    ForwardFacts, ForwardStatement, lane_high_water, partitioned_tables, plan_forward, split_forward,
};
use protocol::lanes::guard::statement_allowed_on_replica;
use protocol::lanes::rules::Rules;
use protocol::number::Number;
use protocol::sql::{
    Inherited, Params, PlainInsert, expiry_sweep, is_compound, is_definition, is_proven_read,
    positional_bindings, splice_first, to_positional, write_target,
};
use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use tests::statements::{SCHEMA, statement};

const RULES: &Rules = &Rules::DOCUMENTED;

/// The pragmas that the platform lets code use (`workerd.md`, SQL table).
const PLATFORM_PRAGMAS: [&str; 14] = [
    "table_info",
    "table_list",
    "index_list",
    "foreign_keys",
    "defer_foreign_keys",
    "data_version",
    "quick_check",
    "foreign_key_check",
    "optimize",
    "case_sensitive_like",
    "ignore_check_constraints",
    "recursive_triggers",
    "reverse_unordered_selects",
    "legacy_alter_table",
];

fn bare() -> Connection {
    let connection = Connection::open_in_memory().expect("SQLite opens a database in memory");
    connection.execute_batch(SCHEMA).expect("the schema is SQL");
    connection
}

/// A database that refuses the pragmas that the platform refuses.
fn platform() -> Connection {
    let mut connection = bare();
    let judge = |context: AuthContext<'_>| match context.action {
        AuthAction::Pragma { pragma_name, .. }
            if !PLATFORM_PRAGMAS
                .iter()
                .any(|name| pragma_name.eq_ignore_ascii_case(name)) =>
        {
            Authorization::Deny
        }
        _ => Authorization::Allow,
    };
    connection
        .authorizer(Some(judge))
        .expect("SQLite takes an authorizer");
    connection
}

/// Whether SQLite would let the statement write; nothing when it would not run it at all.
fn would_write(connection: &Connection, sql: &str) -> Option<bool> {
    let statement = connection.prepare(sql).ok()?;
    // An EXPLAIN of a write is a program that is shown and not run.
    Some(!statement.readonly() && statement.is_explain() == 0)
}

/// The pragmas with an argument that are proven reads by the contract and would write in a bare SQLite. The platform
/// refuses all of them but `optimize`, which writes statistics for the query planner; a change of either list is news.
#[test]
fn pragmas_that_only_the_platform_keeps_from_writing() {
    const CALLS: [&str; 12] = [
        "user_version(5)",
        "application_id(5)",
        "journal_mode(DELETE)",
        "wal_checkpoint(TRUNCATE)",
        "incremental_vacuum(1)",
        "schema_version(9)",
        "optimize(2)",
        "foreign_keys(0)",
        "quick_check(1)",
        "table_info(node)",
        "legacy_alter_table(1)",
        "auto_vacuum(1)",
    ];
    let writing = |connection: &Connection| {
        let writes = |call: &&&str| would_write(connection, &format!("PRAGMA {call}")) == Some(true);
        CALLS.iter().filter(writes).copied().collect::<Vec<_>>()
    };
    assert!(CALLS.iter().all(|call| is_proven_read(&format!("PRAGMA {call}"))));
    assert_eq!(writing(&bare()), CALLS[..7]);
    assert_eq!(writing(&platform()), ["optimize(2)"]);
}

/// The property below is about something: some statements are proven, some would write, and SQLite runs enough of both.
#[test]
fn the_generator_reaches_both_sides() {
    let connection = platform();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut proven, mut writing) = (0, 0);
    for _ in 0..2_000 {
        let sql = statement()
            .new_tree(&mut runner)
            .expect("statements are drawn")
            .current();
        let writes = would_write(&connection, &sql);
        proven += u32::from(is_proven_read(&sql) && writes.is_some());
        writing += u32::from(writes == Some(true));
    }
    assert!(
        proven > 50 && writing > 100,
        "{proven} proven reads that run, {writing} writes"
    );
}

/// Names that the two scanners read alike: an identifier with a colon, nothing like a name before it.
fn bindable() -> impl Strategy<Value = (String, Params<Given>)> {
    let name = "[a-z_][a-z0-9_]{0,2}";
    let filler = prop::sample::select(
        &[
            "a = ",
            "'it''s', ",
            "\"q\", ",
            "b::text, ",
            "/* c */",
            "-- c\n",
            "?, ",
            "é, ",
            "(",
            " - ",
            " / ",
            "\n",
        ][..],
    );
    let keyed = btree_map(name, (any::<u8>(), any::<bool>(), filler.clone()), 0..6);
    (keyed, vec(filler, 0..3)).prop_map(|(keyed, tail)| {
        let mut sql = String::from("SELECT ");
        let mut entries = Vec::new();
        for (name, (value, with_colon, filler)) in &keyed {
            sql.push_str(&format!("{filler}:{name} "));
            let key = if *with_colon {
                format!(":{name}")
            } else {
                name.clone()
            };
            entries.push((Text::from(key), Given(*value)));
        }
        sql.extend(tail);
        (sql, Params::Named(entries))
    })
}

/// A value; one of an inherited key is never equal to any that was given.
#[derive(Clone, Debug, PartialEq)]
struct Given(u8);

impl From<Inherited> for Given {
    fn from(_: Inherited) -> Given {
        unreachable!("the names that are drawn are not inherited")
    }
}

/// A value that can be an inherited one too.
#[derive(Clone, Debug, PartialEq)]
enum Any {
    Own(u8),
    Inherited(Inherited),
}

impl From<Inherited> for Any {
    fn from(key: Inherited) -> Any {
        Any::Inherited(key)
    }
}

/// Whether the two scanners find the same names in a text: no literal, no comment, and each colon before an identifier
/// and behind neither a colon nor a word.
fn is_plain(sql: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let alike = |(at, _): (usize, &str)| {
        let before = sql[..at].chars().next_back();
        let after = sql[at + 1..].chars().next();
        !before.is_some_and(|c| word(c) || c == ':') && after.is_some_and(|c| word(c) && !c.is_ascii_digit())
    };
    !["'", "\"", "--", "/*"].iter().any(|mark| sql.contains(mark)) && sql.match_indices(':').all(alike)
}

fn named() -> impl Strategy<Value = Params<Any>> {
    let key = prop::sample::select(&["a", ":a", "b", ":b", "1", ":1", "toString", "zz", ""][..]);
    prop_oneof![
        Just(Params::Absent),
        any::<u8>().prop_map(|value| Params::One(Any::Own(value))),
        vec(any::<u8>().prop_map(Any::Own), 0..3).prop_map(Params::List),
        btree_map(key, any::<u8>().prop_map(Any::Own), 0..4)
            .prop_map(|entries| Params::Named(entries.into_iter().map(|(k, v)| (k.into(), v)).collect())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Nothing that SQLite would let write is called a read, as long as the platform refuses the pragmas that it
    /// refuses; see the test above for those, and for the one that remains.
    #[test]
    fn a_proven_read_cannot_write(sql in statement()) {
        let connection = platform();
        let lower = sql.to_ascii_lowercase();
        let is_optimize = protocol::ecma::trim(&lower).starts_with("pragma") && lower.contains("optimize");
        if is_proven_read(&sql) && !is_optimize {
            prop_assert_ne!(would_write(&connection, &sql), Some(true), "{:?}", sql);
        }
    }

    /// What the guard allows writes at most one statement's worth, and only tables that are local or swept.
    #[test]
    fn what_is_allowed_is_a_read_a_sweep_or_local(sql in statement()) {
        if statement_allowed_on_replica(RULES, &sql) {
            let local = write_target(&sql).is_some_and(protocol::lanes::inventory::is_replica_local_table);
            prop_assert!(!is_compound(&sql));
            prop_assert!(is_proven_read(&sql) || expiry_sweep(&sql).is_some() || local);
        }
    }

    /// A sweep is a delete from its table, and SQLite agrees where it runs it.
    #[test]
    fn a_sweep_is_a_delete(sql in statement()) {
        if let Some(table) = expiry_sweep(&sql) {
            prop_assert_eq!(write_target(&sql).map(str::to_ascii_lowercase), Some(table.to_owned()));
            prop_assert!(!is_proven_read(&sql) && !is_compound(&sql));
        }
    }

    /// The two scanners agree on the statements that the application writes: each name once, each key used.
    #[test]
    fn the_scanners_agree_on_ordinary_statements((sql, params) in bindable()) {
        let applied = positional_bindings(&sql, &params);
        let captured = to_positional(&sql, &params);
        prop_assert!(applied.is_ok(), "{:?}", applied);
        prop_assert_eq!(applied, captured);
    }

    /// And on anything else, as far as both find the same names and both answer.
    #[test]
    fn the_scanners_agree_where_both_are_defined(sql in statement(), params in named()) {
        let both = (positional_bindings(&sql, &params), to_positional(&sql, &params));
        if let (true, (Ok(applied), Ok(captured))) = (is_plain(&sql), both) {
            prop_assert_eq!(applied, captured, "{:?}", sql);
        }
    }

    /// What one scanner has bound, the other leaves as it is: a captured record is looked at again where it is applied.
    #[test]
    fn what_is_bound_stays_bound(sql in statement(), params in named()) {
        if let Ok(captured) = to_positional(&sql, &params) {
            let again = positional_bindings(&captured.sql, &Params::List(captured.params.clone()));
            prop_assert_eq!(again, Ok(captured));
        }
    }

    /// An insert with its id spliced in does what it did before, and the row has that id.
    #[test]
    fn a_spliced_insert_inserts_the_same_row(
        title in prop::sample::select(&["'x'", "'it''s), ('", "?", "lower('A,B')", "(SELECT 'y')", "/* ) */ 'z'"][..]),
        column in prop::sample::select(&[
            "title", "\"title\"", " title ", "[title]", "`title`", "'title'", "\"a,b\", title", "/* nid, */ title -- )\n",
        ][..]),
        table in prop::sample::select(&["node", "\"node\"", "`node`", "[node]", "\u{b}node", "/* a */ node--\n"][..]),
        tail in prop::sample::select(&["", ";", " -- ;", " RETURNING title;", " ON CONFLICT DO NOTHING"][..]),
    ) {
        let first = if column.contains("a,b") { "'p', " } else { "" };
        let sql = format!("INSERT INTO {table} ({column}) VALUES ({first}{title}){tail}");
        let spliced = splice_first(&sql, "\"nid\"", "258");
        prop_assert!(spliced.is_some(), "{}", sql);
        let rows = |sql: &str| {
            let connection = bare();
            let mut insert = connection.prepare(sql).expect("the insert is SQL");
            let count = insert.parameter_count();
            let mut rows = insert.query(rusqlite::params_from_iter(vec!["v"; count])).expect("it runs");
            while rows.next().expect("it runs").is_some() {}
            connection
                .query_row("SELECT nid, title, \"a,b\" FROM node", [], |row| {
                    Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, Option<String>>(2)?))
                })
                .expect("there is one row")
        };
        let (plain, minted) = (rows(&sql), rows(&spliced.expect("checked").sql));
        prop_assert_eq!((minted.0, minted.1, minted.2), (258, plain.1, plain.2));
    }

    /// No text makes any of them panic, and no statement of a batch does.
    #[test]
    fn no_text_panics(sql in statement(), params in named(), table in statement()) {
        let _ = (is_compound(&sql), is_proven_read(&sql), write_target(&sql), is_definition(&sql));
        let _ = (expiry_sweep(&sql), PlainInsert::read(&sql), splice_first(&sql, "nid", "1"));
        let _ = (positional_bindings(&sql, &params), to_positional(&sql, &params));
        let statement = ForwardStatement {
            sql: Text::new(&sql).into(),
            table: Text::new(write_target(&sql).unwrap_or(&table)).into(),
            minted: Text::new(&table).into(),
            ..ForwardStatement::default()
        };
        let statements = split_forward(RULES, std::slice::from_ref(&statement)).commit;
        let partitioned = partitioned_tables(RULES, &statements);
        let _ = lane_high_water(&statements);
        let _ = plan_forward(RULES, &ForwardFacts {
            statements: &statements,
            parent: Number::from(7),
            primary_generation: Number::NAN,
            partitioned: &partitioned,
        });
    }
}
