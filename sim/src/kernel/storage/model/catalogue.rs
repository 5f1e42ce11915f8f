//! What SQLite keeps about the tables themselves: `sqlite_schema`, as far as it is certain.

use protocol::host::{Rows, Value};

use super::super::{ALARM_TABLE, ALARM_TABLE_SQL};
use super::cell::Cell;
use super::cell_of;
use super::plan::{Bound, Refusal};
use super::shape::{Key, Operator, Output, Select};
use super::table::Table;

/// The name of the table.
pub(super) const NAME: &str = "sqlite_schema";

/// One entry: its type, its name, the table that it belongs to, and the text that made it.
struct Entry<'t> {
    kind: &'static str,
    name: String,
    table: &'t str,
    sql: Option<&'t str>,
}

impl Entry<'_> {
    fn read(&self, column: &str) -> Bound<Value> {
        Ok(match column {
            "type" => Value::text(self.kind),
            "name" => Value::text(&self.name),
            "tbl_name" => Value::text(self.table),
            "sql" => self.sql.map_or(Value::Null, Value::text),
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
        name: ALARM_TABLE.to_owned(),
        table: ALARM_TABLE,
        sql: Some(ALARM_TABLE_SQL),
    };
    let of_platform = alarm_table.then_some(of_platform);
    let mut entries: Vec<Entry<'_>> = tables.flat_map(entries_of).chain(of_platform).collect();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    let mut rows = Vec::new();
    for entry in &entries {
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
            rows.push(
                columns
                    .iter()
                    .map(|(column, _)| entry.read(column))
                    .collect::<Bound<_>>()?,
            );
        }
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
        name: schema.name.to_string(),
        table: &schema.name,
        sql: Some(&schema.ddl),
    }];
    if matches!(schema.key, Key::Columns(_)) {
        entries.push(Entry {
            kind: "index",
            name: format!("sqlite_autoindex_{}_1", schema.name),
            table: &schema.name,
            sql: None,
        });
    }
    entries
}
