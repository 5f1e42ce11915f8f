//! A connection together with its prepared statements.
//!
//! Finding a statement by its text costs one short hash, where `prepare_cached` takes it out of an LRU list and puts
//! it back. A statement borrows its connection, so the two live in one cell.

use protocol::host::{Bytes, Rows, SqlError, SqlErrorKind, Text, Value};
use protocol::number::Number;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Error, Row, Statement};
use self_cell::self_cell;

use super::super::{limits, texts::Texts};
use super::connection::Shared;
use super::error::{RunError, read};

/// Statements held at once: a protocol has some dozens. One that writes its values into its texts would otherwise
/// hold all that it ever ran.
const HELD: usize = 512;

self_cell!(
    struct Held {
        owner: Connection,
        #[covariant]
        dependent: Statements,
    }
);

struct Statements<'connection> {
    mark: Statement<'connection>,
    roll_back: Statement<'connection>,
    release: Statement<'connection>,
    schema_version: Statement<'connection>,
    /// The version of the schema that the statements below were prepared for.
    prepared_for: i64,
    /// Marks that are set.
    depth: usize,
    /// Whether a statement that can change the schema ran since the oldest mark.
    touched_schema: bool,
    texts: Texts,
    by_number: Vec<Prepared<'connection>>,
}

/// A statement of the protocol's and what is asked of it at each run.
struct Prepared<'connection> {
    statement: Statement<'connection>,
    parameters: usize,
    writes: bool,
    touches_schema: bool,
    columns: Vec<Text>,
}

/// A database and the statements prepared on it.
pub(super) struct Database(Held);

/// What a statement did.
#[derive(Debug, Default)]
pub(super) struct Ran {
    pub(super) rows: Rows,
    pub(super) writes: bool,
}

/// Takes a connection in.
pub(super) fn hold(connection: Connection, shared: &Shared) -> Database {
    Database(Held::new(connection, |connection| {
        shared.trusted(|| {
            // Savepoints of one name nest; the newest is meant.
            let prepare = |sql| {
                connection
                    .prepare(sql)
                    .expect("the store's own statements are valid")
            };
            let mut statements = Statements {
                mark: prepare("SAVEPOINT mark"),
                roll_back: prepare("ROLLBACK TO mark"),
                release: prepare("RELEASE mark"),
                schema_version: prepare("PRAGMA schema_version"),
                prepared_for: 0,
                depth: 0,
                touched_schema: false,
                texts: Texts::default(),
                by_number: Vec::new(),
            };
            statements.drop_if_schema_changed();
            statements
        })
    }))
}

impl Database {
    /// For reading what stands in it.
    pub(super) fn connection(&self) -> &Connection {
        self.0.borrow_owner()
    }

    /// Whether a statement rolled back the transaction that the marks are in.
    pub(super) fn left_its_savepoints(&self) -> bool {
        self.connection().is_autocommit()
    }

    /// The marks are gone, and the database stands where the oldest was set.
    pub(super) fn forget_marks(&mut self, shared: &Shared) {
        self.0.with_dependent_mut(|_, statements| {
            statements.depth = 0;
            shared.trusted(|| statements.drop_if_schema_changed());
        });
    }

    pub(super) fn mark(&mut self, shared: &Shared) {
        self.0.with_dependent_mut(|_, statements| {
            shared.trusted(|| execute(&mut statements.mark));
            statements.depth += 1;
        });
    }

    /// Undoes what was done since the newest mark.
    pub(super) fn roll_back(&mut self, shared: &Shared) {
        self.0.with_dependent_mut(|_, statements| {
            shared.trusted(|| {
                execute(&mut statements.roll_back);
                if statements.touched_schema {
                    statements.drop_if_schema_changed();
                }
            });
        });
    }

    /// Drops the newest mark.
    pub(super) fn release(&mut self, shared: &Shared) {
        self.0.with_dependent_mut(|_, statements| {
            shared.trusted(|| execute(&mut statements.release));
            statements.depth -= 1;
            statements.touched_schema &= statements.depth > 0;
        });
    }

