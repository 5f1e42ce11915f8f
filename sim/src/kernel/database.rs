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
    /// Set before the first write of the turn's own: where it goes back to if it is lost.
    pub undo: Option<Undo>,
    /// The tables that the turn can have written.
    pub writes: Writes,
    /// Of some statements that they are among them: a turn that applies a batch runs a few again and again.
    gathered: [Writes; GATHERED],
    /// Whether the turn has written, but for what is a transaction's.
    pub wrote: bool,
    /// What that is part of which is written now.
    pub unit: Unit,
}

/// How many statements are known to have been gathered.
const GATHERED: usize = 4;

/// What a write is part of: with the rest of that it is committed or lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// The turn.
    Turn,
    /// An asynchronous transaction that is open.
    Transaction,
    /// Nothing: a statement has rolled back what it would have been part of, and SQLite commits each one that follows by
    /// itself (`workerd.md` T9).
    Statement,
}

/// How things were at a point of time: before a turn's first write, or when a transaction began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undo {
    pub mark: Mark,
    pub alarm: AlarmBefore,
}

impl Undo {
    /// To this point.
    pub fn here<S: Store>(store: &mut S, alarm: &Alarm) -> Self {
        Undo {
            mark: store.mark(),
            alarm: alarm.before(),
        }
    }
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
    pub fn new(storage: &'k mut Storage<S>, surroundings: Surroundings, unit: Unit) -> Self {
        storage.store.set_surroundings(surroundings);
        Database {
            store: &mut storage.store,
            alarm: &mut storage.alarm,
            undo: None,
            writes: Writes::default(),
            gathered: Default::default(),
            wrote: false,
            unit,
        }
    }

    pub fn run(&mut self, statement: &Statement) -> Ran {
        let alone = self.undo.is_none();
        self.before_write();
        self.store.show_alarm_table(self.alarm.has_table);
        let ran = self.store.run(statement);
        if !ran.writes.is_empty() {
            self.wrote |= self.unit != Unit::Transaction;
            self.gather(&ran.writes);
        }
        if alone {
            self.after_write();
        }
        ran
    }

    fn gather(&mut self, writes: &Writes) {
        if self.gathered.iter().any(|known| known.is_same(writes)) {
            return;
        }
        self.writes.add(writes);
        self.gathered.rotate_right(1);
        self.gathered[0].clone_from(writes);
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
        if self.undo.is_none() && self.unit != Unit::Transaction {
            self.undo = Some(Undo::here(self.store, self.alarm));
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

    /// Sets the alarm, or clears it; `to_now` where its own run sets it to a time that has come.
    /// Whether that changed anything: to set the same time once more is no write.
    pub fn set_alarm(&mut self, at: Option<Millis>, to_now: bool) -> bool {
        if !self.alarm.changes(at) {
            return false;
        }
        self.before_write();
        self.wrote |= self.unit != Unit::Transaction;
        self.alarm.set(at, to_now);
        true
    }

    /// Takes everything back that was done since, and the point itself.
    pub fn undo_to(&mut self, undo: Undo) {
        self.store.rollback_to(undo.mark);
        self.store.release(undo.mark);
        self.alarm.restore(undo.alarm);
    }

    /// A statement has rolled back what it was part of: the transaction that began at this point, or the turn so far.
    pub fn lose_unit(&mut self, transaction: Option<Undo>) {
        let turn = self.undo.take();
        let undo = transaction.or(turn);
        self.undo_to(undo.expect("a statement that writes is part of something"));
        self.wrote = false;
        self.unit = Unit::Statement;
    }

    /// Ends the innermost asynchronous transaction, which began at this point. What it has written, in earlier turns or
    /// in this one, is taken back, or becomes that of the one around it; the outermost one's becomes this turn's.
    pub fn end_transaction(&mut self, began: Undo, ended: TransactionEnd) {
        if ended.is_outermost {
            self.unit = Unit::Turn;
        }
        if !ended.keeps {
            self.undo_to(began);
        } else if ended.is_outermost && ended.wrote {
            self.undo = Some(began);
            self.wrote = true;
        } else {
            self.store.release(began.mark);
        }
    }
}

/// How an asynchronous transaction ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct TransactionEnd {
    pub keeps: bool,
    pub wrote: bool,
    /// Whether it is within no other.
    pub is_outermost: bool,
}
