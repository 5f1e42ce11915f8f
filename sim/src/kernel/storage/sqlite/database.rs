//! A database and what lies beneath its savepoints.
//!
//! An object's first statements usually make its tables. They are its *groundwork*. When it is done, the database is
//! emptied and has it done again, once and for all: it is committed, and a savepoint, the *base*, is set upon it. To
//! empty the database from then on is to go back to the base, and the next object that begins with the same statements
//! finds them done, and its other statements prepared.
//!
//! It is committed for another reason too: to SQLite, whatever is undone in a transaction that has changed the schema
//! undoes the schema, and it prepares all statements anew.

use std::sync::Arc;

use protocol::host::{Rows, Text, Value};
use rusqlite::Connection;

use super::super::limits::Limits;
use super::super::{ALARM_TABLE_SQL, Writes};
use super::connection::{self, Opened, Shared};
use super::error::RunError;
use super::held::{self, Held, Number, Traits};

/// One of SQLite's databases, as the store uses it.
pub(super) struct Database {
    held: Held,
    shared: Arc<Shared>,
    limits: Limits,
    /// Whether all that was done since it was opened, or given its groundwork, can be undone at once.
    on_base: bool,
    groundwork: Vec<Step>,
    /// Whether the groundwork lies beneath the base.
    beneath: bool,
    /// Whether the object has done nothing yet but its groundwork.
    at_groundwork: bool,
}

/// A statement of the groundwork.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) sql: Text,
    pub(super) writes: Writes,
}

impl Database {
    /// An empty one, on its base.
    pub(super) fn open(limits: Limits) -> Self {
        let mut database = Self::around(connection::open(&limits), limits);
        database.execute("SAVEPOINT base");
        database.on_base = true;
        database.at_groundwork = true;
        database
    }

    /// A copy, which is on no base. The database must be on none either, and have no savepoint.
    pub(super) fn copy(&self) -> Self {
        let opened = connection::copy(self.held.connection(), &self.shared, &self.limits);
        Self::around(opened, self.limits)
    }

