//! A statement whose names are positions in one table's schema.

use std::cmp::Ordering;
use std::ops::Range;

use protocol::host::{Columns, SqlError, SqlErrorKind, Text, Value};

use super::cell::{Affinity, Cell};
use super::cell_of;
use super::shape::{Key, Operand, Operator, Schema};
use super::table::{Row, Table};
use super::unique::Unique;

/// Why a statement does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// As SQLite would refuse it.
    Sql(SqlError),
    /// Nothing is known of what SQLite would do.
    Unsupported,
}

pub(super) type Bound<T> = Result<T, Refusal>;

/// An error that has no kind of its own, in SQLite's words.
pub(super) fn in_words(words: impl Into<Text>) -> Refusal {
    Refusal::Sql(SqlError {
        detail: Some(words.into()),
        ..SqlError::of(SqlErrorKind::Other)
    })
}

/// A number is wanted where something else stands.
pub(super) fn mismatch() -> Refusal {
    in_words(Text::new_static("datatype mismatch"))
}

/// What SQLite says of a constraint of a column.
pub(super) fn constraint(kind: SqlErrorKind, schema: &Schema, column: usize) -> SqlError {
    SqlError {
        table: Some(schema.name.clone()),
        column: Some(schema.columns[column].name.clone()),
        ..SqlError::of(kind)
    }
}

/// A statement, bound.
#[derive(Debug)]
pub(super) enum Plan {
    Insert(InsertPlan),
    Update { set: Assignments, filter: Filter },
    Delete { filter: Filter },
    Select(SelectPlan),
}

#[derive(Debug)]
pub(super) struct InsertPlan {
    /// For each column of the table, where its value stands in a row of the statement.
    pub(super) sources: Vec<Option<usize>>,
    pub(super) rows: Vec<Vec<Operand>>,
    pub(super) on_conflict: Conflict,
}

/// What happens when a row with that key is there.
#[derive(Debug)]
pub(super) enum Conflict {
    Fail,
    Ignore,
    Replace,
    /// `DO NOTHING`: as `Ignore`, but only for what it names, if it names anything; a NULL where none may be still fails.
    Nothing(Option<Unique>),
    Update {
        key: Unique,
        set: Assignments,
    },
}

impl Conflict {
    /// What an upsert names.
    pub(super) fn named(&self) -> Option<Unique> {
        match self {
            Conflict::Nothing(named) => *named,
            Conflict::Update { key, .. } => Some(*key),
            Conflict::Fail | Conflict::Ignore | Conflict::Replace => None,
        }
    }
}

/// For each column of the table, what it becomes; none where it stays. No column of the key is among them.
pub(super) type Assignments = Vec<Option<Source>>;

#[derive(Debug)]
pub(super) enum Source {
    Operand(Operand),
    Column(usize),
    /// What the row that was refused has there; `last` where no column after this one asks for it too.
    Excluded {
        from: usize,
        last: bool,
    },
    Sum {
        column: usize,
        minus: bool,
        by: Operand,
    },
}

#[derive(Debug)]
pub(super) struct Test {
    pub(super) column: usize,
    pub(super) affinity: Affinity,
    pub(super) operator: Operator,
    pub(super) value: Operand,
}

impl Test {
    /// What it compares with.
    fn bound(&self, params: &[Value]) -> Bound<Cell> {
        cell_of(&self.value, params)
            .compared_with(self.affinity)
            .ok_or(Refusal::Unsupported)
    }

    fn holds(&self, row: &Row, value: &Cell) -> bool {
        let cell = &row.cells()[self.column];
        !cell.is_null() && self.operator.holds(cell.order(value))
    }
}

/// The conditions of a statement.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) tests: Vec<Test>,
    /// Tests that fix the first columns of the key, one for each. A table's rows stand in the order of its key, so that
    /// those which pass are one stretch of it.
    fixed: Vec<usize>,
    /// Tests that bound the column of the key after those, and so the stretch.
    bounds: Vec<usize>,
}

impl Filter {
    pub(super) fn new(schema: &Schema, tests: Vec<Test>) -> Self {
        let fixing = |column: &usize| {
            let mut tests = tests.iter();
            tests.position(|test| test.column == *column && test.operator == Operator::Equal)
        };
        let fixed: Vec<usize> = schema.key.columns().iter().map_while(fixing).collect();
        let next = schema.key.columns().get(fixed.len());
        let bounds = (0..tests.len()).filter(|at| next == Some(&tests[*at].column));
        Filter {
            bounds: bounds.collect(),
            fixed,
            tests,
        }
    }

    /// Whether all rows that pass are equal in this column.
    pub(super) fn fixes(&self, column: usize) -> bool {
        let mut tests = self.tests.iter();
        tests.any(|test| test.column == column && test.operator == Operator::Equal)
    }

