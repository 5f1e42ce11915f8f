use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::lanes::forward::{
    ForwardFacts, ForwardStatement, lane_high_water, partitioned_tables, plan_forward,
};
use crate::lanes::partition::next_lane_id;
use crate::lanes::wire::Field;

const RULES: &Rules = &Rules::DOCUMENTED;

fn minted(sql: &str) -> Option<(String, String)> {
    let id = Number::from(258);
    let id_column = "nid";
    mint(&MintFacts { sql, id_column, id }).map(|minted| (minted.sql.to_string(), minted.table.to_string()))
}

#[test]
fn the_id_is_the_first_column_and_value() {
    let sql = "INSERT INTO \"node\" (\"title\") VALUES (?)";
    let spliced = "INSERT INTO \"node\" (\"nid\", \"title\") VALUES (258, ?)";
    assert_eq!(minted(sql), Some((spliced.to_owned(), "node".to_owned())));
}

#[test]
fn what_has_an_id_or_is_not_one_row_is_left_alone() {
    for sql in [
        "INSERT INTO node (NID, title) VALUES (NULL, ?)",
        "INSERT INTO node (title) VALUES (?), (?)",
        "INSERT INTO node (title) SELECT title FROM node",
        "INSERT INTO node VALUES (?)",
        "INSERT INTO node DEFAULT VALUES",
        "UPDATE node SET title = ?",
    ] {
        assert_eq!(minted(sql), None, "{sql}");
    }
}

#[test]
fn an_id_that_is_not_exact_is_not_written() {
    let (sql, id_column) = ("INSERT INTO node (title) VALUES (?)", "nid");
    for id in [
        Number::NAN,
        Number::INFINITY,
        Number::MAX_SAFE_INTEGER + Number::integer(1),
    ] {
        assert_eq!(mint(&MintFacts { sql, id_column, id }), None);
    }
}

#[test]
fn an_id_that_no_mark_would_hold_is_not_written() {
    let (sql, id_column) = ("INSERT INTO node (title) VALUES (?)", "nid");
    for id in [Number::ZERO, -Number::ZERO, Number::from(-258)] {
        assert_eq!(mint(&MintFacts { sql, id_column, id }), None, "{id:?}");
    }
}

#[test]
fn the_name_of_an_id_column_is_quoted() {
    let (sql, id) = ("INSERT INTO node (title) VALUES (?)", Number::from(258));
    let id_column = "n\"id";
    assert_eq!(
        mint(&MintFacts { sql, id_column, id }).map(|minted| minted.sql),
        Some("INSERT INTO node (\"n\"\"id\", title) VALUES (258, ?)".into())
    );
}

/// What the driver of a lane hands over of an insert, collected.
fn collected(sql: &str, id_column: &str, id: Number) -> ForwardStatement {
    let minted = mint(&MintFacts { sql, id_column, id });
    let text = minted.as_ref().map_or(sql, |minted| &minted.sql);
    let statement = SqlStatement {
        minted: minted.as_ref().map(|minted| minted.table.clone()),
        ..SqlStatement::new(text, Field::Missing)
    };
    ForwardStatement::collected(RULES, &statement)
}

#[test]
fn a_schema_is_no_way_around_what_a_lane_may_not_originate() {
    for table in [
        "main.sequences",
        "main . watchdog",
        "temp.cfw_mail_queue",
        "\"main.sequences\"",
    ] {
        let sql = format!("INSERT INTO {table} (t) VALUES (?)");
        let statements = [collected(&sql, "id", Number::from(258))];
        let plan = plan_forward(
            RULES,
            &ForwardFacts {
                statements: &statements,
                parent: Number::from(7),
                primary_generation: Number::from(7),
                partitioned: &partitioned_tables(RULES, &statements),
            },
        );
        assert_eq!(
            plan.action(),
            crate::lanes::forward::ForwardAction::Refuse,
            "{sql}: sequences are not covered, and side effects stay with the primary (lanes.md 10 and 18)"
        );
    }
}

/// Inserts, with all that SQLite lets stand in one.
fn any_insert() -> impl Strategy<Value = String> {
    let verb = [
        "INSERT INTO",
        "insert or ignore into",
        "/* q */ INSERT INTO",
        "INSERT--\n \u{b}INTO",
    ];
    let table = [
        "node",
        "\"Node\"",
        "[node]",
        "`node`",
        "'node'",
        "main.node",
        "\"main.node\"",
        "node AS n",
        "[no de]",
        "nodé",
        "n$",
    ];
    let columns = ["t", "\"a)b\"", "\"a,b\", t", "/* ) */ t", "[t], 't'", "t --)\n"];
    let values = [") VALUES (", ")/**/VALUES (", ")VALUES/* ( */(", ") values\n( "];
    let tuple = ["?", "'a), (b'", "/* ) */ ?", "\u{b}?", "(SELECT 1), 2"];
    let tail = [
        ")",
        ");",
        ") -- (",
        ") ON CONFLICT DO NOTHING",
        ") RETURNING nid;",
    ];
    let of = |all: &[&'static str]| prop::sample::select(all.to_vec());
    let (verb, table, columns) = (of(&verb), of(&table), of(&columns));
    (verb, table, columns, of(&values), of(&tuple), of(&tail)).prop_map(
        |(verb, table, columns, values, tuple, tail)| {
            format!("{verb} {table} ({columns}{values}{tuple}{tail}")
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Without the mark, the base of the next id would not include this one (`lanes.md` 14.4 and 18).
    #[test]
    fn every_minted_id_raises_the_mark_of_its_table(
        sql in any_insert(),
        id_column in prop::sample::select(vec!["nid", "n\"id", "n)id", "n,id"]),
        id in (1..1_i64 << 53).prop_map(Number::from),
    ) {
        let statement = collected(&sql, id_column, id);
        if let Some(table) = statement.minted.get().cloned() {
            let marks = BTreeMap::from([(Text::from(table.to_lowercase()), id)]);
            prop_assert_eq!(lane_high_water(std::slice::from_ref(&statement)), marks, "{}", statement.sql.to_text());
        }
    }
}

#[test]
fn the_next_id_is_above_everything_known() {
    let highest = HighestIds {
        in_table: Number::from(3),
        in_sequence: Number::from(260),
        buffered: Number::from(258),
        marked: Number::from(515),
        memo: Number::from(1),
    };
    let writer = Writer {
        lane: Number::from(1),
        lanes: Number::from(256),
    };
    assert_eq!(next_lane_id(RULES, highest.base(), writer), Number::from(772));
    assert!(is_partitioned(writer));
    assert!(!is_partitioned(Writer {
        lane: Number::ZERO,
        lanes: Number::ZERO
    }));
}

#[test]
fn only_a_write_becomes_a_transaction_of_its_own() {
    let call = |sql| unbuffered(RULES, SqlStatement::new(sql, Field::Missing));
    assert!(matches!(call("UPDATE node SET a = 1"), SqlCall::Transaction(one) if one.statements.len() == 1));
    assert!(matches!(
        call("WITH a AS (SELECT 1) DELETE FROM node"),
        SqlCall::Transaction(_)
    ));
    for sql in [
        "SELECT 1",
        "CREATE TABLE flood (fid)",
        "DROP TABLE flood",
        "alter table flood ADD x",
    ] {
        assert!(matches!(call(sql), SqlCall::Exec(_)), "{sql}");
    }
}