    /// Runs one statement, which is prepared and held if it is new.
    pub(super) fn run(&mut self, shared: &Shared, sql: &Text, params: &[Value]) -> Result<Ran, RunError> {
        self.0.with_dependent_mut(|connection, statements| {
            let number = match statements.texts.find(sql) {
                Some(number) => number,
                None => match prepare(connection, shared, sql)? {
                    Some(prepared) => statements.hold(sql, prepared),
                    None => return Ok(Ran::default()),
                },
            };
            let prepared = &mut statements.by_number[number];
            let ran = prepared.run(shared, params);
            if prepared.touches_schema {
                statements.touched_schema = true;
                shared.trusted(|| statements.drop_if_schema_changed());
            }
            ran
        })
    }
}

impl<'connection> Statements<'connection> {
    fn hold(&mut self, sql: &Text, prepared: Prepared<'connection>) -> usize {
        if self.by_number.len() == HELD {
            self.drop_all();
        }
        self.by_number.push(prepared);
        self.texts.insert(sql)
    }

    /// SQLite would prepare each of them anew by itself, but their columns may be others now.
    fn drop_if_schema_changed(&mut self) {
        let version = self
            .schema_version
            .query_row([], |row| row.get(0))
            .expect("a schema has a version");
        if self.prepared_for != version {
            self.prepared_for = version;
            self.drop_all();
        }
    }

    fn drop_all(&mut self) {
        self.texts = Texts::default();
        self.by_number.clear();
    }
}

fn execute(statement: &mut Statement<'_>) {
    statement
        .raw_execute()
        .expect("a savepoint of a database in memory can be set and left");
}

/// Prepares a statement; none when the text holds none.
fn prepare<'connection>(
    connection: &'connection Connection,
    shared: &Shared,
    sql: &Text,
) -> Result<Option<Prepared<'connection>>, RunError> {
    limits::check_first_word(sql).map_err(RunError::Preparing)?;
    let prepared = connection.prepare(sql);
    let touches_schema = shared.take_touched_schema();
    if shared.take_unsupported() {
        return Err(RunError::Unsupported(sql.clone()));
    }
    match prepared {
        Ok(statement) => Ok(Some(Prepared {
            parameters: statement.parameter_count(),
            writes: !statement.readonly(),
            touches_schema,
            columns: statement.column_names().map(Text::new).collect(),
            statement,
        })),
        Err(Error::Empty) => Ok(None),
        Err(error) => Err(RunError::Preparing(read(&error))),
    }
}

impl Prepared<'_> {
    fn run(&mut self, shared: &Shared, params: &[Value]) -> Result<Ran, RunError> {
        if params.len() != self.parameters {
            return Err(RunError::Preparing(SqlError::of(SqlErrorKind::ParameterCount)));
        }
        for (at, value) in params.iter().enumerate() {
            let bound = self.statement.raw_bind_parameter(at + 1, Bound(value));
            bound.map_err(|error| RunError::Preparing(read(&error)))?;
        }
        let rows = self.rows();
        // It may have been prepared anew within, and met again what it met the first time.
        shared.take_touched_schema();
        Ok(Ran {
            rows: rows.map_err(|error| RunError::Running(read(&error)))?,
            writes: self.writes,
        })
    }

    fn rows(&mut self) -> Result<Rows, Error> {
        let width = self.columns.len();
        let mut rows = Vec::new();
        let mut cursor = self.statement.raw_query();
        while let Some(row) = cursor.next()? {
            rows.push(values(row, width)?);
        }
        Ok(Rows {
            columns: self.columns.clone(),
            rows,
        })
    }
}

/// A row as code on the platform sees it.
pub(super) fn values(row: &Row<'_>, width: usize) -> Result<Vec<Value>, Error> {
    (0..width).map(|at| row.get_ref(at).map(value)).collect()
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
struct Bound<'a>(&'a Value);

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
