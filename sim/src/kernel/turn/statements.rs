//! Statements within a turn, and what they meet.

use protocol::host::{CallError, End, Failed, Rows, SqlError, SqlErrorKind, Statement, Text};

use super::{Turn, UnsupportedStatement};
use crate::kernel::audit;
use crate::kernel::choice::{Purpose, Source};
use crate::kernel::database::{Access, Undo, Unit, fenced};
use crate::kernel::network::of_reset;
use crate::kernel::storage::{Ran, Store, StoreError};
use crate::kernel::trouble::draw_storage_error;
use crate::kernel::watch::{FaultKind, What};

impl<S: Store> Turn<'_, S> {
    /// Runs a statement within the turn.
    pub(super) fn run(&mut self, statement: &Statement) -> Result<Rows, SqlError> {
        let injected = self.injected();
        let refusing = self.refusing;
        let Some(database) = self.database() else {
            return Err(fenced());
        };
        let ran = match (injected, refusing) {
            (Some(kind), _) => Ran {
                struck: true,
                ..Ran::refused(StoreError::of(SqlError::of(kind)))
            },
            (None, Some(kind)) => database.run_refusing(statement, kind),
            (None, None) => database.run(statement),
        };
        if !ran.writes.is_empty()
            && let Some(section) = self.transaction()
        {
            section.wrote = true;
            section.writes.add(&ran.writes);
        }
        audit::statement(statement, &ran);
        if ran.struck {
            let kind = FaultKind::StorageRefused;
            self.see(What::Fault { kind });
        }
        match ran.outcome {
            Ok(rows) => Ok(rows),
            Err(StoreError::Sql(error)) => Err(error),
            Err(StoreError::Unsupported(what)) => {
                std::panic::resume_unwind(Box::new(UnsupportedStatement(what)))
            }
            Err(StoreError::Broken(error)) => {
                self.storage_failed |= self.aborted.is_none() && is_of_storage(error.kind);
                self.aborted.get_or_insert_with(|| broken(&error));
                Err(error)
            }
            Err(StoreError::RolledBack(error)) => {
                self.lose_unit();
                Err(error)
            }
        }
    }

    /// A statement has rolled back what it was part of. The code goes on all the same, up to where the platform would
    /// commit that (`workerd.md` T9).
    fn lose_unit(&mut self) {
        let Access::Own(database) = &mut self.access else {
            unreachable!("a statement runs on storage")
        };
        match database.unit {
            // It was part of nothing.
            Unit::Statement => return,
            Unit::Turn => self.commit_fails = true,
            Unit::Transaction => {}
        }
        let mut outermost = None;
        for section in self.sections.iter_mut().filter(|section| section.undo.is_some()) {
            section.rolled_back = true;
            outermost = outermost.or(section.undo.take());
        }
        database.lose_unit(outermost);
    }

    /// The error of the storage that the next statement meets, whatever it says.
    fn injected(&mut self) -> Option<SqlErrorKind> {
        let source = Source {
            origin: self.origin,
            place: self.place,
        };
        let label = Text::default();
        let strikes = self
            .chance
            .happens(Purpose::StorageError, source, &label, self.storage_error);
        strikes.then(|| draw_storage_error(self.chance, source))
    }

    pub(super) fn run_batch(&mut self, batch: &[Statement], end: End) -> Result<Vec<Rows>, Failed> {
        let Some(database) = self.database() else {
            return Err(Failed {
                at: 0,
                error: fenced(),
            });
        };
        // Before the batch's own mark: a point to go back to that was set within the batch would not outlive it.
        database.before_write();
        let outcome = self.run_within(batch, end);
        if let Some(database) = self.database() {
            database.after_write();
        }
        outcome
    }

    fn run_within(&mut self, batch: &[Statement], end: End) -> Result<Vec<Rows>, Failed> {
        let Access::Own(database) = &mut self.access else {
            unreachable!("a batch runs on storage")
        };
        let unit = database.unit;
        let undo = Undo::here(database.store, database.alarm);
        let mut answers = Vec::with_capacity(batch.len());
        let mut failed = None;
        for (at, statement) in batch.iter().enumerate() {
            match self.run(statement) {
                Ok(rows) => answers.push(rows),
                Err(error) => {
                    failed = Some(Failed { at, error });
                    break;
                }
            }
        }
        let Access::Own(database) = &mut self.access else {
            unreachable!("a batch runs on storage")
        };
        match (failed, end) {
            (None, End::Commit) => {
                database.store.release(undo.mark);
                Ok(answers)
            }
            (None, End::Rollback) => {
                database.undo_to(undo);
                Ok(answers)
            }
            (Some(failed), _) => {
                // Where a statement has rolled back more than the batch, that is undone.
                if database.unit == unit {
                    database.undo_to(undo);
                }
                Err(failed)
            }
        }
    }
}

/// What callers are told when an error of the storage has broken the object (`workerd.md` T11).
fn broken(error: &SqlError) -> CallError {
    of_reset(CallError::thrown(error.to_string()))
}

/// Whether the storage has failed, and not what the code asked of it: a run of the alarm that ends so does not count
/// (`platform.md` section 6, item 6). An interrupt is the processor's limit, which the code has reached.
fn is_of_storage(kind: SqlErrorKind) -> bool {
    matches!(
        kind,
        SqlErrorKind::Full | SqlErrorKind::Io | SqlErrorKind::NoMemory
    )
}
