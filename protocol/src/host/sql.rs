//! SQL as the platform offers it: statements, values, rows, errors.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Millis, Text};
use crate::number::Number;

/// A value of SQLite as code on the platform sees it. Every number is bound as REAL and read back as a double
/// (`workerd.md`, SQL table).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// NULL.
    Null,
    /// A number.
    #[serde(with = "any_number")]
    Number(Number),
    /// A text.
    Text(Text),
    /// A blob.
    Bytes(Bytes),
}

impl Value {
    /// A text.
    #[must_use]
    pub fn text(text: impl AsRef<str>) -> Self {
        Value::Text(Text::new(text))
    }

    /// The number in it, if it is one.
    #[must_use]
    pub fn as_number(&self) -> Option<Number> {
        if let Value::Number(number) = self {
            Some(*number)
        } else {
            None
        }
    }

    /// The text in it, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Value::Number(Number::from(value))
    }
}

/// A time, as JavaScript's `Date.now()` binds it.
impl From<Millis> for Value {
    fn from(value: Millis) -> Self {
        Value::Number(Number::from(value.0))
    }
}

impl From<Number> for Value {
    fn from(value: Number) -> Self {
        Value::Number(value)
    }
}

/// The bytes of a blob; hexadecimal in JSON: `{"bytes": "00ff"}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bytes(pub Arc<[u8]>);

#[derive(Serialize, Deserialize)]
struct HexForm {
    #[serde(with = "hex")]
    bytes: Vec<u8>,
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        HexForm {
            bytes: self.0.to_vec(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Bytes(HexForm::deserialize(deserializer)?.bytes.into()))
    }
}

/// JSON has no infinities: a number that it cannot hold is `{"number": "Infinity"}`.
mod any_number {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::number::Number;

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Form {
        Finite(Number),
        Other { number: String },
    }

    pub fn serialize<S: Serializer>(number: &Number, serializer: S) -> Result<S::Ok, S::Error> {
        // Minus zero is finite, and JSON as JavaScript prints it loses its sign. `Debug` keeps it.
        let form = if number.is_finite() && *number != -Number::ZERO {
            Form::Finite(*number)
        } else {
            Form::Other {
                number: format!("{number:?}"),
            }
        };
        form.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        Ok(match Form::deserialize(deserializer)? {
            Form::Finite(number) => number,
            Form::Other { number } => Number::parse(&number),
        })
    }
}

/// One statement with its parameters, bound by position.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Statement {
    /// The text; `?` stands for a parameter.
    pub sql: Text,
    /// The parameters, at most 100 (`platform.md` section 5).
    #[serde(default)]
    pub params: Vec<Value>,
}

impl Statement {
    /// A statement whose text is known when the code is written.
    #[must_use]
    pub fn new(sql: &'static str, params: impl Into<Vec<Value>>) -> Self {
        Statement {
            sql: Text::new_static(sql),
            params: params.into(),
        }
    }
}

/// The names of an answer's columns, in order; duplicates stay. Clones share them, for a statement has the same at
/// each run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Columns(Option<Arc<[Text]>>);

impl std::ops::Deref for Columns {
    type Target = [Text];

    fn deref(&self) -> &[Text] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl FromIterator<Text> for Columns {
    fn from_iter<I: IntoIterator<Item = Text>>(names: I) -> Self {
        let names: Arc<[Text]> = names.into_iter().collect();
        Columns((!names.is_empty()).then_some(names))
    }
}

impl<'a> IntoIterator for &'a Columns {
    type Item = &'a Text;
    type IntoIter = std::slice::Iter<'a, Text>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Vec<Text>> for Columns {
    fn from(names: Vec<Text>) -> Self {
        names.into_iter().collect()
    }
}

impl Serialize for Columns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Columns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Columns::from)
    }
}

/// What a statement answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rows {
    /// The columns' names.
    pub columns: Columns,
    /// The rows, each as wide as `columns`.
    pub rows: Vec<Vec<Value>>,
}

impl Rows {
    /// The first value of the first row.
    #[must_use]
    pub fn first(&self) -> Option<&Value> {
        self.rows.first().and_then(|row| row.first())
    }
}

/// How a batch ends when all its statements have run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Its writes stay.
    Commit,
    /// Its writes are taken back: a speculative run.
    Rollback,
}

/// A batch that did not run: nothing of it remains.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[error("statement {at} of the transaction: {error}")]
pub struct Failed {
    /// Which statement failed, counted from 0.
    pub at: usize,
    /// Why.
    pub error: SqlError,
}

/// What kind of error SQLite, or the platform in front of it, answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SqlErrorKind {
    /// No such table.
    NoSuchTable,
    /// No such column.
    NoSuchColumn,
    /// A UNIQUE or PRIMARY KEY constraint failed.
    Unique,
    /// A NOT NULL constraint failed.
    NotNull,
    /// Another constraint failed.
    Constraint,
    /// The text is not SQL.
    Syntax,
    /// A statement, a value or a row is past its limit.
    TooBig,
    /// More parameters than the platform's limit.
    TooManyParameters,
    /// Not as many parameters as the text asks for.
    ParameterCount,
    /// The platform does not let code do this.
    NotAuthorized,
    /// The disk is full. This kind and the three below break the object ([`SqlErrorKind::breaks_object`]).
    Full,
    /// The disk cannot be read or written.
    Io,
    /// There is no memory left for the database.
    NoMemory,
    /// The statement was stopped, as the platform stops one that takes too much of the processor.
    Interrupted,
    /// Anything else.
    Other,
}

