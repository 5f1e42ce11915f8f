//! The counter's decisions about an addition.

use protocol::number::Number;

use crate::wire::Added;

/// What is known when an addition is decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AddFacts {
    /// The value that it would lead to, as the speculative transaction found it.
    pub value: Number,
    /// The policy's limit.
    pub limit: Number,
}

/// Why the counter does not take an addition. It has changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum AddRefusal {
    /// The value would be above the limit.
    #[error("the counter would stand at {value}, above its limit of {limit}")]
    AboveLimit {
        /// Where it would stand.
        value: Number,
        /// Where it may stand.
        limit: Number,
    },
}

/// Takes an addition that stays within the limit.
///
/// # Errors
/// The reason why not.
pub fn admit(facts: &AddFacts) -> Result<(), AddRefusal> {
    if facts.value > facts.limit {
        return Err(AddRefusal::AboveLimit {
            value: facts.value,
            limit: facts.limit,
        });
    }
    Ok(())
}

/// Answers a token that a record bears with that record. So a client that never got its answer can ask again, by
/// whatever way, and adds once.
#[must_use]
pub fn answered_before(record: Option<&Added>) -> Option<Added> {
    record.cloned()
}
