//! SQLite itself, in memory, set up as the platform sets it up.
//!
//! A connection and its prepared statements live side by side in one cell (`held`), so that a statement is prepared
//! once and found by one short hash. What reaches outside of the tables is closed: `authoriser` refuses files,
//! extensions and other databases; `functions` gives `random()` and the dates what the kernel says.
//!
//! A database that an object has done with is used again (`pool`), with its tables and its statements (`database`).
//! Neither this nor when a mark becomes a savepoint can be seen in an answer.

mod authoriser;
mod connection;
mod database;
mod error;
mod exchange;
mod functions;
mod held;
mod log;
mod pool;
mod read;
mod value;

use std::fmt;

use protocol::host::{Rows, SqlError, SqlErrorKind, Text, Value};

use self::database::Database;
use self::error::RunError;
use self::held::Number;
use self::log::Log;
pub use self::pool::SqlitePool;
use super::guard::Guard;
use super::limits::Limits;
use super::{ALARM_TABLE, Contents, Mark, Ran, Store, StoreError, Surroundings, Writes, split};

/// SQLite in memory behind the store trait.
pub struct SqliteStore {
    pool: SqlitePool,
    guard: Guard,
    /// None until the first statement.
    database: Option<Database>,
    /// What a database sees that is taken now; one that was taken has its own.
    surroundings: Surroundings,
    /// How many steps of the database's groundwork this object has done. Where it lies beneath the base, those to come
    /// are in the database already, and nothing else has been done.
    steps: usize,
    marks: Vec<Point>,
    /// Whether the platform has a table for the alarm.
    alarm_table: bool,
    /// The writing statements since the oldest mark: with them a fork, or a database that a statement threw out of
    /// its savepoints, is brought back to where it was.
    log: Log,
}

/// A mark.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// How long the log was.
    log: usize,
    /// How many steps of the groundwork were done.
    steps: usize,
    /// Which savepoint it is, counted from 1. It is set when something is written after the mark, and marks with no
    /// write between them share it.
    savepoint: usize,
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let log = self.log.len();
        f.debug_struct("SqliteStore")
            .field("marks", &self.marks)
            .field("log", &log)
            .finish_non_exhaustive()
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        if let Some(database) = self.database.take() {
            self.pool.give(database);
        }
    }
}

impl SqliteStore {
    fn surroundings(&self) -> Surroundings {
        let seen = |database: &Database| database.shared().surroundings();
        self.database.as_ref().map_or(self.surroundings, seen)
    }

    /// Does the log again from the oldest mark on, setting each mark where it was set.
    fn replay(&mut self, marks: &[Point], log: Log) {
        let surroundings = self.surroundings();
        let mut marks = marks.iter().peekable();
        for (at, redo) in log.iter().enumerate() {
            while let Some(mark) = marks.next_if(|mark| mark.log == at) {
                self.set(*mark);
            }
            self.set_surroundings(redo.surroundings);
            self.set_savepoint();
            // It may fail as it did the first time, and leave what it left then.
            let _same_as_before = run_in(self.opened(), redo.sql, redo.params);
        }
        for mark in marks {
            self.set(*mark);
        }
        self.set_surroundings(surroundings);
        self.log = log;
    }

    fn opened(&mut self) -> &mut Database {
        self.database
            .as_mut()
            .expect("what has been done was done in a database")
    }

    /// Sets a mark here, whose savepoint is set when it is needed.
    fn set(&mut self, mark: Point) {
        let savepoint = self.database.as_ref().map_or(0, Database::depth) + 1;
        self.marks.push(Point { savepoint, ..mark });
    }

    /// Something is about to be written: the newest mark needs its savepoint.
    fn set_savepoint(&mut self) {
        if let (Some(mark), Some(database)) = (self.marks.last(), &mut self.database)
            && mark.savepoint > database.depth()
        {
            database.mark();
        }
    }

