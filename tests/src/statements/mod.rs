//! Statements to try shapes on: drawn from a grammar, and broken ones.

use proptest::collection::vec;
use proptest::prelude::*;

/// The pieces that statements here are made of: what the rules look for, and what could be mistaken for it.
const PIECES: &[&str] = &[
    "SELECT",
    "select",
    "EXPLAIN",
    "EXPLAIN QUERY PLAN",
    "PRAGMA",
    "WITH",
    "VALUES",
    "INSERT",
    "INTO",
    "OR",
    "REPLACE",
    "IGNORE",
    "UPDATE",
    "SET",
    "DELETE",
    "FROM",
    "WHERE",
    "CREATE",
    "TEMP",
    "TABLE",
    "INDEX",
    "UNIQUE",
    "IF",
    "NOT",
    "EXISTS",
    "DROP",
    "ALTER",
    "RETURNING",
    "AS",
    "ON",
    "BEGIN",
    "COMMIT",
    "ANALYZE",
    "VACUUM",
    "REINDEX",
    "ATTACH",
    "node",
    "\"node\"",
    "[node]",
    "`node`",
    "'node'",
    "cache_x",
    "sessions",
    "timestamp",
    "watchdog",
    "nid",
    "title",
    "main.node",
    "table_info",
    "user_version",
    "journal_mode",
    "optimize",
    "foreign_keys",
    "wal_checkpoint",
    "(",
    ")",
    ",",
    ";",
    "=",
    "<",
    "+",
    "*",
    "?",
    ":a",
    ":b",
    "::",
    ":1",
    ":toString",
    "1",
    "257",
    "0x10",
    "'x'",
    "'it''s'",
    "';'",
    "')'",
    "'",
    "\"",
    "`",
    "[",
    "]",
    "--",
    "-- c\n",
    "/*",
    "*/",
    "/* ; */",
    " ",
    "  ",
    "\n",
    "\t",
    "\u{feff}",
    "\u{a0}",
    "\u{2028}",
    "é",
    "ニュース",
    "🚢",
    "\0",
];

/// Whole statements over the tables of [`SCHEMA`], well formed: a pool to break.
const WHOLE: &[&str] = &[
    "SELECT 1",
    "SELECT * FROM node WHERE nid = :a",
    "SELECT(1)",
    "SELECT nid FROM node UNION SELECT uid FROM sessions",
    "EXPLAIN DELETE FROM node",
    "EXPLAIN QUERY PLAN UPDATE node SET title = 'x'",
    "PRAGMA table_info(node)",
    "PRAGMA user_version(5)",
    "PRAGMA user_version = 5",
    "PRAGMA foreign_keys(0)",
    "PRAGMA optimize(2)",
    "PRAGMA journal_mode(DELETE)",
    "WITH a AS (SELECT 1) SELECT * FROM a",
    "WITH a AS (SELECT 1) DELETE FROM node",
    "VALUES (1)",
    "INSERT INTO node (nid, title) VALUES (?, ?)",
    "INSERT INTO \"node\" (\"title\") VALUES (:a)",
    "INSERT OR REPLACE INTO node (nid) VALUES (7) RETURNING nid",
    "REPLACE INTO cache_x (cid) VALUES ('a')",
    "UPDATE node SET title = :a WHERE nid = :b",
    "UPDATE OR IGNORE node SET title = 'x'",
    "DELETE FROM sessions WHERE timestamp < ?",
    "DELETE FROM \"sessions\" WHERE \"timestamp\" < ?;",
    "CREATE TABLE cache_y (cid TEXT)",
    "CREATE TEMPORARY TABLE IF NOT EXISTS \"y\" (a)",
    "CREATE INDEX cache_i ON node (title)",
    "CREATE UNIQUE INDEX i ON node (title)",
    "DROP TABLE node",
    "ALTER TABLE node ADD x",
    "ANALYZE",
    "REINDEX node",
    "INSERT INTO watchdog (type, message) VALUES (?, ?)",
    "UPDATE \"cachetags\" SET \"invalidations\"=\"invalidations\" + 1 WHERE \"tag\" = :a",
];

/// The tables that the statements are about.
pub const SCHEMA: &str = "
    CREATE TABLE node (nid INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, \"a,b\" TEXT);
    CREATE TABLE sessions (uid INTEGER, sid TEXT, timestamp INTEGER);
    CREATE TABLE watchdog (wid INTEGER PRIMARY KEY, type TEXT, message TEXT);
    CREATE TABLE cache_x (cid TEXT PRIMARY KEY);
    CREATE TABLE cachetags (tag TEXT PRIMARY KEY, invalidations INTEGER);
";

/// Any text that looks somewhat like a statement: whole ones, ones with pieces exchanged, and heaps of pieces.
pub fn statement() -> BoxedStrategy<String> {
    let piece = || prop::sample::select(PIECES);
    let whole = || prop::sample::select(WHOLE);
    prop_oneof![
        1 => whole().prop_map(str::to_owned),
        3 => (whole(), vec((any::<prop::sample::Index>(), piece(), any::<bool>()), 1..4)).prop_map(broken),
        2 => (whole(), piece(), whole()).prop_map(|(first, between, second)| format!("{first}{between}{second}")),
        2 => vec((piece(), prop::sample::select(&["", " ", "\n"][..])), 0..12)
            .prop_map(|pieces| pieces.into_iter().map(|(piece, gap)| format!("{piece}{gap}")).collect()),
        1 => ".{0,40}".prop_map(|text| format!("SELECT {text}")),
        1 => any::<String>(),
    ]
    .boxed()
}

/// A statement with a piece put in at some places, in place of the next word or in front of it.
fn broken((whole, edits): (&str, Vec<(prop::sample::Index, &str, bool)>)) -> String {
    edits
        .into_iter()
        .fold(whole.to_owned(), |text, (index, piece, replaces)| {
            let places: Vec<usize> = text
                .char_indices()
                .map(|(at, _)| at)
                .chain([text.len()])
                .collect();
            let at = places[index.index(places.len())];
            let (before, after) = text.split_at(at);
            let kept = if replaces {
                after.trim_start_matches(|c: char| c.is_ascii_alphanumeric())
            } else {
                after
            };
            format!("{before}{piece}{kept}")
        })
}
