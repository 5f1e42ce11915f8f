//! What a render can ask of the object that it runs in.

use crate::host::{Millis, Rows, SqlError, Text};
use crate::lanes::bridge::{SqlExec, SqlTxn};

/// Why the object did not do what it was asked: thrown into the application, which may catch it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refusal {
    /// A replica's guard let the call not pass (`lanes.md` 11).
    #[error("{capability} requires the primary: {detail}")]
    RequiresPrimary {
        /// What was called.
        capability: Text,
        /// Why it is refused.
        detail: Text,
    },
    /// The database refused a statement; nothing of the call remains.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// The object cannot read the call.
    #[error("{0}")]
    Malformed(Text),
}

/// The functions that an object lends to its interpreter (`cfwSqlExec`, `cfwSqlTxn` and the others, `lanes.md` 11).
///
/// All of them are synchronous, as they are for the deployed interpreter. The primary captures what is written
/// (`lanes.md` 13.1); a lane asks its guard, and collects what it may forward (`lanes.md` 14.4).
pub trait Bridge {
    /// `cfwSqlExec`: runs one statement, which is committed when it has run.
    ///
    /// # Errors
    /// [`Refusal`]
    fn exec(&mut self, call: &SqlExec) -> Result<Rows, Refusal>;

    /// `cfwSqlTxn`: runs statements as one transaction, then its read, whose rows are the answer; without one there
    /// are none.
    ///
    /// # Errors
    /// [`Refusal`]
    fn transaction(&mut self, call: &SqlTxn) -> Result<Rows, Refusal>;

    /// Any other function, by its name.
    ///
    /// # Errors
    /// [`Refusal`]
    fn capability(&mut self, name: &str, detail: &str) -> Result<(), Refusal>;

    /// The render holds the thread for `cost` ([`Platform::work`](crate::host::Platform::work)).
    fn work(&mut self, cost: Millis);
}
