//! A connection together with its prepared statements.
//!
//! Finding a statement by its text costs one short hash, where `prepare_cached` takes it out of an LRU list and puts
//! it back. A statement borrows its connection, so the two live in one cell.

use protocol::host::{Columns, Rows, SqlError, SqlErrorKind, Text, Value};
#[cfg(test)]
use rusqlite::StatementStatus;
use rusqlite::{Connection, Error, Statement};
use self_cell::self_cell;

use super::super::{Writes, limits, ran::SCHEMA, split, texts::Texts};
use super::authoriser;
use super::connection::Shared;
use super::error::{RunError, read};
use super::value::{Bound, values};

/// Statements held at once: a protocol has some dozens. One that writes its values into its texts would otherwise
/// hold all that it ever ran.
const HELD: usize = 512;

self_cell!(
    struct Cell {
        owner: Connection,
        #[covariant]
        dependent: Statements,
    }
);

struct Statements<'connection> {
    mark: Statement<'connection>,
    roll_back: Statement<'connection>,
    release: Statement<'connection>,
    roll_back_to_base: Statement<'connection>,
    schema_version: Statement<'connection>,
    /// The version of the schema that the statements below were prepared for.
    prepared_for: i64,
    /// Savepoints that are set, without the base.
    depth: usize,
    /// Whether a statement that can change the schema ran since the oldest savepoint.
    touched_schema: bool,
    /// Whether one ran at all, since the base was set or gone back to.
    left_schema: bool,
    texts: Texts,
    by_number: Vec<Prepared<'connection>>,
}

/// A statement of the protocol's and what is asked of it at each run.
struct Prepared<'connection> {
    statement: Statement<'connection>,
    parameters: usize,
    traits: Traits,
    columns: Columns,
    /// What it has answered beside the platform's table for the alarm, by its parameters. Nothing is kept here of a
    /// statement that asks for more than the schema, and the statement is dropped when that changes.
    beside_alarm_table: Vec<(Vec<Value>, Rows)>,
}

/// Answers that are kept of a statement.
const ANSWERS: usize = 64;

/// What is known of a statement once it is prepared.
#[derive(Clone, Debug)]
pub(super) struct Traits {
    /// What it can write.
    pub(super) writes: Writes,
    /// Whether it makes tables or indices and does nothing else.
    pub(super) only_makes: bool,
    touches_schema: bool,
    /// Whether it reads the schema, other than to change it.
    pub(super) reads_schema: bool,
    /// Whether its answer depends on nothing but that and its parameters.
    reads_schema_alone: bool,
}

/// Refers to a statement that is held, until the next is prepared or run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number(usize);

/// A connection and the statements prepared on it.
pub(super) struct Held(Cell);

/// Takes a connection in.
pub(super) fn hold(connection: Connection, shared: &Shared) -> Held {
    Held(Cell::new(connection, |connection| {
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
                roll_back_to_base: prepare("ROLLBACK TO base"),
                schema_version: prepare("PRAGMA schema_version"),
                prepared_for: 0,
                depth: 0,
                touched_schema: false,
                left_schema: false,
                texts: Texts::default(),
                by_number: Vec::new(),
            };
            statements.drop_if_schema_changed();
            statements
        })
    }))
}

impl Held {
    /// For reading what stands in it.
    pub(super) fn connection(&self) -> &Connection {
        self.0.borrow_owner()
    }

    /// Savepoints that are set, without the base.
    pub(super) fn depth(&self) -> usize {
        self.0.borrow_dependent().depth
    }

