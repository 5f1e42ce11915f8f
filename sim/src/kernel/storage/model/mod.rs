//! Plain tables that run a closed list of statement shapes as SQLite would, bit for bit.
//!
//! A text is read once for all the stores of a pool (`parse`, `shape`), its names are looked up once for each
//! schema (`bind`), and then it is a few map operations (`write`, `select`). Tables are shared between forks
//! until one of them writes; marks are lengths of an undo log.
//!
//! The list (`shape`): CREATE TABLE, of columns that are INTEGER, INT, TEXT, REAL, BLOB or of no type, with NOT NULL,
//! DEFAULT, AUTOINCREMENT, PRIMARY KEY and UNIQUE (of the table too) and WITHOUT ROWID; DROP TABLE, ADD COLUMN, CREATE
//! \[UNIQUE\] INDEX and DROP INDEX; INSERT of rows of parameters and literals, OR REPLACE (or REPLACE), OR IGNORE or with one
//! ON CONFLICT clause; UPDATE and DELETE by conditions that compare a column with a value; SELECT of columns, `COUNT(*)` or
//! `MAX(column)` of one table, with order, limit and offset, of `sqlite_schema` and `sqlite_sequence` too.
//!
//! Not in it, among others: an UPDATE of a primary key; of a table WITHOUT ROWID, UNIQUE and further indexes; indexes of
//! expressions, of some rows or in descending order; CHECK, COLLATE and foreign keys; a column to be added with UNIQUE or
//! PRIMARY KEY, or with a default that is an integer beyond 32 bits, or a real without INTEGER or REAL affinity; RENAME and
//! DROP COLUMN; INSERT … SELECT; joins; `rootpage`; a table, a column or an index named in another case than where it was
//! created, but for a table or an index that is to be created.
//!
//! Where SQLite's answer depends on what its planner chooses (the order of rows without ORDER BY, which of two equal
//! values is the greatest) the model computes each answer that it could give, and knows nothing if they differ.

mod bind;
mod catalogue;
mod cell;
mod change;
mod parse;
mod plan;
mod select;
mod sequence;
mod shape;
mod table;
mod tables;
mod unique;
mod write;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use protocol::host::{Rows, SqlError, SqlErrorKind, Text, Value};

use self::cell::Cell;
use self::change::{SchemaChange, SchemaMemo};
use self::parse::Parsed;
use self::plan::{Bound, Plan, Refusal};
use self::shape::{Change, Operand, SEQUENCE, Schema, Shape};
use self::table::{Row, Table};
use self::tables::Tables;
use super::guard::Guard;
use super::limits::Limits;
use super::ran::SCHEMA;
use super::{Contents, Mark, Ran, Store, StoreError, Surroundings, Writes, texts::Texts};

/// The model behind the store trait.
#[derive(Clone, Debug)]
pub struct ModelStore {
    pool: ModelPool,
    guard: Guard,
    tables: Tables,
    /// For each mark, how many steps could be taken back when it was set.
    marks: Vec<usize>,
    /// Whether the platform has a table for the alarm.
    alarm_table: bool,
    buffers: Buffers,
}

/// Room for a statement's cells, so that it need not be allocated for each.
#[derive(Debug, Default)]
struct Buffers {
    /// What the conditions compare with.
    values: Vec<Cell>,
    /// A row to be inserted.
    new: Vec<Cell>,
    /// A row as it becomes.
    changed: Vec<Cell>,
    /// A row that is digested.
    bytes: Vec<u8>,
}

impl Clone for Buffers {
    /// Nothing in them outlives a statement.
    fn clone(&self) -> Self {
        Buffers::default()
    }
}

/// The statements that the stores of one pool have read.
#[derive(Clone, Debug, Default)]
pub struct ModelPool(Rc<RefCell<Known>>);

#[derive(Debug, Default)]
struct Known {
    texts: Texts,
    statements: Vec<Rc<Prepared>>,
}

/// A text, read, and its names found in the schema that it met first.
#[derive(Debug)]
struct Prepared {
    parsed: Option<Parsed>,
    /// What it writes once it begins.
    writes: Writes,
    plan: OnceCell<BoundPlan>,
    /// For the schema that it met last, where that is another.
    plan_of_last: RefCell<Option<Rc<BoundPlan>>>,
    memo: SchemaMemo,
}

#[derive(Debug)]
struct BoundPlan {
    schema: Rc<Schema>,
    /// Where the table stood among the others: most stores of a pool make their tables in one order.
    table: usize,
    plan: Bound<Plan>,
}

