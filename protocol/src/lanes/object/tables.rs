//! The tables of an object, by name, with the statements that make them.

use super::Cx;
use crate::host::{SqlError, Statement, Text, Value};

/// The names of all tables that are there, whatever made them.
pub(super) fn names(cx: &mut Cx<'_, '_>) -> Result<Vec<Text>, SqlError> {
    let all = Statement::new(
        "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
        [],
    );
    texts(cx, &all)
}

/// The statements that make a table: its own CREATE, then its indexes. An index that a key brings with it has none.
pub(super) fn ddl(cx: &mut Cx<'_, '_>, table: &str) -> Result<Vec<Text>, SqlError> {
    let own = Statement::new(
        "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ? ORDER BY name",
        [Value::text(table)],
    );
    let indexes = Statement::new(
        "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? ORDER BY name",
        [Value::text(table)],
    );
    let mut ddl = texts(cx, &own)?;
    ddl.extend(texts(cx, &indexes)?);
    Ok(ddl)
}

fn texts(cx: &mut Cx<'_, '_>, statement: &Statement) -> Result<Vec<Text>, SqlError> {
    let rows = cx.sql(statement)?.rows;
    let texts = rows.iter().filter_map(|row| row.first().and_then(Value::as_text));
    Ok(texts.map(Text::new).collect())
}
