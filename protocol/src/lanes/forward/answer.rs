//! The primary's answer to a batch, and what the lane does about it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::host::Text;
use crate::number::Number;

/// What the primary did with a batch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ForwardAction {
    /// Committed it.
    Commit,
    /// Found that the lane had read another generation.
    Conflict,
    /// Will not do it for a lane.
    Refuse,
    /// A word that no version known here says. Not a commit.
    Other(Text),
}

impl ForwardAction {
    fn word(&self) -> &str {
        match self {
            ForwardAction::Commit => "commit",
            ForwardAction::Conflict => "conflict",
            ForwardAction::Refuse => "refuse",
            ForwardAction::Other(word) => word,
        }
    }
}

impl fmt::Display for ForwardAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl Serialize for ForwardAction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl<'de> Deserialize<'de> for ForwardAction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = Text::deserialize(deserializer)?;
        let known = [
            ForwardAction::Commit,
            ForwardAction::Conflict,
            ForwardAction::Refuse,
        ];
        let action = known.into_iter().find(|action| action.word() == word);
        Ok(action.unwrap_or(ForwardAction::Other(word)))
    }
}

/// The answer of `action=forward`, its keys in the order in which they are written (`lanes.md` 13.3 and 22.7).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ForwardAnswer {
    /// What was done.
    pub action: ForwardAction,
    /// Of a commit: the generation it was committed as.
    #[serde(
        default,
        deserialize_with = "number_or_nothing",
        skip_serializing_if = "Option::is_none"
    )]
    pub generation: Option<Number>,
    /// Why; empty for a commit.
    #[serde(default)]
    pub reason: Text,
    /// Of a conflict and a refusal: the primary's live generation. In JSON, what is no number reads as none.
    #[serde(
        default,
        deserialize_with = "number_or_nothing",
        skip_serializing_if = "Option::is_none"
    )]
    pub primary_generation: Option<Number>,
    /// Of a commit: how many statements were appended behind it.
    #[serde(
        default,
        deserialize_with = "number_or_nothing",
        skip_serializing_if = "Option::is_none"
    )]
    pub deferred: Option<Number>,
}

/// `Number.isFinite(value)` asks for a number and coerces nothing, so the text `"8"` is none (`lanes.md` 19.6).
fn number_or_nothing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Number>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        Number(Number),
        Other(serde::de::IgnoredAny),
    }
    Ok(match Form::deserialize(deserializer)? {
        Form::Number(number) => Some(number),
        Form::Other(_) => None,
    })
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
        /// What the primary did.
        action: ForwardAction,
        /// Why.
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
pub fn after_answer(attempt: Attempt, answer: &ForwardAnswer) -> Flush {
    let at = answer
        .primary_generation
        .filter(|generation| generation.is_finite());
    match (&answer.action, attempt, at) {
        (ForwardAction::Commit, _, _) => Flush::Committed,
        (ForwardAction::Conflict, Attempt::First, Some(generation)) => Flush::Resend(generation),
        (action, _, _) => Flush::HandBack {
            action: action.clone(),
            reason: answer.reason.clone(),
        },
    }
}
