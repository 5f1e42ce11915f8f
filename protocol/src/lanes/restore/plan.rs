//! Which tables a copy holds.

use std::fmt;

use crate::host::Text;
use crate::lanes::inventory::{StateClass, StateKey};
use crate::lanes::rules::Rules;

/// What a copy does with a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TablePlan {
    /// The table.
    pub table: Text,
    /// The class of its state. Without a collection, so `key_value` is of no known class.
    pub status: StateClass,
    /// Whether it is copied, and the reason.
    pub copying: Copying,
}

/// Whether a table is copied. Prints as the contract's reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Copying {
    /// It is.
    Plain,
    /// It is, though nobody has classified it.
    Unclassified,
    /// It is: the lane's own pages start as the primary's.
    StartingPoint,
    /// It is not: SQLite's own.
    Sqlite,
    /// It is not: it would have to be quoted in more ways than one.
    NotIdentifier,
    /// It is not: each lane has its own.
    LanesOwn,
    /// It is not: its rows are acts.
    SideEffect,
}

impl Copying {
    /// Whether the table is copied.
    pub fn is_copied(self) -> bool {
        matches!(
            self,
            Copying::Plain | Copying::Unclassified | Copying::StartingPoint
        )
    }

    /// The reason; empty where none is needed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Copying::Plain => "",
            Copying::Unclassified => "unclassified, so copied and reported",
            Copying::StartingPoint => "the replica owns its own, but starts from the primary's",
            Copying::Sqlite => "sqlite's own bookkeeping",
            Copying::NotIdentifier => "not a plain identifier",
            Copying::LanesOwn => "the replica owns its own",
            Copying::SideEffect => "an effect a replica must never perform",
        }
    }
}

impl fmt::Display for Copying {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Whether a name needs no thought to be quoted: `^[A-Za-z_][A-Za-z0-9_]*$`. A line end at its end does not pass
/// (`lanes.md` 19.4).
pub fn is_plain_identifier(name: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(word) && name.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

/// What a copy does with each of these tables, in their order, each as often as it is named (`lanes.md` 9).
pub fn plan_restore(rules: &Rules, tables: &[Text]) -> Vec<TablePlan> {
    tables.iter().map(|table| plan_table(rules, table)).collect()
}

fn plan_table(rules: &Rules, table: &Text) -> TablePlan {
    let (status, copying) = if table.starts_with("sqlite_") {
        (StateClass::Unknown, Copying::Sqlite)
    } else if !is_plain_identifier(table) {
        (StateClass::Unknown, Copying::NotIdentifier)
    } else {
        let status = (rules.inventory.classify)(&StateKey::table(table));
        let is_copied = (rules.inventory.is_copied)(rules, table);
        (status, reason(status, is_copied))
    };
    TablePlan {
        table: table.clone(),
        status,
        copying,
    }
}

/// Why, of a table whose name would do.
fn reason(status: StateClass, is_copied: bool) -> Copying {
    match (is_copied, status) {
        (true, StateClass::LocalEphemeral) => Copying::StartingPoint,
        (true, StateClass::Unknown) => Copying::Unclassified,
        (true, _) => Copying::Plain,
        (false, StateClass::PrimaryOnlySideEffect) => Copying::SideEffect,
        (false, _) => Copying::LanesOwn,
    }
}
