//! What vectors cannot hold: batches and answers with fields that no peer writes.

use std::sync::Arc;

use super::*;
use crate::host::{Body, Text};
use crate::lanes::rules::Rules;
use crate::number::Number;

fn answer(json: &str) -> Arc<ForwardAnswer> {
    let answer = Body::text(json).read();
    answer.unwrap_or_else(|error| panic!("only unreadable JSON may throw (lanes.md 14.4): {json}: {error}"))
}

fn batch(json: &str) -> Arc<ForwardBatch> {
    let batch = Body::text(json).read();
    batch.unwrap_or_else(|error| panic!("no field may spoil the batch (lanes.md 13.3): {json}: {error}"))
}

/// The primary's judgement at generation 7, without taking anything out of the batch first.
fn judged(json: &str) -> String {
    let batch = batch(json);
    let statements = batch.read_statements().expect("no statement is null");
    let plan = plan_forward(
        &Rules::DOCUMENTED,
        &ForwardFacts {
            statements: &statements,
            parent: batch.parent.to_number(),
            primary_generation: 7.into(),
            partitioned: &batch.read_partitioned(),
        },
    );
    format!("{}: {}", plan.action(), plan.reason())
}

#[test]
fn a_commit_is_one_whatever_stands_beside_it() {
    for json in [
        r#"{"action":"commit"}"#,
        r#"{"action":"commit","reason":null}"#,
        r#"{"action":"commit","reason":7,"generation":"9","deferred":[]}"#,
        r#"{"action":"refuse","action":"commit"}"#,
    ] {
        assert_eq!(
            after_answer(Attempt::First, &answer(json)),
            Flush::Committed,
            "{json}: the last `action` alone decides"
        );
    }
}

