//! How something is broken: in words, and as the two values that disagree.

use std::fmt::Display;

use protocol::host::Text;
use serde::{Deserialize, Serialize};

use super::Class;

/// A value, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// Whose it is, or what has it.
    pub whose: Text,
    /// The value; of several lines where it has several parts.
    pub value: Text,
}

/// The two values that disagree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disagreement {
    /// What had to be there.
    pub expected: Side,
    /// What is there.
    pub found: Side,
}

/// That something which must hold does not: what a check has to say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// In which way.
    pub class: Class,
    /// Where, as far as ways are told apart by that: a table, a stage, a line of code. Never a value of the run.
    pub place: Option<Text>,
    /// In words.
    pub detail: Text,
    /// The two values, where it is two values that disagree, and not one thing that must not be.
    pub values: Option<Box<Disagreement>>,
    /// Whom it concerns, where the check knows better than the place at which it stands.
    pub concerns: Vec<Text>,
}

impl Breach {
    /// One of a way, in words.
    #[must_use]
    pub fn new(class: Class, detail: impl Into<Text>) -> Self {
        Breach {
            class,
            place: None,
            detail: detail.into(),
            values: None,
            concerns: Vec::new(),
        }
    }

    /// The same, with what was expected and what was found: each with whose value it is.
    #[must_use]
    pub fn between(
        self,
        (expected_of, expected): (impl Display, impl Display),
        (found_of, found): (impl Display, impl Display),
    ) -> Self {
        let side = |whose: &dyn Display, value: &dyn Display| Side {
            whose: Text::from(whose.to_string()),
            value: Text::from(value.to_string()),
        };
        let values = Disagreement {
            expected: side(&expected_of, &expected),
            found: side(&found_of, &found),
        };
        Breach {
            values: Some(Box::new(values)),
            ..self
        }
    }

    /// The same, at a place; at none where that is empty.
    #[must_use]
    pub fn at(self, place: impl Display) -> Self {
        let place = place.to_string();
        Breach {
            place: (!place.is_empty()).then(|| Text::from(place)),
            ..self
        }
    }

    /// The same, with a party that it concerns.
    #[must_use]
    pub fn concerning(mut self, who: impl Into<Text>) -> Self {
        self.concerns.push(who.into());
        self
    }
}
