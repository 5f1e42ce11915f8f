//! What a front does about a call that failed (`lanes.md` 16).

use std::fmt;

use crate::host::{CallError, Method};

/// What is known when a call has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ErrorFacts<'a> {
    /// How the request is meant.
    pub method: &'a Method,
    /// Whether it carries an attempt's id, by which the primary knows one that it has begun.
    pub has_attempt: bool,
    /// Whether it was sent again already.
    pub repeated: bool,
    /// The error.
    pub error: &'a CallError,
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Recovery {
    /// The object is asked once more, by another stub.
    AskAgain,
    /// The visitor is told that the page cannot be had.
    GiveUp,
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Recovery::AskAgain => "ask again",
            Recovery::GiveUp => "give up",
        })
    }
}

/// A request to an object that was reset is sent once more when it only reads, or carries an attempt's id.
///
/// A lost connection counts as a reset: callers cannot tell what became of the object. An object that has too much to do
/// is not asked again, nor one whose code threw (`platform.md` 11).
#[must_use]
pub fn after_error(facts: &ErrorFacts<'_>) -> Recovery {
    let CallError {
        reset,
        retryable,
        overloaded,
        ..
    } = *facts.error;
    let was_reset = (reset || retryable) && !overloaded;
    let may_repeat = is_safe(facts.method) || facts.has_attempt;
    if was_reset && may_repeat && !facts.repeated {
        Recovery::AskAgain
    } else {
        Recovery::GiveUp
    }
}

/// What is known when a request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttemptFacts<'a> {
    /// How the request is meant.
    pub method: &'a Method,
    /// Whether it goes to the primary, by its route.
    pub to_primary: bool,
}

/// An attempt's id goes with an unsafe request that is routed to the primary. One that a lane hands over has none
/// (`lanes.md` 16).
#[must_use]
pub fn attaches_attempt(facts: &AttemptFacts<'_>) -> bool {
    facts.to_primary && !is_safe(facts.method)
}

fn is_safe(method: &Method) -> bool {
    matches!(method, Method::Get | Method::Head)
}
