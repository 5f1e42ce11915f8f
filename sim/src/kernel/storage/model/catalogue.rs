//! What SQLite keeps about the tables themselves: `sqlite_schema`, as far as it is certain.

use protocol::host::{Rows, Text, Value};

use super::super::{ALARM_TABLE, ALARM_TABLE_SQL};
use super::cell::Cell;
use super::cell_of;
use super::plan::{Bound, Refusal};
use super::shape::{Key, Operator, Output, Select};
use super::table::Table;

/// The name of the table.
pub(super) const NAME: &str = "sqlite_schema";

static OF_ALARM: Text = Text::new_static(ALARM_TABLE);
static OF_ALARM_SQL: Text = Text::new_static(ALARM_TABLE_SQL);

/// One entry: its type, its name, the table that it belongs to, and the text that made it.
struct Entry<'t> {
    kind: &'static str,
    name: Text,
    table: &'t Text,
    sql: Option<&'t Text>,
}

impl Entry<'_> {
    fn read(&self, column: &str) -> Bound<Value> {
        Ok(match column {
            "type" => Value::Text(Text::new_static(self.kind)),
            "name" => Value::Text(self.name.clone()),
            "tbl_name" => Value::Text(self.table.clone()),
            "sql" => self.sql.map_or(Value::Null, |sql| Value::Text(sql.clone())),
            // Where a table's pages begin is SQLite's affair.
            _ => return Err(Refusal::Unsupported),
        })
    }
}

/// Runs a SELECT over the entries: columns by name, conditions that compare texts for equality, and in the order of
/// names, which are unique. The order in which SQLite keeps entries is not certain.
pub(super) fn select<'t>(
    tables: impl Iterator<Item = &'t Table>,
    alarm_table: bool,
    select: &Select,
    params: &[Value],
) -> Bound<Rows> {
    let Output::Columns(columns) = &select.output else {
        return Err(Refusal::Unsupported);
    };
    let by_name = matches!(select.order.as_slice(), [by] if by.column == "name" && !by.descending);
    if !by_name || select.limit.is_some() {
        return Err(Refusal::Unsupported);
    }
    let of_platform = Entry {
        kind: "table",
        name: OF_ALARM.clone(),
        table: &OF_ALARM,
        sql: Some(&OF_ALARM_SQL),
    };
    let of_platform = alarm_table.then_some(of_platform);
    let mut found = Vec::new();
    for entry in tables.flat_map(entries_of).chain(of_platform) {
        let mut passes = true;
        for condition in &select.filter {
            let (Operator::Equal, Cell::Text(wanted)) =
                (condition.operator, cell_of(&condition.value, params))
            else {
                return Err(Refusal::Unsupported);
            };
            passes &= entry.read(&condition.column)? == Value::Text(wanted);
        }
        if passes {
            found.push(entry);
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    let mut rows = Vec::with_capacity(found.len());
    for entry in &found {
        let row = columns.iter().map(|(column, _)| entry.read(column));
        rows.push(row.collect::<Bound<Vec<Value>>>()?);
    }
    let names = columns
        .iter()
        .map(|(column, named)| named.as_ref().unwrap_or(column));
    Ok(Rows {
        columns: names.cloned().collect(),
        rows,
    })
}

/// A table, and the index that SQLite makes for a key that is not the row's number.
fn entries_of(table: &Table) -> Vec<Entry<'_>> {
    let schema = &table.schema;
    let mut entries = vec![Entry {
        kind: "table",
        name: schema.name.clone(),
        table: &schema.name,
        sql: Some(&schema.ddl),
    }];
    if matches!(schema.key, Key::Columns(_)) {
        entries.push(Entry {
            kind: "index",
            name: Text::from(format!("sqlite_autoindex_{}_1", schema.name)),
            table: &schema.name,
            sql: None,
        });
    }
    entries
}
