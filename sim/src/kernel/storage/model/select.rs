//! SELECT, and how rows are found.

use std::cmp::Ordering;

use protocol::host::{Rows, SqlError, SqlErrorKind, Value};
use protocol::number::Number;

use super::bind::{Bound, Refusal, SelectPlan, Test, What};
use super::cell::Cell;
use super::cell_of;
use super::shape::{Key, Operand, Operator};
use super::table::{Row, Table};

/// A condition with its value, as it is compared.
pub(super) struct Bounded<'a> {
    test: &'a Test,
    value: Cell,
}

impl Bounded<'_> {
    fn holds(&self, row: &Row) -> bool {
        let cell = &row.cells()[self.test.column];
        let known = *cell != Cell::Null && self.value != Cell::Null;
        known && self.test.operator.holds(cell.order(&self.value))
    }
}

/// Gives conditions their values.
pub(super) fn bounded<'a>(filter: &'a [Test], params: &[Value]) -> Bound<Vec<Bounded<'a>>> {
    let bound = |test: &'a Test| {
        let value = cell_of(&test.value, params).compared_with(test.affinity);
        Ok(Bounded {
            test,
            value: value.ok_or(Refusal::Unsupported)?,
        })
    };
    filter.iter().map(bound).collect()
}

/// The rows that the conditions hold for, by number.
pub(super) fn find<'t>(table: &'t Table, filter: &[Bounded<'_>]) -> Vec<(i64, &'t Row)> {
    let holds = |(_, row): &(i64, &Row)| filter.iter().all(|bounded| bounded.holds(row));
    match &table.schema.key {
        Key::Columns(key) => {
            if let Some(cells) = whole_key(key, filter) {
                let found = table
                    .find(cells)
                    .and_then(|rowid| Some((rowid, table.row(rowid)?)));
                return found.into_iter().filter(holds).collect();
            }
            table.by_number(i64::MIN, i64::MAX).filter(holds).collect()
        }
        Key::Rowid(column) => {
            let (first, last) = range_of(*column, filter);
            table.by_number(first, last).filter(holds).collect()
        }
        Key::Nothing => table.by_number(i64::MIN, i64::MAX).filter(holds).collect(),
    }
}

/// The key that the conditions fix, if they fix all of it.
fn whole_key(key: &[usize], filter: &[Bounded<'_>]) -> Option<Vec<Cell>> {
    let fixed = |column: &usize| {
        let fixes = |bounded: &&Bounded<'_>| {
            bounded.test.column == *column && bounded.test.operator == Operator::Equal
        };
        filter.iter().find(fixes).map(|bounded| bounded.value.clone())
    };
    key.iter().map(fixed).collect()
}

/// The numbers that the conditions leave, a little more where one is no integer: each row is tested again.
fn range_of(column: usize, filter: &[Bounded<'_>]) -> (i64, i64) {
    let (mut first, mut last) = (i64::MIN, i64::MAX);
    for bounded in filter.iter().filter(|bounded| bounded.test.column == column) {
        let at = match &bounded.value {
            Cell::Integer(integer) => Some(*integer),
            Cell::Real(number) => number.to_i64_exact(),
            _ => None,
        };
        let Some(at) = at else { continue };
        match bounded.test.operator {
            Operator::Equal => (first, last) = (first.max(at), last.min(at)),
            Operator::Less | Operator::LessOrEqual => last = last.min(at),
            Operator::Greater | Operator::GreaterOrEqual => first = first.max(at),
        }
    }
    (first, last)
}

impl SelectPlan {
    /// The columns of the answer or the terms of its order, whichever are more: they have one limit.
    pub(super) fn width(&self) -> usize {
        self.names.len().max(self.order.len())
    }

    pub(super) fn run(&self, table: &Table, params: &[Value]) -> Bound<Rows> {
        let filter = bounded(&self.filter, params)?;
        let rows = match &self.what {
            What::Count if self.filter.is_empty() => vec![vec![count(table.len())]],
            What::Count => vec![vec![count(find(table, &filter).len())]],
            What::Max(column) => vec![vec![max(&find(table, &filter), *column)?]],
            What::Columns(columns) => self.rows(table, &filter, columns, params)?,
        };
        Ok(Rows {
            columns: self.names.clone(),
            rows,
        })
    }

    fn rows(
        &self,
        table: &Table,
        filter: &[Bounded<'_>],
        columns: &[usize],
        params: &[Value],
    ) -> Bound<Vec<Vec<Value>>> {
        let window = self.window(params)?;
        let found = find(table, filter);
        let answer = |found: &[(i64, &Row)]| -> Vec<Vec<Value>> {
            let mut sorted: Vec<&Row> = found.iter().map(|(_, row)| *row).collect();
            if !self.order.is_empty() {
                sorted.sort_by(|a, b| self.order(a, b));
            }
            let shown = sorted.into_iter().skip(window.offset).take(window.limit);
            shown
                .map(|row| columns.iter().map(|at| row.cells()[*at].read()).collect())
                .collect()
        };
        let by_number = answer(&found);
        if self.may_walk_key && found.len() > 1 {
            let in_found =
                |(rowid, _): &(i64, &Row)| found.binary_search_by_key(rowid, |(at, _)| *at).is_ok();
            let mut by_key: Vec<_> = table.by_key().filter(in_found).collect();
            let forwards = answer(&by_key);
            by_key.reverse();
            let backwards = !self.order.is_empty() && answer(&by_key) != by_number;
            if forwards != by_number || backwards {
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

struct Window {
    limit: usize,
    offset: usize,
}

fn integer(operand: &Operand, params: &[Value]) -> Bound<i64> {
    match cell_of(operand, params) {
        Cell::Integer(integer) => Ok(integer),
        Cell::Real(number) => number
            .to_i64_exact()
            .ok_or(Refusal::Sql(SqlError::of(SqlErrorKind::Other))),
        _ => Err(Refusal::Unsupported),
    }
}

fn count(rows: usize) -> Value {
    Value::Number(Number::from(rows as u64))
}

fn max(rows: &[(i64, &Row)], column: usize) -> Bound<Value> {
    let cells = || rows.iter().map(|(_, row)| &row.cells()[column]);
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
