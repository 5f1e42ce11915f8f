//! Finds the tables and columns that a statement names.

use std::rc::Rc;

use protocol::host::{Columns, SqlError, SqlErrorKind, Text};

use super::plan::{
    Assignments, Bound, Conflict, Filter, InsertPlan, Plan, Refusal, SelectPlan, Source, Test, Walk, What,
};
use super::shape::{
    Assignment, Change, Condition, CreateIndex, Expression, Index, Insert, Key, OnConflict, Output, Schema,
    Select, Shape,
};
use super::unique::Unique;

/// Whether a name may be one of an ordinary table. The others are SQLite's own tables, the platform's, or functions
/// that stand for tables.
pub(super) fn may_name_a_table(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let kept = [
        "sqlite_",
        "_cf_",
        "pragma_",
        "json",
        "fts",
        "rtree",
        "dbstat",
        "bytecode",
        "tables_used",
    ];
    !kept.iter().any(|start| name.starts_with(start))
}

impl Shape {
    /// The table that the statement is about.
    pub(super) fn table(&self) -> &Text {
        match self {
            Shape::Change(change) => change.subject(),
            Shape::Insert(insert) => &insert.table,
            Shape::Select(select) => &select.table,
            Shape::Update { table, .. } | Shape::Delete { table, .. } => table,
        }
    }

    /// Finds its columns in a table.
    pub(super) fn bind(&self, schema: &Rc<Schema>) -> Bound<Plan> {
        let mut binder = Binder {
            schema,
            unknown: Vec::new(),
        };
        let plan = binder.plan(self);
        match binder.unknown.as_slice() {
            [] => plan,
            // Which of several SQLite complains about depends on how it walks the statement.
            [only, rest @ ..] if rest.iter().all(|other| other == only) => Err(Refusal::Sql(only.clone())),
            _ => Err(Refusal::Unsupported),
        }
    }
}

impl Change {
    /// The table or the index that it is about.
    fn subject(&self) -> &Text {
        match self {
            Change::CreateTable { schema, .. } => &schema.name,
            Change::DropTable { table, .. }
            | Change::AddColumn { table, .. }
            | Change::CreateIndex(CreateIndex { table, .. }) => table,
            Change::DropIndex { name, .. } => name,
        }
    }
}

struct Binder<'a> {
    schema: &'a Schema,
    unknown: Vec<SqlError>,
}

