//! What SQLite's errors are to a protocol.

use protocol::host::{SqlError, SqlErrorKind as Kind, Text};
use rusqlite::{Error, ffi};

use super::super::StoreError;

/// Why a statement did not run, and how far it had come.
#[derive(Debug)]
pub(super) enum RunError {
    /// It was not begun: nothing has changed.
    Preparing(SqlError),
    /// It had begun: what is undone depends on its conflict clause.
    Running(SqlError),
    /// The platform would run it and this store does not carry it.
    Unsupported(Text),
}

impl From<RunError> for StoreError {
    fn from(error: RunError) -> Self {
        match error {
            // Whatever was met while there was nothing to undo broke nothing: not even that the statement is too large.
            RunError::Preparing(error) => StoreError::Sql(error),
            RunError::Running(error) => StoreError::of(error),
            RunError::Unsupported(text) => StoreError::Unsupported(text),
        }
    }
}

/// SQLite's error with its kind, its table and its column. The code tells the kind where it can, the message the rest.
pub(super) fn read(error: &Error) -> SqlError {
    let (code, message) = match error {
        Error::SqliteFailure(error, message) => (error.extended_code, message.as_deref()),
        Error::SqlInputError { error, msg, .. } => (error.extended_code, Some(msg.as_str())),
        Error::NulError(_) => return SqlError::of(Kind::Syntax),
        _ => (0, None),
    };
    let words = message.map_or_else(|| error.to_string(), str::to_owned);
    let read = SqlError::from_message(&words);
    match kind_of(code) {
        Some(kind) => SqlError { kind, ..read },
        None => read,
    }
}

fn kind_of(extended: i32) -> Option<Kind> {
    Some(match extended {
        ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_ROWID => {
            Kind::Unique
        }
        ffi::SQLITE_CONSTRAINT_NOTNULL => Kind::NotNull,
        _ => match extended & 0xff {
            ffi::SQLITE_CONSTRAINT => Kind::Constraint,
            ffi::SQLITE_TOOBIG => Kind::TooBig,
            ffi::SQLITE_AUTH => Kind::NotAuthorized,
            ffi::SQLITE_FULL => Kind::Full,
            ffi::SQLITE_IOERR => Kind::Io,
            ffi::SQLITE_NOMEM => Kind::NoMemory,
            ffi::SQLITE_INTERRUPT => Kind::Interrupted,
            _ => return None,
        },
    })
}
