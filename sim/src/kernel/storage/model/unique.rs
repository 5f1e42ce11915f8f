//! Rows that cannot stand beside each other, where a table has more unique indexes than its key's.
//!
//! SQLite looks at one after the other, and what it does at the first that is in the way decides: the order is that of
//! `sqlite3GenerateConstraintChecks` in its `insert.c`.

use protocol::host::SqlErrorKind;

use super::cell::Cell;
use super::plan::{Assignments, Bound, Conflict, Refusal, constraint};
use super::shape::{Index, Key, Schema};
use super::table::{Row, Table, has_null, order_by};
use super::tables::Tables;
use super::write::Inserting;

/// Something that is unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unique {
    /// The key, whichever it is.
    Key,
    /// Another index, by where it stands.
    Index(usize),
}

impl Unique {
    pub(super) fn error(self, schema: &Schema) -> Refusal {
        let columns = match self {
            Unique::Key => schema.key.columns(),
            Unique::Index(at) => &schema.indexes[at].columns,
        };
        let first = columns
            .first()
            .expect("rows without a key are in nobody's way by it");
        Refusal::Sql(constraint(SqlErrorKind::Unique, schema, *first))
    }
}

/// What SQLite looks at, in its order: what an upsert names, the row's number, and the indexes, the newest first.
fn order_of_checks(schema: &Schema, named: Option<Unique>) -> impl Iterator<Item = Unique> {
    let number = matches!(schema.key, Key::Rowid(_)).then_some(Unique::Key);
    let unique = |(at, index): (usize, &Index)| {
        let which = if index.is_key {
            Unique::Key
        } else {
            Unique::Index(at)
        };
        index.unique.then_some(which)
    };
    let indexes = schema.indexes.iter().enumerate().rev().filter_map(unique);
    let others = number.into_iter().chain(indexes);
    named
        .into_iter()
        .chain(others.filter(move |other| Some(*other) != named))
}

impl Table {
    /// Where the row stands that is in the way of these cells.
    fn holder(&self, unique: Unique, cells: &[Cell], rowid: i64) -> Option<usize> {
        match unique {
            Unique::Key => self.place(cells, rowid).ok(),
            Unique::Index(at) => {
                let columns = &self.schema.indexes[at].columns;
                let equal = |row: &Row| order_by(columns, row.cells(), cells).is_eq();
                if has_null(columns, cells) {
                    None
                } else {
                    self.rows().iter().position(equal)
                }
            }
        }
    }

    /// Whether two rows are equal in these columns, and have no NULL there.
    pub(super) fn has_equal(&self, columns: &[usize]) -> bool {
        let rows = self.rows().iter();
        let mut rows: Vec<&Row> = rows.filter(|row| !has_null(columns, row.cells())).collect();
        rows.sort_by(|a, b| order_by(columns, a.cells(), b.cells()));
        rows.windows(2)
            .any(|two| order_by(columns, two[0].cells(), two[1].cells()).is_eq())
    }
}

impl Tables {
    /// Inserts the new row that stands in the buffer, as far as no other is in its way.
    pub(super) fn insert_unique(&mut self, rowid: i64, inserting: &mut Inserting<'_>) -> Bound<()> {
        let Inserting {
            table, schema, plan, ..
        } = *inserting;
        let mut replaced = Vec::new();
        for unique in order_of_checks(schema, plan.on_conflict.named()) {
            let Some(at) = self.get(table).holder(unique, &inserting.buffers.new, rowid) else {
                continue;
            };
            match &plan.on_conflict {
                Conflict::Replace => replaced.push(at),
                Conflict::Ignore | Conflict::Nothing(None) => return Ok(()),
                Conflict::Nothing(named) if *named == Some(unique) => return Ok(()),
                Conflict::Update { key, set } if *key == unique => {
                    return self.upsert(at, set, inserting);
                }
                Conflict::Fail | Conflict::Nothing(_) | Conflict::Update { .. } => {
                    return Err(unique.error(schema));
                }
            }
        }
        replaced.sort_unstable();
        replaced.dedup();
        for at in replaced.into_iter().rev() {
            self.remove_rows(table, at..at + 1);
        }
        let new = &mut inserting.buffers.new;
        let place = self.get(table).place(new, rowid);
        let at = place.expect_err("whatever has its key is in its way, and was taken out");
        let row = Row::new(rowid, new, &mut self.spare);
        self.add_row(table, at, row);
        Ok(())
    }

    /// Refuses an UPDATE that makes a row stand in another's way. `rows` are those that it changes, in their order, as
    /// they become.
    ///
    /// SQLite changes one after the other, in an order of its own, and sees what it has changed so far.
    pub(super) fn check_unique(
        &self,
        table: usize,
        set: &Assignments,
        rows: &[(usize, Vec<Cell>)],
    ) -> Bound<()> {
        let of = self.get(table);
        let schema = &of.schema;
        let changed = |unique: &Unique| match unique {
            Unique::Key => false,
            Unique::Index(at) => schema.indexes[*at]
                .columns
                .iter()
                .any(|column| set[*column].is_some()),
        };
        let changed: Vec<Unique> = order_of_checks(schema, None).filter(changed).collect();
        for unique in &changed {
            let Unique::Index(at) = unique else { continue };
            let columns = &schema.indexes[*at].columns;
            match conflict_of(of, columns, rows) {
                UpdateConflict::None => {}
                // Of several rows, or several indexes, the first decides.
                UpdateConflict::Certain if rows.len() == 1 || changed.len() == 1 => {
                    return Err(unique.error(schema));
                }
                UpdateConflict::Certain | UpdateConflict::OrderDependent => {
                    return Err(Refusal::Unsupported);
                }
            }
        }
        Ok(())
    }
}

/// Whether rows stand in each other's way as they are changed.
enum UpdateConflict {
    None,
    /// Only if one is changed before the other.
    OrderDependent,
    Certain,
}

fn conflict_of(table: &Table, columns: &[usize], rows: &[(usize, Vec<Cell>)]) -> UpdateConflict {
    let mut conflict = UpdateConflict::None;
    for (nth, (at, cells)) in rows.iter().enumerate() {
        if has_null(columns, cells) {
            continue;
        }
        let equal = |other: &[Cell]| order_by(columns, cells, other).is_eq();
        if rows[nth + 1..].iter().any(|(_, other)| equal(other)) {
            return UpdateConflict::Certain;
        }
        for (other_at, other) in table.rows().iter().enumerate() {
            if other_at == *at || !equal(other.cells()) {
                continue;
            }
            if rows.binary_search_by_key(&other_at, |(at, _)| *at).is_err() {
                return UpdateConflict::Certain;
            }
            conflict = UpdateConflict::OrderDependent;
        }
    }
    conflict
}