impl Binder<'_> {
    fn plan(&mut self, shape: &Shape) -> Bound<Plan> {
        match shape {
            Shape::Change(_) => {
                unreachable!("a change is planned over all tables, and names of one are not bound")
            }
            Shape::Insert(insert) => Ok(Plan::Insert(self.insert(insert)?)),
            Shape::Update { set, filter, .. } => {
                let set = self.set(set)?;
                Ok(Plan::Update {
                    set,
                    filter: self.filter(filter)?,
                })
            }
            Shape::Delete { filter, .. } => Ok(Plan::Delete {
                filter: self.filter(filter)?,
            }),
            Shape::Select(select) => Ok(Plan::Select(self.select(select)?)),
        }
    }

    /// A column by its name. One that is unknown is noted and gives 0, so that all of them are found.
    fn column(&mut self, name: &Text, error: impl FnOnce(SqlError) -> SqlError) -> Bound<usize> {
        let columns = &self.schema.columns;
        if let Some(quoted) = name.strip_prefix('"') {
            // Where no column has that name, SQLite takes it for a text.
            let found = columns.iter().position(|column| column.name == quoted);
            return found.ok_or(Refusal::Unsupported);
        }
        if let Some(at) = columns.iter().position(|column| column.name == *name) {
            return Ok(at);
        }
        if columns
            .iter()
            .any(|column| column.name.eq_ignore_ascii_case(name))
        {
            // SQLite finds it and may show either spelling.
            return Err(Refusal::Unsupported);
        }
        let unknown = SqlError {
            column: Some(name.clone()),
            ..SqlError::of(SqlErrorKind::NoSuchColumn)
        };
        self.unknown.push(error(unknown));
        Ok(0)
    }

    fn plain_column(&mut self, name: &Text) -> Bound<usize> {
        self.column(name, |error| error)
    }

    fn insert(&mut self, insert: &Insert) -> Bound<InsertPlan> {
        let width = self.schema.columns.len();
        let table = self.schema.name.clone();
        let targets: Vec<usize> = match &insert.columns {
            None => (0..width).collect(),
            Some(names) => {
                let of_table = |error| SqlError {
                    table: Some(table.clone()),
                    ..error
                };
                names
                    .iter()
                    .map(|name| self.column(name, of_table))
                    .collect::<Bound<_>>()?
            }
        };
        let mut sources = vec![None; width];
        for (source, target) in targets.iter().enumerate() {
            if sources[*target].replace(source).is_some() && self.unknown.is_empty() {
                return Err(Refusal::Unsupported);
            }
        }
        if insert.rows.iter().any(|row| row.len() != targets.len()) {
            return Err(Refusal::Unsupported);
        }
        let on_conflict = self.on_conflict(&insert.on_conflict)?;
        Ok(InsertPlan {
            sources,
            rows: insert.rows.clone(),
            on_conflict,
        })
    }

    fn on_conflict(&mut self, on_conflict: &OnConflict) -> Bound<Conflict> {
        let (named, set) = match on_conflict {
            OnConflict::Fail => return Ok(Conflict::Fail),
            OnConflict::Ignore => return Ok(Conflict::Ignore),
            OnConflict::Replace => return Ok(Conflict::Replace),
            OnConflict::Update { key: None, .. } => return Ok(Conflict::Nothing(None)),
            OnConflict::Update { key: Some(key), set } => (key, set),
        };
        let mut named = named
            .iter()
            .map(|name| self.plain_column(name))
            .collect::<Bound<Vec<_>>>()?;
        named.sort_unstable();
        let key = match self.unique(&named) {
            Some(key) => key,
            // An unknown column is reported first, so the plan is never run.
            None if !self.unknown.is_empty() => Unique::Key,
            None => return Err(Refusal::Unsupported),
        };
        match set {
            None => Ok(Conflict::Nothing(Some(key))),
            Some(set) => Ok(Conflict::Update {
                key,
                set: self.set(set)?,
            }),
        }
    }

    /// What is unique in just these columns. Of several, all are in a row's way or none.
    fn unique(&self, columns: &[usize]) -> Option<Unique> {
        let is_of = |of: &[usize]| {
            let mut of = of.to_vec();
            of.sort_unstable();
            of == columns
        };
        if !columns.is_empty() && is_of(self.schema.key.columns()) {
            return Some(Unique::Key);
        }
        let mut indexes = self.schema.indexes.iter();
        let index = indexes.rposition(|index| index.unique && is_of(&index.columns));
        index.map(Unique::Index)
    }

    fn set(&mut self, assignments: &[Assignment]) -> Bound<Assignments> {
        let mut set: Assignments = self.schema.columns.iter().map(|_| None).collect();
        for Assignment { column, value } in assignments {
            let column = self.plain_column(column)?;
            let value = self.source(value, column)?;
            let in_key = self.schema.key.columns().contains(&column);
            let doubled = set[column].replace(value).is_some();
            if (in_key || doubled) && self.unknown.is_empty() {
                return Err(Refusal::Unsupported);
            }
        }
        note_last(&mut set);
        Ok(set)
    }

    fn source(&mut self, value: &Expression, target: usize) -> Bound<Source> {
        Ok(match value {
            Expression::Operand(operand) => Source::Operand(operand.clone()),
            Expression::Column(name) => Source::Column(self.plain_column(name)?),
            Expression::Sum { column, minus, by } => Source::Sum {
                column: self.plain_column(column)?,
                minus: *minus,
                by: by.clone(),
            },
            Expression::Excluded(name) => {
                let as_written = Text::new(format!("excluded.{name}"));
                let column = self.column(name, |error| SqlError {
                    column: Some(as_written),
                    ..error
                })?;
                let affinity = |at: usize| self.schema.columns[at].affinity;
                // Whether the value already is what its own column would make of it is SQLite's affair.
                if affinity(column) != affinity(target) {
                    return Err(Refusal::Unsupported);
                }
                Source::Excluded {
                    from: column,
                    last: true,
                }
            }
        })
    }

    fn filter(&mut self, conditions: &[Condition]) -> Bound<Filter> {
        let mut tests = Vec::with_capacity(conditions.len());
        for Condition {
            column,
            operator,
            value,
        } in conditions
        {
            let column = self.plain_column(column)?;
            let affinity = self.schema.columns[column].affinity;
            tests.push(Test {
                column,
                affinity,
                operator: *operator,
                value: value.clone(),
            });
        }
        Ok(Filter::new(self.schema, tests))
    }

    fn select(&mut self, select: &Select) -> Bound<SelectPlan> {
        let (names, what) = self.output(&select.output)?;
        let filter = self.filter(&select.filter)?;
        let mut order = Vec::with_capacity(select.order.len());
        for by in &select.order {
            self.check_alias(&select.output, &by.column)?;
            order.push((self.plain_column(&by.column)?, by.descending));
        }
        let aggregate = !matches!(what, What::Columns(_));
        if aggregate && !(order.is_empty() && select.limit.is_none()) {
            return Err(Refusal::Unsupported);
        }
        let may_walk = self.may_walk(&what, &filter.tests, &order);
        let walk = Walk::of(self.schema, &filter, &order, !may_walk.is_empty());
        let (limit, offset) = (select.limit.clone(), select.offset.clone());
        Ok(SelectPlan {
            names,
            what,
            filter,
            order,
            limit,
            offset,
            walk,
            may_walk,
        })
    }

    fn output(&mut self, output: &Output) -> Bound<(Columns, What)> {
        Ok(match output {
            Output::All => {
                let names = self
                    .schema
                    .columns
                    .iter()
                    .map(|column| column.name.clone())
                    .collect();
                (names, What::Columns((0..self.schema.columns.len()).collect()))
            }
            Output::Columns(columns) => {
                let names = columns
                    .iter()
                    .map(|(column, named)| named.as_ref().unwrap_or(column).clone());
                let at = columns.iter().map(|(column, _)| self.plain_column(column));
                let at = at.collect::<Bound<_>>()?;
                (names.collect(), What::Columns(at))
            }
            Output::Max { column, named } => (
                Columns::from_iter([named.clone()]),
                What::Max(self.plain_column(column)?),
            ),
            Output::Count { named } => (Columns::from_iter([named.clone()]), What::Count),
        })
    }

    /// An alias hides a column of that name from ORDER BY.
    fn check_alias(&self, output: &Output, name: &str) -> Bound<()> {
        let hides = |(column, named): &(Text, Option<Text>)| {
            named
                .as_ref()
                .is_some_and(|named| named.eq_ignore_ascii_case(name) && named != column)
        };
        match output {
            Output::Columns(columns) if columns.iter().any(hides) => Err(Refusal::Unsupported),
            _ => Ok(()),
        }
    }

    /// SQLite may walk an index when the index holds all that is asked for, when a condition bounds its first column,
    /// or when it is in the order that is asked for.
    fn may_walk(&self, what: &What, filter: &[Test], order: &[(usize, bool)]) -> Vec<usize> {
        let What::Columns(output) = what else {
            return Vec::new();
        };
        let may = |index: &Index| {
            // An index holds the row's number too.
            let holds =
                |column: &usize| index.columns.contains(column) || self.schema.key == Key::Rowid(*column);
            let mut named = output.iter().chain(filter.iter().map(|test| &test.column));
            let covers = named.all(holds) && order.iter().all(|(at, _)| holds(at));
            let bounds = filter.iter().any(|test| test.column == index.columns[0]);
            let orders = order.iter().any(|(column, _)| index.columns.contains(column));
            covers || bounds || orders
        };
        let indexes = &self.schema.indexes;
        (0..indexes.len()).filter(|at| may(&indexes[*at])).collect()
    }
}

/// A cell of the row that was refused goes to the last column that asks for it; those before it take copies.
fn note_last(set: &mut Assignments) {
    let mut asked_for = Vec::new();
    for source in set.iter_mut().rev().flatten() {
        if let Source::Excluded { from, last } = source {
            *last = !asked_for.contains(from);
            asked_for.push(*from);
        }
    }
}
