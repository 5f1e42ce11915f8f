//! What the vectors cannot see: which statements are collected, and that the read behind them is guarded too.

use super::{Collector, Detail, GuardFacts, Guarded, guard_call};
use crate::lanes::rules::Rules;

fn transact(payload: &str, collector: Collector) -> Result<Guarded, Detail> {
    let facts = GuardFacts {
        capability: "cfwSqlTxn",
        payload,
        collector,
    };
    guard_call(&Rules::DOCUMENTED, &facts).map_err(|refused| refused.detail)
}

/// The statements that are forwarded, as they stand on the wire.
fn collected(payload: &str) -> Vec<String> {
    match transact(payload, Collector::Present) {
        Ok(Guarded::Speculate {
            collected: Some(collected),
            ..
        }) => {
            let encode = |statement| serde_json::to_string(statement).expect("a statement is JSON");
            collected.iter().map(encode).collect()
        }
        other => panic!("expected a speculative run, and it is {other:?}"),
    }
}

#[test]
fn every_statement_that_is_not_allowed_is_collected_and_no_other() {
    let payload = r#"{"statements": [
        {"sql": "INSERT INTO cache_page (cid) VALUES (?)", "params": ["c"]},
        {"sql": "UPDATE node SET title = :title WHERE nid = :nid", "params": {":title": "t", ":nid": 7}},
        {"sql": "SELECT * FROM node", "params": []},
        {"sql": "INSERT INTO users (uid, name) VALUES (258, ?)", "params": ["u"], "minted": "users"}
    ]}"#;
    assert_eq!(
        collected(payload),
        [
            r#"{"sql":"UPDATE node SET title = :title WHERE nid = :nid","params":{":title":"t",":nid":7},"table":"node"}"#,
            r#"{"sql":"INSERT INTO users (uid, name) VALUES (258, ?)","params":["u"],"table":"users","minted":"users"}"#,
        ]
    );
}

/// `lanes.md` 14.4: "params (as in the payload, codec-encoded)".
#[test]
fn parameters_are_collected_as_in_the_payload() {
    for params in [
        "null",
        "5",
        "[1.5]",
        "[1e+21]",
        r#"[{"$":"number","v":"7"}]"#,
        r#"[{"v":"1.5","$":"number"}]"#,
        r#"[{"$":"bytes","v":"AB=="}]"#,
        r#"{"b":true,"a":[null,{}]}"#,
    ] {
        let given = format!(r#"{{"sql":"DELETE FROM node","params":{params}}}"#);
        let sent = format!(r#"{{"sql":"DELETE FROM node","params":{params},"table":"node"}}"#);
        assert_eq!(collected(&format!(r#"{{"statements":[{given}]}}"#)), [sent]);
    }
}

#[test]
fn the_read_behind_the_statements_is_guarded_like_them() {
    let write = r#"{"statements": [], "read": {"sql": "DELETE FROM node"}}"#;
    let refused = transact(write, Collector::Absent).expect_err("a write in `read` is a write");
    assert_eq!(
        refused.to_string(),
        "not a read and not replica-local: DELETE FROM node"
    );
    assert_eq!(collected(write), [r#"{"sql":"DELETE FROM node","table":"node"}"#]);
}

#[test]
fn a_statement_is_named_before_the_read_behind_it() {
    let both = r#"{"statements": [{"sql": "DELETE FROM users"}], "read": {"sql": "DELETE FROM node"}}"#;
    let refused = transact(both, Collector::Absent).expect_err("both are writes");
    assert_eq!(
        refused.to_string(),
        "not a read and not replica-local: DELETE FROM users"
    );
}
