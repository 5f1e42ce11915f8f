//! The statements of W: the same for the protocol and for the loop over ordinary rusqlite.

/// The tables of an object. A lane's log stays empty, as does the primary's position.
pub const TABLES: [&str; 4] = [
    "CREATE TABLE IF NOT EXISTS node (path TEXT PRIMARY KEY, body TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS config (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS log (generation INTEGER PRIMARY KEY, parent INTEGER, schema INTEGER, \
     fingerprint TEXT, path1 TEXT, body1 TEXT, path2 TEXT, body2 TEXT, key TEXT, value TEXT)",
    "CREATE TABLE IF NOT EXISTS stands (id INTEGER PRIMARY KEY, applied INTEGER)",
];
pub const UPSERT_NODE: &str =
    "INSERT INTO node (path, body) VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET body = excluded.body";
pub const UPSERT_CONFIG: &str =
    "INSERT INTO config (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
pub const ALL_NODES: &str = "SELECT path, body FROM node ORDER BY path";
pub const ALL_CONFIGS: &str = "SELECT key, value FROM config ORDER BY key";
pub const SEAL: &str = "INSERT INTO log (generation, parent, schema, fingerprint, path1, body1, path2, body2, key, value) \
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
pub const LOG: &str = "SELECT generation, parent, schema, fingerprint, path1, body1, path2, body2, key, value \
     FROM log WHERE generation > ? ORDER BY generation LIMIT ?";
pub const HEAD: &str = "SELECT generation FROM log ORDER BY generation DESC LIMIT 1";
pub const STAND: &str = "INSERT INTO stands (id, applied) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET applied = excluded.applied";
pub const STANDS: &str = "SELECT applied FROM stands WHERE id = 1";
pub const READ: &str = "SELECT body FROM node WHERE path = ?";
