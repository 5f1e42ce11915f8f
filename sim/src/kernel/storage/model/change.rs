//! CREATE, DROP and ALTER: what is checked before such a statement begins, and what it does.

use std::cell::RefCell;
use std::rc::Rc;

use protocol::host::{Rows, SqlError, SqlErrorKind, Text};

use super::bind::may_name_a_table;
use super::parse::parse_table;
use super::plan::{Bound, Refusal, constraint, in_words};
use super::shape::{Change, CreateIndex, Index, Key, SEQUENCE, SEQUENCE_SQL, Schema};
use super::tables::Tables;

/// What a change has made of a schema when it was met last, so that the stores of a pool have one schema, and one plan
/// of each statement.
#[derive(Debug, Default)]
pub(super) struct SchemaMemo(RefCell<Option<(Rc<Schema>, Rc<Schema>)>>);

impl SchemaMemo {
    fn of(&self, before: &Rc<Schema>, make: impl FnOnce() -> Bound<Schema>) -> Bound<Rc<Schema>> {
        if let Some((known, after)) = &*self.0.borrow()
            && Rc::ptr_eq(known, before)
        {
            return Ok(Rc::clone(after));
        }
        let after = Rc::new(make()?);
        *self.0.borrow_mut() = Some((Rc::clone(before), Rc::clone(&after)));
        Ok(after)
    }
}

/// A change that can begin.
#[derive(Debug)]
pub(super) enum SchemaChange {
    /// There is nothing to do.
    Nothing,
    Create(Rc<Schema>),
    Drop(usize),
    AddColumn {
        table: usize,
        schema: Rc<Schema>,
        without_rows: bool,
    },
    /// The newest index of the schema is new.
    AddIndex {
        table: usize,
        schema: Rc<Schema>,
    },
    /// The one that stood there among the table's explicit indexes.
    DropIndex {
        table: usize,
        schema: Rc<Schema>,
        explicit: usize,
    },
}

impl Tables {
    /// What a change would do here. Tables have at most so many columns.
    pub(super) fn plan_change(
        &self,
        change: &Change,
        memo: &SchemaMemo,
        columns: usize,
    ) -> Bound<SchemaChange> {
        match change {
            Change::CreateTable {
                schema,
                quoted,
                if_not_exists,
            } => self.plan_table(schema, *quoted, *if_not_exists, columns),
            Change::DropTable { table, if_exists } => match self.find_own(table) {
                Ok(table) => Ok(SchemaChange::Drop(table)),
                Err(Refusal::Sql(_)) if *if_exists => Ok(SchemaChange::Nothing),
                Err(refusal) => Err(refusal),
            },
            Change::AddColumn {
                table,
                sql,
                without_rows,
            } => {
                let table = self.find_own(table)?;
                let before = &self.get(table).schema;
                if before.columns.len() >= columns {
                    return Err(Refusal::Unsupported);
                }
                Ok(SchemaChange::AddColumn {
                    table,
                    schema: memo.of(before, || with_column(before, sql))?,
                    without_rows: *without_rows,
                })
            }
            Change::CreateIndex(create) => self.plan_index(create, memo),
            Change::DropIndex { name, if_exists } => self.plan_drop_index(name, *if_exists, memo),
        }
    }

    /// A table that is not SQLite's own.
    fn find_own(&self, table: &Text) -> Bound<usize> {
        if table == SEQUENCE {
            return Err(Refusal::Unsupported);
        }
        self.find(table)
    }

    fn plan_table(
        &self,
        schema: &Rc<Schema>,
        quoted: bool,
        if_not_exists: bool,
        columns: usize,
    ) -> Bound<SchemaChange> {
        let name = &schema.name;
        if self.has_table_like(name) {
            if if_not_exists {
                return Ok(SchemaChange::Nothing);
            }
            let quote = if quoted { "\"" } else { "" };
            return Err(in_words(format!("table {quote}{name}{quote} already exists")));
        }
        if self.has_index_like(name) {
            return Err(in_words(format!("there is already an index named {name}")));
        }
        if schema.columns.len() > columns {
            return Err(Refusal::Unsupported);
        }
        Ok(SchemaChange::Create(Rc::clone(schema)))
    }

