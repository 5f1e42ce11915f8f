use super::*;
use crate::json::{Json, Object};

fn statement() -> LoggedStatement {
    LoggedStatement::new(
        "INSERT INTO node (nid) VALUES (?)",
        vec![Json::Object(Object::default())],
    )
}

#[test]
fn the_501st_statement_empties_the_buffer_for_good() {
    let mut buffer = Buffer::opened_at(4.into());
    for _ in 0..MOST_STATEMENTS {
        buffer.push(statement());
    }
    assert!(!buffer.clone().into_record(504.into()).overflowed.is_true());
    buffer.push(statement());
    buffer.push(statement());
    let record = buffer.into_record(506.into());
    assert!(record.overflowed.is_true());
    assert_eq!(record.statements.get().map(Vec::len), Some(0));
}

#[test]
fn a_sequence_behind_the_log_advances_once_more_and_then_drops() {
    assert_eq!(plan_seal(4.into(), 5.into()), SealPlan::Seal(5.into()));
    assert_eq!(plan_seal(5.into(), 5.into()), SealPlan::AdvanceAndSeal(6.into()));
    assert_eq!(plan_seal(9.into(), 5.into()), SealPlan::AdvanceAndDrop(6.into()));
}

#[test]
fn an_empty_log_shows_the_sequence() {
    assert_eq!(copyable_generation(None, 7.into()), 7.into());
    assert_eq!(copyable_generation(Some(Number::ZERO), 7.into()), 7.into());
    assert_eq!(copyable_generation(Some(6.into()), 7.into()), 6.into());
}

#[test]
fn a_stored_record_keeps_no_bytes() {
    let mut buffer = Buffer::opened_at(4.into());
    buffer.push(statement());
    let stored = store_record(&buffer.into_record(5.into()), Millis(1_000));
    let text = r#"[{"sql":"INSERT INTO node (nid) VALUES (?)","params":[{}]}]"#;
    assert_eq!(stored.params[5], Value::text(text));
    assert_eq!(stored.sql.matches('?').count(), stored.params.len());
}