impl ModelPool {
    /// The statement of a text, which is read when it comes first.
    fn prepared(&self, sql: &Text) -> Rc<Prepared> {
        let mut known = self.0.borrow_mut();
        if let Some(number) = known.texts.find(sql) {
            return Rc::clone(&known.statements[number]);
        }
        let parsed = parse::parse(sql).ok();
        let prepared = Rc::new(Prepared {
            writes: parsed.as_ref().map(writes_of).unwrap_or_default(),
            parsed,
            plan: OnceCell::new(),
            plan_of_last: RefCell::default(),
            memo: SchemaMemo::default(),
        });
        known.texts.insert(sql);
        known.statements.push(Rc::clone(&prepared));
        prepared
    }
}

impl Store for ModelStore {
    type Pool = ModelPool;

    const DIGEST_IS_CHEAP: bool = true;

    fn open(pool: &ModelPool, limits: Limits) -> Self {
        ModelStore {
            pool: pool.clone(),
            guard: Guard::new(limits),
            tables: Tables::new(limits.row_bytes),
            marks: Vec::new(),
            alarm_table: false,
            buffers: Buffers::default(),
        }
    }

    fn guard(&mut self) -> &mut Guard {
        &mut self.guard
    }

    fn knows(&self, sql: &str) -> bool {
        self.pool.0.borrow().texts.find(sql).is_some()
    }

    fn run_one(&mut self, sql: &Text, params: &[Value]) -> Ran {
        #[cfg(test)]
        if sql == LIE {
            return lie();
        }
        let start = self.tables.steps();
        let mut writes = Writes::default();
        let ran = self.run_prepared(sql, params, &mut writes);
        if ran.is_err() {
            self.tables.undo_to(start);
        } else if self.marks.is_empty() {
            self.tables.forget_steps();
        }
        let outcome = ran.map_err(|refusal| match refusal {
            Refusal::Sql(error) => StoreError::of(error),
            Refusal::Unsupported => StoreError::Unsupported(sql.clone()),
        });
        Ran {
            outcome,
            writes,
            struck: false,
        }
    }

    /// Nothing in the list of shapes can see them.
    fn set_surroundings(&mut self, _: Surroundings) {}

    fn show_alarm_table(&mut self, is_there: bool) {
        self.alarm_table = is_there;
    }

    fn mark(&mut self) -> Mark {
        let mark = Mark(self.marks.len() as u32);
        self.marks.push(self.tables.steps());
        mark
    }

    fn rollback_to(&mut self, mark: Mark) {
        let at = mark.0 as usize;
        assert!(
            at < self.marks.len(),
            "{mark:?} is not set: {} marks are",
            self.marks.len()
        );
        self.marks.truncate(at + 1);
        self.tables.undo_to(self.marks[at]);
    }

    fn release(&mut self, mark: Mark) {
        assert_eq!(
            mark.0 as usize + 1,
            self.marks.len(),
            "{mark:?} is not the newest mark"
        );
        self.marks.pop();
        if self.marks.is_empty() {
            self.tables.forget_steps();
        }
    }

    fn forget_all(&mut self) {
        self.marks.clear();
        self.tables.forget_steps();
    }

    fn fork(&mut self) -> Self {
        self.clone()
    }

    fn contents(&mut self) -> Contents {
        let rows = |table: &Table| table.rows().iter().map(Row::read).collect();
        self.tables
            .all()
            .filter(|table| !table.schema.is_internal())
            .map(|table| (table.schema.name.clone(), rows(table)))
            .collect()
    }

    fn digest(&mut self) -> u128 {
        let buffer = &mut self.buffers.bytes;
        self.tables
            .all()
            .filter(|table| !table.schema.is_internal())
            .fold(0, |sum, table| sum.wrapping_add(table.digest(buffer)))
    }
}

/// The one statement that the model answers falsely: what a comparison of the two stores is tested with.
#[cfg(test)]
pub(crate) const LIE: &str = "SELECT name FROM sqlite_schema WHERE name = 'none of this name' ORDER BY name";

#[cfg(test)]
fn lie() -> Ran {
    Ran {
        outcome: Ok(Rows {
            columns: vec![Text::new_static("name")].into(),
            rows: vec![vec![Value::text("a table that is not there")]],
        }),
        writes: Writes::default(),
        struck: false,
    }
}

