//! The state inventory: what kind of state a table holds, and what follows from it (`lanes.md` section 8).
//!
//! One classification has five uses, and they do not agree about any class but one. Each use is a function of its own,
//! so that no caller decides by the class:
//!
//! | use | function |
//! |---|---|
//! | a restore copies the table | [`is_copied_by_restore`] |
//! | the primary's own write enters its log | [`enters_log`] |
//! | a lane must forward the statement | [`needs_forwarding`] |
//! | a forwarded batch may contain the statement | [`hazard_class`](super::forward::hazard_class) |
//! | a forwarded statement enters the log | [`forwarded_enters_log`] |

use std::fmt;

use super::rules::Rules;

/// What kind of state something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateClass {
    /// An object's own: caches, bookkeeping.
    LocalEphemeral,
    /// An effect that only the primary may have: queues of outgoing things, the log of events.
    PrimaryOnlySideEffect,
    /// Truth.
    Authoritative,
    /// Can be computed from truth.
    ReplicableDerived,
    /// None of the known.
    Unknown,
}

/// The contract's name of it.
impl fmt::Display for StateClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            StateClass::LocalEphemeral => "LOCAL_EPHEMERAL",
            StateClass::PrimaryOnlySideEffect => "PRIMARY_ONLY_SIDE_EFFECT",
            StateClass::Authoritative => "AUTHORITATIVE",
            StateClass::ReplicableDerived => "REPLICABLE_DERIVED",
            StateClass::Unknown => "UNKNOWN",
        })
    }
}

/// What is classified: a table, and in a table of keys and values the entry, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateKey<'a> {
    /// The table's name; its case counts.
    pub table: &'a str,
    /// The entry's collection.
    pub collection: Option<&'a str>,
    /// The entry's name.
    pub name: Option<&'a str>,
}

impl<'a> StateKey<'a> {
    /// A whole table.
    pub fn table(table: &'a str) -> Self {
        StateKey {
            table,
            collection: None,
            name: None,
        }
    }
}

const LOCAL: [&str; 15] = [
    "cfw_page",
    "cfw_shell",
    "cfw_shell_verified",
    "cfw_plan",
    "cfw_meta",
    "cfw_health",
    "cfw_repl_log",
    "cfw_fill_queue",
    "cfw_serve",
    "cfw_http_cache",
    "cfw_heap_chunk",
    "cfw_heap_snapshot",
    "_cf_KV",
    "_cf_METADATA",
    "cachetags",
];

const SIDE_EFFECT: [&str; 5] = [
    "cfw_http_queue",
    "cfw_mail_queue",
    "cfw_page_mirror_queue",
    "cfw_file_mirror_queue",
    "watchdog",
];

/// Two tables of entries, each in a collection.
const KEY_VALUE: [&str; 2] = ["key_value", "key_value_expire"];

/// The entries of collection `state` that make a site the one it is.
pub(super) const IDENTITY: [&str; 4] = [
    "system.private_key",
    "system.cron_key",
    "install_time",
    "install_task",
];

/// Collections that are derived, and all whose names merely begin so: `updates_other` is derived too.
const DERIVED_COLLECTIONS: [&str; 7] = [
    "config.entity.key_store.",
    "entity.definitions.",
    "entity.storage_schema.",
    "hook_data",
    "update_fetch_task",
    "update",
    "entity_autocomplete",
];

const AUTHORITATIVE: [&str; 38] = [
    "config",
    "sessions",
    "users",
    "users_data",
    "users_field_data",
    "user__roles",
    "node",
    "node_field_data",
    "node_field_revision",
    "node_revision",
    "node__body",
    "node_access",
    "taxonomy_term_data",
    "taxonomy_term_field_data",
    "path_alias",
    "file_managed",
    "menu_link_content",
    "menu_link_content_data",
    "media",
    "media_field_data",
    "block_content",
    "block_content_field_data",
    "semaphore",
    "flood",
    "queue",
    "cfw_file",
    "cfw_file_chunk",
    "cfw_migrate",
    "cfw_updb_run",
    "cfw_updb_unit",
    "cfw_module_blob",
    "cfw_module_rev",
    "cfw_package_autoload",
    "file_usage",
    "inline_block_usage",
    "taxonomy_index",
    "batch",
    "sequences",
];

const DERIVED: [&str; 4] = ["router", "menu_tree", "cfw_module_file", "cfw_fragment"];

/// `classifyState`: the first match wins, case counts (`lanes.md` 8).
pub fn classify_state(key: &StateKey<'_>) -> StateClass {
    let table = key.table;
    if table.starts_with("cache_") || LOCAL.contains(&table) {
        StateClass::LocalEphemeral
    } else if SIDE_EFFECT.contains(&table) {
        StateClass::PrimaryOnlySideEffect
    } else if KEY_VALUE.contains(&table) {
        classify_entry(key.collection.unwrap_or_default(), key.name.unwrap_or_default())
    } else if AUTHORITATIVE.contains(&table) {
        StateClass::Authoritative
    } else if DERIVED.contains(&table) {
        StateClass::ReplicableDerived
    } else if is_field_or_revision(table) {
        StateClass::Authoritative
    } else {
        StateClass::Unknown
    }
}