    /// Whether at most one row can pass: a key with NULL in it passes no test.
    pub(super) fn fixes_key(&self, key: &Key) -> bool {
        !self.fixed.is_empty() && self.fixed.len() == key.columns().len()
    }

    /// Gives the conditions their values, which are kept in `values`.
    pub(super) fn bind<'a>(&'a self, params: &[Value], values: &'a mut Vec<Cell>) -> Bound<BoundFilter<'a>> {
        values.clear();
        for test in &self.tests {
            values.push(test.bound(params)?);
        }
        Ok(BoundFilter { filter: self, values })
    }
}

/// Conditions with their values, as they are compared.
#[derive(Clone, Copy)]
pub(super) struct BoundFilter<'a> {
    filter: &'a Filter,
    values: &'a [Cell],
}

impl BoundFilter<'_> {
    pub(super) fn holds(&self, row: &Row) -> bool {
        let tests = &self.filter.tests;
        (0..tests.len()).all(|at| tests[at].holds(row, &self.values[at]))
    }

    /// A stretch of the table in which all rows stand that pass; others may stand there too.
    pub(super) fn stretch(&self, table: &Table) -> Range<usize> {
        // Nothing is equal to NULL, less or greater.
        if self.values.iter().any(Cell::is_null) {
            return 0..0;
        }
        let Filter { tests, fixed, bounds } = self.filter;
        let rows = table.rows();
        let to_fixed = |row: &Row| {
            for test in fixed {
                let order = row.cells()[tests[*test].column].order(&self.values[*test]);
                if order.is_ne() {
                    return order;
                }
            }
            Ordering::Equal
        };
        if self.filter.fixes_key(&table.schema.key) {
            return rows.binary_search_by(to_fixed).map_or(0..0, |at| at..at + 1);
        }
        let mut stretch = 0..rows.len();
        if !fixed.is_empty() {
            stretch.start = rows.partition_point(|row| to_fixed(row).is_lt());
            stretch.end = stretch.start + rows[stretch.clone()].partition_point(|row| to_fixed(row).is_eq());
        }
        for at in bounds {
            let (test, value) = (&tests[*at], &self.values[*at]);
            let within = &rows[stretch.clone()];
            let passes = |row: &Row| test.operator.holds(row.cells()[test.column].order(value));
            match test.operator {
                Operator::Less | Operator::LessOrEqual => {
                    stretch.end = stretch.start + within.partition_point(passes);
                }
                Operator::Greater | Operator::GreaterOrEqual => {
                    stretch.start += within.partition_point(|row| !passes(row));
                }
                // It would be among those that fix.
                Operator::Equal => {}
            }
        }
        stretch
    }
}

#[derive(Debug)]
pub(super) struct SelectPlan {
    pub(super) names: Columns,
    pub(super) what: What,
    pub(super) filter: Filter,
    /// Columns, and whether descending.
    pub(super) order: Vec<(usize, bool)>,
    pub(super) limit: Option<Operand>,
    pub(super) offset: Option<Operand>,
    /// How the rows that pass stand in the order that is asked for, as long as no key has NULL in it.
    pub(super) walk: Option<Walk>,
    /// The indexes that SQLite may walk instead of the table.
    pub(super) may_walk: Vec<usize>,
}

/// A walk through a table that meets its rows in the order that is asked for, which is no other for any two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walk {
    Forwards,
    Backwards,
}

impl Walk {
    /// The walk for an order, if there is one. `by_index`: SQLite may walk an index where no order is asked for.
    pub(super) fn of(
        schema: &Schema,
        filter: &Filter,
        order: &[(usize, bool)],
        by_index: bool,
    ) -> Option<Walk> {
        if filter.fixes_key(&schema.key) {
            return Some(Walk::Forwards);
        }
        if order.is_empty() {
            // SQLite walks the table, which is in the order of its numbers.
            let by_number = !matches!(schema.key, Key::Columns(_)) && !by_index;
            return by_number.then_some(Walk::Forwards);
        }
        // Columns in which all rows are equal order nothing.
        let mut order = order.iter().filter(|(column, _)| !filter.fixes(*column));
        let mut key = schema
            .key
            .columns()
            .iter()
            .filter(|column| !filter.fixes(**column));
        let (column, descending) = order.next()?;
        let first = key.next() == Some(column);
        // What is asked for beyond the key orders nothing: no two rows are equal in all of it.
        let all = first && key.all(|column| order.next() == Some(&(*column, *descending)));
        all.then_some(if *descending {
            Walk::Backwards
        } else {
            Walk::Forwards
        })
    }
}

#[derive(Debug)]
pub(super) enum What {
    Columns(Vec<usize>),
    Max(usize),
    Count,
}
