//! The payloads of the two SQL bridges, by which the interpreter reaches its object's database (`lanes.md` 22.5).

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};

use super::codec::Encoded;
use crate::host::{End, Text};
use crate::sql::Params;

/// One statement of the interpreter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SqlStatement {
    /// The text.
    pub sql: Text,
    /// Its parameters: by position in inserts, by name elsewhere.
    #[serde(default, skip_serializing_if = "Params::is_absent")]
    pub params: Params<Encoded>,
    /// The table into which the driver minted an id, if it did (`lanes.md` 18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minted: Option<Text>,
}

impl SqlStatement {
    /// A statement that minted nothing.
    pub fn new(sql: impl AsRef<str>, params: Params<Encoded>) -> Self {
        SqlStatement {
            sql: Text::new(sql),
            params,
            minted: None,
        }
    }
}

/// The payload of `cfwSqlExec`: one statement on its own, committed when it has run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SqlExec {
    /// The text.
    pub sql: Text,
    /// Its parameters.
    #[serde(default, skip_serializing_if = "Params::is_absent")]
    pub params: Params<Encoded>,
}

/// The payload of `cfwSqlTxn`: statements in order in one transaction, then a read whose rows are the answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SqlTxn {
    /// The statements.
    pub statements: Vec<SqlStatement>,
    /// What is read behind them, in the same transaction. `null` is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<SqlExec>,
    /// How it ends. In JSON the key `commit`; only exactly `false` rolls back.
    #[serde(
        rename = "commit",
        default = "committing",
        deserialize_with = "read_end",
        serialize_with = "write_end",
        skip_serializing_if = "is_committing"
    )]
    pub end: End,
}

fn committing() -> End {
    End::Commit
}

fn is_committing(end: &End) -> bool {
    *end == End::Commit
}

fn write_end<S: serde::Serializer>(end: &End, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(is_committing(end))
}

/// `payload.commit !== false`: anything else commits, whatever it is.
fn read_end<'de, D: Deserializer<'de>>(deserializer: D) -> Result<End, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Commit {
        Bool(bool),
        Other(IgnoredAny),
    }
    Ok(match Commit::deserialize(deserializer)? {
        Commit::Bool(false) => End::Rollback,
        Commit::Bool(true) | Commit::Other(_) => End::Commit,
    })
}

/// Why a payload could not be read: where, and what was wrong there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{field}: {why}")]
pub struct PayloadError {
    /// The path of the field, such as `statements[2].params[0]`; `.` is the whole.
    pub field: String,
    /// What was wrong.
    pub why: String,
}

/// Reads a payload: [`SqlTxn`], [`SqlExec`], or another type of the wire that arrives as JSON text.
///
/// Unknown keys are passed over. One deviation from `JSON.parse`: a key of the payload that comes twice is refused.
///
/// # Errors
/// [`PayloadError`] names the field that is missing or is not what it should be.
pub fn read_payload<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, PayloadError> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let whole = |why: String| PayloadError {
        field: ".".to_owned(),
        why,
    };
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| PayloadError {
        field: error.path().to_string(),
        why: error.inner().to_string(),
    })?;
    reader.end().map_err(|error| whole(error.to_string()))?;
    Ok(value)
}