    /// Keeps a writing statement that may have to be done again.
    fn keep(&mut self, sql: &Text, params: &[Value], surroundings: Surroundings) {
        if !self.marks.is_empty() {
            self.log.push(sql, params, surroundings);
        }
    }

    /// Prepares a statement; the first that is no groundwork ends it.
    fn prepare(&mut self, sql: &Text) -> Result<Option<Number>, RunError> {
        let database = self.opened();
        let prepared = database.prepare(sql)?;
        let goes_on = prepared.is_none_or(|number| database.traits(number).only_makes);
        if goes_on || !database.end_groundwork() {
            return Ok(prepared);
        }
        self.marks.iter_mut().for_each(|mark| mark.savepoint = 1);
        // That has dropped what was prepared.
        self.opened().prepare(sql)
    }

    /// Whether a statement names the platform's table for the alarm, which is missing here only.
    fn is_of_alarm_table(&self, error: &SqlError) -> bool {
        let named = error.table.as_ref();
        self.alarm_table
            && error.kind == SqlErrorKind::NoSuchTable
            && named.is_some_and(|table| table.eq_ignore_ascii_case(ALARM_TABLE))
    }

    /// Runs a statement that is prepared.
    fn run_prepared(&mut self, number: Number, sql: &Text, params: &[Value]) -> Ran {
        let writes = self.opened().traits(number).writes.clone();
        let surroundings = self.surroundings();
        if !writes.is_empty() {
            self.set_savepoint();
        }
        let ran = if self.alarm_table && self.opened().traits(number).reads_schema {
            if !writes.is_empty() {
                return Ran::refused(StoreError::Unsupported(sql.clone()));
            }
            self.opened().run_beside_alarm_table(number, sql, params)
        } else {
            self.opened().run(number, sql, params)
        };
        let outcome = match ran {
            Ok(rows) => Ok(rows),
            Err(RunError::Running(error)) if self.opened().lost_its_savepoints() => {
                let (marks, log) = (std::mem::take(&mut self.marks), std::mem::take(&mut self.log));
                self.replay(&marks, log);
                Err(match StoreError::of(error) {
                    StoreError::Sql(error) => StoreError::RolledBack(error),
                    broken => broken,
                })
            }
            // It may have left something: `INSERT OR FAIL`.
            Err(RunError::Running(error)) => Err(StoreError::of(error)),
            Err(not_begun) => return Ran::refused(not_begun.into()),
        };
        let undone = matches!(outcome, Err(StoreError::Broken(_) | StoreError::RolledBack(_)));
        if !writes.is_empty() && !undone {
            self.keep(sql, params, surroundings);
        }
        self.steps = self.opened().groundwork().len();
        Ran {
            outcome,
            writes,
            struck: false,
        }
    }
}

/// Runs a statement that may not be prepared yet.
fn run_in(database: &mut Database, sql: &Text, params: &[Value]) -> Result<Rows, RunError> {
    let number = match database.find(sql) {
        Some(number) => Some(number),
        None => database.prepare(sql)?,
    };
    number.map_or_else(|| Ok(Rows::default()), |number| database.run(number, sql, params))
}

impl Store for SqliteStore {
    type Pool = SqlitePool;

    const DIGEST_IS_CHEAP: bool = false;

    fn open(pool: &SqlitePool, limits: Limits) -> Self {
        SqliteStore {
            pool: pool.clone(),
            guard: Guard::new(limits),
            database: None,
            surroundings: Surroundings::default(),
            steps: 0,
            marks: Vec::new(),
            alarm_table: false,
            log: Log::default(),
        }
    }

    fn guard(&mut self) -> &mut Guard {
        &mut self.guard
    }

    fn knows(&self, sql: &str) -> bool {
        match self.ahead().first() {
            Some(step) => step.sql == sql,
            None => {
                let held = |database: &Database| database.find(sql).is_some();
                self.database.as_ref().is_some_and(held)
            }
        }
    }

