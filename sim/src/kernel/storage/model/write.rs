//! INSERT, UPDATE and DELETE.

use std::rc::Rc;

use protocol::host::{SqlErrorKind, Value};
use protocol::number::Number;

use super::cell::{Affinity, Cell};
use super::plan::{Assignments, Bound, Conflict, Filter, InsertPlan, Refusal, Source, constraint, mismatch};
use super::sequence::Sequence;
use super::shape::{Index, Key, Operand, Schema};
use super::table::Row;
use super::tables::Tables;
use super::unique::Unique;
use super::{Buffers, cell_of};

/// Bytes that the header of a row is certain not to take.
const HEADER: usize = 10_000;

/// A statement that inserts, while its rows come one after the other.
pub(super) struct Inserting<'a> {
    pub(super) table: usize,
    pub(super) schema: &'a Schema,
    pub(super) plan: &'a InsertPlan,
    pub(super) params: &'a [Value],
    /// In which the new row stands.
    pub(super) buffers: &'a mut Buffers,
}

impl Tables {
    pub(super) fn insert(
        &mut self,
        table: usize,
        plan: &InsertPlan,
        params: &[Value],
        buffers: &mut Buffers,
    ) -> Bound<()> {
        let schema = Rc::clone(&self.get(table).schema);
        let mut sequence = self.sequence(&schema)?;
        let mut inserting = Inserting {
            table,
            schema: &schema,
            plan,
            params,
            buffers,
        };
        for row in &plan.rows {
            let new = &mut inserting.buffers.new;
            new_cells(&schema, plan, row, params, new)?;
            let rowid = self.rowid_for(table, &schema, new, sequence.as_mut())?;
            self.insert_row(rowid, &mut inserting)?;
        }
        match sequence {
            Some(sequence) => self.keep_sequence(&schema.name, &sequence),
            None => Ok(()),
        }
    }

    /// Inserts the new row that stands in the buffer.
    fn insert_row(&mut self, rowid: i64, inserting: &mut Inserting<'_>) -> Bound<()> {
        let Inserting {
            table, schema, plan, ..
        } = *inserting;
        let new = &mut inserting.buffers.new;
        if let Some(at) = first_null(schema, new) {
            match plan.on_conflict {
                Conflict::Ignore => return Ok(()),
                Conflict::Replace => fill_nulls(schema, new)?,
                _ => return Err(Refusal::Sql(constraint(SqlErrorKind::NotNull, schema, at))),
            }
        }
        self.check_size(new)?;
        if schema.has_unique_besides_key() {
            return self.insert_unique(rowid, inserting);
        }
        match (self.get(table).place(new, rowid), &plan.on_conflict) {
            (Err(at), _) => {
                let row = Row::new(rowid, new, &mut self.spare);
                self.add_row(table, at, row);
            }
            (Ok(_), Conflict::Ignore | Conflict::Nothing(_)) => {}
            (Ok(at), Conflict::Replace) => {
                let row = Row::new(rowid, new, &mut self.spare);
                self.replace_row(table, at, row);
            }
            (Ok(at), Conflict::Update { set, .. }) => {
                return self.upsert(at, set, inserting);
            }
            (Ok(_), Conflict::Fail) => return Err(Unique::Key.error(schema)),
        }
        Ok(())
    }

    /// Changes the row that is in the way of the new one in the buffer, which is used up.
    pub(super) fn upsert(
        &mut self,
        at: usize,
        set: &Assignments,
        inserting: &mut Inserting<'_>,
    ) -> Bound<()> {
        let Inserting {
            table,
            schema,
            params,
            ..
        } = *inserting;
        let Buffers { new, changed, .. } = &mut *inserting.buffers;
        let before = &self.get(table).rows()[at];
        let rowid = before.rowid();
        change(schema, before, set, new, params, changed)?;
        self.check_size(changed)?;
        if schema.has_unique_besides_key() {
            let rows = [(at, std::mem::take(changed))];
            self.check_unique(table, set, &rows)?;
            let [(_, cells)] = rows;
            *changed = cells;
        }
        let row = Row::new(rowid, changed, &mut self.spare);
        self.replace_row(table, at, row);
        Ok(())
    }

    /// The number of a new row: what its INTEGER PRIMARY KEY says, or the next.
    fn rowid_for(
        &self,
        table: usize,
        schema: &Schema,
        cells: &mut [Cell],
        sequence: Option<&mut Sequence>,
    ) -> Bound<i64> {
        let next = || self.get(table).next_rowid().ok_or(Refusal::Unsupported);
        let Key::Rowid(column) = schema.key else {
            return next();
        };
        let rowid = match (&cells[column], &sequence) {
            (Cell::Integer(rowid), _) => *rowid,
            (Cell::Null, None) => next()?,
            (Cell::Null, Some(sequence)) => {
                let further = sequence.greatest.checked_add(1).ok_or(Refusal::Unsupported)?;
                next()?.max(further)
            }
            // Whatever the conflict clause.
            _ => return Err(mismatch()),
        };
        cells[column] = Cell::Integer(rowid);
        if let Some(sequence) = sequence {
            sequence.count(rowid);
        }
        Ok(rowid)
    }

