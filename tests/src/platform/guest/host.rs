//! The host as a script meets it.

use protocol::host::{Platform, Rows, SqlError, Statement, Text, Value};
use sim::kernel::Wide;

/// The host, whichever party runs.
pub(super) enum Host<'a> {
    Object(&'a mut dyn Wide),
    Front(&'a mut dyn Platform),
}

impl Host<'_> {
    pub fn platform(&mut self) -> &mut dyn Platform {
        match self {
            Host::Object(object) => *object,
            Host::Front(front) => *front,
        }
    }

    pub fn object(&mut self) -> &mut dyn Wide {
        match self {
            Host::Object(object) => *object,
            Host::Front(_) => panic!("only an object can do this: have the script do it in one"),
        }
    }

    pub fn texts(&mut self, table: &str) -> Vec<Text> {
        texts(&mut |statement| self.object().sql(statement), table)
    }

    pub fn insert(&mut self, table: &str, text: Text) {
        insert(&mut |statement| self.object().sql(statement), table, text);
    }
}

type RunSql<'a> = dyn FnMut(&Statement) -> Result<Rows, SqlError> + 'a;

/// The texts of a table; none where there is no such table.
pub(super) fn texts(run: &mut RunSql<'_>, table: &str) -> Vec<Text> {
    let select = Statement {
        sql: Text::from(format!("SELECT v FROM {table}")),
        params: Vec::new(),
    };
    let rows = run(&select).unwrap_or_default().rows;
    rows.iter()
        .filter_map(|row| row[0].as_text())
        .map(Text::new)
        .collect()
}

/// Adds a text to a table.
pub(super) fn insert(run: &mut RunSql<'_>, table: &str, text: Text) {
    let create = format!("CREATE TABLE IF NOT EXISTS {table} (id INTEGER PRIMARY KEY, v TEXT)");
    let insert = format!("INSERT INTO {table} (v) VALUES (?)");
    for (sql, params) in [(create, Vec::new()), (insert, vec![Value::Text(text)])] {
        let sql = Text::from(sql);
        // A refusal is the test's to provoke, and its rows tell.
        let _ = run(&Statement { sql, params });
    }
}
