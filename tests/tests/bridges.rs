//! What vectors cannot say about what crosses the bridges and the forward route: round trips, and any JSON at all.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use protocol::host::{Body, Bytes, End, Payload, Text, Value};
use protocol::json::Json;
use protocol::lanes::bridge::{PayloadError, SqlExec, SqlStatement, SqlTxn, read_payload};
use protocol::lanes::codec;
use protocol::lanes::forward::{ForwardBatch, ForwardStatement};
use protocol::lanes::guard::{Collector, Detail, GuardFacts, guard_call};
use protocol::lanes::rules::Rules;
use protocol::lanes::wire::Field;
use protocol::number::Number;
use serde::Serialize;
use tests::statements::statement;

const RULES: &Rules = &Rules::DOCUMENTED;

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i32>().prop_map(Number::from),
        prop::num::f64::ANY.prop_map(Number::from_f64),
        Just(-Number::ZERO),
        Just(Number::NAN),
        Just(Number::INFINITY),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        number().prop_map(Value::Number),
        any::<String>().prop_map(Value::text),
        vec(any::<u8>(), 0..9).prop_map(|bytes| Value::Bytes(Bytes(bytes.into()))),
    ]
}

/// Parameters of any form, some of them none of the codec's.
fn params() -> impl Strategy<Value = Field<Json>> {
    let any = || json().prop_map(|value| held(&write(&value)));
    let given = || prop_oneof![any(), value().prop_map(|value| codec::encode(&value))];
    prop_oneof![
        Just(Field::Missing),
        any().prop_map(Field::Is),
        vec(given(), 0..4).prop_map(|list| Field::Is(list.into())),
        btree_map("[:a-z]{0,3}", given(), 0..4)
            .prop_map(|entries| Field::Is(Json::Object(entries.into_iter().collect()))),
    ]
}

fn sql_statement() -> impl Strategy<Value = SqlStatement> {
    (statement(), params(), prop::option::of("[a-z]{1,4}")).prop_map(|(sql, params, minted)| SqlStatement {
        minted: minted.map(Text::from),
        ..SqlStatement::new(sql, params)
    })
}

/// Any JSON, with the keys that mean something among others.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        Just(serde_json::json!(1.5)),
        "[a-zA-Z0-9 ;?]{0,12}".prop_map(Into::into),
        prop::sample::select(&["SELECT 1", "commit", "conflict", "number", "bytes", "NaN", "AA=="][..])
            .prop_map(Into::into),
    ];
    let key = prop::sample::select(
        &[
            "statements",
            "read",
            "commit",
            "sql",
            "params",
            "minted",
            "table",
            "parent",
            "partitioned",
            "action",
            "reason",
            "generation",
            "primaryGeneration",
            "deferred",
            "$",
            "v",
            "x",
        ][..],
    );
    leaf.prop_recursive(4, 24, 5, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Into::into),
            vec((key.clone(), inner), 0..5).prop_map(|entries| {
                serde_json::Value::Object(entries.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
            }),
        ]
    })
}

/// A text, as JavaScript would hold it.
fn held(json: &str) -> Json {
    Json::parse(json).expect("JSON")
}

fn write(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a type of the wire is written")
}

/// Reads a text as a type: what was read is written, read and written again as the same, and an error names a field.
fn read_twice<T: TryFrom<Json, Error = PayloadError> + Serialize>(text: &str) -> Result<(), TestCaseError> {
    match read_payload::<T>(text) {
        Ok(value) => {
            let text = write(&value);
            prop_assert_eq!(read_payload::<T>(&text).map(|again| write(&again)), Ok(text));
        }
        Err(error) => prop_assert!(!error.field.is_empty() && !error.why.is_empty()),
    }
    Ok(())
}

