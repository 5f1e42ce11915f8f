//! What a render answers: a digest of what it read, and all that a checker needs to read it again elsewhere.
//!
//! # Canonical encoding
//! The digest of one read is XXH3-128 over these bytes, as 32 lower-case hexadecimal digits. A field is its kind, its
//! length in bytes of UTF-8, `:`, and its text; so no text can move from one field to the next.
//!
//! ```text
//! <number of columns> <number of rows>\n
//! <field t: name of a column>*\n
//! (<field>*\n)*                            one line a row, in the order in which the database gave them
//!
//! -            NULL
//! n3:1.5       a number as JavaScript prints it, and the sign of minus zero
//! t4:node      a text
//! x4:00ff      bytes, in hexadecimal digits
//! ```
//!
//! The digest of a page is XXH3-128 over the digests of its reads, each followed by `\n`.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::host::{Payload, Rows, Statement, Text, Value};

/// The body of a rendered page.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// The client's name for the attempt that this answers.
    #[serde(default, skip_serializing_if = "Text::is_empty")]
    pub token: Text,
    /// The digest of all reads, in order.
    pub digest: Text,
    /// What was read, and what was written before it, in order.
    pub evidence: Vec<Evidence>,
    /// The account that the program found its visitor to have; NULL for none.
    pub account: Value,
    /// Of an error page: what was thrown.
    #[serde(default, skip_serializing_if = "Text::is_empty")]
    pub error: Text,
}

/// What a render did, as far as what it read depends on it.
///
/// A checker runs this on a copy of the primary's state at a generation: each [`Wrote`](Evidence::Wrote) for good, each
/// [`Read`](Evidence::Read) after what it stands behind, which it then takes back. The render is that of the generation
/// when every digest comes out the same. Reads of tables that are each object's own are for the checker to leave out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// It read.
    Read {
        /// The statement, bound.
        statement: Statement,
        /// The writes of its transaction that it saw, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        behind: Vec<Statement>,
        /// The digest of the rows.
        digest: Text,
    },
    /// It wrote, before a later read, and meant it to stay. On a lane it did not: there a read does not see the
    /// render's own writes.
    Wrote(Vec<Statement>),
}

impl Page {
    /// The digest of a page whose reads have these digests.
    #[must_use]
    pub fn digest_of<'a>(reads: impl Iterator<Item = &'a str>) -> Text {
        let mut lines = String::new();
        for digest in reads {
            lines.push_str(digest);
            lines.push('\n');
        }
        hex(lines.as_bytes())
    }

    /// The digests of its reads, in order.
    pub fn reads(&self) -> impl Iterator<Item = &str> {
        self.evidence.iter().filter_map(|evidence| match evidence {
            Evidence::Read { digest, .. } => Some(digest.as_str()),
            Evidence::Wrote(_) => None,
        })
    }
}

/// The digest of what a read answered.
#[must_use]
pub fn digest_rows(rows: &Rows) -> Text {
    hex(canonical_rows(rows).as_bytes())
}

/// The bytes that a digest is made of: see [the module](self).
///
/// ```
/// use protocol::host::{Rows, Value};
/// use protocol::lanes::app::page::canonical_rows;
/// let rows = Rows { columns: vec!["nid".into(), "title".into()].into(), rows: vec![vec![Value::from(258), Value::Null]] };
/// assert_eq!(canonical_rows(&rows), "2 1\nt3:nidt5:title\nn3:258-\n");
/// ```
#[must_use]
pub fn canonical_rows(rows: &Rows) -> String {
    let mut text = format!("{} {}\n", rows.columns.len(), rows.rows.len());
    for column in &rows.columns {
        field(&mut text, 't', column);
    }
    text.push('\n');
    for row in &rows.rows {
        for value in row {
            match value {
                Value::Null => text.push('-'),
                Value::Number(number) => field(&mut text, 'n', &format!("{number:?}")),
                Value::Text(value) => field(&mut text, 't', value),
                Value::Bytes(bytes) => field(&mut text, 'x', &hex::encode(&*bytes.0)),
            }
        }
        text.push('\n');
    }
    text
}

fn field(text: &mut String, kind: char, value: &str) {
    // Writing to a String does not fail.
    let _ = write!(text, "{kind}{}:{value}", value.len());
}

fn hex(bytes: &[u8]) -> Text {
    Text::from(format!("{:032x}", xxh3_128(bytes)))
}

/// A finished render.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finished {
    /// The status.
    pub status: u16,
    /// What the session's cookie is set to, if it is; NULL clears it.
    pub session: Option<Value>,
    /// The body.
    pub page: Page,
}

/// The name of the session's cookie: one that routing takes for a session (`lanes.md` 4).
pub const SESSION_COOKIE: &str = "SESSd1a5b3c7e9f02468ace13579bdf02468";
/// The role of everybody who has none.
pub const ANONYMOUS: &str = "anonymous";
/// The role of everybody who is logged in.
pub const AUTHENTICATED: &str = "authenticated";

impl Finished {
    /// The visitor's role, as `x-cfw-roles` says it.
    #[must_use]
    pub fn role(&self) -> &'static str {
        match self.page.account {
            Value::Number(number) if !number.js_eq(crate::number::Number::ZERO) => AUTHENTICATED,
            _ => ANONYMOUS,
        }
    }
}

/// The value of `set-cookie` that gives a visitor this session, or takes it.
pub(super) fn set_cookie(session: &Value) -> Text {
    Text::from(match session {
        Value::Text(value) => format!("{SESSION_COOKIE}={value}"),
        Value::Number(value) => format!("{SESSION_COOKIE}={value}"),
        Value::Null | Value::Bytes(_) => format!("{SESSION_COOKIE}=; Max-Age=0"),
    })
}

impl Payload for Page {
    fn encode(&self) -> String {
        to_json(self)
    }
}

/// The value as JSON. Bodies have no map whose keys are not texts, which is all that JSON could not hold.
pub(super) fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
