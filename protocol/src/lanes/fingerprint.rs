//! The fingerprint of an object's state (`lanes.md` 7).
//!
//! It covers two tables, `key_value` and `key_value_expire`, whole. Nodes, users, sessions, configuration, routes and
//! files are invisible to it. The deployed framing of the bytes is not known; ours keeps what is: a version, a count,
//! sorted rows, fields that say how long they are, and NULL apart from the empty text. So fingerprints are compared
//! among objects of this code only.

use crate::ecma::cmp_utf16;
use crate::host::{Statement, Text, Value};

/// The version that stands first in the bytes.
pub const VERSION: &str = "cfw-fp-1";

/// The tables that it covers, in the order in which they are read.
pub const COVERED_TABLES: [&str; 2] = ["key_value", "key_value_expire"];

/// One row of a covered table. A field that is NULL is not the empty text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateRow {
    /// The table that it stands in.
    pub table: Text,
    /// Its collection.
    pub collection: Value,
    /// Its name.
    pub name: Value,
    /// Its value.
    pub value: Value,
}

/// The statement that reads a covered table: columns `collection`, `name`, `value`. The order of rows does not matter.
///
/// A table that does not exist is put on the list of absent ones; any other error is thrown (`readStateRows`).
pub fn read_rows(table: &str) -> Statement {
    Statement {
        sql: format!("SELECT collection, name, value FROM {table}").into(),
        params: Vec::new(),
    }
}

/// The bytes whose SHA-256, in lower-case hexadecimal digits, is the fingerprint. The digest itself is an await on the
/// platform.
///
/// ```
/// use protocol::host::Value;
/// use protocol::lanes::fingerprint::{StateRow, canonical_bytes};
/// let row = StateRow { table: "key_value".into(), collection: Value::text("state"), name: Value::text("a"), value: Value::Null };
/// assert_eq!(canonical_bytes(&[row]), b"cfw-fp-1\n1\n9:key_value5:state1:a-\n");
/// ```
pub fn canonical_bytes(rows: &[StateRow]) -> Vec<u8> {
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    lines.sort_by(|a, b| cmp_utf16(a, b));
    let mut text = format!("{VERSION}\n{}\n", lines.len());
    text.extend(lines);
    text.into_bytes()
}

fn line(row: &StateRow) -> String {
    let table = prefixed(&row.table);
    let fields = [&row.collection, &row.name, &row.value].map(field);
    format!("{table}{}\n", fields.concat())
}

/// A field that says how long it is, so that no text can move from one field to the next.
fn field(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::Text(text) => prefixed(text),
        // `String(number)`: as the deployed code is believed to take every field.
        Value::Number(number) => prefixed(&number.to_string()),
        // `String(bytes)` would be one text for all bytes; that is believed of nobody.
        Value::Bytes(bytes) => format!("x{}", prefixed(&hex::encode(&*bytes.0))),
    }
}

/// The length is in bytes of UTF-8.
fn prefixed(text: &str) -> String {
    format!("{}:{text}", text.len())
}

#[cfg(test)]
mod tests;
