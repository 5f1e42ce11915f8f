//! Opening a database as the platform has it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use protocol::host::Millis;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use super::super::{Surroundings, limits};
use super::{authoriser, functions};

/// What a connection's callbacks read. SQLite asks that they can move to another thread, so these are atomics; no two
/// threads ever meet here.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Whether the store itself is preparing or running something, which may do what statements may not.
    trusts: AtomicBool,
    /// Whether the authoriser met an action that the platform allows and this store does not carry.
    met_unsupported: AtomicBool,
    /// Whether it met an action that changes the schema.
    touched_schema: AtomicBool,
    now: AtomicU64,
    entropy: AtomicU64,
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

    pub(super) fn note_unsupported(&self) {
        self.met_unsupported.store(true, Relaxed);
    }

    pub(super) fn take_unsupported(&self) -> bool {
        self.met_unsupported.swap(false, Relaxed)
    }

    pub(super) fn note_schema(&self) {
        self.touched_schema.store(true, Relaxed);
    }

    pub(super) fn take_touched_schema(&self) -> bool {
        self.touched_schema.swap(false, Relaxed)
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
pub(super) fn open() -> Opened {
    secure(bare(), Arc::default())
}

/// A copy of a database, seeing what it sees.
pub(super) fn copy(from: &Connection, shared: &Shared) -> Opened {
    let mut connection = bare();
    let result = Backup::new(from, &mut connection).and_then(|backup| backup.step(-1));
    assert_eq!(
        result.expect("a database in memory can be copied"),
        StepResult::Done
    );
    let copy = secure(connection, Arc::default());
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

fn secure(mut connection: Connection, shared: Arc<Shared>) -> Opened {
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, limits::ROW_BYTES),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, limits::STATEMENT_BYTES),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, limits::PARAMETERS),
        (Limit::SQLITE_LIMIT_COLUMN, limits::COLUMNS),
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
    functions::override_in(&connection, &shared);
    authoriser::install(&mut connection, Arc::clone(&shared));
    Opened { connection, shared }
}