fn read_as_everything(text: &str) -> Result<(), TestCaseError> {
    read_twice::<SqlTxn>(text)?;
    read_twice::<SqlExec>(text)?;
    for capability in ["cfwSqlTxn", "cfwSqlExec", "cfwLog", "cfwMail"] {
        for collector in [Collector::Present, Collector::Absent] {
            let _ = guard_call(
                RULES,
                &GuardFacts {
                    capability,
                    payload: text,
                    collector,
                },
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_value_comes_back(value in value()) {
        prop_assert_eq!(codec::decode(&held(&write(&codec::encode(&value)))), value);
    }

    /// Only integers within int32 stand for themselves.
    #[test]
    fn what_json_could_change_is_tagged(number in number()) {
        let json = write(&codec::encode(&Value::Number(number)));
        let plain = number.is_integer() && number == Number::from(number.to_int32());
        prop_assert_eq!(json.starts_with('{'), !plain, "{}", json);
    }

    #[test]
    fn every_transaction_comes_back(
        statements in vec(sql_statement(), 0..4),
        read in prop::option::of((statement(), params())),
        rolls_back in any::<bool>(),
    ) {
        let read = read.map(|(sql, params)| SqlExec { sql: sql.into(), params });
        let transaction = SqlTxn { statements, read, end: if rolls_back { End::Rollback } else { End::Commit } };
        prop_assert_eq!(read_payload::<SqlTxn>(&write(&transaction)), Ok(transaction));
    }

    #[test]
    fn every_batch_comes_back(statements in vec(sql_statement(), 0..4), parent in any::<i32>()) {
        let batch = ForwardBatch {
            statements: Field::Is(
                statements.iter().map(|statement| Field::Is(ForwardStatement::collected(RULES, statement))).collect(),
            ),
            parent: Number::from(parent).into(),
            partitioned: Field::Is(vec![Text::new("node").into()]),
            ..ForwardBatch::default()
        };
        let again = Body::text(batch.encode()).read::<ForwardBatch>();
        prop_assert_eq!(again.as_deref(), Ok(&batch));
    }

    #[test]
    fn any_json_is_read_or_refused_by_name(json in json()) {
        read_as_everything(&write(&json))?;
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), json in json(), cut in any::<prop::sample::Index>()) {
        read_as_everything(&text)?;
        let json = write(&json);
        let places: Vec<usize> = json.char_indices().map(|(at, _)| at).collect();
        read_as_everything(&json[..places[cut.index(places.len())]])?;
    }
}

/// Which field is wrong is said with its path.
#[test]
fn errors_name_the_field() {
    let shown = |error: PayloadError| error.to_string();
    for (json, error) in [
        ("{}", "statements: a list is needed, not nothing"),
        ("[]", ".: an object is needed, not a list"),
        ("null", ".: an object is needed, not null"),
        (r#"[[["SELECT 1"]]]"#, ".: an object is needed, not a list"),
        (
            r#"{"statements":{}}"#,
            "statements: a list is needed, not an object",
        ),
        (
            r#"{"statements":[["SELECT 1"]]}"#,
            "statements[0]: an object is needed, not a list",
        ),
        (
            r#"{"statements":[{"sql":5}]}"#,
            "statements[0].sql: a text is needed, not a number",
        ),
        (
            r#"{"statements":[{"sql":"SELECT 1"},null]}"#,
            "statements[1]: an object is needed, not null",
        ),
        (
            r#"{"statements":[{}]}"#,
            "statements[0].sql: a text is needed, not nothing",
        ),
        (
            r#"{"statements":[],"read":["SELECT 1"]}"#,
            "read: an object is needed, not a list",
        ),
        (
            r#"{"statements":[],"read":{"sql":null}}"#,
            "read.sql: a text is needed, not null",
        ),
        (
            r#"{"statements":[],"read":false}"#,
            "read: an object is needed, not a boolean",
        ),
        (
            r#"{"statements":[],"read":0}"#,
            "read: an object is needed, not a number",
        ),
        (
            r#"{"statements":[],"read":""}"#,
            "read: an object is needed, not a text",
        ),
        (
            r#"{"statements":[]} x"#,
            ".: trailing characters at line 1 column 19",
        ),
    ] {
        assert_eq!(
            read_payload::<SqlTxn>(json).map_err(shown),
            Err(error.to_owned()),
            "{json} must be refused by the name of its field"
        );
    }
    for (json, error) in [
        (r#"["SELECT 1"]"#, ".: an object is needed, not a list"),
        (r#""SELECT 1""#, ".: an object is needed, not a text"),
        (r#"{"SQL":"SELECT 1"}"#, "sql: a text is needed, not nothing"),
    ] {
        assert_eq!(
            read_payload::<SqlExec>(json).map_err(shown),
            Err(error.to_owned()),
            "{json} must be refused by the name of its field"
        );
    }
}

/// Only a missing text makes a statement unreadable (`lanes.md` 11): the rest of it may be anything.
#[test]
fn odd_fields_leave_a_statement_readable() {
    let plain = write(&SqlTxn {
        statements: vec![SqlStatement::new("SELECT 1", Field::Missing)],
        read: None,
        end: End::Commit,
    });
    for odd in [
        r#"{"sql":"SELECT 1","minted":false}"#,
        r#"{"sql":"SELECT 1","minted":7}"#,
        r#"{"sql":"SELECT 1","minted":null}"#,
        r#"{"sql":"SELECT 1","table":{}}"#,
        r#"{"sql":"DELETE FROM node","sql":"SELECT 1"}"#,
        r#"{"sql":5,"sql":"SELECT 1"}"#,
    ] {
        let read = read_payload::<SqlTxn>(&format!(r#"{{"statements":[{odd}],"read":null,"commit":0}}"#));
        assert_eq!(
            read.map(|transaction| write(&transaction)).as_ref(),
            Ok(&plain),
            "{odd} must read as SELECT 1 that minted nothing"
        );
    }
}

/// What the platform binds of a parameter (`lanes.md` 19.14), and what the codec's own objects stand for (22.5).
#[test]
fn any_parameter_is_bound() {
    let number = |text| Value::Number(Number::parse(text));
    for (json, value) in [
        ("null", Value::Null),
        ("\"a\"", Value::text("a")),
        ("1.5", number("1.5")),
        ("1e999", number("Infinity")),
        ("true", Value::text("true")),
        ("{\"a\":1}", Value::text("[object Object]")),
        ("{}", Value::text("[object Object]")),
        ("[1,[null,2]]", Value::text("1,,2")),
        ("[]", Value::text("")),
        (r#"{"$":"number","v":"-0"}"#, number("-0")),
        (r#"{"$":"number","v":"NaN"}"#, number("NaN")),
        (r#"{"$":"bytes","v":"AA=="}"#, Value::Bytes(Bytes([0].into()))),
        (r#"{"$":"bytes","v":""}"#, Value::Bytes(Bytes([].into()))),
        (r#"{"$":"x","$":"number","v":"7"}"#, number("7")),
        (r#"{"$":"number","v":""}"#, Value::text("[object Object]")),
        (r#"{"$":"number","v":" "}"#, Value::text("[object Object]")),
        (r#"{"$":"number","v":"x"}"#, Value::text("[object Object]")),
        (r#"{"$":"number","v":7}"#, Value::text("[object Object]")),
        (r#"{"$":"number"}"#, Value::text("[object Object]")),
        (r#"{"$":"number","v":"7","x":1}"#, Value::text("[object Object]")),
        (r#"{"$":"bytes","v":"?"}"#, Value::text("[object Object]")),
        (r#"{"$":"float","v":"1"}"#, Value::text("[object Object]")),
    ] {
        let exec = read_payload::<SqlExec>(&format!(r#"{{"sql":"SELECT ?","params":[{json}]}}"#));
        let bound = exec.map(|exec| {
            let params = exec.params.get().and_then(Json::as_array).unwrap_or_default();
            params.iter().map(codec::decode).collect()
        });
        assert_eq!(bound, Ok(vec![value]), "{json} must be bound, whatever it is");
    }
}

/// `Number(parent)`, whatever stands there.
#[test]
fn a_parent_is_what_number_makes_of_it() {
    for (json, number) in [
        ("7", "7"),
        ("\"7\"", "7"),
        ("\" 0x10 \"", "16"),
        ("null", "0"),
        ("true", "1"),
        ("[]", "0"),
        ("[[8]]", "8"),
        ("[null]", "0"),
        ("1e999", "Infinity"),
        ("1,\"parent\":2", "2"),
        ("{}", "NaN"),
        ("[1,2]", "NaN"),
        ("[true]", "NaN"),
        ("\"x\"", "NaN"),
    ] {
        let batch = Body::text(format!(r#"{{"parent":{json}}}"#)).read::<ForwardBatch>();
        assert_eq!(
            batch.map(|batch| batch.parent.to_number()),
            Ok(Number::parse(number)),
            "the parent {json} must count as Number() counts it"
        );
    }
    assert_eq!(
        ForwardBatch::default().parent.to_number(),
        Number::NAN,
        "Number(undefined)"
    );
}

/// A refused statement is shown by its first 120 UTF-16 units, white space collapsed, and may be cut in a character.
#[test]
fn a_refusal_shows_the_statement() {
    let sql = format!("UPDATE node\n\t SET a = '{}🚢🚢'", "x".repeat(98));
    let payload = write(&SqlExec {
        sql: sql.into(),
        params: Field::Missing,
    });
    let facts = GuardFacts {
        capability: "cfwSqlExec",
        payload: &payload,
        collector: Collector::Absent,
    };
    let refusal = guard_call(RULES, &facts).expect_err("a write is refused");
    let Detail::NotLocal(shown) = &refusal.detail else {
        panic!("{refusal}")
    };
    assert_eq!(shown.units().len(), 120);
    assert!(refusal.to_string().starts_with(
        "cfwSqlExec requires the primary: not a read and not replica-local: UPDATE node SET a = 'xxx"
    ));
    assert_eq!(shown.units()[119], 0xd83d, "{shown:?}");
}