#[test]
fn what_is_handed_back_reads_as_a_template_literal() {
    for (json, detail) in [
        ("{}", "undefined: undefined"),
        ("5", "undefined: undefined"),
        (r#"["commit"]"#, "undefined: undefined"),
        (r#"{"action":["commit"],"reason":""}"#, "commit: "),
        (r#"{"action":null,"reason":7}"#, "null: 7"),
        (r#"{"action":"later","reason":{}}"#, "later: [object Object]"),
        (
            r#"{"action":"conflict","reason":"c","primaryGeneration":null}"#,
            "conflict: c",
        ),
    ] {
        assert_eq!(
            after_answer(Attempt::First, &answer(json)).to_string(),
            detail,
            "{json}: both fields are printed as `String` prints them (lanes.md 14.4)"
        );
    }
}

#[test]
fn an_answer_that_is_null_throws() {
    assert!(
        Body::text("null").read::<ForwardAnswer>().is_err(),
        "JavaScript cannot ask null for its action"
    );
}

#[test]
fn an_odd_parent_is_refused_and_not_an_error() {
    for json in [
        r#"{"parent":{}}"#,
        r#"{"parent":"x"}"#,
        r#"{"parent":-1}"#,
        r#"{"parent":1e999}"#,
        "{}",
        "[]",
        r#"[[{"sql":"UPDATE node SET title = 1","table":"node"}],7]"#,
    ] {
        assert_eq!(
            judged(json),
            "refuse: the batch carries no readable parent generation",
            "{json}"
        );
    }
}

#[test]
fn of_two_parents_the_last_counts() {
    let json =
        r#"{"parent":6,"parent":"7","statements":[{"sql":"UPDATE node SET title = 1","table":"node"}]}"#;
    assert_eq!(judged(json), "commit: ", "as JSON.parse and Number() have it");
}

#[test]
fn an_odd_list_of_partitioned_tables_names_no_more_than_its_texts() {
    let judged = |partitioned: &str| {
        judged(&format!(
            r#"{{"parent":7,"partitioned":{partitioned},"statements":[{{"sql":"","table":"commerce_order"}}]}}"#
        ))
    };
    for nothing in [
        "null",
        "[5]",
        "\"commerce_order\"",
        "{}",
        "[[\"commerce_order\"]]",
    ] {
        assert_eq!(
            judged(nothing),
            "refuse: commerce_order originates a value a lane may not mint",
            "{nothing} names no table"
        );
    }
    assert_eq!(
        judged(r#"[5,null,"commerce_order"]"#),
        "commit: ",
        "the text counts"
    );
}

#[test]
fn a_table_that_is_no_text_is_none() {
    for table in ["null", "5", "[\"node\"]", "false"] {
        assert_eq!(
            judged(&format!(
                r#"{{"parent":7,"statements":[{{"sql":"x","table":{table}}}]}}"#
            )),
            "refuse: an unnamed table originates a value a lane may not mint",
            "{table}"
        );
    }
}

#[test]
fn an_item_that_is_no_object_has_no_fields() {
    for item in [
        "5",
        "[\"UPDATE node SET title = 1\",null,\"node\"]",
        "\"x\"",
        "{}",
    ] {
        assert_eq!(
            judged(&format!(r#"{{"parent":7,"statements":[{item}]}}"#)),
            "refuse: an unnamed table originates a value a lane may not mint",
            "{item}"
        );
    }
}

#[test]
fn an_item_that_is_null_throws() {
    let batch = batch(r#"{"parent":7,"statements":[{"sql":"x"},null]}"#);
    assert_eq!(
        batch.read_statements(),
        Err(NullStatement { at: 1 }),
        "JavaScript cannot ask null for its table"
    );
}

#[test]
fn statements_that_are_no_list_are_none() {
    for statements in ["null", "{}", "\"x\"", "5"] {
        assert_eq!(
            judged(&format!(r#"{{"parent":7,"statements":{statements}}}"#)),
            "refuse: the batch carries no statements",
            "{statements}"
        );
    }
}

#[test]
fn a_statement_without_a_text_is_judged_and_cannot_be_bound() {
    let json = r#"{"parent":7,"statements":[{"sql":["UPDATE node SET title = 1"],"table":"node"}]}"#;
    assert_eq!(judged(json), "commit: ", "the plan goes by the table");
    let statements = batch(json).read_statements().expect("no statement is null");
    assert_eq!(
        statements[0].bind(),
        Err(Unbound::NoText),
        "what is no text must never run"
    );
}

#[test]
fn a_batch_is_written_as_it_was_read() {
    for params in [
        "null",
        "5",
        "[1.5]",
        r#"[{"v":"7","$":"number"}]"#,
        r#"{"b":1,"a":{}}"#,
    ] {
        let json = format!(r#"{{"statements":[{{"sql":"x","params":{params},"table":"node"}}],"parent":7}}"#);
        assert_eq!(crate::host::Payload::encode(&*batch(&json)), json);
    }
}

#[test]
fn a_deferred_row_keeps_its_parameters_as_they_came() {
    let row = r#"{"sql":"INSERT INTO watchdog (a, b) VALUES (?, ?)","params":[1.5,{"v":"7","$":"number"}],"table":"watchdog"}"#;
    let batch = batch(&format!(r#"{{"statements":[{row}]}}"#));
    let statements = batch.read_statements().expect("no statement is null");
    let split = split_forward(&Rules::DOCUMENTED, &statements);
    assert_eq!(
        split
            .deferred
            .iter()
            .map(crate::host::Payload::encode)
            .collect::<Vec<_>>(),
        [row]
    );
}

#[test]
fn a_report_that_is_no_text_mints_nothing() {
    let batch =
        batch(r#"{"statements":[{"minted":false},{"minted":["node"]},{"minted":null},{"minted":"node"}]}"#);
    let statements = batch.read_statements().expect("no statement is null");
    assert_eq!(
        partitioned_tables(&Rules::DOCUMENTED, &statements),
        [Text::new("node")],
        "only a text names a table"
    );
}

/// `JSON.stringify(NaN)` is `null`, and `Number(null)` is 0 (`lanes.md` 19.10).
#[test]
fn a_parent_that_is_not_finite_arrives_as_0() {
    let batch = ForwardBatch {
        parent: Number::NAN.into(),
        ..ForwardBatch::default()
    };
    assert_eq!(batch.parent.to_number(), Number::ZERO);
}
