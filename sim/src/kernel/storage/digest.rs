//! What a database's digest is made of. Both stores use these functions, so that their digests agree.
//!
//! The digest is the sum of the digests of all rows and of all entries of the schema: a change of one row changes it
//! by one subtraction and one addition, and the order in which rows came does not matter.

use protocol::host::Value;
use xxhash_rust::xxh3::xxh3_128;

/// The part of a row of `table`.
#[must_use]
pub fn of_row(table: &str, row: &[Value]) -> u128 {
    let mut bytes = Vec::with_capacity(64 + 16 * row.len());
    bytes.push(b'r');
    push_text(&mut bytes, table);
    for value in row {
        push_value(&mut bytes, value);
    }
    xxh3_128(&bytes)
}

/// The part of an entry of `sqlite_schema`, by its name and the text that made it.
#[must_use]
pub fn of_entry(name: &str, ddl: &str) -> u128 {
    let mut bytes = Vec::with_capacity(32 + name.len() + ddl.len());
    bytes.push(b's');
    push_text(&mut bytes, name);
    push_text(&mut bytes, ddl);
    xxh3_128(&bytes)
}

fn push_value(bytes: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => bytes.push(0),
        Value::Number(number) => {
            bytes.push(1);
            bytes.extend_from_slice(&number.to_f64().to_bits().to_le_bytes());
        }
        Value::Text(text) => {
            bytes.push(2);
            push_text(bytes, text);
        }
        Value::Bytes(blob) => {
            bytes.push(3);
            push_bytes(bytes, &blob.0);
        }
    }
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    push_bytes(bytes, text.as_bytes());
}

/// With its length before it: two rows whose texts only join differently are two rows.
fn push_bytes(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
    bytes.extend_from_slice(part);
}
