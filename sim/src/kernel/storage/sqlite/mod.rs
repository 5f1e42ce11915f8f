//! SQLite itself, in memory, set up as the platform sets it up.
//!
//! A connection and its prepared statements live side by side in one cell (`held`), so that a statement is prepared
//! once and found by one short hash. What reaches outside of the tables is closed: `authoriser` refuses files,
//! extensions and other databases; `functions` gives `random()` and the dates what the kernel says.

mod authoriser;
mod connection;
mod error;
mod functions;
mod held;
mod read;

use std::fmt;
use std::sync::Arc;

use protocol::host::{Rows, Text, Value};

use self::connection::Shared;
use self::error::RunError;
use self::held::Database;
use super::{Contents, Mark, Store, StoreError, Surroundings};

/// SQLite in memory behind the store trait.
pub struct SqliteStore {
    database: Database,
    shared: Arc<Shared>,
    /// For each mark, how long the log was when it was set.
    marks: Vec<usize>,
    /// The writing statements since the oldest mark: with them a fork, or a database that a statement threw out of
    /// its savepoints, is brought back to where it was.
    log: Vec<Redo>,
}

/// What the stores of one world share.
#[derive(Clone, Copy, Debug, Default)]
pub struct SqlitePool;

/// A statement that can be run again to the same effect.
struct Redo {
    sql: Text,
    params: Vec<Value>,
    surroundings: Surroundings,
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

impl SqliteStore {
    fn around(connection: connection::Opened) -> Self {
        let connection::Opened { connection, shared } = connection;
        SqliteStore {
            database: held::hold(connection, &shared),
            shared,
            marks: Vec::new(),
            log: Vec::new(),
        }
    }

    /// Runs the log again from the oldest mark on, setting each mark where it was set.
    fn replay(&mut self, marks: &[usize], log: &[Redo]) {
        let surroundings = self.shared.surroundings();
        let mut marks = marks.iter().peekable();
        for (at, redo) in log.iter().enumerate() {
            while marks.next_if(|mark| **mark == at).is_some() {
                self.database.mark(&self.shared);
            }
            self.shared.set_surroundings(redo.surroundings);
            // It may fail as it did the first time, and leave what it left then.
            let _same_as_before = self.database.run(&self.shared, &redo.sql, &redo.params);
        }
        for _ in marks {
            self.database.mark(&self.shared);
        }
        self.shared.set_surroundings(surroundings);
    }
}

impl Store for SqliteStore {
    type Pool = SqlitePool;

    fn open(_pool: &SqlitePool) -> Self {
        Self::around(connection::open())
    }

    fn run_one(&mut self, sql: &Text, params: &[Value]) -> Result<Rows, StoreError> {
        let surroundings = self.shared.surroundings();
        let ran = self.database.run(&self.shared, sql, params);
        if !self.marks.is_empty() && self.database.left_its_savepoints() {
            let (marks, log) = (self.marks.clone(), std::mem::take(&mut self.log));
            self.database.forget_marks(&self.shared);
            self.replay(&marks, &log);
            self.log = log;
            return Err(StoreError::Broken(error::sql_error_of(ran)));
        }
        let writes = match &ran {
            Ok(ran) => ran.writes,
            // A statement that was prepared and failed may have left something (`INSERT OR FAIL`).
            Err(error) => matches!(error, RunError::Running(_)),
        };
        if writes && !self.marks.is_empty() {
            self.log.push(Redo {
                sql: sql.clone(),
                params: params.to_vec(),
                surroundings,
            });
        }
        match ran {
            Ok(ran) => Ok(ran.rows),
            Err(error) => Err(error.into()),
        }
    }

    fn set_surroundings(&mut self, surroundings: Surroundings) {
        self.shared.set_surroundings(surroundings);
    }

    fn mark(&mut self) -> Mark {
        let mark = Mark(self.marks.len() as u32);
        self.database.mark(&self.shared);
        self.marks.push(self.log.len());
        mark
    }

    fn rollback_to(&mut self, mark: Mark) {
        let at = mark.0 as usize;
        assert!(
            at < self.marks.len(),
            "{mark:?} is not set: {} marks are",
            self.marks.len()
        );
        for _ in at + 1..self.marks.len() {
            // The newest is undone before it is released: what it guards must not outlive it.
            self.database.roll_back(&self.shared);
            self.database.release(&self.shared);
        }
        self.database.roll_back(&self.shared);
        self.marks.truncate(at + 1);
        self.log.truncate(self.marks[at]);
    }

    fn release(&mut self, mark: Mark) {
        assert_eq!(
            mark.0 as usize + 1,
            self.marks.len(),
            "{mark:?} is not the newest mark"
        );
        self.database.release(&self.shared);
        self.marks.pop();
        if self.marks.is_empty() {
            self.log.clear();
        }
    }

    fn forget_all(&mut self) {
        for _ in self.marks.drain(..) {
            self.database.release(&self.shared);
        }
        self.log.clear();
    }

    fn fork(&mut self) -> Self {
        let (marks, log) = (std::mem::take(&mut self.marks), std::mem::take(&mut self.log));
        for _ in &marks {
            self.database.roll_back(&self.shared);
            self.database.release(&self.shared);
        }
        let mut fork = Self::around(connection::copy(self.database.connection(), &self.shared));
        self.replay(&marks, &log);
        fork.replay(&marks, &log);
        fork.marks.clone_from(&marks);
        fork.log = log.iter().map(Redo::again).collect();
        (self.marks, self.log) = (marks, log);
        fork
    }

    fn contents(&mut self) -> Contents {
        self.shared.trusted(|| read::contents(self.database.connection()))
    }

    fn digest(&mut self) -> u128 {
        self.shared.trusted(|| read::digest(self.database.connection()))
    }
}

impl Redo {
    fn again(&self) -> Redo {
        Redo {
            sql: self.sql.clone(),
            params: self.params.clone(),
            surroundings: self.surroundings,
        }
    }
}
