//! Which database an object has: how it comes by one of the pool's, changes it for another, and keeps one for good.

use protocol::host::{Rows, Text, Value};

use super::super::Ran;
use super::database::{Database, Step};
use super::log::Log;
use super::{Point, SqliteStore, run_in};

impl SqliteStore {
    /// The groundwork that lies in the database and that the object has still to do.
    pub(super) fn ahead(&self) -> &[Step] {
        match &self.database {
            Some(database) if database.has_groundwork_beneath() => &database.groundwork()[self.steps..],
            _ => &[],
        }
    }

    /// The database for a statement, which is the next of the object's. What the statement has come to, if it lies in
    /// the database already.
    pub(super) fn database_for(&mut self, sql: &Text, params: &[Value]) -> Option<Ran> {
        let meant = params.is_empty().then_some(sql);
        if self.database.is_none() || self.ahead().first().is_some_and(|step| meant != Some(&step.sql)) {
            self.exchange(meant);
        }
        let writes = self.ahead().first()?.writes.clone();
        self.keep(sql, params, self.surroundings());
        self.steps += 1;
        Some(Ran {
            outcome: Ok(Rows::default()),
            writes,
            struck: false,
        })
    }

    /// Takes the database whose groundwork goes on with this statement, or one that has none, and does there what
    /// the object has done. That must be groundwork alone, or all be in the log but for groundwork.
    fn exchange(&mut self, next: Option<&Text>) {
        let surroundings = self.surroundings();
        let old = self.database.take();
        let done = old
            .as_ref()
            .map_or(&[][..], |old| &old.groundwork()[..self.steps]);
        let mut database = self.pool.take(self.guard.limits(), done, next);
        database.shared().set_surroundings(surroundings);
        let (marks, log) = (std::mem::take(&mut self.marks), std::mem::take(&mut self.log));
        if database.has_groundwork_beneath() {
            self.marks = marks
                .into_iter()
                .map(|mark| Point { savepoint: 1, ..mark })
                .collect();
            self.log = log;
            self.database = Some(database);
        } else {
            let before = marks.first().map_or(self.steps, |mark| mark.steps);
            for step in &done[..before] {
                let ran = run_in(&mut database, &step.sql, &[]);
                assert!(ran.is_ok(), "groundwork that was done elsewhere fails: {ran:?}");
            }
            self.database = Some(database);
            self.replay(&marks, log);
        }
        if let Some(old) = old {
            self.pool.give(old);
        }
    }

    /// Goes back to the oldest mark, and there makes a database of its own that is not to be used again: one that can
    /// be copied, and that a statement may throw out of its savepoints. Gives what is to be replayed.
    pub(super) fn leave_pool(&mut self) -> (Vec<Point>, Log) {
        let within_groundwork = self.marks.first().is_some_and(|mark| mark.steps < self.steps);
        let beneath = self
            .database
            .as_ref()
            .is_some_and(Database::has_groundwork_beneath);
        if self.database.is_none() || !self.ahead().is_empty() || within_groundwork && beneath {
            self.exchange(None);
        }
        let database = self.opened();
        database.undo_all();
        database.leave_base();
        self.steps = 0;
        let mut marks = std::mem::take(&mut self.marks);
        marks.iter_mut().for_each(|mark| mark.steps = 0);
        (marks, std::mem::take(&mut self.log))
    }

    /// Whether the tables that this object began with were there already.
    #[cfg(test)]
    pub(in super::super) fn found_its_groundwork(&self) -> bool {
        let found = |database: &Database| database.has_groundwork_beneath() && self.ahead().is_empty();
        self.database.as_ref().is_some_and(found)
    }

    /// How often SQLite has prepared one of its statements anew.
    #[cfg(test)]
    pub(in super::super) fn prepared_anew(&self) -> i32 {
        self.database.as_ref().map_or(0, Database::prepared_anew)
    }

    /// The database, holding what the object has done and nothing else; none where it has done nothing.
    pub(super) fn whole_database(&mut self) -> Option<&Database> {
        if !self.ahead().is_empty() {
            self.exchange(None);
        }
        self.database.as_ref()
    }
}
