//! What a database's digest is made of. Both stores use these functions, so that their digests agree.
//!
//! The digest is the sum of the digests of all rows and of all entries of the schema: a change of one row changes it
//! by one subtraction and one addition, and the order in which rows came does not matter.

use protocol::host::Value;
use protocol::number::Number;
use xxhash_rust::xxh3::xxh3_128;

/// A value of a row, wherever it stands.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// NULL.
    Null,
    /// A number, as code reads it.
    Number(Number),
    /// A text.
    Text(&'a str),
    /// A blob.
    Bytes(&'a [u8]),
}

impl<'a> From<&'a Value> for Part<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Part::Null,
            Value::Number(number) => Part::Number(*number),
            Value::Text(text) => Part::Text(text),
            Value::Bytes(bytes) => Part::Bytes(&bytes.0),
        }
    }
}

/// The part of a row of `table`; `bytes` is a buffer.
#[must_use]
pub fn of_row<'a>(table: &str, row: impl Iterator<Item = Part<'a>>, bytes: &mut Vec<u8>) -> u128 {
    bytes.clear();
    bytes.push(b'r');
    push_text(bytes, table);
    for part in row {
        push_part(bytes, part);
    }
    xxh3_128(bytes)
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

fn push_part(bytes: &mut Vec<u8>, part: Part<'_>) {
    match part {
        Part::Null => bytes.push(0),
        Part::Number(number) => {
            bytes.push(1);
            bytes.extend_from_slice(&number.to_f64().to_bits().to_le_bytes());
        }
        Part::Text(text) => {
            bytes.push(2);
            push_text(bytes, text);
        }
        Part::Bytes(blob) => {
            bytes.push(3);
            push_bytes(bytes, blob);
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
