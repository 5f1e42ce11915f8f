//! A table: its rows by number, and the index of its key.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use protocol::host::Value;

use super::super::digest;
use super::cell::Cell;
use super::shape::{Key, Schema};

/// A row, shared by all the states that hold it.
#[derive(Clone, Debug)]
pub(super) struct Row(Arc<Held>);

#[derive(Debug)]
struct Held {
    cells: Box<[Cell]>,
    /// Computed when it is first asked for: most rows are written more often than compared.
    digest: OnceLock<u128>,
}

impl Row {
    pub(super) fn new(cells: Vec<Cell>) -> Self {
        Row(Arc::new(Held {
            cells: cells.into(),
            digest: OnceLock::new(),
        }))
    }

    pub(super) fn cells(&self) -> &[Cell] {
        &self.0.cells
    }

    pub(super) fn read(&self) -> Vec<Value> {
        self.cells().iter().map(Cell::read).collect()
    }

    fn digest(&self, table: &str) -> u128 {
        *self.0.digest.get_or_init(|| digest::of_row(table, &self.read()))
    }
}

/// A place in the index of the key: the key's cells, then the row's number, for keys with NULL may repeat.
#[derive(Clone, Debug)]
pub(super) struct Place {
    cells: Box<[Cell]>,
    rowid: i64,
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        order_of(&self.cells, &other.cells).then(self.rowid.cmp(&other.rowid))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Place {}

fn order_of(a: &[Cell], b: &[Cell]) -> Ordering {
    let mut orders = a.iter().zip(b).map(|(a, b)| a.order(b));
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// A table of one state. Cloned when a state that shares it is written.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) schema: Arc<Schema>,
    rows: BTreeMap<i64, Row>,
    places: BTreeSet<Place>,
    digest: OnceLock<u128>,
}

impl Table {
    pub(super) fn new(schema: Arc<Schema>) -> Self {
        Table {
            schema,
            rows: BTreeMap::new(),
            places: BTreeSet::new(),
            digest: OnceLock::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number that the next row gets, unless the numbers are used up, after which SQLite draws lots.
    pub(super) fn next_rowid(&self) -> Option<i64> {
        self.rows
            .last_key_value()
            .map_or(Some(1), |(last, _)| last.checked_add(1))
    }

    pub(super) fn row(&self, rowid: i64) -> Option<&Row> {
        self.rows.get(&rowid)
    }

    /// The rows with numbers from `first` to `last`, by number.
    pub(super) fn by_number(&self, first: i64, last: i64) -> impl Iterator<Item = (i64, &Row)> {
        // A range that ends before it begins is a panic to BTreeMap.
        let range = (first <= last).then(|| self.rows.range(first..=last));
        range.into_iter().flatten().map(|(rowid, row)| (*rowid, row))
    }

    /// All rows in the order of the key.
    pub(super) fn by_key(&self) -> Box<dyn DoubleEndedIterator<Item = (i64, &Row)> + '_> {
        match self.schema.key {
            Key::Columns(_) => Box::new(
                self.places
                    .iter()
                    .map(|place| (place.rowid, &self.rows[&place.rowid])),
            ),
            _ => Box::new(self.rows.iter().map(|(rowid, row)| (*rowid, row))),
        }
    }

    /// The number of the row that has this key. A key with NULL in it is no row's.
    pub(super) fn find(&self, key: Vec<Cell>) -> Option<i64> {
        if key.contains(&Cell::Null) {
            return None;
        }
        let first = Place {
            cells: key.into(),
            rowid: i64::MIN,
        };
        let found = self.places.range(&first..).next()?;
        order_of(&found.cells, &first.cells)
            .is_eq()
            .then_some(found.rowid)
    }

    /// Puts a row in the place of another, or of none; or takes one out. Gives back what was there.
    pub(super) fn put(&mut self, rowid: i64, row: Option<Row>) -> Option<Row> {
        self.digest.take();
        let (before, after) = match row {
            Some(row) => (self.rows.insert(rowid, row.clone()), Some(row)),
            None => (self.rows.remove(&rowid), None),
        };
        let Key::Columns(key) = &self.schema.key else {
            return before;
        };
        // Most updates leave the key alone, and so the index.
        if let (Some(before), Some(after)) = (&before, &after)
            && key
                .iter()
                .all(|at| before.cells()[*at].order(&after.cells()[*at]).is_eq())
        {
            return Some(before.clone());
        }
        let place = |row: &Row| Place {
            cells: key.iter().map(|at| row.cells()[*at].clone()).collect(),
            rowid,
        };
        let (old, new) = (before.as_ref().map(place), after.as_ref().map(place));
        if let Some(old) = old {
            self.places.remove(&old);
        }
        if let Some(new) = new {
            self.places.insert(new);
        }
        before
    }

    /// The digest of its rows and of its entry in the schema.
    pub(super) fn digest(&self) -> u128 {
        *self.digest.get_or_init(|| {
            let entry = digest::of_entry(&self.schema.name, &self.schema.ddl);
            let rows = self.rows.values().map(|row| row.digest(&self.schema.name));
            rows.fold(entry, u128::wrapping_add)
        })
    }
}
