//! Opening a database as the platform has it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use protocol::host::{Millis, Text};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use super::super::Surroundings;
use super::super::limits::{self, Limits};
use super::{authoriser, functions};

/// What a connection's callbacks read and write. SQLite asks that they can move to another thread; no two threads ever
/// meet here.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Whether the store itself is preparing or running something, which may do what statements may not.
    trusts: AtomicBool,
    notes: Mutex<Notes>,
    now: AtomicU64,
    entropy: AtomicU64,
}

/// What the authoriser has met while a statement was prepared.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// An action that the platform allows and this store does not carry.
    pub(super) unsupported: bool,
    /// An action that changes the schema.
    pub(super) schema: bool,
    /// An action that reads the schema.
    pub(super) reads_schema: bool,
    /// An action whose outcome may depend on more than what the schema tells of tables and indices.
    pub(super) reads_more: bool,
    /// An action besides those of making tables and indices.
    pub(super) more_than_making: bool,
    /// The tables that can be written.
    pub(super) writes: BTreeSet<Text>,
}

impl Shared {
    /// Does something of the store's own, which the authoriser lets pass.
    pub(super) fn trusted<T>(&self, what: impl FnOnce() -> T) -> T {
        self.trusts.store(true, Relaxed);
        let done = what();
        self.trusts.store(false, Relaxed);
        done
    }

    pub(super) fn trusts(&self) -> bool {
        self.trusts.load(Relaxed)
    }

    pub(super) fn note(&self, what: impl FnOnce(&mut Notes)) {
        what(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// What was noted since they were last taken.
    pub(super) fn take_notes(&self) -> Notes {
        std::mem::take(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn surroundings(&self) -> Surroundings {
        Surroundings {
            now: Millis(self.now.load(Relaxed)),
            entropy: self.entropy.load(Relaxed),
        }
    }

    pub(super) fn set_surroundings(&self, surroundings: Surroundings) {
        self.now.store(surroundings.now.0, Relaxed);
        self.entropy.store(surroundings.entropy, Relaxed);
    }

    /// The present entropy, which moves on.
    pub(super) fn draw(&self) -> u64 {
        let drawn = self.entropy.load(Relaxed);
        self.entropy.store(drawn.wrapping_add(1), Relaxed);
        drawn
    }
}

/// A database that is open and closed to the world.
pub(super) struct Opened {
    pub(super) connection: Connection,
    pub(super) shared: Arc<Shared>,
}

/// An empty database.
pub(super) fn open(limits: &Limits) -> Opened {
    secure(bare(), limits)
}

/// A copy of a database, seeing what it sees.
pub(super) fn copy(from: &Connection, shared: &Shared, limits: &Limits) -> Opened {
    let mut connection = bare();
    let result = Backup::new(from, &mut connection).and_then(|backup| backup.step(-1));
    assert_eq!(
        result.expect("a database in memory can be copied"),
        StepResult::Done
    );
    let copy = secure(connection, limits);
    copy.shared.set_surroundings(shared.surroundings());
    copy
}

fn bare() -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_MEMORY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_in_memory_with_flags(flags).expect("a database in memory opens");
    // Small pages, for a transaction copies each page that it touches. Nothing spills into a file.
    connection
        .execute_batch("PRAGMA page_size = 1024; PRAGMA temp_store = MEMORY;")
        .expect("a fresh database takes its page size");
    connection
}

fn secure(mut connection: Connection, limits: &Limits) -> Opened {
    let shared = Arc::<Shared>::default();
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, limits.row_bytes),
        // SQLite's own statements come under it too; the guard has refused the longer ones of the protocol's.
        (
            Limit::SQLITE_LIMIT_SQL_LENGTH,
            limits.statement_bytes.max(100_000),
        ),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, limits.parameters),
        (Limit::SQLITE_LIMIT_COLUMN, limits.columns),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, limits::COMPOUND_TERMS),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, limits::EXPRESSION_DEPTH),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, limits::PATTERN_BYTES),
        (Limit::SQLITE_LIMIT_VDBE_OP, limits::INSTRUCTIONS),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, limits::FUNCTION_ARGUMENTS),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, limits::TRIGGER_DEPTH),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection
            .set_limit(limit, value as i32)
            .expect("SQLite knows its limits");
    }
    // Otherwise a statement whose LIMIT is a parameter is prepared anew for each value. Numbers are bound as REAL, of
    // which the planner would make nothing.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .expect("SQLite knows its settings");
    functions::override_in(&connection, &shared, limits.row_bytes);
    authoriser::install(&mut connection, Arc::clone(&shared));
    Opened { connection, shared }
}