    /// The savepoints are gone, and the database stands where the outermost was set.
    pub(super) fn forget_savepoints(&mut self, shared: &Shared) {
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

    /// Undoes what was done since the newest savepoint.
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

    /// Drops the newest savepoint.
    pub(super) fn release(&mut self, shared: &Shared) {
        self.0.with_dependent_mut(|_, statements| {
            shared.trusted(|| execute(&mut statements.release));
            statements.depth -= 1;
            statements.touched_schema &= statements.depth > 0;
        });
    }

    /// Undoes what was done since the base and drops the savepoints upon it.
    pub(super) fn roll_back_to_base(&mut self, shared: &Shared) {
        self.0.with_dependent_mut(|_, statements| {
            shared.trusted(|| {
                execute(&mut statements.roll_back_to_base);
                if statements.left_schema {
                    statements.drop_if_schema_changed();
                }
            });
            statements.depth = 0;
            (statements.touched_schema, statements.left_schema) = (false, false);
        });
    }

    /// The statement of this text, if it is held.
    pub(super) fn find(&self, sql: &str) -> Option<Number> {
        self.0.borrow_dependent().texts.find(sql).map(Number)
    }

    /// Prepares a statement and holds it; none when the text holds none.
    pub(super) fn prepare(&mut self, shared: &Shared, sql: &Text) -> Result<Option<Number>, RunError> {
        self.0.with_dependent_mut(|connection, statements| {
            let prepared = prepare(connection, shared, sql)?;
            Ok(prepared.map(|prepared| Number(statements.hold(sql, prepared))))
        })
    }

    pub(super) fn traits(&self, number: Number) -> &Traits {
        &self.0.borrow_dependent().by_number[number.0].traits
    }

    /// What a statement has answered beside the platform's table for the alarm, if that is known.
    pub(super) fn answered_beside_alarm_table(&self, number: Number, params: &[Value]) -> Option<&Rows> {
        let mut known = self.0.borrow_dependent().by_number[number.0]
            .beside_alarm_table
            .iter();
        known.find(|(of, _)| of == params).map(|(_, rows)| rows)
    }

    /// Keeps what a statement has answered there, if it would answer that again.
    pub(super) fn keep_answer_beside_alarm_table(&mut self, number: Number, params: &[Value], rows: &Rows) {
        self.0.with_dependent_mut(|_, statements| {
            let prepared = &mut statements.by_number[number.0];
            let known = &mut prepared.beside_alarm_table;
            if prepared.traits.reads_schema_alone && known.len() < ANSWERS {
                known.push((params.to_vec(), rows.clone()));
            }
        });
    }

    /// How often SQLite has prepared a held statement anew.
    #[cfg(test)]
    pub(super) fn prepared_anew(&self) -> i32 {
        let held = &self.0.borrow_dependent().by_number;
        held.iter()
            .map(|held| held.statement.get_status(StatementStatus::RePrepare))
            .sum()
    }

    /// Runs a statement that is held.
    pub(super) fn run(
        &mut self,
        shared: &Shared,
        number: Number,
        params: &[Value],
    ) -> Result<Rows, RunError> {
        self.0.with_dependent_mut(|_, statements| {
            let prepared = &mut statements.by_number[number.0];
            let ran = prepared.run(params);
            if prepared.traits.touches_schema {
                (statements.touched_schema, statements.left_schema) = (true, true);
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

fn prepare<'connection>(
    connection: &'connection Connection,
    shared: &Shared,
    sql: &Text,
) -> Result<Option<Prepared<'connection>>, RunError> {
    limits::check_first_word(sql).map_err(RunError::Preparing)?;
    // SQLite may have prepared a statement anew within, and met again what it had met the first time.
    shared.take_notes();
    let prepared = connection.prepare(sql);
    let notes = shared.take_notes();
    // What a commit is to check would be checked when the outermost savepoint is released, or never.
    if notes.unsupported || notes.schema && split::mentions(sql, "DEFERRED") {
        return Err(RunError::Unsupported(sql.clone()));
    }
    // The authoriser is not told what a table is renamed to.
    if notes.schema && split::new_name(sql).is_some_and(authoriser::is_reserved) {
        return Err(RunError::Preparing(SqlError::of(SqlErrorKind::NotAuthorized)));
    }
    let statement = match prepared {
        Ok(statement) => statement,
        Err(Error::Empty) => return Ok(None),
        Err(error) => return Err(RunError::Preparing(read(&error))),
    };
    let writes = if statement.readonly() {
        Writes::default()
    } else if notes.writes.is_empty() {
        // What cannot be known is the most that it can be.
        Writes::from_iter([Text::new_static(SCHEMA)])
    } else {
        notes.writes.into_iter().collect()
    };
    Ok(Some(Prepared {
        parameters: statement.parameter_count(),
        traits: Traits {
            writes,
            only_makes: notes.schema && !notes.more_than_making,
            touches_schema: notes.schema,
            reads_schema: notes.reads_schema && !notes.schema,
            reads_schema_alone: notes.reads_schema && !notes.schema && !notes.reads_more,
        },
        columns: statement.column_names().map(Text::new).collect(),
        beside_alarm_table: Vec::new(),
        statement,
    }))
}

impl Prepared<'_> {
    fn run(&mut self, params: &[Value]) -> Result<Rows, RunError> {
        if params.len() != self.parameters {
            return Err(RunError::Preparing(SqlError::of(SqlErrorKind::ParameterCount)));
        }
        for (at, value) in params.iter().enumerate() {
            let bound = self.statement.raw_bind_parameter(at + 1, Bound(value));
            bound.map_err(|error| RunError::Preparing(read(&error)))?;
        }
        self.rows().map_err(|error| RunError::Running(read(&error)))
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