    pub(super) fn update(
        &mut self,
        table: usize,
        set: &Assignments,
        filter: &Filter,
        params: &[Value],
        buffers: &mut Buffers,
    ) -> Bound<()> {
        let Buffers { values, changed, .. } = buffers;
        let filter = filter.bind(params, values)?;
        let of = self.get(table);
        let mut rows = Vec::new();
        let mut failed: Option<Refusal> = None;
        let sets_unique = sets_unique(&of.schema, set);
        for at in filter.stretch(of).filter(|at| filter.holds(&of.rows()[*at])) {
            let row = change(&of.schema, &of.rows()[at], set, &mut [], params, changed);
            match (row.and_then(|()| self.check_size(changed)), &failed) {
                (Ok(()), _) => rows.push((at, std::mem::take(changed))),
                (Err(refusal), None) => failed = Some(refusal),
                (Err(refusal), Some(first)) if refusal == *first => {}
                // Which row SQLite meets first is its affair.
                (Err(_), Some(_)) => return Err(Refusal::Unsupported),
            }
        }
        match failed {
            // Others may be in each other's way first.
            Some(Refusal::Sql(_)) if sets_unique && !rows.is_empty() => return Err(Refusal::Unsupported),
            Some(refusal) => return Err(refusal),
            None if sets_unique => self.check_unique(table, set, &rows)?,
            None => {}
        }
        for (at, mut cells) in rows {
            let rowid = self.get(table).rows()[at].rowid();
            let row = Row::new(rowid, &mut cells, &mut self.spare);
            self.replace_row(table, at, row);
        }
        Ok(())
    }

    /// A row that may be too large, with its header, is not carried.
    fn check_size(&self, cells: &[Cell]) -> Bound<()> {
        let mut bytes = 0_usize;
        for cell in cells {
            bytes += match cell {
                Cell::Text(text) => text.len(),
                Cell::Blob(bytes) => bytes.0.len(),
                _ => 0,
            };
        }
        if bytes.saturating_add(HEADER) <= self.row_bytes {
            Ok(())
        } else {
            Err(Refusal::Unsupported)
        }
    }

    pub(super) fn delete(
        &mut self,
        table: usize,
        filter: &Filter,
        params: &[Value],
        buffers: &mut Buffers,
    ) -> Bound<()> {
        let filter = filter.bind(params, &mut buffers.values)?;
        let mut stretch = filter.stretch(self.get(table));
        // From the end, a run of rows at once, so that those to come stand where they stood.
        while !stretch.is_empty() {
            let holds = |row: &Row| filter.holds(row);
            let within = &self.get(table).rows()[stretch.clone()];
            let end = stretch.start + within.iter().rposition(holds).map_or(0, |last| last + 1);
            let within = &self.get(table).rows()[stretch.start..end];
            let start = within
                .iter()
                .rposition(|row| !holds(row))
                .map_or(0, |other| other + 1);
            let start = stretch.start + start;
            if start < end {
                self.remove_rows(table, start..end);
            }
            stretch.end = start;
        }
        Ok(())
    }
}

/// Fills a buffer with the cells of a new row, each as its column stores it.
fn new_cells(
    schema: &Schema,
    plan: &InsertPlan,
    operands: &[Operand],
    params: &[Value],
    cells: &mut Vec<Cell>,
) -> Bound<()> {
    cells.clear();
    for (at, column) in schema.columns.iter().enumerate() {
        let cell = match &plan.sources[at] {
            Some(at) => stored(&operands[*at], params, column.affinity),
            None => column.default.clone().with(column.affinity),
        };
        let Some(cell) = cell else {
            return Err(Refusal::Unsupported);
        };
        cells.push(cell);
    }
    Ok(())
}

/// What a column of this affinity stores of an operand.
fn stored(operand: &Operand, params: &[Value], affinity: Affinity) -> Option<Cell> {
    match operand {
        Operand::Parameter(at) => Cell::stored(&params[*at], affinity),
        Operand::Literal(cell) => cell.clone().with(affinity),
    }
}

/// Fills a buffer with the cells of a row, its assignments made. `refused` is the row that an upsert could not insert, and
/// is used up.
fn change(
    schema: &Schema,
    before: &Row,
    set: &Assignments,
    refused: &mut [Cell],
    params: &[Value],
    cells: &mut Vec<Cell>,
) -> Bound<()> {
    cells.clear();
    for (at, column) in schema.columns.iter().enumerate() {
        let Some(source) = &set[at] else {
            cells.push(before.cells()[at].clone());
            continue;
        };
        let affinity = column.affinity;
        let cell = match source {
            Source::Operand(operand) => stored(operand, params, affinity),
            Source::Column(from) => before.cells()[*from].clone().with(affinity),
            // It is what its own column stores, whose affinity is the same.
            Source::Excluded { from, last: true } => refused.get_mut(*from).map(std::mem::take),
            Source::Excluded { from, last: false } => refused.get(*from).cloned(),
            Source::Sum { column, minus, by } => {
                let sum = sum(&before.cells()[*column], *minus, cell_of(by, params));
                sum.and_then(|sum| sum.with(affinity))
            }
        };
        let Some(cell) = cell else {
            return Err(Refusal::Unsupported);
        };
        cells.push(cell);
    }
    match first_null(schema, cells) {
        Some(at) => Err(Refusal::Sql(constraint(SqlErrorKind::NotNull, schema, at))),
        None => Ok(()),
    }
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
    (0..cells.len()).find(|at| cells[*at].is_null() && schema.columns[*at].not_null)
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

/// Whether a unique index may change.
fn sets_unique(schema: &Schema, set: &Assignments) -> bool {
    let changes = |index: &Index| index.unique && index.columns.iter().any(|column| set[*column].is_some());
    schema.indexes.iter().any(changes)
}
