//! Which entry a write of a key-value table is for.

use super::ForwardStatement;
use crate::host::Text;
use crate::lanes::inventory::is_key_value;
use crate::lanes::rules::Rules;
use crate::sql::PlainInsert;

/// An entry of `key_value` or `key_value_expire`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyValueTarget {
    /// Its collection.
    pub collection: Text,
    /// Its name.
    pub name: Text,
}

/// `keyValueTarget`: the entry that an insert into a key-value table is for; nothing when that cannot be seen
/// (`lanes.md` 10).
///
/// The statement must claim one of the two tables, bind, and be a plain insert, `OR word` and anything behind its first
/// tuple allowed, of `?` only; `collection` and `name` must be texts. It goes by the first tuple, whatever follows.
pub fn key_value_target(rules: &Rules, statement: &ForwardStatement) -> Option<KeyValueTarget> {
    if !is_key_value(&statement.folded_table()) {
        return None;
    }
    let bound = (rules.forwarding.bind)(statement).ok()?;
    let insert = PlainInsert::read(&bound.sql)?;
    let text = |column| bound.params.get(insert.column(column)?)?.as_text().cloned();
    if !insert.is_all_bound() {
        return None;
    }
    Some(KeyValueTarget {
        collection: text("collection")?,
        name: text("name")?,
    })
}
