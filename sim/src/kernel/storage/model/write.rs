//! INSERT, UPDATE and DELETE.

use std::sync::Arc;

use protocol::host::{SqlError, SqlErrorKind, Value};
use protocol::number::Number;

use super::bind::{Bound, Conflict, InsertPlan, Refusal, Set, Source, Test};
use super::cell::Cell;
use super::shape::{Key, Operand, Schema};
use super::table::Row;
use super::{ModelStore, cell_of, select};

/// Bytes that the header of a row is certain not to take.
const HEADER: usize = 10_000;

impl ModelStore {
    pub(super) fn insert(&mut self, table: usize, plan: &InsertPlan, params: &[Value]) -> Bound<()> {
        let schema = Arc::clone(&self.tables[table].schema);
        plan.rows
            .iter()
            .try_for_each(|row| self.insert_row(table, &schema, plan, row, params))
    }

    fn insert_row(
        &mut self,
        table: usize,
        schema: &Schema,
        plan: &InsertPlan,
        operands: &[Operand],
        params: &[Value],
    ) -> Bound<()> {
        let mut cells = new_cells(schema, plan, operands, params)?;
        let rowid = self.rowid_for(table, schema, &mut cells)?;
        if let Some(at) = first_null(schema, &cells) {
            match plan.on_conflict {
                Conflict::Ignore => return Ok(()),
                Conflict::Replace => fill_nulls(schema, &mut cells)?,
                _ => return Err(Refusal::Sql(constraint(SqlErrorKind::NotNull, schema, at))),
            }
        }
        self.check_size(&cells)?;
        let there = match &schema.key {
            Key::Nothing => None,
            Key::Rowid(_) => self.tables[table].row(rowid).map(|_| rowid),
            Key::Columns(key) => self.tables[table].find(key.iter().map(|at| cells[*at].clone()).collect()),
        };
        match (there, &plan.on_conflict) {
            (None, _) => self.put(table, rowid, Some(Row::new(cells))),
            (Some(_), Conflict::Ignore | Conflict::Nothing) => {}
            (Some(there), Conflict::Replace) => {
                self.put(table, there, None);
                self.put(table, rowid, Some(Row::new(cells)));
            }
            (Some(there), Conflict::Update(set)) => {
                let before = self.tables[table].row(there).ok_or(Refusal::Unsupported)?;
                let row = changed(schema, before, set, Some(&cells), params)?;
                self.check_size(row.cells())?;
                self.put(table, there, Some(row));
            }
            (Some(_), Conflict::Fail) => {
                let first = match &schema.key {
                    Key::Rowid(column) => *column,
                    Key::Columns(key) => key[0],
                    Key::Nothing => return Err(Refusal::Unsupported),
                };
                return Err(Refusal::Sql(constraint(SqlErrorKind::Unique, schema, first)));
            }
        }
        Ok(())
    }

    /// The number of a new row: what its INTEGER PRIMARY KEY says, or the next.
    fn rowid_for(&self, table: usize, schema: &Schema, cells: &mut [Cell]) -> Bound<i64> {
        let next = || self.tables[table].next_rowid().ok_or(Refusal::Unsupported);
        let Key::Rowid(column) = schema.key else {
            return next();
        };
        match cells[column] {
            Cell::Integer(rowid) => Ok(rowid),
            Cell::Null => {
                let rowid = next()?;
                cells[column] = Cell::Integer(rowid);
                Ok(rowid)
            }
            // "datatype mismatch", whatever the conflict clause.
            _ => Err(Refusal::Sql(SqlError::of(SqlErrorKind::Other))),
        }
    }

    pub(super) fn update(
        &mut self,
        table: usize,
        set: &[Set],
        filter: &[Test],
        params: &[Value],
    ) -> Bound<()> {
        let filter = select::bounded(filter, params)?;
        let of = &self.tables[table];
        let mut rows = Vec::new();
        let mut failed: Option<Refusal> = None;
        for (rowid, row) in select::find(of, &filter) {
            let row = changed(&of.schema, row, set, None, params);
            let row = row.and_then(|row| self.check_size(row.cells()).map(|()| row));
            match (row, &failed) {
                (Ok(row), _) => rows.push((rowid, row)),
                (Err(refusal), None) => failed = Some(refusal),
                (Err(refusal), Some(first)) if refusal == *first => {}
                // Which row SQLite meets first is its affair.
                (Err(_), Some(_)) => return Err(Refusal::Unsupported),
            }
        }
        if let Some(refusal) = failed {
            return Err(refusal);
        }
        for (rowid, row) in rows {
            self.put(table, rowid, Some(row));
        }
        Ok(())
    }

