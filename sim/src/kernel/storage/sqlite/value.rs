//! Values on their way into SQLite and out of it.

use protocol::host::{Bytes, Value};
use protocol::number::Number;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Error, Row};

/// A row as code on the platform sees it.
pub(super) fn values(row: &Row<'_>, width: usize) -> Result<Vec<Value>, Error> {
    // An iterator of results does not say how many there are.
    let mut values = Vec::with_capacity(width);
    for at in 0..width {
        values.push(value(row.get_ref(at)?));
    }
    Ok(values)
}

fn value(found: ValueRef<'_>) -> Value {
    match found {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(integer) => Value::Number(Number::from(integer)),
        ValueRef::Real(real) => Value::Number(Number::from_f64(real)),
        // Bytes that are no UTF-8 come from a cast of a blob; the platform's own text has replacement characters then.
        ValueRef::Text(bytes) => {
            str::from_utf8(bytes).map_or_else(|_| Value::text(String::from_utf8_lossy(bytes)), Value::text)
        }
        ValueRef::Blob(bytes) => Value::Bytes(Bytes(bytes.into())),
    }
}

/// A value as it is bound. SQLite takes NaN for NULL.
pub(super) struct Bound<'a>(pub(super) &'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Number(number) => ValueRef::Real(number.to_f64()),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(&bytes.0),
        }))
    }
}
