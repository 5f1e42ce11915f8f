//! All tables of a database, and how what was done to them is taken back.

use std::ops::Range;
use std::rc::Rc;

use protocol::host::{SqlError, SqlErrorKind, Text};

use super::bind::may_name_a_table;
use super::plan::{Bound, Refusal};
use super::shape::Schema;
use super::table::{Row, Spare, Table};

/// Tables, shared with forks until one of them writes, and a log of the steps that led to them.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// In the order of their creation.
    list: Vec<Rc<Table>>,
    log: Vec<Undo>,
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
}

impl Tables {
    pub(super) fn new(row_bytes: usize) -> Self {
        Tables {
            list: Vec::new(),
            log: Vec::new(),
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

    /// Whether the table of this schema stands there.
    pub(super) fn has_at(&self, table: usize, schema: &Rc<Schema>) -> bool {
        let there = self.list.get(table);
        there.is_some_and(|table| Rc::ptr_eq(&table.schema, schema))
    }

    /// Where the table of this name stands.
    pub(super) fn find(&self, name: &Text) -> Bound<usize> {
        if let Some(at) = self.list.iter().position(|table| table.schema.name == *name) {
            return Ok(at);
        }
        let alike = |table: &Rc<Table>| table.schema.name.eq_ignore_ascii_case(name);
        if !may_name_a_table(name) || self.list.iter().any(alike) {
            return Err(Refusal::Unsupported);
        }
        Err(Refusal::Sql(SqlError {
            table: Some(name.clone()),
            ..SqlError::of(SqlErrorKind::NoSuchTable)
        }))
    }

    /// Makes a table of at most so many columns.
    pub(super) fn create(&mut self, schema: &Rc<Schema>, if_not_exists: bool, columns: usize) -> Bound<()> {
        let alike = |table: &Rc<Table>| table.schema.name.eq_ignore_ascii_case(&schema.name);
        if self.list.iter().any(alike) {
            return if if_not_exists {
                Ok(())
            } else {
                Err(Refusal::Sql(SqlError::of(SqlErrorKind::Other)))
            };
        }
        if schema.columns.len() > columns {
            return Err(Refusal::Unsupported);
        }
        self.list.push(Rc::new(Table::new(Rc::clone(schema))));
        self.log.push(Undo::NewTable);
        Ok(())
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
            }
        }
    }
}
