//! How single calls fare: the faults that a plan aims at them, and what callers are told.

use protocol::host::{CallError, Millis, Text};
use serde::{Deserialize, Serialize};

/// A call that a fault is aimed at: the `nth` (from 0) of this party at this label that leaves. One that fails at once, as
/// its stub is broken, is not counted, so that it does not use the fault up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aim {
    /// The caller, as `namespace/name` or `front N`.
    pub caller: Text,
    /// The place in the protocol.
    pub label: Text,
    /// Which of the caller's calls there.
    pub nth: u32,
}

/// What happens to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallFault {
    /// It is never delivered; the caller is told that the connection was lost.
    LoseRequest,
    /// It is delivered, runs, and the caller is told that the connection was lost.
    LoseAnswer,
    /// It is on its way for this much longer.
    DelayRequest(Millis),
    /// Its answer is on its way for this much longer.
    DelayAnswer(Millis),
    /// It is delivered a second time, this much later, as a proxy repeats what it thinks lost.
    Duplicate(Millis),
    /// The client of the front Worker's request that makes it goes away, this long after the call has left. Nothing
    /// happens where no client waits for the caller.
    Cancel(Millis),
}

/// What a caller is told when a request or its answer was lost. It cannot tell which (`platform.md` section 12.3).
pub(super) fn connection_lost() -> CallError {
    CallError {
        message: Text::new_static("Network connection lost."),
        remote: false,
        retryable: true,
        overloaded: false,
        reset: false,
    }
}

/// What callers are told of a failure that the platform does not explain: it has no flag at all, not even that of the
/// reset which comes with it (`workerd.md` T9).
pub(super) fn internal_error() -> CallError {
    CallError::thrown("internal error")
}

/// An error as callers see it of an object that is reset with it (`platform.md` section 9).
pub(super) fn of_reset(error: CallError) -> CallError {
    CallError {
        remote: true,
        reset: true,
        ..error
    }
}
