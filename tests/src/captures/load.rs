//! Reading the folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use protocol::host::Text;
use protocol::json::Json;
use rusqlite::Connection;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// All of a folder.
pub struct Captures {
    /// The requests whose streams are kept, in order.
    pub streams: Vec<Stream>,
    /// For each table whose row id has a name: that column.
    pub id_columns: BTreeMap<String, String>,
}

/// One request and what it ran.
pub struct Stream {
    /// What the index says of it.
    pub entry: Entry,
    /// What it ran, in order.
    pub steps: Vec<Step>,
}

/// What the index says of a request.
#[derive(Clone, Debug, Deserialize)]
pub struct Entry {
    /// Its name; also the file's.
    pub capture: String,
    /// What it is, in words.
    pub what: String,
    /// Whether its stream is there.
    pub kept: bool,
    /// How many statements the primary would log.
    pub statements_the_primary_would_log: usize,
    /// The independent reading of the contract.
    pub if_run_on_a_lane: OnALane,
}

/// What would become of a request on a lane, by the independent reading.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OnALane {
    /// How many statements are forwarded.
    pub statements_to_forward: usize,
    /// The tables into which the driver mints ids.
    pub minted_tables: Vec<String>,
    /// Why the primary refuses, each reason once.
    pub refused_because_of: Vec<String>,
}

/// One line of a stream.
pub enum Step {
    /// The application begins a transaction.
    Begin,
    /// It ends it.
    Commit,
    /// It runs a statement.
    Run {
        /// The text.
        sql: Text,
        /// The parameters.
        params: Json,
        /// Whether it failed.
        failed: bool,
    },
}

#[derive(Deserialize)]
struct Line {
    k: Option<String>,
    q: Option<usize>,
    p: Option<Json>,
    error: Option<String>,
}

/// Parameters whose texts are there: one that could hold content is only told by its length, `{"text": 99}`.
fn filled(params: Json) -> Json {
    match params {
        Json::Array(items) => Json::Array(items.into_iter().map(given).collect()),
        Json::Object(entries) => {
            let entries = entries.into_iter().map(|(name, value)| (name, given(value)));
            Json::Object(entries.collect())
        }
        one => one,
    }
}

fn given(param: Json) -> Json {
    let length = param
        .as_object()
        .and_then(|object| object.get("text")?.as_number()?.to_u32_exact());
    length.map_or(param, |length| Json::text("x".repeat(length as usize)))
}

/// Reads a folder.
///
/// # Errors
/// Names the file, and the line, that is not what it should be.
pub fn load(folder: &Path) -> Result<Captures, String> {
    let texts: Vec<Text> = json(&folder.join("sql.json"))?;
    let index: Vec<Entry> = json(&folder.join("index.json"))?;
    let schema = text(&folder.join("schema.sql"))?;
    let streams = index
        .into_iter()
        .filter(|entry| entry.kept)
        .map(|entry| stream(folder, entry, &texts))
        .collect::<Result<_, _>>()?;
    let id_columns = id_columns(&schema, &texts)?;
    Ok(Captures { streams, id_columns })
}

fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    serde_json::from_str(&text(path)?).map_err(|error| format!("{}: {error}", path.display()))
}

fn stream(folder: &Path, entry: Entry, texts: &[Text]) -> Result<Stream, String> {
    let path = folder.join(&entry.capture).with_extension("jsonl");
    let steps = text(&path)?
        .lines()
        .enumerate()
        .map(|(at, line)| {
            step(line, texts).map_err(|error| format!("{}:{}: {error}", path.display(), at + 1))
        })
        .collect::<Result<_, _>>()?;
    Ok(Stream { entry, steps })
}

fn step(line: &str, texts: &[Text]) -> Result<Step, String> {
    let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
    match (line.k.as_deref(), line.q) {
        (Some("begin"), None) => Ok(Step::Begin),
        (Some("commit"), None) => Ok(Step::Commit),
        (None, Some(q)) => Ok(Step::Run {
            sql: texts.get(q).ok_or_else(|| format!("no text {q}"))?.clone(),
            params: filled(line.p.unwrap_or(Json::Null)),
            failed: line.error.is_some(),
        }),
        (k, q) => Err(format!("neither begin, commit nor a statement: k {k:?}, q {q:?}")),
    }
}

/// Asks SQLite which column is the row id: a lone INTEGER PRIMARY KEY. Also of the tables that came and went.
fn id_columns(schema: &str, texts: &[Text]) -> Result<BTreeMap<String, String>, String> {
    // The collation is the application's own; without it the column is the same.
    let plain = |sql: &str| sql.replace("COLLATE NOCASE_UTF8", "");
    let fails = |error: rusqlite::Error| format!("schema.sql: {error}");
    let connection = Connection::open_in_memory().map_err(fails)?;
    connection.execute_batch(&plain(schema)).map_err(fails)?;
    for sql in texts.iter().filter(|sql| sql.starts_with("CREATE TABLE")) {
        // Most of them are in the schema already.
        let _ = connection.execute_batch(&plain(sql));
    }
    let sql = "SELECT t.name, max(c.name), count(*), max(upper(c.type) = 'INTEGER')
        FROM sqlite_master t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND c.pk > 0 GROUP BY t.name HAVING count(*) = 1 AND max(upper(c.type) = 'INTEGER')";
    let mut query = connection.prepare(sql).map_err(fails)?;
    let rows = query
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .map_err(fails)?;
    rows.collect::<Result<_, _>>().map_err(fails)
}
