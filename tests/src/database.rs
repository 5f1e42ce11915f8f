//! SQLite with the platform's values: every number is bound as REAL and read as a double.

use std::collections::BTreeMap;
use std::path::Path;

use protocol::host::{Bytes, Columns, Rows, SqlError, Statement, Text, Value};
use protocol::number::Number;
use rusqlite::types::{Value as Sqlite, ValueRef};
use rusqlite::{Connection, OpenFlags, params_from_iter};

/// All tables of a database: name to rows, in the order of the primary key.
pub type Contents = BTreeMap<Text, Vec<Vec<Value>>>;

/// One object's database.
#[derive(Debug)]
pub struct Database(Connection);

impl Database {
    /// An empty one, in memory.
    ///
    /// # Panics
    /// When SQLite cannot be opened at all.
    #[must_use]
    pub fn in_memory() -> Self {
        Database(Connection::open_in_memory().expect("SQLite opens a database in memory"))
    }

    /// The one in this file. A log beside it is read along.
    ///
    /// # Errors
    /// Where it is no database.
    pub fn open(file: &Path) -> rusqlite::Result<Self> {
        // Writable, so that SQLite may take in the log: give it a copy.
        Ok(Database(Connection::open_with_flags(
            file,
            OpenFlags::SQLITE_OPEN_READ_WRITE,
        )?))
    }

    /// Runs one statement.
    ///
    /// # Errors
    /// What the database refuses.
    pub fn run(&self, statement: &Statement) -> Result<Rows, SqlError> {
        self.query(&statement.sql, &statement.params)
            .map_err(|error| match error {
                rusqlite::Error::SqliteFailure(_, Some(message)) => SqlError::from_message(&message),
                other => SqlError::from_message(&other.to_string()),
            })
    }

    /// Everything in it but SQLite's and the platform's own tables.
    ///
    /// # Errors
    /// Where a table cannot be read.
    pub fn contents(&self) -> rusqlite::Result<Contents> {
        let names = self.query(
            "SELECT name FROM sqlite_master WHERE type = 'table' \
             AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
            &[],
        )?;
        let names = names
            .rows
            .into_iter()
            .filter_map(|row| Some(Text::new(row.first()?.as_text()?)));
        names.map(|name| Ok((name.clone(), self.table(&name)?))).collect()
    }

    fn table(&self, name: &str) -> rusqlite::Result<Vec<Vec<Value>>> {
        let key = self.query(
            "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk",
            &[Value::text(name)],
        )?;
        let mut key: Vec<_> = key
            .rows
            .iter()
            .filter_map(|row| quoted(row.first()?.as_text()?))
            .collect();
        if key.is_empty() {
            key.push("rowid".to_owned());
        }
        let table = quoted(name).unwrap_or_default();
        Ok(self
            .query(&format!("SELECT * FROM {table} ORDER BY {}", key.join(", ")), &[])?
            .rows)
    }

    fn query(&self, sql: &str, params: &[Value]) -> rusqlite::Result<Rows> {
        let mut statement = self.0.prepare(sql)?;
        let columns: Columns = statement.column_names().map(Text::new).collect();
        let width = columns.len();
        let mut answer = statement.query(params_from_iter(params.iter().map(bound)))?;
        let mut rows = Vec::new();
        while let Some(row) = answer.next()? {
            rows.push(
                (0..width)
                    .map(|at| row.get_ref(at).map(read))
                    .collect::<Result<_, _>>()?,
            );
        }
        Ok(Rows { columns, rows })
    }
}

fn quoted(name: &str) -> Option<String> {
    (!name.is_empty()).then(|| format!("\"{}\"", name.replace('"', "\"\"")))
}

fn bound(value: &Value) -> Sqlite {
    match value {
        Value::Null => Sqlite::Null,
        Value::Number(number) => Sqlite::Real(number.to_f64()),
        Value::Text(text) => Sqlite::Text(text.to_string()),
        Value::Bytes(bytes) => Sqlite::Blob(bytes.0.to_vec()),
    }
}

fn read(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(integer) => Value::Number(Number::from(integer)),
        ValueRef::Real(real) => Value::Number(Number::from_f64(real)),
        ValueRef::Text(text) => Value::text(String::from_utf8_lossy(text)),
        ValueRef::Blob(bytes) => Value::Bytes(Bytes(bytes.into())),
    }
}
