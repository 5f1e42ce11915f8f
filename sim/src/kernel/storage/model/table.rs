//! A table: its rows in the order of its key.

use std::cell::Cell as Lazy;
use std::cmp::Ordering;
use std::ops::Range;
use std::rc::Rc;

use protocol::host::Value;

use super::super::digest;
use super::cell::Cell;
use super::shape::{Key, Schema};

/// A row. What stands in it is shared by all the states that hold it.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The hidden number, or the INTEGER PRIMARY KEY.
    rowid: i64,
    cells: Rc<[Cell]>,
    /// Computed when it is first asked for, for most rows are written more often than compared; 0 until then, which no
    /// row's digest is but with a chance of one in 2^128.
    digest: Lazy<u128>,
}

impl Row {
    /// Takes the cells out of a buffer.
    pub(super) fn new(rowid: i64, cells: &mut Vec<Cell>, spare: &mut Spare) -> Self {
        Row {
            rowid,
            cells: spare.filled(cells),
            digest: Lazy::new(0),
        }
    }

    pub(super) fn rowid(&self) -> i64 {
        self.rowid
    }

    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    pub(super) fn read(&self) -> Vec<Value> {
        self.cells.iter().map(Cell::read).collect()
    }
}

/// Room of rows that nobody holds any more: nearly every row that is written takes the place of one of the same width,
/// which is let go when the turn is durable.
#[derive(Debug, Default)]
pub(super) struct Spare {
    /// By width.
    rows: [Vec<Rc<[Cell]>>; WIDEST],
}

/// How wide rows are whose room is kept, and how many of a width.
const WIDEST: usize = 16;
const KEPT: usize = 64;

impl Clone for Spare {
    /// It is room for one store's rows.
    fn clone(&self) -> Self {
        Spare::default()
    }
}

impl Spare {
    /// Takes the cells out of a buffer.
    fn filled(&mut self, cells: &mut Vec<Cell>) -> Rc<[Cell]> {
        let room = self.rows.get_mut(cells.len()).and_then(Vec::pop);
        let Some(mut room) = room else {
            return cells.drain(..).collect();
        };
        if let Some(there) = Rc::get_mut(&mut room) {
            there.swap_with_slice(cells);
        }
        cells.clear();
        room
    }

    /// Lets a row go. What stands in it stands there until it is used again.
    pub(super) fn keep(&mut self, mut row: Row) {
        if let Some(rows) = self.rows.get_mut(row.cells.len())
            && rows.len() < KEPT
            && Rc::get_mut(&mut row.cells).is_some()
        {
            rows.push(row.cells);
        }
    }
}

/// A table of one state. Cloned when a state that shares it is written.
///
/// Its rows stand in one vector, in the order of the key, and of the rows' numbers where keys are equal, which only
/// those with NULL in them are. Tables here have some dozens of rows, a log some hundreds, to which it adds at the end:
/// to move what comes after a new row costs less than the nodes of a tree.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) schema: Rc<Schema>,
    /// When it was created, and when each of its explicit indexes was: in this order SQLite lists them.
    pub(super) created: u64,
    pub(super) indexes_created: Vec<u64>,
    rows: Vec<Row>,
    /// Rows with NULL in their key.
    nulls: usize,
    /// The greatest number of a row, where it is known; 0 in an empty table.
    greatest: Lazy<Option<i64>>,
    /// The sum of the rows' digests, but for those that are not computed yet.
    digests: Lazy<u128>,
    /// How many are not.
    undigested: Lazy<usize>,
    /// The digest of its entries in the schema.
    entry: u128,
}

