//! A database of the oracle's own, in which it reads what a site showed at any generation, and runs what the log says.

use std::sync::Arc;

use protocol::host::{Rows, Statement};

use super::contents::{Contents, insert, plain};
use crate::kernel::storage::limits::Limits;
use crate::kernel::storage::model::ModelStore;
use crate::kernel::storage::{Store, StoreError};

/// The database, and the state that it holds.
#[derive(Clone, Debug)]
pub struct Evaluator {
    store: ModelStore,
    loaded: Contents,
}

impl Default for Evaluator {
    fn default() -> Self {
        Evaluator {
            store: ModelStore::open(&Default::default(), Limits::default()),
            loaded: Contents::default(),
        }
    }
}

/// A state in which statements can be run; what they write is taken back when it ends.
#[derive(Debug)]
pub struct Trial<'a> {
    store: &'a mut ModelStore,
    mark: crate::kernel::storage::Mark,
}

impl Evaluator {
    /// Puts a state into the database: only tables that are not the same are written anew.
    ///
    /// # Panics
    /// When the tables of an object cannot be made again: a bug of the oracle.
    pub fn at(&mut self, contents: &Contents) -> Trial<'_> {
        let mut loaded = contents.clone();
        let mut statements = Vec::new();
        // A table that is not there reads as an empty one.
        let absent = self
            .loaded
            .tables()
            .filter(|(name, _)| contents.table(name).is_none());
        for (name, table) in absent {
            if !table.rows.is_empty() {
                statements.push(plain(format!("DELETE FROM \"{name}\"")));
            }
            loaded.set(name.clone(), table.emptied());
        }
        for (name, table) in contents.tables() {
            match self.loaded.table(name) {
                Some(loaded) if Arc::ptr_eq(loaded, table) => continue,
                Some(_) => statements.push(plain(format!("DELETE FROM \"{name}\""))),
                None => statements.push(plain(table.ddl.to_string())),
            }
            let sql = insert(name, table);
            statements.extend(table.rows.iter().map(|row| Statement {
                sql: sql.clone(),
                params: row.clone(),
            }));
        }
        for statement in &statements {
            if let Err(error) = self.store.run(statement).outcome {
                panic!("the oracle cannot hold a state: {}: {error}", statement.sql);
            }
        }
        self.loaded = loaded;
        let mark = self.store.mark();
        Trial {
            store: &mut self.store,
            mark,
        }
    }
}

impl Trial<'_> {
    /// Runs a statement in it.
    ///
    /// # Errors
    /// The database refuses it.
    pub fn run(&mut self, statement: &Statement) -> Result<Rows, StoreError> {
        self.store.run(statement).outcome
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
