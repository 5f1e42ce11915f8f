//! The host as a script meets it.

use protocol::host::{Platform, Statement, Text, Value};
use sim::kernel::Wide;

use crate::platform::script::Refusal;

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

    pub fn sql(&mut self, sql: &str, params: impl Into<Vec<Value>>) -> Result<Vec<Vec<Value>>, Refusal> {
        let statement = Statement {
            sql: Text::new(sql),
            params: params.into(),
        };
        let outcome = self.object().sql(&statement);
        outcome
            .map(|rows| rows.rows)
            .map_err(|error| Refusal::Kind(error.kind))
    }

    pub fn texts(&mut self, table: &str) -> Vec<Text> {
        let rows = self
            .sql(&format!("SELECT v FROM {table}"), [])
            .unwrap_or_default();
        rows.iter()
            .filter_map(|row| row[0].as_text())
            .map(Text::new)
            .collect()
    }

    pub fn insert(&mut self, table: &str, text: Text) {
        let create = format!("CREATE TABLE IF NOT EXISTS {table} (id INTEGER PRIMARY KEY, v TEXT)");
        let insert = format!("INSERT INTO {table} (v) VALUES (?)");
        // A refusal is the test's to provoke, and its rows tell.
        let _ = self.sql(&create, []);
        let _ = self.sql(&insert, [Value::Text(text)]);
    }
}
