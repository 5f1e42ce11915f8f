//! What running a statement has come to.

use std::rc::Rc;

use protocol::host::{Rows, Text};

use super::StoreError;

/// The name under which a change of the schema is told: that of SQLite's own table.
pub const SCHEMA: &str = "sqlite_schema";

/// The tables that a statement can write, sorted; none for a read. Learned when the statement is prepared, so a table
/// is named whether or not a row of it changed. Those that triggers and foreign keys reach are named too.
///
/// A statement that can change the schema names [`SCHEMA`], and the table where that is known: who keeps something for
/// each table must take all of them for changed then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Writes(Option<Rc<[Text]>>);

impl Writes {
    /// Whether nothing can be written: a read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The tables' names.
    #[must_use]
    pub fn tables(&self) -> &[Text] {
        self.0.as_deref().unwrap_or(&[])
    }

    /// Whether the schema can change.
    #[must_use]
    pub fn schema(&self) -> bool {
        self.tables().iter().any(|table| table == SCHEMA)
    }

    /// Takes in those of another statement.
    pub fn add(&mut self, other: &Writes) {
        let Some(those) = &other.0 else { return };
        match &self.0 {
            None => self.clone_from(other),
            Some(these) if Rc::ptr_eq(these, those) => {}
            Some(these) if those.iter().all(|table| these.contains(table)) => {}
            Some(these) => *self = these.iter().chain(those.iter()).cloned().collect(),
        }
    }

    /// Whether both are of one statement, or neither has any: a quick yes.
    #[inline]
    pub(crate) fn is_same(&self, other: &Writes) -> bool {
        match (&self.0, &other.0) {
            (Some(these), Some(those)) => Rc::ptr_eq(these, those),
            (None, None) => true,
            _ => false,
        }
    }
}

impl FromIterator<Text> for Writes {
    fn from_iter<I: IntoIterator<Item = Text>>(tables: I) -> Self {
        let mut tables: Vec<Text> = tables.into_iter().collect();
        tables.sort_unstable();
        tables.dedup();
        Writes((!tables.is_empty()).then(|| tables.into()))
    }
}

/// What a statement has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Its rows, or why there are none.
    pub outcome: Result<Rows, StoreError>,
    /// What it can have written. A statement that began and failed counts as a write, as on the platform, where it has
    /// opened the turn's transaction; one that could not be prepared does not.
    pub writes: Writes,
    /// Whether a fault that was armed has struck.
    pub struck: bool,
}

impl Ran {
    /// A statement that did not begin.
    #[must_use]
    pub fn refused(error: StoreError) -> Self {
        Ran {
            outcome: Err(error),
            writes: Writes::default(),
            struck: false,
        }
    }
}
