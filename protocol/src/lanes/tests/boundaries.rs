//! The boundary of a condition, where no vector stands on it.

use crate::host::{End, Text};
use crate::lanes::bridge::{SqlTxn, read_payload};
use crate::lanes::forward::*;
use crate::lanes::restore::ChunkRefusal;
use crate::lanes::restore::tests::chunk;
use crate::lanes::rules::Rules;
use crate::lanes::wire::Field;
use crate::number::Number;

const RULES: &Rules = &Rules::DOCUMENTED;

fn plan(statement: ForwardStatement, parent: Number) -> ForwardPlan {
    plan_forward(
        RULES,
        &ForwardFacts {
            statements: &[statement],
            parent,
            primary_generation: parent,
            partitioned: &[],
        },
    )
}

#[test]
fn a_negative_parent_is_refused_even_where_the_primary_is_there_too() {
    let write = || ForwardStatement {
        sql: Text::new("UPDATE node SET title = 1").into(),
        table: Text::new("node").into(),
        ..ForwardStatement::default()
    };
    assert_eq!(
        plan(write(), Number::integer(-1)).reason(),
        "the batch carries no readable parent generation",
        "a finite parent below 0 is refused (lanes.md 10, planForward)"
    );
    for parent in [Number::ZERO, -Number::ZERO] {
        assert_eq!(
            plan(write(), parent),
            ForwardPlan::Commit,
            "0 is not negative, whatever its sign (lanes.md 10, planForward)"
        );
    }
}

#[test]
fn a_chunk_of_a_negative_generation_is_refused() {
    let of = |generation: &str| {
        let text = format!(
            r#"{{"generation":{generation},"schemaVersion":"p1","table":"node","columns":["nid"],"rows":[]}}"#
        );
        (RULES.copies.chunk_refusal)(RULES, &chunk(&text), Some("p1"), None)
    };
    assert_eq!(
        of("-1"),
        Some(ChunkRefusal::BadGeneration),
        "a finite generation below 0 is refused (lanes.md 9, chunkRefusal)"
    );
    for generation in ["0", "-0"] {
        assert_eq!(
            of(generation),
            None,
            "0 is not negative (lanes.md 9, chunkRefusal)"
        );
    }
}

#[test]
fn only_exactly_false_rolls_a_transaction_back() {
    let end = |commit: &str| {
        let payload = format!(r#"{{"statements":[]{commit}}}"#);
        read_payload::<SqlTxn>(&payload).map(|transaction| transaction.end)
    };
    assert_eq!(
        end(r#","commit":false"#),
        Ok(End::Rollback),
        "`commit: false` rolls everything back (lanes.md 22.5)"
    );
    for commit in [
        "",
        r#","commit":true"#,
        r#","commit":0"#,
        r#","commit":null"#,
        r#","commit":"""#,
        r#","commit":[]"#,
    ] {
        assert_eq!(
            end(commit),
            Ok(End::Commit),
            "what is not exactly false commits (lanes.md 11 and 22.5): {commit}"
        );
    }
}

#[test]
fn a_commit_is_one_however_much_of_it_was_deferred() {
    for answer in [
        r#"{"action":"commit","generation":9,"reason":"","deferred":2}"#,
        r#"{"action":"commit","generation":9,"reason":"","deferred":0}"#,
        r#"{"action":"commit","generation":9,"reason":"","deferred":1,"primaryGeneration":8}"#,
    ] {
        let answer: ForwardAnswer = serde_json::from_str(answer).expect("an answer");
        for attempt in [Attempt::First, Attempt::Second] {
            assert_eq!(
                (RULES.forwarding.after_answer)(attempt, &answer),
                Flush::Committed,
                "the lane raises its marks after any commit (lanes.md 14.4): {answer:?}"
            );
        }
    }
}

#[test]
fn an_empty_collection_is_not_named() {
    let write = |collection: &str| ForwardStatement {
        sql: Text::new("INSERT INTO key_value (collection, name, value) VALUES (?, ?, ?)").into(),
        params: Field::Is(vec![collection, "n", "v"].into()),
        table: Text::new("key_value").into(),
        ..ForwardStatement::default()
    };
    let reason = |collection| plan(write(collection), Number::integer(7)).reason();
    assert_eq!(
        reason(""),
        "key_value originates a value a lane may not mint",
        "an empty collection is none: no `key_value:` (lanes.md 10, planForward)"
    );
    assert_eq!(
        reason("form"),
        "key_value:form originates a value a lane may not mint"
    );
}