    fn run_one(&mut self, sql: &Text, params: &[Value]) -> Ran {
        if let Some(done_before) = self.database_for(sql, params) {
            return done_before;
        }
        if let Some(number) = self.opened().find(sql) {
            return self.run_prepared(number, sql, params);
        }
        // It, or a trigger or a table that it makes, may end the transaction that the base is in.
        if self.opened().on_base() && split::mentions(sql, "ROLLBACK") {
            let (marks, log) = self.leave_pool();
            self.replay(&marks, log);
        }
        match self.prepare(sql) {
            Ok(Some(number)) => self.run_prepared(number, sql, params),
            Ok(None) => Ran {
                outcome: Ok(Rows::default()),
                writes: Writes::default(),
                struck: false,
            },
            Err(RunError::Preparing(error)) if self.is_of_alarm_table(&error) => {
                Ran::refused(StoreError::Sql(SqlError::of(SqlErrorKind::NotAuthorized)))
            }
            Err(error) => Ran::refused(error.into()),
        }
    }

    fn set_surroundings(&mut self, surroundings: Surroundings) {
        match &self.database {
            Some(database) => database.shared().set_surroundings(surroundings),
            None => self.surroundings = surroundings,
        }
    }

    fn show_alarm_table(&mut self, is_there: bool) {
        self.alarm_table = is_there;
    }

    fn mark(&mut self) -> Mark {
        let mark = Mark(self.marks.len() as u32);
        self.set(Point {
            log: self.log.len(),
            steps: self.steps,
            savepoint: 0,
        });
        mark
    }

    fn rollback_to(&mut self, mark: Mark) {
        let at = mark.0 as usize;
        assert!(
            at < self.marks.len(),
            "{mark:?} is not set: {} marks are",
            self.marks.len()
        );
        let to = self.marks[at];
        self.marks.truncate(at + 1);
        self.log.truncate(to.log);
        let Some(database) = &mut self.database else {
            return;
        };
        let into_groundwork = to.steps < self.steps;
        if into_groundwork && database.has_groundwork_beneath() {
            // All else that the object has done came after it, and so did the savepoints.
            database.go_to_base();
            self.marks.iter_mut().for_each(|mark| mark.savepoint = 1);
        } else {
            while database.depth() > to.savepoint {
                // The newest is undone before it is released: what it guards must not outlive it.
                database.roll_back();
                database.release();
            }
            if database.depth() == to.savepoint {
                database.roll_back();
            }
            if into_groundwork {
                database.shorten_groundwork(to.steps);
            }
        }
        self.steps = to.steps;
    }

    fn release(&mut self, mark: Mark) {
        assert_eq!(
            mark.0 as usize + 1,
            self.marks.len(),
            "{mark:?} is not the newest mark"
        );
        let released = self.marks.pop().map_or(0, |mark| mark.savepoint);
        let shared = self.marks.last().is_some_and(|mark| mark.savepoint == released);
        match &mut self.database {
            Some(database) if !shared && database.depth() == released => database.release(),
            _ => {}
        }
        if self.marks.is_empty() {
            self.log.clear();
        }
    }

    fn forget_all(&mut self) {
        self.marks.clear();
        self.log.clear();
        if let Some(database) = &mut self.database {
            while database.depth() > 0 {
                database.release();
            }
        }
    }

    fn fork(&mut self) -> Self {
        let mut fork = Self::open(&self.pool, Limits::default());
        let (marks, log) = self.leave_pool();
        fork.guard.clone_from(&self.guard);
        fork.alarm_table = self.alarm_table;
        fork.database = Some(self.opened().copy());
        self.replay(&marks, log.clone());
        fork.replay(&marks, log);
        fork
    }

    fn contents(&mut self) -> Contents {
        let Some(database) = self.whole_database() else {
            return Contents::default();
        };
        database
            .shared()
            .trusted(|| read::contents(database.connection()))
    }

    fn digest(&mut self) -> u128 {
        // No tables: nothing to add up.
        let Some(database) = self.whole_database() else {
            return 0;
        };
        database.shared().trusted(|| read::digest(database.connection()))
    }
}
