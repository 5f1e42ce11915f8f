//! All tables of a database, and how what was done to them is taken back.

use std::ops::Range;
use std::rc::Rc;

use protocol::host::{SqlError, SqlErrorKind, Text};

use super::bind::may_name_a_table;
use super::plan::{Bound, Refusal};
use super::shape::{SEQUENCE, Schema};
use super::table::{Row, Spare, Table};

/// Tables, shared with forks until one of them writes, and a log of the steps that led to them.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// In the order of their creation.
    list: Vec<Rc<Table>>,
    log: Vec<Undo>,
    /// Tables and indexes that were ever created.
    creations: u64,
    pub(super) spare: Spare,
    /// The most that a row may take.
    pub(super) row_bytes: usize,
}

/// What takes one step back. All steps after it have been taken back then, so rows stand where they stood.
#[derive(Clone, Debug)]
enum Undo {
    /// Takes a new row out.
    Added { table: usize, at: usize },
    /// Puts back a row that another has replaced.
    Replaced { table: usize, at: usize, before: Row },
    /// Puts back rows that were taken out.
    Removed {
        table: usize,
        at: usize,
        before: Vec<Row>,
    },
    /// Drops the newest table.
    NewTable,
    /// Puts back a table that was dropped.
    Dropped { table: usize, before: Rc<Table> },
    /// Puts back a table as it was before its schema changed.
    Changed { table: usize, before: Rc<Table> },
}

impl Tables {
    pub(super) fn new(row_bytes: usize) -> Self {
        Tables {
            list: Vec::new(),
            log: Vec::new(),
            creations: 0,
            spare: Spare::default(),
            row_bytes,
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Table> {
        self.list.iter().map(Rc::as_ref)
    }

    pub(super) fn get(&self, table: usize) -> &Table {
        &self.list[table]
    }

    /// Where the table of this schema stands: there, most likely.
    #[inline]
    pub(super) fn place_of(&self, there: usize, schema: &Rc<Schema>) -> Option<usize> {
        let is_it = |table: &Rc<Table>| Rc::ptr_eq(&table.schema, schema);
        if self.list.get(there).is_some_and(is_it) {
            return Some(there);
        }
        self.list.iter().position(is_it)
    }

    /// Where the table of this name stands.
    pub(super) fn find(&self, name: &Text) -> Bound<usize> {
        if let Some(at) = self.list.iter().position(|table| table.schema.name == *name) {
            return Ok(at);
        }
        let alike = |table: &Rc<Table>| table.schema.name.eq_ignore_ascii_case(name);
        let may = may_name_a_table(name) || name == SEQUENCE;
        if !may || self.list.iter().any(alike) {
            return Err(Refusal::Unsupported);
        }
        Err(Refusal::Sql(SqlError {
            table: Some(name.clone()),
            ..SqlError::of(SqlErrorKind::NoSuchTable)
        }))
    }

    /// Counts a table or an index that is created.
    pub(super) fn next_creation(&mut self) -> u64 {
        self.creations += 1;
        self.creations
    }

    pub(super) fn add_table(&mut self, schema: Rc<Schema>) {
        let created = self.next_creation();
        self.list.push(Rc::new(Table::new(schema, created)));
        self.log.push(Undo::NewTable);
    }

    pub(super) fn drop_table(&mut self, table: usize) {
        let before = self.list.remove(table);
        self.log.push(Undo::Dropped { table, before });
    }

    /// Puts a table in the place of what it was.
    pub(super) fn change_table(&mut self, table: usize, after: Table) {
        let before = std::mem::replace(&mut self.list[table], Rc::new(after));
        self.log.push(Undo::Changed { table, before });
    }

    /// How many steps can be taken back.
    pub(super) fn steps(&self) -> usize {
        self.log.len()
    }

    /// Keeps for good what was done.
    pub(super) fn forget_steps(&mut self) {
        for undo in self.log.drain(..) {
            if let Undo::Replaced { before, .. } = undo {
                self.spare.keep(before);
            }
        }
    }

    fn table_mut(&mut self, table: usize) -> &mut Table {
        Rc::make_mut(&mut self.list[table])
    }

    pub(super) fn add_row(&mut self, table: usize, at: usize, row: Row) {
        self.table_mut(table).insert(at, row);
        self.log.push(Undo::Added { table, at });
    }

    pub(super) fn replace_row(&mut self, table: usize, at: usize, row: Row) {
        let before = self.table_mut(table).replace(at, row);
        self.log.push(Undo::Replaced { table, at, before });
    }

    pub(super) fn remove_rows(&mut self, table: usize, stretch: Range<usize>) {
        let at = stretch.start;
        let before = self.table_mut(table).remove(stretch);
        self.log.push(Undo::Removed { table, at, before });
    }

    /// Takes the last steps back, but for so many.
    pub(super) fn undo_to(&mut self, length: usize) {
        while self.log.len() > length
            && let Some(undo) = self.log.pop()
        {
            match undo {
                Undo::Added { table, at } => drop(self.table_mut(table).remove(at..at + 1)),
                Undo::Replaced { table, at, before } => drop(self.table_mut(table).replace(at, before)),
                Undo::Removed { table, at, before } => self.table_mut(table).put_back(at, before),
                Undo::NewTable => drop(self.list.pop()),
                Undo::Dropped { table, before } => self.list.insert(table, before),
                Undo::Changed { table, before } => self.list[table] = before,
            }
        }
    }
}
