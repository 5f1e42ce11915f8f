//! What SQLite keeps about the tables themselves: `sqlite_schema`, as far as it is certain.

use std::rc::Rc;

use protocol::host::{Rows, Text, Value};

use super::super::{ALARM_TABLE, ALARM_TABLE_SQL};
use super::cell::Cell;
use super::parse::parse_table;
use super::plan::{Bound, Refusal, SelectPlan, What};
use super::shape::Schema;
use super::table::{Row, Spare, Table};

/// Its names.
pub(super) fn is_catalogue(name: &str) -> bool {
    name == "sqlite_schema" || name == "sqlite_master"
}

/// Its columns, under a name that a table may have.
const COLUMNS: &str = "CREATE TABLE catalogue (type TEXT, name TEXT, tbl_name TEXT, rootpage INT, sql TEXT)";
const NAME: usize = 1;
/// Where a table's pages begin is SQLite's affair.
const ROOT_PAGE: usize = 3;

/// It as a table like any other.
pub(super) fn schema() -> Schema {
    parse_table(COLUMNS).expect("a constant text that is of the list")
}

/// One entry: its type, its name, the table that it belongs to, and the text that made it.
struct Entry<'t> {
    kind: &'static str,
    name: &'t Text,
    table: &'t Text,
    sql: Option<&'t Text>,
}

static OF_ALARM: Text = Text::new_static(ALARM_TABLE);
static OF_ALARM_SQL: Text = Text::new_static(ALARM_TABLE_SQL);

/// Runs a SELECT over the entries, which stand in the order in which they were made.
pub(super) fn select<'t>(
    tables: impl Iterator<Item = &'t Table>,
    alarm_table: bool,
    schema: &Rc<Schema>,
    select: &SelectPlan,
    params: &[Value],
) -> Bound<Rows> {
    if names(select, ROOT_PAGE) || alarm_table && !is_certain_anywhere(select) {
        return Err(Refusal::Unsupported);
    }
    let mut entries: Vec<(u64, Entry<'t>)> = tables.flat_map(entries_of).collect();
    entries.sort_by_key(|(created, _)| *created);
    let of_platform = Entry {
        kind: "table",
        name: &OF_ALARM,
        table: &OF_ALARM,
        sql: Some(&OF_ALARM_SQL),
    };
    let of_platform = alarm_table.then_some(of_platform);
    let entries = entries.into_iter().map(|(_, entry)| entry).chain(of_platform);
    let mut table = Table::new(Rc::clone(schema), 0);
    for (at, entry) in entries.enumerate() {
        let mut cells = vec![
            Cell::Text(Text::new_static(entry.kind)),
            Cell::Text(entry.name.clone()),
            Cell::Text(entry.table.clone()),
            Cell::Null,
            entry.sql.map_or(Cell::Null, |sql| Cell::Text(sql.clone())),
        ];
        table.insert(at, Row::new(at as i64 + 1, &mut cells, &mut Spare::default()));
    }
    select.run(&table, params, &mut Vec::new())
}

/// Whether a column is asked for at all.
fn names(select: &SelectPlan, column: usize) -> bool {
    let shown = match &select.what {
        What::Columns(columns) => columns.contains(&column),
        What::Max(of) => *of == column,
        What::Count => false,
    };
    let tested = select.filter.tests.iter().any(|test| test.column == column);
    shown || tested || select.order.iter().any(|(by, _)| *by == column)
}

/// Whether the answer is the same wherever the platform's table stands among the others: names are unique.
fn is_certain_anywhere(select: &SelectPlan) -> bool {
    match &select.what {
        What::Columns(_) => matches!(select.order.first(), Some((NAME, _))),
        What::Max(_) | What::Count => true,
    }
}

/// A table and its indexes, each with when it was created. Those of its constraints were created with it.
fn entries_of(table: &Table) -> Vec<(u64, Entry<'_>)> {
    let schema = &table.schema;
    let of_table = Entry {
        kind: "table",
        name: &schema.name,
        table: &schema.name,
        sql: Some(&schema.ddl),
    };
    let mut entries = vec![(table.created, of_table)];
    let mut explicit = table.indexes_created.iter();
    for index in &schema.indexes {
        let created = match index.ddl {
            Some(_) => explicit.next().copied(),
            None => None,
        };
        let entry = Entry {
            kind: "index",
            name: &index.name,
            table: &schema.name,
            sql: index.ddl.as_ref(),
        };
        entries.push((created.unwrap_or(table.created), entry));
    }
    entries
}
