//! An object's storage during a turn.

use protocol::host::{Millis, SqlError, SqlErrorKind, Statement, Text};

use super::alarm::{Alarm, AlarmBefore};
use super::party::Storage;
use super::storage::{Mark, Ran, Store, StoreError, Surroundings, Writes};

/// What a turn may do with storage.
pub(super) enum Access<'k, S> {
    /// It is a front Worker's: there is none.
    Nothing,
    /// It is an object's.
    Own(Database<'k, S>),
    /// It is an object's whose storage belongs to another incarnation: the first access ends this one (`platform.md`
    /// section 13, item 2).
    Fenced,
}

/// An object's storage during a turn.
pub(super) struct Database<'k, S> {
    pub store: &'k mut S,
    pub alarm: &'k mut Alarm,
    /// Set before the first write: where the turn goes back to if it is lost.
    pub undo: Option<Undo>,
    /// What the turn can have written.
    pub writes: Writes,
    pub wrote: bool,
}

/// How things were before a turn's first write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undo {
    pub mark: Mark,
    pub alarm: AlarmBefore,
}

/// What a statement of a stale incarnation meets.
pub(super) fn fenced() -> SqlError {
    SqlError {
        detail: Some(Text::new_static(
            "the object was started elsewhere, and its storage is not this one's any more",
        )),
        ..SqlError::of(SqlErrorKind::Io)
    }
}

impl<'k, S: Store> Database<'k, S> {
    pub fn new(storage: &'k mut Storage<S>, surroundings: Surroundings) -> Self {
        storage.store.set_surroundings(surroundings);
        Database {
            store: &mut storage.store,
            alarm: &mut storage.alarm,
            undo: None,
            writes: Writes::default(),
            wrote: false,
        }
    }

    pub fn run(&mut self, statement: &Statement) -> Ran {
        let alone = self.undo.is_none();
        self.before_write();
        let ran = self.store.run(statement);
        if !ran.writes.is_empty() {
            self.wrote = true;
            self.writes.add(&ran.writes);
        }
        if alone {
            self.after_write();
        }
        ran
    }

    /// Runs a statement that meets this error if it writes, and leaves nothing then.
    pub fn run_refusing(&mut self, statement: &Statement, kind: SqlErrorKind) -> Ran {
        let alone = self.undo.is_none();
        self.before_write();
        let before = self.store.mark();
        let ran = self.run(statement);
        if !ran.writes.is_empty() {
            self.store.rollback_to(before);
        }
        self.store.release(before);
        if alone {
            self.after_write();
        }
        if ran.writes.is_empty() {
            return ran;
        }
        Ran {
            outcome: Err(StoreError::of(SqlError::of(kind))),
            struck: true,
            ..ran
        }
    }

    /// Sets the point to which a lost turn goes back: what comes may be its first write.
    pub fn before_write(&mut self) {
        if self.undo.is_none() {
            self.undo = Some(Undo {
                mark: self.store.mark(),
                alarm: self.alarm.before(),
            });
        }
    }

    /// Takes that point back when nothing was written after all. No mark may be set upon it.
    pub fn after_write(&mut self) {
        if !self.wrote
            && let Some(undo) = self.undo.take()
        {
            self.store.release(undo.mark);
        }
    }

    pub fn set_alarm(&mut self, at: Option<Millis>) {
        self.before_write();
        self.wrote = true;
        self.alarm.set(at);
    }

    /// Takes everything back that was done since, and the point itself.
    pub fn undo_to(&mut self, undo: Undo) {
        self.store.rollback_to(undo.mark);
        self.store.release(undo.mark);
        self.alarm.restore(undo.alarm);
    }

    /// Ends an asynchronous transaction that began at this point: what it has written, in earlier turns or in this one,
    /// becomes this turn's, or is taken back.
    pub fn end_transaction(&mut self, began: Undo, wrote_before: bool, keeps: bool) {
        let of_turn = self.undo.filter(|undo| undo.mark > began.mark);
        if !keeps {
            self.undo_to(began);
            if of_turn.is_some() {
                self.undo = None;
                self.wrote = false;
            }
            return;
        }
        if let Some(undo) = of_turn {
            self.store.release(undo.mark);
        }
        if self.undo.is_none_or(|undo| undo.mark > began.mark) {
            self.wrote |= wrote_before;
            self.undo = Some(began);
            self.after_write();
        } else {
            // The turn's own writes came first: the transaction's join them.
            self.wrote |= wrote_before;
            self.store.release(began.mark);
        }
    }
}
