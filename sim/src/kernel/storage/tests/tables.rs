//! The tables of the generated statements, and what changes them.

#[derive(Clone, Copy)]
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) columns: &'static [&'static str],
    pub(super) key: &'static [&'static str],
    /// What else may be unique.
    pub(super) unique: &'static [&'static str],
}

pub(super) const TABLES: [Table; 7] = [
    Table {
        name: "node",
        columns: &["path", "n", "x", "r"],
        key: &["path"],
        unique: &["x", "n, x"],
    },
    Table {
        name: "log",
        columns: &["gen", "body", "b"],
        key: &["gen"],
        unique: &["body"],
    },
    Table {
        name: "pair",
        columns: &["a", "b", "v"],
        key: &["a", "b"],
        unique: &["v", "b"],
    },
    Table {
        name: "loose",
        columns: &["v", "w"],
        key: &[],
        unique: &["v", "w", "w, v", "extra"],
    },
    Table {
        name: "twice",
        columns: &["id", "u", "p", "q"],
        key: &["id"],
        unique: &["u", "u", "p, q", "q, p", "q"],
    },
    Table {
        name: "auto",
        columns: &["id", "v", "w"],
        key: &["id"],
        unique: &["v", "w"],
    },
    Table {
        name: "named",
        columns: &["k", "name", "w"],
        key: &["k"],
        unique: &["name", "w, name", "extra"],
    },
];

/// Not in [`TABLES`], for that it cannot be made.
pub(super) const SEQUENCE: Table = Table {
    name: "sqlite_sequence",
    columns: &["name", "seq"],
    key: &[],
    unique: &[],
};

pub(super) const CREATE: [&str; 7] = [
    "CREATE TABLE IF NOT EXISTS node (path TEXT PRIMARY KEY, n INTEGER NOT NULL DEFAULT 7, x, r REAL)",
    "CREATE TABLE log (gen INTEGER PRIMARY KEY, body TEXT NOT NULL, b BLOB DEFAULT x'00ff')",
    "CREATE TABLE IF NOT EXISTS pair (a TEXT, b INTEGER, v DEFAULT 'none', PRIMARY KEY (a, b))",
    "CREATE TABLE loose (v, w INTEGER NOT NULL)",
    "CREATE TABLE twice (id INTEGER PRIMARY KEY, u TEXT UNIQUE, p, q INTEGER NOT NULL DEFAULT 1, UNIQUE (p, q))",
    "CREATE TABLE IF NOT EXISTS auto (id INTEGER PRIMARY KEY AUTOINCREMENT, v UNIQUE, w INTEGER NOT NULL DEFAULT 3)",
    "CREATE TABLE named (k TEXT UNIQUE, name TEXT NOT NULL, w, PRIMARY KEY (k), UNIQUE (name))",
];

