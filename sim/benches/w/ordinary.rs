//! The loop written by hand over ordinary rusqlite: a connection an object, default settings, `prepare_cached`.

use std::sync::Arc;

use protocol::host::Text;
use rusqlite::{Connection, Row as Found, params};

use crate::plain::Database;
use crate::sql;
use crate::workload::{Change, Record, Row, fingerprint};

pub struct Ordinary(Connection);

impl Ordinary {
    fn all(connection: &Connection, statement: &str) -> Vec<(String, String)> {
        let mut select = connection.prepare_cached(statement).expect("it is SQL");
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.expect("it runs")
            .map(|row| row.expect("a row is read"))
            .collect()
    }
}

fn upserts(connection: &Connection, change: &Change) {
    let mut node = connection.prepare_cached(sql::UPSERT_NODE).expect("it is SQL");
    for (path, body) in &change.nodes {
        node.execute(params![path.as_str(), body.as_str()])
            .expect("it runs");
    }
    let mut config = connection.prepare_cached(sql::UPSERT_CONFIG).expect("it is SQL");
    let (key, value) = &change.config;
    config
        .execute(params![key.as_str(), value.as_str()])
        .expect("it runs");
}

fn text(row: &Found<'_>, at: usize) -> rusqlite::Result<Text> {
    Ok(Text::new(row.get_ref(at)?.as_str()?))
}

fn record(row: &Found<'_>) -> rusqlite::Result<Arc<Record>> {
    Ok(Arc::new(Record {
        generation: row.get(0)?,
        parent: row.get(1)?,
        schema: row.get(2)?,
        fingerprint: text(row, 3)?,
        change: Change {
            nodes: [(text(row, 4)?, text(row, 5)?), (text(row, 6)?, text(row, 7)?)],
            config: (text(row, 8)?, text(row, 9)?),
        },
    }))
}

impl Database for Ordinary {
    fn open() -> Self {
        let connection = Connection::open_in_memory().expect("a database in memory opens");
        for table in sql::TABLES {
            connection.execute(table, []).expect("the table is made");
        }
        Ordinary(connection)
    }

    fn seal(&mut self, head: u32, change: &Change) {
        let transaction = self.0.transaction().expect("a transaction begins");
        upserts(&transaction, change);
        let nodes = Self::all(&transaction, sql::ALL_NODES);
        let configs = Self::all(&transaction, sql::ALL_CONFIGS);
        let rows = nodes.iter().chain(&configs);
        let fingerprint = fingerprint(rows.map(|(key, text)| (key.as_str(), text.as_str())));
        let [one, other] = &change.nodes;
        let mut seal = transaction.prepare_cached(sql::SEAL).expect("it is SQL");
        let sealed = seal.execute(params![
            head + 1,
            head,
            1,
            fingerprint.as_str(),
            one.0.as_str(),
            one.1.as_str(),
            other.0.as_str(),
            other.1.as_str(),
            change.config.0.as_str(),
            change.config.1.as_str(),
        ]);
        sealed.expect("it runs");
        drop(seal);
        transaction.commit().expect("it commits");
    }

    fn log(&mut self, since: u32, limit: u32) -> Vec<Arc<Record>> {
        let mut select = self.0.prepare_cached(sql::LOG).expect("it is SQL");
        let rows = select.query_map(params![since, limit], record).expect("it runs");
        rows.map(|row| row.expect("a record is read")).collect()
    }

    fn apply(&mut self, record: &Record) {
        let transaction = self.0.transaction().expect("a transaction begins");
        upserts(&transaction, &record.change);
        let mut stand = transaction.prepare_cached(sql::STAND).expect("it is SQL");
        stand.execute(params![record.generation]).expect("it runs");
        drop(stand);
        transaction.commit().expect("it commits");
    }

    fn read(&mut self, path: &Text) -> Option<Text> {
        let mut select = self.0.prepare_cached(sql::READ).expect("it is SQL");
        let mut rows = select.query(params![path.as_str()]).expect("it runs");
        let row = rows.next().expect("a row is read");
        row.map(|row| text(row, 0).expect("it is a text"))
    }

    fn rows(&mut self) -> (Vec<Row>, Vec<Row>) {
        let read = |statement| {
            let rows = Self::all(&self.0, statement).into_iter();
            rows.map(|(key, text)| (Text::from(key), Text::from(text)))
                .collect()
        };
        (read(sql::ALL_NODES), read(sql::ALL_CONFIGS))
    }
}
