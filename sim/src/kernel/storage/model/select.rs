//! SELECT.

use std::cmp::Ordering;

use protocol::host::{Rows, Value};
use protocol::number::Number;

use super::cell::Cell;
use super::cell_of;
use super::plan::{Bound, BoundFilter, Refusal, SelectPlan, Walk, What, mismatch};
use super::shape::{Index, Key, Operand};
use super::table::{Row, Table, order_by};

/// The rows that pass, in the order of the key.
fn find<'t>(table: &'t Table, filter: BoundFilter<'t>) -> impl DoubleEndedIterator<Item = &'t Row> + use<'t> {
    let stretch = &table.rows()[filter.stretch(table)];
    stretch.iter().filter(move |row| filter.holds(row))
}

impl SelectPlan {
    /// The columns of the answer or the terms of its order, whichever are more: they have one limit.
    pub(super) fn width(&self) -> usize {
        self.names.len().max(self.order.len())
    }

    /// Runs it. `values` is a buffer.
    pub(super) fn run(&self, table: &Table, params: &[Value], values: &mut Vec<Cell>) -> Bound<Rows> {
        let filter = self.filter.bind(params, values)?;
        let rows = match &self.what {
            What::Count => vec![vec![count(find(table, filter).count())]],
            What::Max(column) => vec![vec![max(table, filter, *column)?]],
            What::Columns(columns) => self.rows(table, filter, columns, params)?,
        };
        Ok(Rows {
            columns: self.names.clone(),
            rows,
        })
    }

    fn rows(
        &self,
        table: &Table,
        filter: BoundFilter<'_>,
        columns: &[usize],
        params: &[Value],
    ) -> Bound<Vec<Vec<Value>>> {
        let window = self.window(params)?;
        let found = find(table, filter);
        let at_most = found.size_hint().1.unwrap_or(0);
        match self.walk {
            Some(walk) if !table.has_null_keys() => Ok(match walk {
                Walk::Forwards => window.show(found, at_most, columns),
                Walk::Backwards => window.show(found.rev(), at_most, columns),
            }),
            _ => self.sorted(table, found.collect(), columns, &window),
        }
    }

    /// The answer where rows may be equal in all that orders them, and then come as SQLite walks.
    fn sorted(
        &self,
        table: &Table,
        by_key: Vec<&Row>,
        columns: &[usize],
        window: &Window,
    ) -> Bound<Vec<Vec<Value>>> {
        let answer = |mut rows: Vec<&Row>| -> Vec<Vec<Value>> {
            if !self.order.is_empty() {
                rows.sort_by(|a, b| self.order(a, b));
            }
            let at_most = rows.len();
            window.show(rows.into_iter(), at_most, columns)
        };
        let mut by_number = by_key.clone();
        if matches!(table.schema.key, Key::Columns(_)) {
            by_number.sort_by_key(|row| row.rowid());
        }
        let by_number = answer(by_number);
        if by_key.len() < 2 {
            return Ok(by_number);
        }
        for index in &self.may_walk {
            let rows = in_order_of(&table.schema.indexes[*index], &by_key);
            let backwards: Vec<&Row> = rows.iter().rev().copied().collect();
            let differs = |rows| answer(rows) != by_number;
            if differs(rows) || !self.order.is_empty() && differs(backwards) {
                return Err(Refusal::Unsupported);
            }
        }
        Ok(by_number)
    }

    fn order(&self, a: &Row, b: &Row) -> Ordering {
        let mut orders = self.order.iter().map(|(column, descending)| {
            let order = a.cells()[*column].order(&b.cells()[*column]);
            if *descending { order.reverse() } else { order }
        });
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    fn window(&self, params: &[Value]) -> Bound<Window> {
        let limit = self
            .limit
            .as_ref()
            .map(|limit| integer(limit, params))
            .transpose()?;
        // A limit of 0 ends the statement before its offset is looked at.
        let offset = match &self.offset {
            Some(offset) if limit != Some(0) => integer(offset, params)?,
            _ => 0,
        };
        Ok(Window {
            // Negative: no limit.
            limit: limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)),
            offset: usize::try_from(offset).unwrap_or(0),
        })
    }
}

/// Rows as they stand in an index.
fn in_order_of<'t>(index: &Index, by_key: &[&'t Row]) -> Vec<&'t Row> {
    let mut rows = by_key.to_vec();
    if !index.is_key {
        rows.sort_by(|a, b| order_by(&index.columns, a.cells(), b.cells()).then(a.rowid().cmp(&b.rowid())));
    }
    rows
}

struct Window {
    limit: usize,
    offset: usize,
}

impl Window {
    /// These columns of the rows that it shows, of no more than so many.
    fn show<'t>(
        &self,
        rows: impl Iterator<Item = &'t Row>,
        at_most: usize,
        columns: &[usize],
    ) -> Vec<Vec<Value>> {
        let mut shown = Vec::with_capacity(at_most.min(self.limit));
        for row in rows.skip(self.offset).take(self.limit) {
            let mut values = Vec::with_capacity(columns.len());
            for at in columns {
                values.push(row.cells()[*at].read());
            }
            shown.push(values);
        }
        shown
    }
}

fn integer(operand: &Operand, params: &[Value]) -> Bound<i64> {
    match cell_of(operand, params) {
        Cell::Integer(integer) => Ok(integer),
        Cell::Real(number) => number.to_i64_exact().ok_or_else(mismatch),
        _ => Err(Refusal::Unsupported),
    }
}

fn count(rows: usize) -> Value {
    Value::Number(Number::from(rows as u64))
}

fn max(table: &Table, filter: BoundFilter<'_>, column: usize) -> Bound<Value> {
    if table.schema.key.columns() == [column] {
        // NULL comes before everything, and no two others are equal.
        let greatest = find(table, filter).next_back();
        return Ok(greatest.map_or(Value::Null, |row| row.cells()[column].read()));
    }
    let cells = || find(table, filter).map(|row| &row.cells()[column]);
    let Some(greatest) = cells().max_by(|a, b| a.order(b)) else {
        return Ok(Value::Null);
    };
    let answer = greatest.read();
    // 0 and -0 are equal and are read as two values: which one is met first is SQLite's affair.
    if cells().any(|cell| cell.order(greatest).is_eq() && cell.read() != answer) {
        return Err(Refusal::Unsupported);
    }
    Ok(answer)
}