    /// A row that may be too large, with its header, is not carried.
    fn check_size(&self, cells: &[Cell]) -> Bound<()> {
        let bytes = |cell: &Cell| match cell {
            Cell::Text(text) => text.len(),
            Cell::Blob(bytes) => bytes.0.len(),
            _ => 0,
        };
        let bytes: usize = cells.iter().map(bytes).sum();
        if bytes.saturating_add(HEADER) <= self.guard.limits().row_bytes {
            Ok(())
        } else {
            Err(Refusal::Unsupported)
        }
    }

    pub(super) fn delete(&mut self, table: usize, filter: &[Test], params: &[Value]) -> Bound<()> {
        let filter = select::bounded(filter, params)?;
        let found = select::find(&self.tables[table], &filter);
        let rowids: Vec<i64> = found.into_iter().map(|(rowid, _)| rowid).collect();
        for rowid in rowids {
            self.put(table, rowid, None);
        }
        Ok(())
    }
}

/// The cells of a new row, each as its column stores it.
fn new_cells(schema: &Schema, plan: &InsertPlan, operands: &[Operand], params: &[Value]) -> Bound<Vec<Cell>> {
    let cells = schema.columns.iter().zip(&plan.sources).map(|(column, source)| {
        let cell = match source {
            Some(at) => cell_of(&operands[*at], params),
            None => column.default.clone(),
        };
        cell.with(column.affinity).ok_or(Refusal::Unsupported)
    });
    cells.collect()
}

/// A row with its assignments made. `refused` is the row that an upsert could not insert.
fn changed(
    schema: &Schema,
    before: &Row,
    set: &[Set],
    refused: Option<&[Cell]>,
    params: &[Value],
) -> Bound<Row> {
    let mut cells = before.cells().to_vec();
    for Set { column, value } in set {
        let cell = match value {
            Source::Operand(operand) => cell_of(operand, params),
            Source::Column(from) => before.cells()[*from].clone(),
            Source::Excluded(from) => refused.ok_or(Refusal::Unsupported)?[*from].clone(),
            Source::Sum { column, minus, by } => {
                sum(&before.cells()[*column], *minus, cell_of(by, params)).ok_or(Refusal::Unsupported)?
            }
        };
        cells[*column] = cell
            .with(schema.columns[*column].affinity)
            .ok_or(Refusal::Unsupported)?;
    }
    if let Some(at) = first_null(schema, &cells) {
        return Err(Refusal::Sql(constraint(SqlErrorKind::NotNull, schema, at)));
    }
    Ok(Row::new(cells))
}

/// `a + b` or `a - b` of numbers. Integers stay integers while they fit; what SQLite makes of the rest is not carried.
fn sum(a: &Cell, minus: bool, b: Cell) -> Option<Cell> {
    let real = |cell: &Cell| match cell {
        Cell::Integer(integer) => Some(Number::from(*integer)),
        Cell::Real(number) => Some(*number),
        _ => None,
    };
    match (a, &b) {
        (Cell::Null, _) | (_, Cell::Null) => Some(Cell::Null),
        (Cell::Integer(a), Cell::Integer(b)) => {
            let sum = if minus {
                a.checked_sub(*b)
            } else {
                a.checked_add(*b)
            };
            sum.map(Cell::Integer)
        }
        (a, b) => {
            let (a, b) = (real(a)?, real(b)?);
            Some(Cell::real(if minus { a - b } else { a + b }))
        }
    }
}

/// The first column that holds NULL and must not.
fn first_null(schema: &Schema, cells: &[Cell]) -> Option<usize> {
    let mut columns = schema.columns.iter().zip(cells);
    columns.position(|(column, cell)| column.not_null && *cell == Cell::Null)
}

/// OR REPLACE puts the default where NULL must not be.
fn fill_nulls(schema: &Schema, cells: &mut [Cell]) -> Bound<()> {
    while let Some(at) = first_null(schema, cells) {
        let column = &schema.columns[at];
        if column.default == Cell::Null {
            return Err(Refusal::Sql(constraint(SqlErrorKind::NotNull, schema, at)));
        }
        cells[at] = column
            .default
            .clone()
            .with(column.affinity)
            .ok_or(Refusal::Unsupported)?;
    }
    Ok(())
}

fn constraint(kind: SqlErrorKind, schema: &Schema, column: usize) -> SqlError {
    SqlError {
        table: Some(schema.name.clone()),
        column: Some(schema.columns[column].name.clone()),
        ..SqlError::of(kind)
    }
}