    fn around(opened: Opened, limits: Limits) -> Self {
        let Opened { connection, shared } = opened;
        Database {
            held: held::hold(connection, &shared),
            shared,
            limits,
            on_base: false,
            groundwork: Vec::new(),
            beneath: false,
            at_groundwork: false,
        }
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(super) fn on_base(&self) -> bool {
        self.on_base
    }

    pub(super) fn groundwork(&self) -> &[Step] {
        &self.groundwork
    }

    /// Whether the groundwork was done before this object came.
    pub(super) fn has_groundwork_beneath(&self) -> bool {
        self.beneath
    }

    /// What only the store itself may do.
    fn execute(&self, sql: &str) {
        self.shared
            .trusted(|| self.held.connection().execute_batch(sql))
            .expect("the store's own statements run");
    }

    /// The object is about to do something besides groundwork: what it has done is put beneath the base, as long as
    /// that is all. Whether it was put there only now, and no savepoint is left.
    pub(super) fn end_groundwork(&mut self) -> bool {
        let ends = self.on_base && self.at_groundwork && !self.groundwork.is_empty();
        if ends {
            self.clean();
        }
        ends
    }

    /// As it was before an object used it, with that object's groundwork beneath. The database must be on its base.
    pub(super) fn clean(&mut self) {
        self.go_to_base();
        let begins = self.groundwork.is_empty();
        self.at_groundwork = begins;
        if self.beneath || begins {
            return;
        }
        let steps: Vec<Text> = self.groundwork.iter().map(|step| step.sql.clone()).collect();
        for step in &steps {
            let done = self.held.prepare(&self.shared, step).and_then(|number| {
                let number = number.expect("a step of the groundwork is a statement");
                self.held.run(&self.shared, number, &[])
            });
            done.expect("the groundwork was done before, on an empty database as now");
        }
        self.execute("RELEASE base; SAVEPOINT base");
        self.beneath = true;
    }

    /// Undoes all that was done since the base.
    pub(super) fn go_to_base(&mut self) {
        self.held.roll_back_to_base(&self.shared);
    }

    /// Keeps for good what stands in it, which is no groundwork from then on. There must be no savepoint upon the base.
    pub(super) fn leave_base(&mut self) {
        if self.on_base {
            self.execute("RELEASE base");
            self.on_base = false;
            self.groundwork.clear();
            (self.beneath, self.at_groundwork) = (false, false);
        }
    }

    /// The object has gone back into its groundwork, which does not lie beneath the base.
    pub(super) fn shorten_groundwork(&mut self, steps: usize) {
        self.groundwork.truncate(steps);
        self.at_groundwork = true;
    }

    #[cfg(test)]
    pub(super) fn prepared_anew(&self) -> i32 {
        self.held.prepared_anew()
    }

    pub(super) fn connection(&self) -> &Connection {
        self.held.connection()
    }

    pub(super) fn depth(&self) -> usize {
        self.held.depth()
    }

    pub(super) fn mark(&mut self) {
        self.held.mark(&self.shared);
    }

    pub(super) fn roll_back(&mut self) {
        self.held.roll_back(&self.shared);
    }

    pub(super) fn release(&mut self) {
        self.held.release(&self.shared);
    }

    /// Undoes what was done since the outermost savepoint, and drops them all.
    pub(super) fn undo_all(&mut self) {
        while self.depth() > 0 {
            // The newest is undone before it is released: what it guards must not outlive it.
            self.roll_back();
            self.release();
        }
    }

    /// Whether a statement has rolled back the transaction that the savepoints were in; they are forgotten then.
    pub(super) fn lost_its_savepoints(&mut self) -> bool {
        let lost = self.held.connection().is_autocommit();
        assert!(
            !(lost && self.on_base),
            "a statement that was not known to be able to has ended the transaction"
        );
        let lost = lost && self.depth() > 0;
        if lost {
            self.held.forget_savepoints(&self.shared);
        }
        lost
    }

    /// The statement of this text, prepared; none when the text holds none.
    pub(super) fn prepare(&mut self, sql: &Text) -> Result<Option<Number>, RunError> {
        self.held.prepare(&self.shared, sql)
    }

    pub(super) fn find(&self, sql: &str) -> Option<Number> {
        self.held.find(sql)
    }

    pub(super) fn traits(&self, number: Number) -> &Traits {
        self.held.traits(number)
    }

    /// Runs a statement that reads the schema and writes nothing, as if the platform's table for the alarm stood in it.
    /// It does so behind all others, wherever the runtime may have it: only an ORDER BY is certain of a place.
    ///
    /// The answer is kept where it can be: to make a table and to take it back has SQLite read the whole schema again and
    /// prepare all statements anew.
    pub(super) fn run_beside_alarm_table(
        &mut self,
        number: Number,
        sql: &Text,
        params: &[Value],
    ) -> Result<Rows, RunError> {
        if let Some(rows) = self.held.answered_beside_alarm_table(number, params) {
            self.at_groundwork = false;
            return Ok(rows.clone());
        }
        self.execute("SAVEPOINT alarm");
        self.execute(ALARM_TABLE_SQL);
        let ran = self.run(number, sql, params);
        self.execute("ROLLBACK TO alarm; RELEASE alarm");
        if let Ok(rows) = &ran {
            self.held.keep_answer_beside_alarm_table(number, params, rows);
        }
        ran
    }

    /// Runs a statement.
    pub(super) fn run(&mut self, number: Number, sql: &Text, params: &[Value]) -> Result<Rows, RunError> {
        if !self.at_groundwork {
            return self.held.run(&self.shared, number, params);
        }
        let Traits {
            writes, only_makes, ..
        } = self.held.traits(number).clone();
        let ran = self.held.run(&self.shared, number, params);
        self.at_groundwork = only_makes && ran.is_ok();
        if self.at_groundwork {
            let sql = sql.clone();
            self.groundwork.push(Step { sql, writes });
        }
        ran
    }
}
