//! Reading a whole database, for checks and for its digest.

use protocol::host::{Text, Value};
use rusqlite::{Connection, Error};

use super::super::{Contents, digest};
use super::value::values;

/// All rows of all tables.
pub(super) fn contents(connection: &Connection) -> Contents {
    let read = || -> Result<Contents, Error> {
        let names = tables(connection)?;
        names
            .into_iter()
            .map(|name| Ok((Text::new(&name), rows_of(connection, &name)?)))
            .collect()
    };
    read().expect("the tables that the schema lists can be read")
}

/// The digest of all rows and of the schema.
pub(super) fn digest(connection: &Connection) -> u128 {
    let mut sum = schema_digest(connection).expect("a schema can be read");
    let mut buffer = Vec::new();
    for (table, rows) in contents(connection) {
        for row in rows {
            let parts = row.iter().map(digest::Part::from);
            sum = sum.wrapping_add(digest::of_row(&table, parts, &mut buffer));
        }
    }
    sum
}

const NOT_INTERNAL: &str = "name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";

fn tables(connection: &Connection) -> Result<Vec<String>, Error> {
    let sql = format!("SELECT name FROM sqlite_schema WHERE type = 'table' AND {NOT_INTERNAL}");
    let mut statement = connection.prepare(&sql)?;
    let names = statement.query_map([], |row| row.get(0))?;
    names.collect()
}

/// The rows in the order of the primary key; of a table that has none, as they were inserted.
fn rows_of(connection: &Connection, table: &str) -> Result<Vec<Vec<Value>>, Error> {
    let mut key = connection.prepare("SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk")?;
    let key = key.query_map([table], |row| row.get::<_, String>(0).map(|name| quoted(&name)));
    let mut order = key?.collect::<Result<Vec<_>, _>>()?;
    if order.is_empty() {
        order.push("rowid".to_owned());
    }
    let sql = format!("SELECT * FROM {} ORDER BY {}", quoted(table), order.join(", "));
    let mut statement = connection.prepare(&sql)?;
    let width = statement.column_count();
    let mut rows = statement.query([])?;
    let mut read = Vec::new();
    while let Some(row) = rows.next()? {
        read.push(values(row, width)?);
    }
    Ok(read)
}

fn schema_digest(connection: &Connection) -> Result<u128, Error> {
    let sql = format!("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND {NOT_INTERNAL}");
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let mut sum = 0_u128;
    while let Some(row) = rows.next()? {
        let (name, ddl): (String, String) = (row.get(0)?, row.get(1)?);
        sum = sum.wrapping_add(digest::of_entry(&name, &ddl));
    }
    Ok(sum)
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
