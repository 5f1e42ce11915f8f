//! What a flow of the protocol throws.

use protocol::host::{BodyError, CallError, Failed, SqlError, Text};
use protocol::task::Step;

/// What a step of a flow asks for next, or throws.
pub type Next<R> = Result<Step<R>, Failure>;

/// Why a flow cannot go on. None of it is a client's doing: that is a [`BadRequest`](crate::BadRequest) or a refusal.
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
    /// Another object's answer is not what the protocol says.
    #[error(transparent)]
    Answer(#[from] BodyError),
    /// Another object answered with a status that the protocol does not know here.
    #[error("the counter answered {status}: {body}")]
    Status {
        /// The status.
        status: u16,
        /// The body, as it stood on the wire.
        body: Text,
    },
    /// This instance was given no name, and none was stored.
    #[error("this follower does not know its name, so not its counter")]
    Nameless,
    /// The name is no follower's.
    #[error("no counter has a follower of the name {0}")]
    Misnamed(Text),
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Call(error) => error,
            other => CallError::thrown(other.to_string()),
        }
    }
}
