//! The follower's tables, and every statement that touches them.

use protocol::host::{End, ObjectName, SqlError, Statement, Value};
use protocol::number::Number;

use super::Cx;
use crate::Failure;
use crate::wire::{Record, Standing};

/// Makes the tables, and the copy of nothing at 0, where they are not there yet; stores the name, if it is given.
/// Answers the name that is stored then.
pub(super) fn start_up(cx: &mut Cx<'_, '_>, name: Option<ObjectName>) -> Result<Option<ObjectName>, Failure> {
    let mut batch = vec![
        Statement::new(
            "CREATE TABLE IF NOT EXISTS copy (id INTEGER PRIMARY KEY, value INTEGER, applied INTEGER)",
            [],
        ),
        Statement::new(
            "CREATE TABLE IF NOT EXISTS meta (k TEXT PRIMARY KEY, v TEXT NOT NULL)",
            [],
        ),
        Statement::new(
            "INSERT OR IGNORE INTO copy (id, value, applied) VALUES (1, 0, 0)",
            [],
        ),
    ];
    batch.extend(name.map(|name| {
        let params = [Value::text("name"), Value::Text(name.0)];
        Statement::new("INSERT OR IGNORE INTO meta (k, v) VALUES (?, ?)", params)
    }));
    batch.push(Statement::new(
        "SELECT v FROM meta WHERE k = ?",
        [Value::text("name")],
    ));

    let answers = cx.transaction(&batch, End::Commit)?;
    let stored = answers.last().and_then(|rows| rows.first());
    Ok(stored.and_then(Value::as_text).map(ObjectName::new))
}

/// Value and position.
pub(super) fn standing(cx: &mut Cx<'_, '_>) -> Result<Standing, SqlError> {
    let copy = cx.sql(&Statement::new(
        "SELECT value, applied FROM copy WHERE id = 1",
        [],
    ))?;
    let column = |at: usize| {
        let value = copy.rows.first().and_then(|row| row.get(at));
        value.and_then(Value::as_number).unwrap_or(Number::ZERO)
    };
    Ok(Standing {
        value: column(0),
        applied: column(1),
    })
}

/// Adds one record to the copy.
pub(super) fn application(record: &Record) -> Statement {
    Statement::new(
        "UPDATE copy SET value = value + ?, applied = ? WHERE id = 1",
        [record.by.into(), record.generation.into()],
    )
}
