//! The primary's log, as it is read (`lanes.md` 17).

use super::{Cx, Failure, SiteObject, answer};
use crate::host::{Response, SqlError, Statement, Text, Value};
use crate::json::Json;
use crate::lanes::wire::{Field, LogAnswer, LoggedStatement, Record, Shape};
use crate::number::Number;

/// The records after a generation, in order.
pub(super) fn after(cx: &mut Cx<'_, '_>, since: Number, limit: Number) -> Result<Vec<Record>, SqlError> {
    let read = Statement::new(
        "SELECT generation, parent, schema_version, fingerprint, overflowed, statements FROM cfw_repl_log \
         WHERE generation > ? ORDER BY generation LIMIT ?",
        [since.into(), limit.floor().into()],
    );
    Ok(cx.sql(&read)?.rows.iter().map(|row| record(row)).collect())
}

fn record(row: &[Value]) -> Record {
    let number = |at: usize| {
        let number = row.get(at).and_then(Value::as_number);
        Field::<Number>::from(number.unwrap_or(Number::NAN))
    };
    let text = |at: usize| Field::or_null(row.get(at).and_then(Value::as_text).map(Text::new));
    Record {
        generation: number(0),
        parent: number(1),
        schema_version: text(2),
        fingerprint: text(3),
        overflowed: (!number(4).or_nan().js_eq(Number::ZERO)).into(),
        statements: Field::of(statements(row.get(5))),
        ..Record::default()
    }
}

fn statements(stored: Option<&Value>) -> Option<Json> {
    Json::parse(stored.and_then(Value::as_text).unwrap_or("[]")).ok()
}

/// How many statements the records hold that were sealed since an instant.
pub(super) fn statements_since(cx: &mut Cx<'_, '_>, since: Number) -> Result<Number, SqlError> {
    let read = Statement::new(
        "SELECT statements FROM cfw_repl_log WHERE sealed_at >= ?",
        [since.into()],
    );
    let rows = cx.sql(&read)?.rows;
    let counts = rows.iter().map(|row| {
        let list = statements(row.first()).map(<Vec<Field<LoggedStatement>>>::shape);
        list.and_then(Result::ok).map_or(0, |list| list.len() as u64)
    });
    Ok(Number::from(counts.sum::<u64>()))
}

impl SiteObject {
    /// `action=log`
    pub(super) fn log(&self, since: Number, limit: Number, cx: &mut Cx<'_, '_>) -> Result<Response, Failure> {
        let records = after(cx, since, limit)?;
        let overflowed = records.iter().filter(|record| record.overflowed.is_true());
        let overflowed: Vec<Json> = overflowed
            .map(|record| Json::from(record.generation.or_nan()))
            .collect();
        Ok(answer::message(
            200,
            LogAnswer {
                generation: self.sequence(cx)?.into(),
                records: Field::Is(records.into_iter().map(Field::Is).collect()),
                overflowed: overflowed.into(),
                ..LogAnswer::default()
            },
        ))
    }
}
