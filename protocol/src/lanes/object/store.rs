//! An object's own tables, and the statements that touch them.

use super::Cx;
use crate::host::{End, SqlError, SqlErrorKind, Statement, Text, Value};
use crate::lanes::meta::{Key, Write, present};
use crate::number::Number;

use super::failure::Failure;

/// The tables that every object makes when an incarnation starts: its bookkeeping, which no schema names.
pub(super) fn tables() -> [Statement; 3] {
    [
        Statement::new(
            "CREATE TABLE IF NOT EXISTS cfw_meta (k TEXT PRIMARY KEY, v TEXT NOT NULL)",
            [],
        ),
        Statement::new(
            "CREATE TABLE IF NOT EXISTS cfw_repl_log (generation INTEGER PRIMARY KEY, parent INTEGER, \
             schema_version TEXT, fingerprint TEXT, overflowed INTEGER DEFAULT 0, statements TEXT, sealed_at INTEGER) \
             WITHOUT ROWID",
            [],
        ),
        Statement::new(
            "CREATE TABLE IF NOT EXISTS cfw_page (path TEXT PRIMARY KEY, status INTEGER, content_type TEXT, \
             html TEXT, rendered_at INTEGER, render_ms INTEGER, stale_at INTEGER, tags TEXT, tag_checksum TEXT)",
            [],
        ),
    ]
}

/// `metaGet`: what a key holds; nothing where it holds the empty text.
pub(super) fn meta(cx: &mut Cx<'_, '_>, key: &str) -> Result<Option<Text>, SqlError> {
    Ok(stored(cx, key)?.filter(|text| present(Some(text)).is_some()))
}

/// The text under a key as it is stored: the empty one is not the same as none to a reader that asks for it.
pub(super) fn stored(cx: &mut Cx<'_, '_>, key: &str) -> Result<Option<Text>, SqlError> {
    let read = Statement::new("SELECT v FROM cfw_meta WHERE k = ?", [Value::text(key)]);
    Ok(cx.sql(&read)?.first().and_then(Value::as_text).map(Text::new))
}

/// `metaSet`: puts a text under a key, unless it is there already.
pub(super) fn set(cx: &mut Cx<'_, '_>, key: &str, value: &str) -> Result<(), SqlError> {
    if stored(cx, key)?.as_deref() != Some(value) {
        cx.sql(&put(key, Text::new(value)))?;
    }
    Ok(())
}

/// The statement that puts a text under a key.
pub(super) fn put(key: &str, value: Text) -> Statement {
    Statement::new(
        "INSERT INTO cfw_meta (k, v) VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v",
        [Value::text(key), Value::Text(value)],
    )
}

/// Takes a key away altogether.
pub(super) fn remove(cx: &mut Cx<'_, '_>, key: &str) -> Result<(), SqlError> {
    cx.sql(&Statement::new(
        "DELETE FROM cfw_meta WHERE k = ?",
        [Value::text(key)],
    ))?;
    Ok(())
}

/// Runs writes one by one: what fails is thrown, and what was written before it stays.
pub(super) fn write(cx: &mut Cx<'_, '_>, writes: impl IntoIterator<Item = Write>) -> Result<(), SqlError> {
    for write in writes {
        match write {
            Write::Meta(Key(key), value) => set(cx, key, &value)?,
            other => {
                cx.sql(&other.into_statement())?;
            }
        }
    }
    Ok(())
}

/// Runs writes as one transaction.
pub(super) fn commit(cx: &mut Cx<'_, '_>, writes: Vec<Write>) -> Result<(), Failure> {
    let batch = statements(cx, writes)?;
    if !batch.is_empty() {
        cx.transaction(&batch, End::Commit)?;
    }
    Ok(())
}

/// The statements of writes: a text that a key holds already is left out.
///
/// What the keys hold is read before the transaction. Nothing can come between, and no statement of a record writes
/// what this transaction writes under a key.
pub(super) fn statements(cx: &mut Cx<'_, '_>, writes: Vec<Write>) -> Result<Vec<Statement>, SqlError> {
    let mut batch = Vec::with_capacity(writes.len());
    for write in writes {
        match write {
            Write::Meta(Key(key), value) => {
                if stored(cx, key)?.as_deref() != Some(value.as_str()) {
                    batch.push(put(key, value));
                }
            }
            other => batch.push(other.into_statement()),
        }
    }
    Ok(batch)
}

/// Whether a table is there.
pub(super) fn exists(cx: &mut Cx<'_, '_>, table: &str) -> Result<bool, SqlError> {
    let probe = Statement {
        sql: format!("SELECT * FROM \"{table}\" LIMIT 0").into(),
        params: Vec::new(),
    };
    match cx.sql(&probe) {
        Ok(_) => Ok(true),
        Err(error) if error.kind == SqlErrorKind::NoSuchTable => Ok(false),
        Err(error) => Err(error),
    }
}

/// Empties a table, if it is there.
pub(super) fn empty(cx: &mut Cx<'_, '_>, table: &str) -> Result<(), SqlError> {
    let all = Statement {
        sql: format!("DELETE FROM {table}").into(),
        params: Vec::new(),
    };
    match cx.sql(&all) {
        Err(error) if error.kind != SqlErrorKind::NoSuchTable => Err(error),
        _ => Ok(()),
    }
}

/// The greatest generation of the log; none of an empty one.
pub(super) fn highest_logged(cx: &mut Cx<'_, '_>) -> Result<Option<Number>, SqlError> {
    let highest = Statement::new("SELECT MAX(generation) FROM cfw_repl_log", []);
    Ok(cx.sql(&highest)?.first().and_then(Value::as_number))
}
