//! The counter's tables, and every statement that touches them.

use protocol::host::{ObjectName, Rows, SqlError, Statement, Text, Value};
use protocol::number::Number;

use super::Cx;
use crate::wire::{Added, Record};

/// Makes the tables, and the counter at 0, where they are not there yet.
pub(super) fn tables() -> [Statement; 4] {
    [
        Statement::new(
            "CREATE TABLE IF NOT EXISTS counter (id INTEGER PRIMARY KEY, value INTEGER)",
            [],
        ),
        Statement::new(
            "CREATE TABLE IF NOT EXISTS log \
             (generation INTEGER PRIMARY KEY, parent INTEGER, by INTEGER, token TEXT, digest TEXT)",
            [],
        ),
        Statement::new("CREATE TABLE IF NOT EXISTS followers (name TEXT PRIMARY KEY)", []),
        Statement::new("INSERT OR IGNORE INTO counter (id, value) VALUES (1, 0)", []),
    ]
}

/// Adds, and reads the value that this leads to.
pub(super) fn addition(by: Number) -> [Statement; 2] {
    [
        Statement::new("UPDATE counter SET value = value + ? WHERE id = 1", [by.into()]),
        read_value(),
    ]
}

fn read_value() -> Statement {
    Statement::new("SELECT value FROM counter WHERE id = 1", [])
}

/// What all sealed records add up to.
pub(super) fn sum(cx: &mut Cx<'_, '_>) -> Result<Number, SqlError> {
    Ok(number(
        cx.sql(&Statement::new("SELECT SUM(by) FROM log", []))?.first(),
    ))
}

pub(super) fn set_value(value: Number) -> Statement {
    Statement::new("UPDATE counter SET value = ? WHERE id = 1", [value.into()])
}

/// Keeps a record for good.
pub(super) fn seal(record: &Record) -> Statement {
    Statement::new(
        "INSERT INTO log (generation, parent, by, token, digest) VALUES (?, ?, ?, ?, ?)",
        [
            record.generation.into(),
            record.parent.into(),
            record.by.into(),
            Value::Text(record.token.clone()),
            Value::Text(record.digest.clone()),
        ],
    )
}

/// Keeps a follower's name.
pub(super) fn follow(name: &ObjectName) -> Statement {
    Statement::new(
        "INSERT OR IGNORE INTO followers (name) VALUES (?)",
        [Value::Text(name.0.clone())],
    )
}

pub(super) fn value(cx: &mut Cx<'_, '_>) -> Result<Number, SqlError> {
    Ok(number(cx.sql(&read_value())?.first()))
}

/// The newest sealed generation; 0 of an empty log.
pub(super) fn head(cx: &mut Cx<'_, '_>) -> Result<Number, SqlError> {
    let newest = Statement::new("SELECT generation FROM log ORDER BY generation DESC LIMIT 1", []);
    Ok(number(cx.sql(&newest)?.first()))
}

/// What the addition of this token was answered.
pub(super) fn answer_to(cx: &mut Cx<'_, '_>, token: &Text) -> Result<Option<Added>, SqlError> {
    let by_token = Statement::new(
        "SELECT generation, digest FROM log WHERE token = ? ORDER BY generation LIMIT 1",
        [Value::Text(token.clone())],
    );
    let rows = cx.sql(&by_token)?;
    Ok(rows.rows.first().map(|row| Added {
        generation: number(row.first()),
        digest: text(row.get(1)),
    }))
}

/// The first `limit` records after `since`.
pub(super) fn records(cx: &mut Cx<'_, '_>, since: Number, limit: Number) -> Result<Vec<Record>, SqlError> {
    let after = Statement::new(
        "SELECT generation, parent, by, token, digest FROM log WHERE generation > ? ORDER BY generation LIMIT ?",
        [since.into(), limit.into()],
    );
    Ok(cx.sql(&after)?.rows.iter().map(|row| record(row)).collect())
}

fn record(row: &[Value]) -> Record {
    Record {
        generation: number(row.first()),
        parent: number(row.get(1)),
        by: number(row.get(2)),
        token: text(row.get(3)),
        digest: text(row.get(4)),
    }
}

/// The names of all followers.
pub(super) fn followers(cx: &mut Cx<'_, '_>) -> Result<Vec<ObjectName>, SqlError> {
    let Rows { rows, .. } = cx.sql(&Statement::new("SELECT name FROM followers ORDER BY name", []))?;
    Ok(rows.iter().map(|row| ObjectName(text(row.first()))).collect())
}

/// The number of a column that holds numbers; 0 where there is no row.
pub(super) fn number(value: Option<&Value>) -> Number {
    value.and_then(Value::as_number).unwrap_or(Number::ZERO)
}

fn text(value: Option<&Value>) -> Text {
    Text::new(value.and_then(Value::as_text).unwrap_or_default())
}