impl SqlErrorKind {
    /// Whether the database rolls the whole transaction back on such an error, and the platform breaks the object for
    /// it even if the code catches the error (`platform.md` section 4, item 7). Any other error only throws, and what
    /// ran before it stays (item 8).
    #[must_use]
    pub fn breaks_object(self) -> bool {
        matches!(
            self,
            SqlErrorKind::Full | SqlErrorKind::Io | SqlErrorKind::NoMemory | SqlErrorKind::Interrupted
        )
    }
}

/// An error of one statement. Compared and hashed without its detail: the two stores and the real runtime agree on
/// what went wrong and word it differently.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SqlError {
    /// What kind.
    pub kind: SqlErrorKind,
    /// The table it concerns, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Text>,
    /// The column it concerns, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<Text>,
    /// The database's own words, where they say more than the kind does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Text>,
}

impl std::error::Error for SqlError {}

impl PartialEq for SqlError {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, &self.table, &self.column) == (other.kind, &other.table, &other.column)
    }
}

impl Eq for SqlError {}

impl Hash for SqlError {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.kind, &self.table, &self.column).hash(state);
    }
}

impl SqlError {
    /// An error of a kind that concerns no table in particular.
    #[must_use]
    pub fn of(kind: SqlErrorKind) -> Self {
        SqlError {
            kind,
            table: None,
            column: None,
            detail: None,
        }
    }

    /// Reads the text that the real platform throws: there, only the message tells the kind (`workerd.md`, SQL table).
    #[must_use]
    pub fn from_message(message: &str) -> Self {
        use SqlErrorKind as Kind;
        let text = message.strip_prefix("Error: ").unwrap_or(message);
        let rest = |prefix: &str| {
            text.strip_prefix(prefix)
                .map(|rest| rest.split(": SQLITE_").next().unwrap_or(rest))
        };
        if let Some(table) = rest("no such table: ") {
            return SqlError {
                table: Some(Text::new(table)),
                ..SqlError::of(Kind::NoSuchTable)
            };
        }
        if let Some(column) = rest("no such column: ") {
            return SqlError {
                column: Some(Text::new(column)),
                ..SqlError::of(Kind::NoSuchColumn)
            };
        }
        if let Some((table, column)) =
            rest("table ").and_then(|rest| rest.split_once(" has no column named "))
        {
            return SqlError {
                table: Some(Text::new(table)),
                column: Some(Text::new(column)),
                ..SqlError::of(Kind::NoSuchColumn)
            };
        }
        for (prefix, kind) in [
            ("UNIQUE constraint failed: ", Kind::Unique),
            ("NOT NULL constraint failed: ", Kind::NotNull),
        ] {
            if let Some(place) = rest(prefix) {
                let first = place.split(", ").next().unwrap_or(place);
                let (table, column) = first.split_once('.').unwrap_or((first, ""));
                let column = (!column.is_empty()).then(|| Text::new(column));
                return SqlError {
                    table: Some(Text::new(table)),
                    column,
                    ..SqlError::of(kind)
                };
            }
        }
        let kind = match text {
            _ if text.contains("SQLITE_CONSTRAINT") => Kind::Constraint,
            _ if ["syntax error", "incomplete input", "unrecognized token"]
                .iter()
                .any(|said| text.contains(said)) =>
            {
                Kind::Syntax
            }
            _ if text.contains("SQLITE_TOOBIG") => Kind::TooBig,
            _ if text.contains("too many SQL variables")
                || text.contains("variable number must be between") =>
            {
                Kind::TooManyParameters
            }
            _ if text.contains("Wrong number of parameter bindings")
                || text.contains("only the last statement can have parameters") =>
            {
                Kind::ParameterCount
            }
            // A function that is refused has SQLITE_ERROR for its code.
            _ if text.contains("SQLITE_AUTH")
                || text.starts_with("not authorized")
                || text.contains("state.storage.transaction") =>
            {
                Kind::NotAuthorized
            }
            _ if text.contains("SQLITE_FULL") => Kind::Full,
            _ if text.contains("SQLITE_IOERR") => Kind::Io,
            _ if text.contains("SQLITE_NOMEM") => Kind::NoMemory,
            _ if text.contains("SQLITE_INTERRUPT") => Kind::Interrupted,
            _ => Kind::Other,
        };
        SqlError {
            detail: Some(Text::new(text)),
            ..SqlError::of(kind)
        }
    }
}

/// The one text of an error: alike in the simulator and in the Worker, whatever the runtime's own words were.
impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.table.as_deref().unwrap_or("?");
        let column = self.column.as_deref().unwrap_or("?");
        match self.kind {
            SqlErrorKind::NoSuchTable => write!(f, "no such table: {table}"),
            SqlErrorKind::NoSuchColumn => write!(f, "no such column: {column}"),
            SqlErrorKind::Unique => write!(f, "UNIQUE constraint failed: {table}.{column}"),
            SqlErrorKind::NotNull => write!(f, "NOT NULL constraint failed: {table}.{column}"),
            SqlErrorKind::Constraint => f.write_str("a constraint failed"),
            SqlErrorKind::Syntax => f.write_str("syntax error"),
            SqlErrorKind::TooBig => f.write_str("string or blob too big"),
            SqlErrorKind::TooManyParameters => f.write_str("too many SQL variables"),
            SqlErrorKind::ParameterCount => f.write_str("wrong number of parameter bindings"),
            SqlErrorKind::NotAuthorized => f.write_str("not authorized"),
            SqlErrorKind::Full => f.write_str("database or disk is full"),
            SqlErrorKind::Io => f.write_str("disk I/O error"),
            SqlErrorKind::NoMemory => f.write_str("out of memory"),
            SqlErrorKind::Interrupted => f.write_str("interrupted"),
            SqlErrorKind::Other => f.write_str(self.detail.as_deref().unwrap_or("an error of the database")),
        }
    }
}
