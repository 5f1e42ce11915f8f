//! A piece of a copy, and the plan of one.

use super::{Field, message};
use crate::host::Text;
use crate::json::Json;
use crate::number::Number;

message! {
    /// One piece of a copy: some rows of one table (`lanes.md` 9).
    Chunk {
        /// The generation that the copy shows. Equal for all chunks of one copy, or the copy is torn.
        "generation" generation: Number,
        /// The schema text of the primary.
        "schemaVersion" schema_version: Text,
        /// The table.
        "table" table: Text,
        /// The columns' names, at least one even when there are no rows. JavaScript takes anything that reads as one.
        "columns" columns: Vec<Json>,
        /// The rows, each a list as long as `columns`.
        "rows" rows: Vec<Json>,
        /// Whether these are the table's first rows: what it held before goes.
        "first" first: bool,
        /// On the table's first chunk: the statements that make the table and its indexes.
        "ddl" ddl: Vec<Json>,
        /// On the copy's first chunk: the tables that will come.
        "expect" expect: Vec<Json>,
        /// On the copy's first chunk: the site's origin.
        "origin" origin: Text,
        /// On the copy's first chunk: the site's hash salt.
        "hashSalt" hash_salt: Text,
        /// Which attempt at a copy to this lane it is of, where a variant of the protocol counts them.
        "attempt" attempt: Text,
        /// Where in its attempt it stands, `TABLE+ROWS` before it, where a variant of the protocol says it.
        "page" page: Text,
        /// Whether this is the copy's last chunk.
        "done" done: bool,
    }
}

message! {
    /// The answer of `GET action=snapshot` without a table (`lanes.md` 17). Its keys are ours: the contract names only
    /// what they hold.
    SnapshotPlan {
        /// The generation that a copy taken now would show.
        "generation" generation: Number,
        /// The schema text of the primary.
        "schemaVersion" schema_version: Text,
        /// Every table with what a copy does with it.
        "tables" tables: Vec<Field<PlannedTable>>,
        /// Mandatory entries that the primary lacks. With any, the status is 409.
        "missing" missing: Vec<Field<Text>>,
    }
}

message! {
    /// What a copy does with one table (`lanes.md` 9, `planRestore`).
    PlannedTable {
        /// The table.
        "table" table: Text,
        /// Its class of state.
        "status" status: Text,
        /// Whether it is copied.
        "copy" copy: bool,
        /// Why not, or why all the same.
        "reason" reason: Text,
    }
}
