//! AUTOINCREMENT: the greatest number that a table ever had, in `sqlite_sequence`.
//!
//! As `autoIncBegin` and `autoIncrementEnd` in SQLite's `insert.c` have it: read before a statement's first row, written
//! after its last, and counted for rows too that are not inserted in the end.

use protocol::host::Text;

use super::cell::Cell;
use super::plan::{Bound, Refusal};
use super::shape::Schema;
use super::table::Row;
use super::tables::Tables;

/// The greatest number of one table, while a statement inserts into it.
#[derive(Debug)]
pub(super) struct Sequence {
    /// Where `sqlite_sequence` stands among the tables, and its row in it.
    table: usize,
    row: Option<usize>,
    before: i64,
    /// The greatest, with those of this statement.
    pub(super) greatest: i64,
}

impl Sequence {
    /// Counts the number of a new row.
    pub(super) fn count(&mut self, rowid: i64) {
        self.greatest = self.greatest.max(rowid);
    }
}

impl Tables {
    /// The sequence of a table, if it has one.
    pub(super) fn sequence(&self, schema: &Schema) -> Bound<Option<Sequence>> {
        if !schema.autoincrement {
            return Ok(None);
        }
        let table = self
            .sequence_table()
            .expect("it is there since the first table with AUTOINCREMENT, and cannot be dropped");
        let rows = self.get(table).rows();
        let row = rows.iter().position(|row| is_of(row, &schema.name));
        let before = match row.map(|at| &rows[at].cells()[1]) {
            None => 0,
            Some(Cell::Integer(integer)) => *integer,
            Some(Cell::Real(number)) => number.to_i64_exact().ok_or(Refusal::Unsupported)?,
            Some(_) => return Err(Refusal::Unsupported),
        };
        Ok(Some(Sequence {
            table,
            row,
            before,
            greatest: before,
        }))
    }

    /// Keeps what was counted.
    pub(super) fn keep_sequence(&mut self, of: &Text, sequence: &Sequence) -> Bound<()> {
        let Sequence {
            table,
            row,
            before,
            greatest,
        } = *sequence;
        let mut cells = vec![Cell::Text(of.clone()), Cell::Integer(greatest)];
        match row {
            Some(_) if greatest <= before => {}
            Some(at) => {
                let rowid = self.get(table).rows()[at].rowid();
                let row = Row::new(rowid, &mut cells, &mut self.spare);
                self.replace_row(table, at, row);
            }
            None => {
                let rowid = self.get(table).next_rowid().ok_or(Refusal::Unsupported)?;
                let at = self.get(table).rows().len();
                let row = Row::new(rowid, &mut cells, &mut self.spare);
                self.add_row(table, at, row);
            }
        }
        Ok(())
    }

    /// Takes out what was kept of a table that is dropped.
    pub(super) fn forget_sequence(&mut self, of: &Text) {
        let Some(table) = self.sequence_table() else {
            return;
        };
        for at in (0..self.get(table).rows().len()).rev() {
            if is_of(&self.get(table).rows()[at], of) {
                self.remove_rows(table, at..at + 1);
            }
        }
    }

    fn sequence_table(&self) -> Option<usize> {
        self.all().position(|table| table.schema.is_internal())
    }
}

fn is_of(row: &Row, table: &Text) -> bool {
    matches!(&row.cells()[0], Cell::Text(name) if name == table)
}
