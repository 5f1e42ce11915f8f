//! What a flow of an object throws.

use crate::host::{BodyError, CallError, Failed, SqlError, Text};
use crate::lanes::forward::{NullStatement, Unbound as UnboundForward};
use crate::lanes::guard::RequiresPrimary;
use crate::lanes::log::Unbound;
use crate::lanes::wire::CursorError;
use crate::sql::BindError;
use crate::task::Step;

use super::SiteObject;

/// What a step of a flow asks for next, or throws.
pub type Next = Result<Step<SiteObject>, Failure>;

/// Only the primary can do this: `ReplicaRequiresPrimary`, from the guard or from a batch that was not committed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{capability} requires the primary: {detail}")]
pub struct Refusal {
    /// The value of `x-cfw-requires-primary`.
    pub capability: Text,
    /// Why.
    pub detail: Text,
}

impl Refusal {
    /// The capability of a batch that was not committed.
    pub const FORWARD: &'static str = "forward";
    /// The capability of a lane that does not serve.
    pub const SERVE: &'static str = "serve";
    /// The capability of a visitor whose session the lane does not know.
    pub const SESSION: &'static str = "session";

    /// A refusal that no guard made.
    pub fn new(capability: &'static str, detail: impl Into<Text>) -> Self {
        Refusal {
            capability: Text::new_static(capability),
            detail: detail.into(),
        }
    }
}

impl From<&RequiresPrimary> for Refusal {
    fn from(refused: &RequiresPrimary) -> Self {
        Refusal {
            capability: refused.capability.clone(),
            detail: Text::from(refused.detail.to_string()),
        }
    }
}

/// Why a flow cannot go on. A refusal that the contract gives a status to is a response, and no failure.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Failure {
    /// A call failed: it may have run, or not.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A statement failed.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// A transaction failed, and nothing of it remains.
    #[error(transparent)]
    Transaction(#[from] Failed),
    /// A body is no JSON, or `null`.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// A statement of a record cannot be bound.
    #[error(transparent)]
    Record(#[from] Unbound),
    /// A statement of a forwarded batch cannot be bound.
    #[error(transparent)]
    Batch(#[from] UnboundForward),
    /// A statement of the application cannot be bound.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// A forwarded batch has `null` for a statement.
    #[error(transparent)]
    Null(#[from] NullStatement),
    /// A cursor is no JSON.
    #[error(transparent)]
    Cursor(#[from] CursorError),
    /// A message lacks a list that the code walks through.
    #[error("{0} is not iterable")]
    NotIterable(&'static str),
    /// Only the primary can do this.
    #[error(transparent)]
    Requires(#[from] Refusal),
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Call(error) => error,
            other => CallError::thrown(other.to_string()),
        }
    }
}