/// Statements that make tables, change them, or take them away: in the list of the model or not.
pub(super) const CHANGES: [&str; 64] = [
    "CREATE TABLE node (path TEXT PRIMARY KEY, n INTEGER NOT NULL DEFAULT 7, x, r REAL)",
    "CREATE TABLE Node (path TEXT PRIMARY KEY, n INTEGER NOT NULL DEFAULT 7, x, r REAL)",
    "CREATE TABLE IF NOT EXISTS LOOSE (v, w)",
    "CREATE TABLE by_v (v)",
    "CREATE TABLE  pair  ( a , b , PRIMARY KEY (a, b) )  WITHOUT ROWID  ",
    "CREATE TABLE \"loose\" (v, w INTEGER NOT NULL, extra, UNIQUE (v), UNIQUE (w, v), UNIQUE (v))",
    "CREATE TABLE auto (id INTEGER PRIMARY KEY AUTOINCREMENT, v, w UNIQUE)",
    "CREATE TABLE counted (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT)",
    "CREATE TABLE twice (id INTEGER PRIMARY KEY, u UNIQUE NOT NULL, p UNIQUE, q UNIQUE)",
    "CREATE UNIQUE INDEX by_v ON pair (v)",
    "CREATE UNIQUE INDEX IF NOT EXISTS by_v ON pair (v, a)",
    "CREATE INDEX by_v ON loose (v)",
    "CREATE INDEX  by_w  ON loose(w , v)  ; ",
    "CREATE INDEX by_w ON named (w)  ",
    "CREATE INDEX IF NOT EXISTS BY_W ON loose (v)",
    "CREATE UNIQUE INDEX \"by_x\" ON node (\"x\")",
    "CREATE UNIQUE INDEX by_nx ON node (n, x)",
    "CREATE INDEX by_n ON node (n)",
    "CREATE UNIQUE INDEX by_body ON log (body)",
    "CREATE INDEX by_body ON log (b, gen)",
    "CREATE UNIQUE INDEX by_q ON twice (q)",
    "CREATE UNIQUE INDEX by_qp ON twice (q, p)",
    "CREATE INDEX by_p ON twice (p)",
    "CREATE UNIQUE INDEX by_id ON auto (id, w)",
    "CREATE UNIQUE INDEX by_name ON named (w, name)",
    "CREATE INDEX pair ON node (x)",
    "CREATE INDEX by_nowhere ON node (x, nowhere)",
    "CREATE INDEX by_nowhere ON nowhere (x)",
    "CREATE INDEX by_seq ON sqlite_sequence (seq)",
    "DROP INDEX by_v",
    "DROP INDEX by_w",
    "DROP INDEX IF EXISTS by_x",
    "DROP INDEX IF EXISTS by_nx",
    "DROP INDEX by_q",
    "DROP INDEX \"by_name\"",
    "DROP INDEX By_Body",
    "DROP INDEX sqlite_autoindex_twice_1",
    "ALTER TABLE loose ADD COLUMN extra DEFAULT 5",
    "ALTER TABLE loose ADD extra  TEXT  NOT NULL DEFAULT -3 ; ",
    "ALTER TABLE named ADD COLUMN extra REAL DEFAULT 7",
    "ALTER TABLE pair ADD COLUMN extra TEXT NOT NULL",
    "ALTER TABLE pair ADD COLUMN \"extra\" BLOB DEFAULT x'00'",
    "ALTER TABLE auto ADD COLUMN more INTEGER DEFAULT '7'",
    "ALTER TABLE node ADD COLUMN more REAL DEFAULT 2.5",
    "ALTER TABLE node ADD COLUMN n INTEGER",
    "ALTER TABLE nowhere ADD COLUMN n",
    "ALTER TABLE log ADD COLUMN more UNIQUE",
    "DROP TABLE loose",
    "DROP TABLE IF EXISTS pair",
    "DROP TABLE auto",
    "DROP TABLE IF EXISTS twice",
    "DROP TABLE named",
    "DROP TABLE sqlite_sequence",
    "DROP TABLE Node",
    "INSERT INTO sqlite_sequence (name, seq) VALUES ('auto', 50), ('counted', 7)",
    "UPDATE sqlite_sequence SET seq = 60.0 WHERE name = 'auto'",
    "DELETE FROM sqlite_sequence WHERE name = 'auto'",
    "DELETE FROM sqlite_sequence",
    "CREATE TABLE IF NOT EXISTS pair (a INTEGER, b REAL UNIQUE, v TEXT DEFAULT '7', UNIQUE (v, a), PRIMARY KEY (b, a))",
    "CREATE TABLE loose (v REAL, w INTEGER PRIMARY KEY AUTOINCREMENT, UNIQUE (w))",
    "CREATE TABLE named (k INTEGER UNIQUE, name, w TEXT UNIQUE, PRIMARY KEY (name, k))",
    "ALTER TABLE loose ADD COLUMN extra INTEGER NOT NULL DEFAULT '-2.0'",
    "ALTER TABLE named ADD extra NOT NULL DEFAULT 'a'",
    "CREATE UNIQUE INDEX by_extra ON loose (extra, w)",
];

/// What is asked of the schema.
pub(super) const OF_SCHEMA: [&str; 6] = [
    "SELECT type, name, tbl_name, sql FROM sqlite_schema",
    "SELECT name, sql FROM sqlite_master ORDER BY name DESC",
    "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? LIMIT 2",
    "SELECT sql FROM sqlite_schema WHERE name = ?",
    "SELECT tbl_name, type FROM sqlite_schema ORDER BY type, tbl_name",
    "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table'",
];
