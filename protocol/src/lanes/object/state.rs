//! What the fingerprint covers, and what is mandatory: the key-value tables of an object (`lanes.md` 6 and 7).

use super::{Cx, Version};
use crate::host::{SqlError, SqlErrorKind, Text, Value};
use crate::lanes::admission::StateEntry;
use crate::lanes::fingerprint::{COVERED_TABLES, StateRow, read_rows};

/// The rows of the covered tables, read at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct State {
    /// All of them.
    pub rows: Vec<StateRow>,
    /// The covered tables that are not there.
    pub absent: Vec<Text>,
}

/// `readStateRows`: a table that is not there is absent, any other error is thrown.
pub(super) fn read(cx: &mut Cx<'_, '_>) -> Result<State, SqlError> {
    let mut state = State::default();
    for table in COVERED_TABLES {
        match cx.sql(&read_rows(table)) {
            Ok(found) => state.rows.extend(found.rows.into_iter().map(|row| {
                let mut cells = row.into_iter();
                let mut cell = || cells.next().unwrap_or(Value::Null);
                StateRow {
                    table: Text::new_static(table),
                    collection: cell(),
                    name: cell(),
                    value: cell(),
                }
            })),
            Err(error) if error.kind == SqlErrorKind::NoSuchTable => {
                state.absent.push(Text::new_static(table));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(state)
}

impl State {
    /// The bytes whose digest is the fingerprint.
    pub fn bytes(&self, version: &Version) -> Vec<u8> {
        (version.rules.fingerprint.canonical_bytes)(&self.rows)
    }

    /// The entries of `key_value`.
    pub fn entries(&self) -> Vec<StateEntry> {
        let entry = |row: &StateRow| {
            Some(StateEntry {
                collection: Text::new(row.collection.as_text()?),
                name: Text::new(row.name.as_text()?),
            })
        };
        let kept = self.rows.iter().filter(|row| row.table == COVERED_TABLES[0]);
        kept.filter_map(entry).collect()
    }

    /// The collections that have an entry.
    pub fn collections(&self) -> Vec<Text> {
        let mut names: Vec<Text> = self.entries().into_iter().map(|entry| entry.collection).collect();
        names.sort();
        names.dedup();
        names
    }

    /// What is mandatory and not there, as the wire names it.
    pub fn gap(&self, version: &Version) -> Vec<Text> {
        let missing = (version.rules.admission.missing_mandatory)(&self.entries(), &self.collections());
        missing
            .iter()
            .map(|missing| Text::from(missing.to_string()))
            .collect()
    }
}
