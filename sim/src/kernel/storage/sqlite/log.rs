//! The writing statements since the oldest mark.

use protocol::host::{Text, Value};

use super::super::Surroundings;

/// Statements that can be run again to the same effect. Their parameters stand in one row: a turn writes a few
/// statements and soon forgets them.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    entries: Vec<Entry>,
    values: Vec<Value>,
}

#[derive(Clone, Debug)]
struct Entry {
    sql: Text,
    /// Where its parameters begin.
    first: usize,
    surroundings: Surroundings,
}

/// A statement of the log.
pub(super) struct Redo<'a> {
    pub(super) sql: &'a Text,
    pub(super) params: &'a [Value],
    pub(super) surroundings: Surroundings,
}

impl Log {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn push(&mut self, sql: &Text, params: &[Value], surroundings: Surroundings) {
        self.entries.push(Entry {
            sql: sql.clone(),
            first: self.values.len(),
            surroundings,
        });
        self.values.extend_from_slice(params);
    }

    /// Leaves the first statements only.
    pub(super) fn truncate(&mut self, length: usize) {
        if let Some(entry) = self.entries.get(length) {
            self.values.truncate(entry.first);
            self.entries.truncate(length);
        }
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.values.clear();
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Redo<'_>> {
        let ends = self.entries.iter().skip(1).map(|entry| entry.first);
        let ends = ends.chain([self.values.len()]);
        self.entries.iter().zip(ends).map(|(entry, end)| Redo {
            sql: &entry.sql,
            params: &self.values[entry.first..end],
            surroundings: entry.surroundings,
        })
    }
}
