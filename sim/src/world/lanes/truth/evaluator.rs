//! A database of the oracle's own, in which it reads what a site showed at any generation, and runs what the log says.

use std::sync::Arc;

use protocol::host::{Rows, Statement, Text};

use super::contents::{Contents, insert, plain};
use crate::kernel::storage::limits::Limits;
use crate::kernel::storage::model::ModelStore;
use crate::kernel::storage::{Store, StoreError, Writes};

/// Databases with the states that they hold, the one that was asked for last at the end. Lanes stand at a few generations
/// at a time, and each is asked for again and again.
#[derive(Debug, Default)]
pub struct Evaluator(Vec<Loaded>);

/// How many states are held.
const HELD: usize = 8;

impl Clone for Evaluator {
    /// One state is enough to make the others of.
    fn clone(&self) -> Self {
        Evaluator(self.0.last().cloned().into_iter().collect())
    }
}

/// A database, and the state that it holds.
#[derive(Clone, Debug)]
struct Loaded {
    store: ModelStore,
    state: Contents,
}

impl Default for Loaded {
    fn default() -> Self {
        Loaded {
            store: ModelStore::open(&Default::default(), Limits::default()),
            state: Contents::default(),
        }
    }
}

/// A state in which statements can be run; what they write is taken back when it ends.
#[derive(Debug)]
pub struct Trial<'a> {
    store: &'a mut ModelStore,
    mark: crate::kernel::storage::Mark,
    writes: Writes,
}

impl Evaluator {
    /// The database that holds a state. Where there is none it is made of the one that is most like it.
    ///
    /// # Panics
    /// When the tables of an object cannot be made again: a bug of the oracle.
    pub fn at(&mut self, contents: &Contents) -> Trial<'_> {
        let held = self.0.iter().position(|loaded| loaded.state.is_same(contents));
        let loaded = match held {
            Some(at) => self.0.remove(at),
            None => {
                let nearest = self.0.iter().max_by_key(|loaded| loaded.state.shares(contents));
                let mut loaded = nearest.cloned().unwrap_or_default();
                loaded.become_state(contents);
                if self.0.len() == HELD {
                    self.0.remove(0);
                }
                loaded
            }
        };
        self.0.push(loaded);
        let store = &mut self.0.last_mut().expect("one was pushed").store;
        let mark = store.mark();
        Trial {
            store,
            mark,
            writes: Writes::default(),
        }
    }
}

impl Loaded {
    /// Puts a state into the database: only tables that are not the same are written anew.
    fn become_state(&mut self, contents: &Contents) {
        let mut loaded = contents.clone();
        let mut statements = Vec::new();
        // A table that is not there reads as an empty one.
        let absent = self
            .state
            .tables()
            .filter(|(name, _)| contents.table(name).is_none());
        for (name, table) in absent {
            if !table.rows.is_empty() {
                statements.push(plain(format!("DELETE FROM \"{name}\"")));
            }
            loaded.set(name.clone(), table.emptied());
        }
        for (name, table) in contents.tables() {
            match self.state.table(name) {
                Some(loaded) if Arc::ptr_eq(loaded, table) => continue,
                Some(_) => statements.push(plain(format!("DELETE FROM \"{name}\""))),
                None => statements.push(plain(table.ddl.to_string())),
            }
            let sql = insert(name, table);
            statements.extend(table.rows.iter().map(|row| Statement {
                sql: sql.clone(),
                params: row.to_vec(),
            }));
        }
        for statement in &statements {
            if let Err(error) = self.store.run(statement).outcome {
                panic!("the oracle cannot hold a state: {}: {error}", statement.sql);
            }
        }
        self.state = loaded;
    }
}

impl Trial<'_> {
    /// Runs a statement in it.
    ///
    /// # Errors
    /// The database refuses it.
    pub fn run(&mut self, statement: &Statement) -> Result<Rows, StoreError> {
        let ran = self.store.run(statement);
        self.writes.add(&ran.writes);
        ran.outcome
    }

    /// Whether a table may not be any more what it was when the trial began.
    #[must_use]
    pub fn has_written(&self, table: &Text) -> bool {
        self.writes.schema() || self.writes.tables().contains(table)
    }

    /// Runs statements, reads, and takes the statements back.
    ///
    /// # Errors
    /// The database refuses one of them.
    pub fn read_behind(&mut self, behind: &[Statement], read: &Statement) -> Result<Rows, StoreError> {
        let mark = self.store.mark();
        let ran = behind
            .iter()
            .try_for_each(|statement| self.run(statement).map(drop));
        let rows = ran.and_then(|()| self.run(read));
        self.store.rollback_to(mark);
        self.store.release(mark);
        rows
    }
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        self.store.rollback_to(self.mark);
        self.store.release(self.mark);
    }
}