#[inline]
pub(super) fn order_by(key: &[usize], a: &[Cell], b: &[Cell]) -> Ordering {
    // Most keys.
    if let [column] = key {
        return a[*column].order(&b[*column]);
    }
    for column in key {
        let order = a[*column].order(&b[*column]);
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

impl Table {
    pub(super) fn new(schema: Rc<Schema>, created: u64) -> Self {
        Table {
            entry: entry_of(&schema),
            schema,
            created,
            indexes_created: Vec::new(),
            rows: Vec::new(),
            nulls: 0,
            greatest: Lazy::new(Some(0)),
            digests: Lazy::new(0),
            undigested: Lazy::new(0),
        }
    }

    /// It with these rows and another schema, whose columns are the same.
    pub(super) fn with_schema(&self, schema: Rc<Schema>) -> Self {
        Table {
            entry: entry_of(&schema),
            schema,
            ..self.clone()
        }
    }

    /// It with a column more, in which all rows have this cell.
    pub(super) fn with_column(&self, schema: Rc<Schema>, cell: &Cell) -> Self {
        let with_cell = |row: &Row| {
            let cells = row.cells.iter().chain(std::iter::once(cell));
            Row {
                rowid: row.rowid,
                cells: cells.cloned().collect(),
                digest: Lazy::new(0),
            }
        };
        let rows: Vec<Row> = self.rows.iter().map(with_cell).collect();
        Table {
            entry: entry_of(&schema),
            schema,
            indexes_created: self.indexes_created.clone(),
            greatest: self.greatest.clone(),
            digests: Lazy::new(0),
            undigested: Lazy::new(rows.len()),
            rows,
            ..*self
        }
    }

    /// Its rows, in the order of the key.
    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Whether a key has NULL in it, so that it may not be the only one.
    pub(super) fn has_null_keys(&self) -> bool {
        self.nulls > 0
    }

    /// The number that the next row gets, unless the numbers are used up, after which SQLite draws lots.
    pub(super) fn next_rowid(&self) -> Option<i64> {
        if matches!(self.schema.key, Key::Rowid(_) | Key::Nothing) {
            return self.rows.last().map_or(Some(1), |last| last.rowid.checked_add(1));
        }
        let greatest = self
            .greatest
            .get()
            .unwrap_or_else(|| self.rows.iter().map(|row| row.rowid).max().unwrap_or(0));
        self.greatest.set(Some(greatest));
        greatest.checked_add(1)
    }

    /// Where the row stands that has the key of these cells, or else where a row of them would. A key with NULL in it
    /// is no other row's.
    pub(super) fn place(&self, cells: &[Cell], rowid: i64) -> Result<usize, usize> {
        match &self.schema.key {
            Key::Columns(key) if has_null(key, cells) => Err(self.rows.partition_point(|row| {
                order_by(key, &row.cells, cells)
                    .then(row.rowid.cmp(&rowid))
                    .is_lt()
            })),
            Key::Columns(key) | Key::Clustered(key) => {
                self.rows.binary_search_by(|row| order_by(key, &row.cells, cells))
            }
            Key::Rowid(_) | Key::Nothing => match self.rows.last() {
                // As in nearly every log.
                Some(last) if last.rowid < rowid => Err(self.rows.len()),
                _ => self.rows.binary_search_by(|row| row.rowid.cmp(&rowid)),
            },
        }
    }

    /// Puts a row in its place, where there is none.
    pub(super) fn insert(&mut self, at: usize, row: Row) {
        self.nulls += self.null_keys(std::slice::from_ref(&row));
        self.add(&row);
        self.rows.insert(at, row);
    }

    /// Puts a row in the place of one with the same key, and gives that back.
    pub(super) fn replace(&mut self, at: usize, row: Row) -> Row {
        self.add(&row);
        let before = std::mem::replace(&mut self.rows[at], row);
        self.subtract(&before);
        before
    }

    /// Takes rows out.
    pub(super) fn remove(&mut self, stretch: Range<usize>) -> Vec<Row> {
        let removed: Vec<Row> = self.rows.drain(stretch).collect();
        self.nulls -= self.null_keys(&removed);
        removed.iter().for_each(|row| self.subtract(row));
        removed
    }

    /// Puts rows back that stood there.
    pub(super) fn put_back(&mut self, at: usize, rows: Vec<Row>) {
        self.nulls += self.null_keys(&rows);
        rows.iter().for_each(|row| self.add(row));
        self.rows.splice(at..at, rows);
    }

    /// Takes a row into account, but for whether its key is NULL.
    fn add(&mut self, row: &Row) {
        let greatest = self.greatest.get_mut();
        *greatest = greatest.map(|greatest| greatest.max(row.rowid));
        match row.digest.get() {
            0 => *self.undigested.get_mut() += 1,
            digest => *self.digests.get_mut() = self.digests.get().wrapping_add(digest),
        }
    }

    fn subtract(&mut self, row: &Row) {
        if self.greatest.get() == Some(row.rowid) {
            self.greatest.set(None);
        }
        match row.digest.get() {
            0 => *self.undigested.get_mut() -= 1,
            digest => *self.digests.get_mut() = self.digests.get().wrapping_sub(digest),
        }
    }

    fn null_keys(&self, rows: &[Row]) -> usize {
        let key = self.schema.key.columns();
        rows.iter().filter(|row| has_null(key, &row.cells)).count()
    }

    /// The digest of its rows and of its entry in the schema. Only rows that have changed are read for it. `buffer` is
    /// one.
    pub(super) fn digest(&self, buffer: &mut Vec<u8>) -> u128 {
        // From the end, where a log has its new ones.
        let mut rows = self.rows.iter().rev();
        for _ in 0..self.undigested.take() {
            let row = rows.find(|row| row.digest.get() == 0);
            let row = row.expect("rows that have no digest yet are counted");
            let parts = row.cells.iter().map(Cell::part);
            let digest = digest::of_row(&self.schema.name, parts, buffer);
            row.digest.set(digest);
            self.digests.set(self.digests.get().wrapping_add(digest));
        }
        self.entry.wrapping_add(self.digests.get())
    }
}

/// The digest of what the schema has of a table and of those of its indexes that have a text.
fn entry_of(schema: &Schema) -> u128 {
    let of_table = digest::of_entry(&schema.name, &schema.ddl);
    schema.explicit_indexes().fold(of_table, |sum, index| {
        let sql = index.ddl.as_deref().unwrap_or_default();
        sum.wrapping_add(digest::of_entry(&index.name, sql))
    })
}

pub(super) fn has_null(key: &[usize], cells: &[Cell]) -> bool {
    key.iter().any(|column| cells[*column].is_null())
}