/// An empty collection or name is none.
fn classify_entry(collection: &str, name: &str) -> StateClass {
    match (collection, name) {
        ("", _) | ("state", "") => StateClass::Unknown,
        ("state", name) if IDENTITY.contains(&name) => StateClass::Authoritative,
        ("state", _) => StateClass::ReplicableDerived,
        ("system.schema" | "post_update", _) => StateClass::Authoritative,
        _ if DERIVED_COLLECTIONS
            .iter()
            .any(|start| collection.starts_with(start)) =>
        {
            StateClass::ReplicableDerived
        }
        _ => StateClass::Unknown,
    }
}

/// `^[a-z0-9_]+__[a-z0-9_]+$`, `_revision$` or `_revision__[a-z0-9_]+$`; the contract's `_field_revision$` is one of
/// the second.
fn is_field_or_revision(table: &str) -> bool {
    let is_plain = |text: &str| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        !text.is_empty() && text.chars().all(plain)
    };
    let is_field = is_plain(table)
        && table.len() > 3
        && table.as_bytes()[1..table.len() - 1]
            .windows(2)
            .any(|pair| pair == b"__");
    let revision_field = |(at, mark): (usize, &str)| is_plain(&table[at + mark.len()..]);
    is_field || table.ends_with("_revision") || table.match_indices("_revision__").any(revision_field)
}

/// `isReplicaLocalTable`: whether a lane may write the table itself (`lanes.md` 8).
///
/// Narrower than [`StateClass::LocalEphemeral`]: a lane's write of `cachetags` or `cfw_plan` is forwarded. A tally's
/// pseudo tables for writes past SQL, `?storage.put` and its like, are local.
pub fn is_replica_local_table(table: &str) -> bool {
    const OWN: [&str; 5] = [
        "cfw_page",
        "cfw_shell",
        "cfw_shell_verified",
        "cfw_meta",
        "cfw_health",
    ];
    OWN.contains(&table) || table.starts_with("cache_") || table.starts_with("?storage.")
}

/// Whether a restore copies a table of this name; of those that are an object's own, only `cfw_page` (`lanes.md` 8).
///
/// Only the class is judged here. Which names are no tables to copy at all, and the reasons, are `planRestore`'s.
pub fn is_copied_by_restore(rules: &Rules, table: &str) -> bool {
    match (rules.inventory.classify)(&StateKey::table(table)) {
        StateClass::LocalEphemeral => table == "cfw_page",
        StateClass::PrimaryOnlySideEffect => false,
        StateClass::Authoritative | StateClass::ReplicableDerived | StateClass::Unknown => true,
    }
}

/// Whether the primary's own write of a table enters its log and moves its generation (`lanes.md` 8 and 13.1).
///
/// Truth, and all entries of the two key-value tables, whatever their collection. So what is unknown or derived never
/// reaches a lane but by a restore.
pub fn enters_log(rules: &Rules, table: &str) -> bool {
    KEY_VALUE.contains(&table)
        || (rules.inventory.classify)(&StateKey::table(table)) == StateClass::Authoritative
}

/// Whether a lane must forward a write of this table; none is a statement of no known shape (`lanes.md` 8).
pub fn needs_forwarding(rules: &Rules, table: Option<&str>) -> bool {
    !table.is_some_and(rules.inventory.is_replica_local)
}

/// Whether a forwarded statement that was committed enters the log: always, also one that the primary's own code would
/// not have logged (`lanes.md` 8). The table is asked for because a variant of the protocol may look at it.
pub fn forwarded_enters_log(_table: &str) -> bool {
    true
}

/// Whether a table is one of the two of entries in collections.
pub(super) fn is_key_value(table: &str) -> bool {
    KEY_VALUE.contains(&table)
}

#[cfg(test)]
mod tests {
    const RULES: &Rules = &Rules::DOCUMENTED;
    use super::*;
    use crate::lanes::forward::{Hazard, hazard_class};

    /// The table of `lanes.md` 8: one row a use, one column a class, told by a table of each.
    #[test]
    fn the_five_uses_differ() {
        let uses = |table: &str| {
            (
                is_copied_by_restore(RULES, table),
                enters_log(RULES, table),
                needs_forwarding(RULES, Some(table)),
                hazard_class(RULES, &StateKey::table(table)),
                forwarded_enters_log(table),
            )
        };
        assert_eq!(
            uses("commerce_order"),
            (true, false, true, Hazard::Origination, true)
        );
        assert_eq!(uses("key_value"), (true, true, true, Hazard::Origination, true));
        assert_eq!(uses("router"), (true, false, true, Hazard::Ordering, true));
        assert_eq!(uses("cfw_page"), (true, false, false, Hazard::None, true));
        assert_eq!(uses("cachetags"), (false, false, true, Hazard::None, true));
        assert_eq!(uses("watchdog"), (false, false, true, Hazard::Origination, true));
        assert_eq!(uses("node"), (true, true, true, Hazard::Ordering, true));
        assert!(needs_forwarding(RULES, None));
    }
}
