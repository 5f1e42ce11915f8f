//! Where a copy stands between two steps of the primary.

use super::{Field, message};
use crate::host::Text;
use crate::json::Json;
use crate::number::Number;

message! {
    /// Where a copy goes on: kept as JSON under `lane_cursor`, and handed to `action=provision` (`lanes.md` 2, 13.4).
    Cursor {
        /// The generation that the copy began at.
        "generation" generation: Number,
        /// The table's place in the order of names.
        "index" index: Number,
        /// How many of its rows are copied.
        "offset" offset: Number,
        /// The attempt that the copy is, where a variant of the protocol counts them.
        "attempt" attempt: Text,
    }
}

/// A text that is no cursor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("the copy's cursor is not JSON that holds one: {reason}")]
pub struct CursorError {
    /// What is wrong with it.
    pub reason: String,
}

impl Cursor {
    /// The beginning of a copy that shows `generation`.
    pub fn start(generation: Number) -> Self {
        Cursor::at(generation, Number::ZERO, Number::ZERO)
    }

    /// A place in a copy.
    pub fn at(generation: Number, index: Number, offset: Number) -> Self {
        Cursor {
            generation: generation.into(),
            index: index.into(),
            offset: offset.into(),
            ..Cursor::default()
        }
    }

    /// The cursor that a stored text holds; none when the text is empty, or is `null`.
    ///
    /// # Errors
    /// The text is not JSON. JSON of another kind is a cursor without fields, as JavaScript would find it.
    pub fn parse(text: &str) -> Result<Option<Self>, CursorError> {
        if text.is_empty() {
            return Ok(None);
        }
        let value = Json::parse(text).map_err(|error| CursorError {
            reason: error.to_string(),
        })?;
        Ok(match value {
            Json::Null => None,
            value => Some(
                Field::<Cursor>::of(Some(value))
                    .get()
                    .cloned()
                    .unwrap_or_default(),
            ),
        })
    }
}