    fn plan_index(&self, create: &CreateIndex, memo: &SchemaMemo) -> Bound<SchemaChange> {
        let CreateIndex { table, name, .. } = create;
        let table = match self.find_own(table) {
            Err(Refusal::Sql(error)) => {
                return Err(Refusal::Sql(SqlError {
                    table: Some(Text::from(format!("main.{table}"))),
                    ..error
                }));
            }
            found => found?,
        };
        let before = &self.get(table).schema;
        if matches!(before.key, Key::Clustered(_)) || !may_name_a_table(name) {
            return Err(Refusal::Unsupported);
        }
        if self.has_table_like(name) {
            return Err(in_words(format!("there is already a table named {name}")));
        }
        if self.has_index_like(name) {
            return if create.if_not_exists {
                Ok(SchemaChange::Nothing)
            } else {
                Err(in_words(format!("index {name} already exists")))
            };
        }
        let index = Index {
            name: name.clone(),
            ddl: Some(create.ddl.clone()),
            columns: columns_of(before, &create.columns)?,
            unique: create.unique,
            is_key: false,
        };
        let schema = memo.of(before, || {
            let mut indexes = before.indexes.clone();
            indexes.push(index);
            Ok(Schema {
                indexes,
                ..before.copy()
            })
        })?;
        Ok(SchemaChange::AddIndex { table, schema })
    }

    fn plan_drop_index(&self, name: &Text, if_exists: bool, memo: &SchemaMemo) -> Bound<SchemaChange> {
        let of_table = |(table, schema): (usize, &Rc<Schema>)| {
            let at = schema.indexes.iter().position(|index| index.name == *name)?;
            Some((table, Rc::clone(schema), at))
        };
        let mut schemas = self.all().map(|table| &table.schema).enumerate();
        match schemas.find_map(of_table) {
            // SQLite's own cannot be dropped.
            _ if !may_name_a_table(name) => Err(Refusal::Unsupported),
            Some((table, before, at)) => {
                let of_constraints = before.indexes.len() - before.explicit_indexes().count();
                let schema = memo.of(&before, || {
                    let mut indexes = before.indexes.clone();
                    indexes.remove(at);
                    Ok(Schema {
                        indexes,
                        ..before.copy()
                    })
                })?;
                Ok(SchemaChange::DropIndex {
                    table,
                    schema,
                    explicit: at - of_constraints,
                })
            }
            None if self.has_index_like(name) => Err(Refusal::Unsupported),
            None if if_exists => Ok(SchemaChange::Nothing),
            None => Err(in_words(format!("no such index: {name}"))),
        }
    }

    fn has_table_like(&self, name: &Text) -> bool {
        self.all()
            .any(|table| table.schema.name.eq_ignore_ascii_case(name))
    }

    fn has_index_like(&self, name: &Text) -> bool {
        self.all()
            .flat_map(|table| &table.schema.indexes)
            .any(|index| index.name.eq_ignore_ascii_case(name))
    }

    /// Does what was planned.
    pub(super) fn make(&mut self, planned: SchemaChange) -> Bound<Rows> {
        match planned {
            SchemaChange::Nothing => {}
            SchemaChange::Create(schema) => self.create(schema),
            SchemaChange::Drop(table) => {
                let schema = Rc::clone(&self.get(table).schema);
                self.drop_table(table);
                if schema.autoincrement {
                    self.forget_sequence(&schema.name);
                }
            }
            SchemaChange::AddColumn {
                table,
                schema,
                without_rows,
            } => return self.add_column(table, schema, without_rows),
            SchemaChange::AddIndex { table, schema } => {
                let index = schema.indexes.last().expect("the new one was added to them");
                if index.unique && self.get(table).has_equal(&index.columns) {
                    return Err(Refusal::Sql(constraint(
                        SqlErrorKind::Unique,
                        &schema,
                        index.columns[0],
                    )));
                }
                let created = self.next_creation();
                let mut after = self.get(table).with_schema(schema);
                after.indexes_created.push(created);
                self.change_table(table, after);
            }
            SchemaChange::DropIndex {
                table,
                schema,
                explicit,
            } => {
                let mut after = self.get(table).with_schema(schema);
                after.indexes_created.remove(explicit);
                self.change_table(table, after);
            }
        }
        Ok(Rows::default())
    }

