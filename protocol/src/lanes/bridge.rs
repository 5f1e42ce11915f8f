//! The payloads of the two SQL bridges, by which the interpreter reaches its object's database (`lanes.md` 22.5).
//!
//! They are read as the deployed guard reads them: `JSON.parse`, and then each statement must be an object whose `sql`
//! is a text (`lanes.md` 11). Nothing else makes a payload unreadable. So the last of two equal keys counts, a list is no
//! statement, unknown keys are passed over, and a field that may be missing is missing when it is of another kind.

use serde::Serialize;

use super::wire::Field;
use crate::host::{End, Text};
use crate::json::{Json, Object};

/// One statement of the interpreter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct SqlStatement {
    /// The text.
    pub sql: Text,
    /// Its parameters as they came: by position in inserts, by name elsewhere, each in the [`codec`](super::codec).
    #[serde(skip_serializing_if = "Field::is_missing")]
    pub params: Field<Json>,
    /// The table into which the driver minted an id, if it did (`lanes.md` 18).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minted: Option<Text>,
}

impl SqlStatement {
    /// A statement that minted nothing.
    pub fn new(sql: impl AsRef<str>, params: Field<Json>) -> Self {
        SqlStatement {
            sql: Text::new(sql),
            params,
            minted: None,
        }
    }
}

/// The payload of `cfwSqlExec`: one statement on its own, committed when it has run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct SqlExec {
    /// The text.
    pub sql: Text,
    /// Its parameters, as those of a [`SqlStatement`].
    #[serde(skip_serializing_if = "Field::is_missing")]
    pub params: Field<Json>,
}

/// The payload of `cfwSqlTxn`: statements in order in one transaction, then a read whose rows are the answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct SqlTxn {
    /// The statements.
    pub statements: Vec<SqlStatement>,
    /// What is read behind them, in the same transaction. `null` is none. Anything else must be a statement, also what
    /// JavaScript takes for false: a `read` part without a text makes the payload unreadable (`lanes.md` 11), and 22.5
    /// knows no other form of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<SqlExec>,
    /// How it ends. In JSON the key `commit`; only exactly `false` rolls back.
    #[serde(
        rename = "commit",
        serialize_with = "write_end",
        skip_serializing_if = "is_committing"
    )]
    pub end: End,
}

fn is_committing(end: &End) -> bool {
    *end == End::Commit
}

fn write_end<S: serde::Serializer>(end: &End, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(is_committing(end))
}

/// Why a payload could not be read: where, and what was wrong there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{field}: {why}")]
pub struct PayloadError {
    /// The path of the field, such as `statements[2].sql`; `.` is the whole.
    pub field: String,
    /// What was wrong.
    pub why: String,
}

impl PayloadError {
    /// The field is missing, or holds something else.
    fn needed(field: &str, what: &str, found: Option<&Json>) -> Self {
        let found = found.map_or("nothing".to_owned(), |json| json.kind().to_string());
        PayloadError {
            field: field.to_owned(),
            why: format!("{what} is needed, not {found}"),
        }
    }

    /// The same, seen from the payload that holds this one.
    fn within(mut self, outer: &str) -> Self {
        self.field = if self.field == "." {
            outer.to_owned()
        } else {
            format!("{outer}.{}", self.field)
        };
        self
    }
}

/// Reads a payload: [`SqlTxn`] or [`SqlExec`].
///
/// # Errors
/// [`PayloadError`] names the field that is missing or is not what it should be.
pub fn read_payload<T: TryFrom<Json, Error = PayloadError>>(json: &str) -> Result<T, PayloadError> {
    let payload = Json::parse(json).map_err(|error| PayloadError {
        field: ".".to_owned(),
        why: error.to_string(),
    })?;
    T::try_from(payload)
}

impl TryFrom<Json> for SqlStatement {
    type Error = PayloadError;

    fn try_from(payload: Json) -> Result<Self, PayloadError> {
        let mut fields = object(payload)?;
        Ok(SqlStatement {
            sql: text(&mut fields, "sql")?,
            params: Field::of(fields.take("params")),
            minted: fields.get("minted").and_then(Json::as_text).cloned(),
        })
    }
}

impl TryFrom<Json> for SqlExec {
    type Error = PayloadError;

    fn try_from(payload: Json) -> Result<Self, PayloadError> {
        SqlStatement::try_from(payload).map(|SqlStatement { sql, params, .. }| SqlExec { sql, params })
    }
}

impl TryFrom<Json> for SqlTxn {
    type Error = PayloadError;

    fn try_from(payload: Json) -> Result<Self, PayloadError> {
        let mut fields = object(payload)?;
        let items = match fields.take("statements") {
            Some(Json::Array(items)) => items,
            other => return Err(PayloadError::needed("statements", "a list", other.as_ref())),
        };
        let statements = items.into_iter().enumerate().map(|(at, item)| {
            SqlStatement::try_from(item).map_err(|error| error.within(&format!("statements[{at}]")))
        });
        let read = fields.take("read").filter(|read| *read != Json::Null);
        Ok(SqlTxn {
            statements: statements.collect::<Result<_, _>>()?,
            read: read
                .map(|read| SqlExec::try_from(read).map_err(|error| error.within("read")))
                .transpose()?,
            end: if fields.get("commit") == Some(&Json::Bool(false)) {
                End::Rollback
            } else {
                End::Commit
            },
        })
    }
}

fn object(payload: Json) -> Result<Object, PayloadError> {
    if let Json::Object(fields) = payload {
        Ok(fields)
    } else {
        Err(PayloadError::needed(".", "an object", Some(&payload)))
    }
}

fn text(fields: &mut Object, key: &str) -> Result<Text, PayloadError> {
    match fields.take(key) {
        Some(Json::Text(text)) => Ok(text),
        other => Err(PayloadError::needed(key, "a text", other.as_ref())),
    }
}
