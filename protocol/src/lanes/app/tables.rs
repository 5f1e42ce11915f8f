//! The tables of the simulated site: our own, after the manner of a content management system.
//!
//! Their shapes are plain: no AUTOINCREMENT, no indexes, no CHECK. So the id of a deleted row can come again, where the
//! deployed tables remember it in `sqlite_sequence`.

use crate::host::Text;

/// One table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns, as they stand between the parentheses of its CREATE.
    pub columns: &'static str,
    /// The column that is another name of its row id, if it has one: whoever inserts leaves it out.
    pub id: Option<&'static str>,
}

impl Table {
    /// The statement that creates it.
    #[must_use]
    pub fn ddl(&self) -> Text {
        Text::from(format!("CREATE TABLE {} ({})", self.name, self.columns))
    }

    /// The same, where it may be there.
    #[must_use]
    pub fn ddl_if_missing(&self) -> Text {
        Text::from(format!(
            "CREATE TABLE IF NOT EXISTS {} ({})",
            self.name, self.columns
        ))
    }
}

const fn table(name: &'static str, columns: &'static str) -> Table {
    Table {
        name,
        columns,
        id: None,
    }
}

const fn with_id(name: &'static str, id: &'static str, columns: &'static str) -> Table {
    Table {
        name,
        columns,
        id: Some(id),
    }
}

/// The columns of a bin of the cache.
const BIN: &str = "cid TEXT PRIMARY KEY, data TEXT, expire INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL DEFAULT 0, tags TEXT, checksum TEXT";

/// The tables that a code version comes with.
pub const TABLES: [Table; 27] = [
    table("cache_config", BIN),
    table("cache_data", BIN),
    table("cache_dynamic_page_cache", BIN),
    table("cache_entity", BIN),
    table("cache_render", BIN),
    table(
        "cachetags",
        "tag TEXT PRIMARY KEY, invalidations INTEGER NOT NULL DEFAULT 0",
    ),
    with_id(
        "comment",
        "cid",
        "cid INTEGER PRIMARY KEY, uuid TEXT NOT NULL, langcode TEXT NOT NULL",
    ),
    table(
        "comment_entity_statistics",
        "entity_id INTEGER PRIMARY KEY, cid INTEGER NOT NULL DEFAULT 0, comment_count INTEGER NOT NULL DEFAULT 0",
    ),
    table(
        "config",
        "collection TEXT NOT NULL DEFAULT '', name TEXT NOT NULL DEFAULT '', data TEXT, PRIMARY KEY (collection, name)",
    ),
    with_id(
        "file_managed",
        "fid",
        "fid INTEGER PRIMARY KEY, uuid TEXT NOT NULL, uid INTEGER, uri TEXT NOT NULL, status INTEGER NOT NULL DEFAULT 0",
    ),
    table(
        "history",
        "uid INTEGER NOT NULL DEFAULT 0, nid INTEGER NOT NULL DEFAULT 0, timestamp INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (uid, nid)",
    ),
    table(
        "key_value",
        "collection TEXT NOT NULL DEFAULT '', name TEXT NOT NULL DEFAULT '', value TEXT NOT NULL, PRIMARY KEY (collection, name)",
    ),
    table(
        "key_value_expire",
        "collection TEXT NOT NULL DEFAULT '', name TEXT NOT NULL DEFAULT '', value TEXT NOT NULL, expire INTEGER NOT NULL DEFAULT 2147483647, PRIMARY KEY (collection, name)",
    ),
    table(
        "menu_tree",
        "mlid INTEGER PRIMARY KEY, menu_name TEXT NOT NULL DEFAULT '', id TEXT NOT NULL, title TEXT",
    ),
    with_id(
        "node",
        "nid",
        "nid INTEGER PRIMARY KEY, vid INTEGER, type TEXT NOT NULL, uuid TEXT NOT NULL, langcode TEXT NOT NULL",
    ),
    table(
        "node__body",
        "entity_id INTEGER PRIMARY KEY, revision_id INTEGER NOT NULL, body_value TEXT NOT NULL",
    ),
    table(
        "node_field_data",
        "nid INTEGER PRIMARY KEY, vid INTEGER NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL, uid INTEGER NOT NULL, status INTEGER NOT NULL DEFAULT 1, created INTEGER NOT NULL, changed INTEGER NOT NULL, edits INTEGER NOT NULL DEFAULT 0",
    ),
    with_id(
        "node_revision",
        "vid",
        "vid INTEGER PRIMARY KEY, nid INTEGER NOT NULL, revision_uid INTEGER, revision_timestamp INTEGER, revision_log TEXT",
    ),
    with_id(
        "path_alias",
        "id",
        "id INTEGER PRIMARY KEY, uuid TEXT NOT NULL, path TEXT NOT NULL, alias TEXT NOT NULL, status INTEGER NOT NULL DEFAULT 1",
    ),
    with_id(
        "queue",
        "item_id",
        "item_id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '', data TEXT, expire INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL DEFAULT 0",
    ),
    table("router", "name TEXT PRIMARY KEY, path TEXT NOT NULL, route TEXT"),
    table(
        "semaphore",
        "name TEXT PRIMARY KEY, value TEXT NOT NULL DEFAULT '', expire REAL NOT NULL",
    ),
    with_id("sequences", "value", "value INTEGER PRIMARY KEY"),
    table(
        "sessions",
        "sid TEXT PRIMARY KEY, uid INTEGER NOT NULL, hostname TEXT NOT NULL DEFAULT '', timestamp INTEGER NOT NULL DEFAULT 0, session TEXT",
    ),
    with_id(
        "users",
        "uid",
        "uid INTEGER PRIMARY KEY, uuid TEXT NOT NULL, langcode TEXT NOT NULL",
    ),
    table(
        "users_field_data",
        "uid INTEGER PRIMARY KEY, name TEXT NOT NULL, mail TEXT, status INTEGER NOT NULL DEFAULT 1, created INTEGER NOT NULL, access INTEGER NOT NULL DEFAULT 0, login INTEGER NOT NULL DEFAULT 0",
    ),
    with_id(
        "watchdog",
        "wid",
        "wid INTEGER PRIMARY KEY, uid INTEGER NOT NULL DEFAULT 0, type TEXT NOT NULL DEFAULT '', message TEXT NOT NULL, severity INTEGER NOT NULL DEFAULT 0, timestamp INTEGER NOT NULL DEFAULT 0",
    ),
];

/// A table that no code version comes with: whoever first writes it finds it missing, creates it, and writes again.
pub const FLOOD: Table = with_id(
    "flood",
    "fid",
    "fid INTEGER PRIMARY KEY, event TEXT NOT NULL DEFAULT '', identifier TEXT NOT NULL DEFAULT '', timestamp INTEGER NOT NULL DEFAULT 0, expiration INTEGER NOT NULL DEFAULT 0",
);

/// The table of this name, if the site knows one.
#[must_use]
pub fn find(name: &str) -> Option<&'static Table> {
    const LAZY: &Table = &FLOOD;
    TABLES.iter().chain([LAZY]).find(|table| table.name == name)
}