impl ModelStore {
    /// Tells in `begun` what the statement writes, once it begins.
    fn run_prepared(&mut self, sql: &Text, params: &[Value], begun: &mut Writes) -> Bound<Rows> {
        let prepared = self.pool.prepared(sql);
        let ModelStore {
            tables,
            buffers,
            guard,
            alarm_table,
            ..
        } = self;
        let parsed = prepared.parsed.as_ref().ok_or(Refusal::Unsupported)?;
        if let Shape::Change(change) = &parsed.shape {
            let planned = tables.plan_change(change, &prepared.memo, guard.limits().columns)?;
            check_count(guard.limits(), parsed, params)?;
            *begun = prepared.writes_of(change, &planned);
            return tables.make(planned);
        }
        if catalogue::is_catalogue(parsed.shape.table()) {
            let BoundPlan { schema, plan, .. } = prepared.plan_of_catalogue(parsed);
            let Plan::Select(select) = plan.as_ref().map_err(Refusal::clone)? else {
                return Err(Refusal::Unsupported);
            };
            check_count(guard.limits(), parsed, params)?;
            return catalogue::select(tables.all(), *alarm_table, schema, select, params);
        }
        let first = match prepared.plan.get() {
            Some(first) => first,
            None => {
                let first = bind(tables, parsed)?;
                prepared.plan.get_or_init(|| first)
            }
        };
        let other;
        let (bound, table) = match tables.place_of(first.table, &first.schema) {
            Some(table) => (first, table),
            None => {
                let table;
                (other, table) = prepared.plan_of_last(tables, parsed)?;
                (&*other, table)
            }
        };
        let plan = bound.plan.as_ref().map_err(Refusal::clone)?;
        check_count(guard.limits(), parsed, params)?;
        begun.clone_from(&prepared.writes);
        match plan {
            Plan::Select(select) if select.width() > guard.limits().columns => {
                return Err(Refusal::Unsupported);
            }
            Plan::Select(select) => return select.run(tables.get(table), params, &mut buffers.values),
            Plan::Insert(insert) => tables.insert(table, insert, params, buffers)?,
            Plan::Update { set, filter } => tables.update(table, set, filter, params, buffers)?,
            Plan::Delete { filter } => tables.delete(table, filter, params, buffers)?,
        }
        Ok(Rows::default())
    }
}

impl Prepared {
    /// The plan for a schema that is not the first it met.
    fn plan_of_last(&self, tables: &Tables, parsed: &Parsed) -> Bound<(Rc<BoundPlan>, usize)> {
        if let Some(last) = &*self.plan_of_last.borrow()
            && let Some(table) = tables.place_of(last.table, &last.schema)
        {
            return Ok((Rc::clone(last), table));
        }
        let bound = Rc::new(bind(tables, parsed)?);
        *self.plan_of_last.borrow_mut() = Some(Rc::clone(&bound));
        let table = bound.table;
        Ok((bound, table))
    }

    fn plan_of_catalogue(&self, parsed: &Parsed) -> &BoundPlan {
        self.plan.get_or_init(|| {
            let schema = Rc::new(catalogue::schema());
            let plan = parsed.shape.bind(&schema);
            BoundPlan {
                schema,
                table: 0,
                plan,
            }
        })
    }

    /// What a change writes. SQLite names no table where it finds that there is nothing to do, unless it has asked
    /// before it looked.
    fn writes_of(&self, change: &Change, planned: &SchemaChange) -> Writes {
        match (change, planned) {
            (Change::CreateTable { .. }, _) => self.writes.clone(),
            (_, SchemaChange::Nothing) => [Text::new_static(SCHEMA)].into_iter().collect(),
            (_, SchemaChange::DropIndex { schema, .. }) => [schema.name.clone(), Text::new_static(SCHEMA)]
                .into_iter()
                .collect(),
            _ => self.writes.clone(),
        }
    }
}

fn bind(tables: &Tables, parsed: &Parsed) -> Bound<BoundPlan> {
    let table = tables.find(parsed.shape.table())?;
    let schema = Rc::clone(&tables.get(table).schema);
    let plan = parsed.shape.bind(&schema);
    Ok(BoundPlan { schema, table, plan })
}

fn check_count(limits: &Limits, parsed: &Parsed, params: &[Value]) -> Bound<()> {
    if parsed.parameters > limits.parameters {
        return Err(Refusal::Sql(SqlError::of(SqlErrorKind::TooManyParameters)));
    }
    if parsed.parameters != params.len() {
        return Err(Refusal::Sql(SqlError::of(SqlErrorKind::ParameterCount)));
    }
    Ok(())
}

/// What a statement writes.
fn writes_of(parsed: &Parsed) -> Writes {
    let table = parsed.shape.table().clone();
    match &parsed.shape {
        Shape::Select(_) => Writes::default(),
        Shape::Change(_) => [table, Text::new_static(SCHEMA)].into_iter().collect(),
        // It is among the tables that a write may always change.
        _ if table == SEQUENCE => [Text::new_static(SCHEMA)].into_iter().collect(),
        Shape::Insert(_) | Shape::Update { .. } | Shape::Delete { .. } => [table].into_iter().collect(),
    }
}

/// The value of an operand.
fn cell_of(operand: &Operand, params: &[Value]) -> Cell {
    match operand {
        Operand::Literal(cell) => cell.clone(),
        Operand::Parameter(at) => Cell::bound(&params[*at]),
    }
}
