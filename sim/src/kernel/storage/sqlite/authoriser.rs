//! What a statement may do at all: asked by SQLite for each action while it prepares a statement.
//!
//! The lists are `workerd.md`'s. An action is allowed, refused as the platform refuses it, or allowed by the platform
//! and not carried here, which ends the run as unsupported instead of telling the protocol something false.

use std::sync::Arc;

use protocol::host::Text;
use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use super::super::ran::SCHEMA;
use super::connection::{Notes, Shared};

enum Ruling {
    Allowed,
    Refused,
    Unsupported,
}
use Ruling::{Allowed, Refused, Unsupported};

/// PRAGMAs that only tell something of the tables.
const PRAGMAS: [&str; 10] = [
    "table_info",
    "table_xinfo",
    "table_list",
    "index_list",
    "index_info",
    "index_xinfo",
    "foreign_key_list",
    "quick_check",
    "foreign_key_check",
    "optimize",
];

/// PRAGMAs that the platform allows and that live in the connection, where neither a rollback nor a fork sees them.
/// Asking for one is fine, setting one is not carried.
const SETTINGS: [&str; 8] = [
    "foreign_keys",
    "defer_foreign_keys",
    "data_version",
    "case_sensitive_like",
    "ignore_check_constraints",
    "recursive_triggers",
    "reverse_unordered_selects",
    "legacy_alter_table",
];

/// Functions that the platform does not have.
const ABSENT: [&str; 9] = [
    "load_extension",
    "sqlite_version",
    "sqlite_source_id",
    "sqlite_compileoption_get",
    "sqlite_compileoption_used",
    "sqlite_log",
    "fts3_tokenizer",
    "readfile",
    "writefile",
];

/// Functions that tell of the connection's past, which a fork does not have.
const OF_THE_CONNECTION: [&str; 3] = ["changes", "total_changes", "last_insert_rowid"];

/// What the schema tells of a table, but for where its pages begin, which depends on what stands in the others. A count
/// reads no column.
const TOLD_OF_TABLES: [&str; 5] = ["type", "name", "tbl_name", "sql", ""];

/// From now on each statement on this connection is ruled upon.
pub(super) fn install(connection: &mut Connection, shared: Arc<Shared>) {
    connection
        .authorizer(Some(move |context: AuthContext<'_>| {
            if shared.trusts() {
                return Authorization::Allow;
            }
            shared.note(|notes| note(notes, &context.action));
            // `CREATE TABLE temp.t` is no action of its own: only the database's name tells. To read and to change is
            // allowed, as SQLite looks for temporary things that name what is renamed.
            let of_temporary = context.database_name == Some("temp");
            if of_temporary
                && !matches!(
                    context.action,
                    AuthAction::Read { .. } | AuthAction::Update { .. }
                )
            {
                return Authorization::Deny;
            }
            match rule(&context.action) {
                Allowed => Authorization::Allow,
                Refused => Authorization::Deny,
                Unsupported => {
                    shared.note(|notes| notes.unsupported = true);
                    Authorization::Deny
                }
            }
        }))
        .expect("a connection takes an authoriser");
}

/// Keeps what is to be known of a statement.
fn note(notes: &mut Notes, action: &AuthAction<'_>) {
    use AuthAction as On;
    let internal = |table: &str| table.starts_with("sqlite_");
    match action {
        On::CreateTable { table_name } | On::CreateIndex { table_name, .. } => {
            notes.schema = true;
            notes.write(table_name);
        }
        On::Read {
            table_name,
            column_name,
        } if is_schema(table_name) || table_name.starts_with("pragma_") => {
            notes.reads_schema = true;
            notes.reads_more |= !is_schema(table_name) || !TOLD_OF_TABLES.contains(column_name);
        }
        // Names in a CHECK, a DEFAULT, a key. Nothing is computed before there are rows; `AS SELECT` is an action more.
        On::Read { .. } | On::Function { .. } | On::Reindex { .. } => notes.reads_more = true,
        On::Insert { table_name } | On::Delete { table_name } | On::Update { table_name, .. } => {
            notes.more_than_making |= !internal(table_name);
            notes.write(table_name);
        }
        On::DropTable { table_name }
        | On::AlterTable { table_name, .. }
        | On::DropIndex { table_name, .. }
        | On::CreateTrigger { table_name, .. }
        | On::DropTrigger { table_name, .. } => {
            notes.schema = true;
            notes.more_than_making = true;
            notes.write(table_name);
        }
        On::CreateView { .. } | On::DropView { .. } => {
            notes.schema = true;
            notes.more_than_making = true;
        }
        On::Pragma { .. } => {
            notes.reads_schema = true;
            notes.reads_more = true;
            notes.more_than_making = true;
        }
        _ => notes.more_than_making = true,
    }
}

fn is_schema(table: &str) -> bool {
    table == "sqlite_master" || table == SCHEMA
}

impl Notes {
    fn write(&mut self, table: &str) {
        if is_schema(table) {
            self.writes.insert(Text::new_static(SCHEMA));
        } else if !table.starts_with("sqlite_") {
            self.writes.insert(Text::new(table));
        }
    }
}

fn rule(action: &AuthAction<'_>) -> Ruling {
    use AuthAction as On;
    match action {
        On::Select | On::Recursive | On::Reindex { .. } | On::Analyze { .. } => Allowed,
        On::Read {
            table_name: table, ..
        }
        | On::Insert { table_name: table }
        | On::Delete { table_name: table }
        | On::Update {
            table_name: table, ..
        }
        | On::CreateTable { table_name: table }
        | On::DropTable { table_name: table }
        | On::AlterTable {
            table_name: table, ..
        }
        | On::CreateView { view_name: table }
        | On::DropView { view_name: table } => of_name(table),
        On::CreateIndex {
            index_name: name,
            table_name: table,
        }
        | On::DropIndex {
            index_name: name,
            table_name: table,
        }
        | On::CreateTrigger {
            trigger_name: name,
            table_name: table,
        }
        | On::DropTrigger {
            trigger_name: name,
            table_name: table,
        } => match of_name(name) {
            Allowed => of_name(table),
            refused => refused,
        },
        On::Pragma {
            pragma_name,
            pragma_value,
        } => match pragma_value {
            Some(value) if is_reserved(value) => Refused,
            _ => of_pragma(pragma_name, pragma_value.is_some()),
        },
        On::Function { function_name } => of_function(function_name),
        // Their rows stand in tables of their own, which a digest would have to know.
        On::CreateVtable { .. } | On::DropVtable { .. } => Unsupported,
        // Transactions, savepoints, ATTACH and DETACH, temporary things, and what a later SQLite may bring.
        _ => Refused,
    }
}

fn of_name(name: &str) -> Ruling {
    if is_reserved(name) { Refused } else { Allowed }
}

/// Whether a name begins as those do of the platform's own tables.
pub(super) fn is_reserved(name: &str) -> bool {
    name.get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("_cf_"))
}

fn of_pragma(name: &str, sets: bool) -> Ruling {
    let is_among = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
    if is_among(&PRAGMAS) {
        Allowed
    } else if is_among(&SETTINGS) {
        if sets { Unsupported } else { Allowed }
    } else {
        Refused
    }
}

fn of_function(name: &str) -> Ruling {
    let is_among = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
    if is_among(&ABSENT) {
        Refused
    } else if is_among(&OF_THE_CONNECTION) {
        Unsupported
    } else {
        Allowed
    }
}
