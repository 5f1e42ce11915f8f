//! What vectors cannot say about what crosses the bridges and the forward route: round trips, and any JSON at all.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use protocol::host::{Bytes, End, Text, Value};
use protocol::lanes::bridge::{SqlExec, SqlStatement, SqlTxn, read_payload};
use protocol::lanes::codec::Encoded;
use protocol::lanes::forward::{ForwardAnswer, ForwardBatch, ForwardStatement};
use protocol::lanes::guard::{Collector, Detail, GuardFacts, guard_call};
use protocol::lanes::rules::Rules;
use protocol::number::Number;
use protocol::sql::Params;
use serde::Serialize;
use serde::de::DeserializeOwned;
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

fn encoded() -> impl Strategy<Value = Encoded> {
    prop_oneof![
        Just(Encoded::Value(Value::Null)),
        any::<bool>().prop_map(Encoded::Bool),
        number().prop_map(|number| Encoded::Value(Value::Number(number))),
        any::<String>().prop_map(|text| Encoded::Value(Value::text(text))),
        vec(any::<u8>(), 0..9).prop_map(|bytes| Encoded::Value(Value::Bytes(Bytes(bytes.into())))),
    ]
}

fn params() -> impl Strategy<Value = Params<Encoded>> {
    prop_oneof![
        Just(Params::Absent),
        vec(encoded(), 0..4).prop_map(Params::List),
        btree_map("[:a-z]{0,3}", encoded(), 0..4)
            .prop_map(|entries| Params::Named(entries.into_iter().map(|(k, v)| (k.into(), v)).collect())),
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

fn write(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a type of the wire is written")
}

/// Reads a text as a type: what was read is written, read and written again as the same, and an error names a field.
fn read_twice<T: DeserializeOwned + Serialize>(text: &str) -> Result<(), TestCaseError> {
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
    read_twice::<Encoded>(text)?;
    read_twice::<Params<Encoded>>(text)?;
    read_twice::<ForwardAnswer>(text)?;
    // A parent that is not finite is written as null and comes back as 0: see the test of the batch.
    let _ = read_payload::<ForwardBatch>(text);
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
    fn every_value_comes_back(value in encoded()) {
        prop_assert_eq!(read_payload::<Encoded>(&write(&value)), Ok(value));
    }

    /// Only integers within int32, texts, null and booleans stand for themselves.
    #[test]
    fn what_json_could_change_is_tagged(number in number()) {
        let json = write(&Encoded::Value(Value::Number(number)));
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
            statements: statements.iter().map(|statement| ForwardStatement::collected(RULES, statement)).collect(),
            parent: Number::from(parent),
            partitioned: vec!["node".into()],
        };
        prop_assert_eq!(read_payload::<ForwardBatch>(&write(&batch)), Ok(batch));
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
    let field = |json: &str| read_payload::<SqlTxn>(json).map_err(|error| error.to_string());
    let at = |json: &str, start: &str| {
        let error = field(json).expect_err("the payload is bad");
        assert!(error.starts_with(start), "{json}: {error}");
    };
    at("{}", ".: missing field `statements`");
    at(
        r#"{"statements":[{"sql":5}]}"#,
        "statements[0].sql: invalid type: integer `5`",
    );
    at(
        r#"{"statements":[{"sql":"SELECT 1"},null]}"#,
        "statements[1]: invalid type: null",
    );
    at(
        r#"{"statements":[{"sql":"","params":[1,{"$":"float","v":"1"}]}]}"#,
        "statements[0].params[1]: $: unknown kind \"float\"",
    );
    at(
        r#"{"statements":[{"sql":"","params":{":a":[]}}]}"#,
        "statements[0].params.:a: invalid type: sequence",
    );
    at(
        r#"{"statements":[{"sql":"","params":[{"$":"number"}]}]}"#,
        "statements[0].params[0]: missing field `v`",
    );
    at(
        r#"{"statements":[{"sql":"","minted":7}]}"#,
        "statements[0].minted: invalid type: integer `7`",
    );
    at(r#"{"statements":[]} x"#, ".: trailing characters");
}

/// `Number(parent)`, whatever stands there.
#[test]
fn a_parent_is_what_number_makes_of_it() {
    let parent = |json: &str| {
        read_payload::<ForwardBatch>(&format!(r#"{{"parent":{json}}}"#))
            .expect("anything is taken")
            .parent
    };
    for (json, number) in [
        ("7", 7),
        ("\"7\"", 7),
        ("\" 0x10 \"", 16),
        ("null", 0),
        ("true", 1),
        ("[]", 0),
        ("[[8]]", 8),
    ] {
        assert_eq!(parent(json), Number::from(number), "{json}");
    }
    for json in ["{}", "[1,2]", "[true]", "\"x\""] {
        assert_eq!(parent(json), Number::NAN, "{json}");
    }
    let missing = read_payload::<ForwardBatch>("{}")
        .expect("a batch without a parent is read")
        .parent;
    assert_eq!(missing, Number::NAN);
    assert_eq!(parent("[null]"), Number::ZERO);
}

/// A refused statement is shown by its first 120 UTF-16 units, white space collapsed, and may be cut in a character.
#[test]
fn a_refusal_shows_the_statement() {
    let sql = format!("UPDATE node\n\t SET a = '{}🚢🚢'", "x".repeat(98));
    let payload = write(&SqlExec {
        sql: sql.into(),
        params: Params::Absent,
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