    fn create(&mut self, schema: Rc<Schema>) {
        let first = schema.autoincrement && !self.all().any(|table| table.schema.is_internal());
        self.add_table(schema);
        if first {
            self.add_table(Rc::new(sequence_schema()));
        }
    }

    fn add_column(&mut self, table: usize, schema: Rc<Schema>, without_rows: bool) -> Bound<Rows> {
        if without_rows && !self.get(table).rows().is_empty() {
            return Err(in_words(Text::new_static(NOT_NULL)));
        }
        let column = schema.columns.last().expect("the new one was added to them");
        let there = column.default.clone().with(column.affinity);
        let there = there.ok_or(Refusal::Unsupported)?;
        let after = self.get(table).with_column(schema, &there);
        self.change_table(table, after);
        // SQLite looks for a row with a SELECT of its own, whose column the statement is left with.
        let columns = without_rows.then(|| Text::from(format!("raise(ABORT,'{NOT_NULL}')")));
        Ok(Rows {
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
        })
    }
}

/// What SQLite says where a column without a default that is not NULL would be added to rows.
const NOT_NULL: &str = "Cannot add a NOT NULL column with default value NULL";

impl Schema {
    /// A schema that says the same, but for the indexes.
    fn copy(&self) -> Schema {
        Schema {
            name: self.name.clone(),
            ddl: self.ddl.clone(),
            add_at: self.add_at,
            columns: self.columns.clone(),
            key: self.key.clone(),
            autoincrement: self.autoincrement,
            indexes: Vec::new(),
        }
    }
}

fn sequence_schema() -> Schema {
    // No table of the list may have its name.
    let plain = SEQUENCE_SQL.replace("sqlite_", "");
    let schema = parse_table(&plain).expect("a constant text that is of the list");
    Schema {
        name: Text::new_static(SEQUENCE),
        ddl: Text::new_static(SEQUENCE_SQL),
        add_at: schema.add_at + SEQUENCE_SQL.len() - plain.len(),
        ..schema
    }
}

/// SQLite writes the column's text into the table's, and reads that again.
fn with_column(before: &Schema, column: &str) -> Bound<Schema> {
    let (columns, constraints) = before.ddl.split_at(before.add_at);
    let ddl = format!("{columns}, {column}{constraints}");
    let mut schema = parse_table(&ddl).map_err(|_| Refusal::Unsupported)?;
    schema.indexes.extend(before.explicit_indexes().cloned());
    Ok(schema)
}

fn columns_of(schema: &Schema, names: &[Text]) -> Bound<Vec<usize>> {
    let (mut found, mut unknown) = (Vec::new(), None);
    for name in names {
        let plain = name.strip_prefix('"').unwrap_or(name);
        match schema.columns.iter().position(|column| column.name == plain) {
            Some(at) if found.contains(&at) => return Err(Refusal::Unsupported),
            Some(at) => found.push(at),
            // In quotes it is a text where no column has that name.
            None if plain.len() < name.len() => return Err(Refusal::Unsupported),
            None if schema
                .columns
                .iter()
                .any(|column| column.name.eq_ignore_ascii_case(name)) =>
            {
                return Err(Refusal::Unsupported);
            }
            None => unknown = unknown.or(Some(name)),
        }
    }
    match unknown {
        None => Ok(found),
        Some(column) => Err(Refusal::Sql(SqlError {
            column: Some(column.clone()),
            ..SqlError::of(SqlErrorKind::NoSuchColumn)
        })),
    }
}
