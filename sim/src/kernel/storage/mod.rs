//! An object's database: one trait, two stores.
//!
//! [`sqlite`] is SQLite itself, in memory. [`model`] runs a closed list of statement shapes on plain tables, which are
//! cheap to clone and to hash; any other statement is [`StoreError::Unsupported`] there, which voids the run and is
//! never shown to the protocol. Where both answer, they answer alike.
//!
//! Faults and limits are injected above the stores, so that both have the same.

pub mod limits;
pub mod model;
pub mod sqlite;

use std::collections::BTreeMap;
use std::fmt::Debug;

use protocol::host::{Rows, SqlError, Statement, Text, Value};

/// A point that a store can go back to: the number of marks that were set before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark(pub u32);

/// Why a statement has no rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum StoreError {
    /// The database refused it: the protocol sees this.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// This store does not run such statements: the run ends, void.
    #[error("the model store does not run this statement: {0}")]
    Unsupported(Text),
    /// The database refused it and undid more than the statement: the object is reset, whether the code catches the
    /// error or not (`platform.md` section 4, items 6 and 7; `workerd.md` T9).
    #[error("the statement broke the object: {0}")]
    Broken(SqlError),
}

/// All tables of a database: name to rows, each in the order of its key.
pub type Contents = BTreeMap<Text, Vec<Vec<Value>>>;

/// One object's database.
///
/// Marks nest: going back to one drops those set after it, and only the newest can be dropped alone. A turn sets one,
/// so that a commit that fails or dies with its machine is taken back, and so does a transaction within it.
pub trait Store: Debug + Sized + Send {
    /// An empty database.
    fn open() -> Self;

    /// Runs one statement with every number bound as REAL and read as a double. An error undoes this statement and
    /// nothing else.
    ///
    /// # Errors
    /// What the database refuses, or what this store cannot run.
    fn run(&mut self, statement: &Statement) -> Result<Rows, StoreError>;

    /// Sets a mark at this point.
    fn mark(&mut self) -> Mark;

    /// Undoes all that was done since the mark, which stays set; drops the marks set after it.
    ///
    /// # Panics
    /// When the mark is not set: a bug in the kernel.
    fn rollback_to(&mut self, mark: Mark);

    /// Drops the newest mark and keeps what was done since.
    ///
    /// # Panics
    /// When the mark is not the newest: a bug in the kernel.
    fn release(&mut self, mark: Mark);

    /// Drops all marks and keeps everything.
    fn forget_all(&mut self);

    /// A database of its own with these contents and these marks.
    fn fork(&mut self) -> Self;

    /// Everything in it, for checks and comparisons. Internal tables (`sqlite_…`) are left out.
    fn contents(&mut self) -> Contents;

    /// A digest of the contents and the schema: equal for equal contents, whatever led to them, and equal in both
    /// stores.
    fn digest(&mut self) -> u128;
}
