//! What a render may ask of its object, and what it answers.

use std::collections::BTreeMap;

use super::failure::Refusal;
use crate::host::{Body, Headers, Millis, Rows, SqlError, Text};
use crate::lanes::bridge::{SqlExec, SqlTxn};
use crate::lanes::partition::Writer;
use crate::number::Number;
use crate::sql::BindError;

/// The object, as the interpreter in it sees it: the functions whose names start with `cfw` (`lanes.md` 11).
///
/// On the primary statements run, and are captured (13.1). On a replica each call passes the guard first, and what is
/// written for good is collected and rolled back (14.4).
pub trait RenderHost {
    /// `cfwSqlExec`: one statement, committed when it has run.
    ///
    /// # Errors
    /// What was thrown.
    fn exec(&mut self, call: &SqlExec) -> Result<Rows, Thrown>;

    /// `cfwSqlTxn`: statements in one transaction, then a read whose rows are the answer; no rows without one.
    ///
    /// # Errors
    /// What was thrown; nothing of the transaction remains.
    fn transaction(&mut self, call: &SqlTxn) -> Result<Rows, Thrown>;

    /// Any other function by its name.
    ///
    /// # Errors
    /// What was thrown.
    fn capability(&mut self, name: &str, argument: &str) -> Result<(), Thrown>;

    /// The render holds the thread for `cost`.
    fn work(&mut self, cost: Millis);

    /// The class of row ids that was baked into the interpreter when it booted (`lanes.md` 18).
    fn writer(&self) -> Writer;

    /// The highest id that the driver has given out, per table, since the interpreter booted; nothing without one.
    fn memo(&mut self) -> Option<&mut BTreeMap<Text, Number>>;

    /// The time of the event that is being handled.
    fn now(&self) -> Millis;
}

/// What a call of the interpreter throws.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Thrown {
    /// Only the primary can do this.
    #[error(transparent)]
    Requires(#[from] Refusal),
    /// The database refused it.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// Names and parameters do not agree.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// Capturing it failed.
    #[error("{0}")]
    Capture(Text),
}

/// How far a render has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Rendering {
    /// It goes on after so long, and lets other events in meanwhile: a fetch of its own, for example.
    Paused(Millis),
    /// It has come to its end.
    Done(Rendered),
}

/// What a render has made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rendered {
    /// The status: 500 where the page failed.
    pub status: u16,
    /// Header fields of the page itself, `content-type` among them.
    pub headers: Headers,
    /// The page.
    pub body: Body,
    /// The visitor's roles, separated by commas; `anonymous` alone for a visitor without a session.
    pub roles: Text,
    /// The tags that the page is kept under in the cache, separated by spaces.
    pub tags: Text,
}
