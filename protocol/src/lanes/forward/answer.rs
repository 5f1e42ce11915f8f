//! The primary's answer to a batch, and what the lane does about it.

use std::fmt;

use super::ForwardAnswer;
use crate::host::Text;
use crate::number::Number;

/// What the primary did with a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ForwardAction {
    /// Committed it.
    Commit,
    /// Found that the lane had read another generation.
    Conflict,
    /// Will not do it for a lane.
    Refuse,
}

impl ForwardAction {
    /// The word for it on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            ForwardAction::Commit => "commit",
            ForwardAction::Conflict => "conflict",
            ForwardAction::Refuse => "refuse",
        }
    }

    /// The action of that word, if it is one.
    fn find(word: &str) -> Option<Self> {
        let known = [
            ForwardAction::Commit,
            ForwardAction::Conflict,
            ForwardAction::Refuse,
        ];
        known.into_iter().find(|action| action.as_str() == word)
    }
}

impl fmt::Display for ForwardAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Which sending of a batch was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Attempt {
    /// The first.
    First,
    /// The one after a conflict.
    Second,
}

/// What a lane does after an answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Flush {
    /// It sends the *same* statements again, as if it had collected them at this generation.
    Resend(Number),
    /// They are committed: it raises its marks ([`lane_high_water`](super::lane_high_water)).
    Committed,
    /// They are not, and the request is handed back with this as the refusal of capability `forward`.
    HandBack {
        /// `String(action)`: what the primary says it did, `undefined` when it does not say.
        action: Text,
        /// `String(reason)`.
        reason: Text,
    },
}

/// The refusal's detail: `<action>: <reason>` (`lanes.md` 14.4). Empty for the other two.
impl fmt::Display for Flush {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flush::HandBack { action, reason } => write!(f, "{action}: {reason}"),
            Flush::Resend(_) | Flush::Committed => Ok(()),
        }
    }
}

/// `flushForward`'s decision: one more sending after a conflict that names a finite generation, also when it is the one
/// that was sent (`lanes.md` 14.4).
///
/// Any JSON but `null` is an answer. Only the text `commit` is a commit, whatever stands beside it; a generation counts
/// when it is a number, as `Number.isFinite` coerces nothing (`lanes.md` 19.6). What is handed back shows the other two
/// fields as a template literal does.
pub fn after_answer(attempt: Attempt, answer: &ForwardAnswer) -> Flush {
    let action = answer.action.as_str().and_then(ForwardAction::find);
    let at = answer.primary_generation.or_nan();
    match (action, attempt) {
        (Some(ForwardAction::Commit), _) => Flush::Committed,
        (Some(ForwardAction::Conflict), Attempt::First) if at.is_finite() => Flush::Resend(at),
        _ => Flush::HandBack {
            action: answer.action.to_text(),
            reason: answer.reason.to_text(),
        },
    }
}
