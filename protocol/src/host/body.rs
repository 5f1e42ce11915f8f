//! Bodies of messages: typed and shared where both ends are in one process, text where the wire matters.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};

use super::Text;
use crate::ecma::to_well_formed_json;

/// A value that a body can carry without being encoded.
pub trait Payload: Any + fmt::Debug + Send + Sync {
    /// The value as it stands on the wire: JSON.
    fn encode(&self) -> String;

    /// A digest of the value. Two payloads of equal encodings must have equal digests. The default digests the
    /// encoding; a large payload whose parts know their digests does better.
    fn digest(&self) -> u128 {
        digest_text(&self.encode())
    }
}

fn digest_text(text: &str) -> u128 {
    xxhash_rust::xxh3::xxh3_128(text.as_bytes())
}

/// A message's body.
///
/// Inside the simulator a body is a shared value, so that a record which goes to 256 lanes is made once. On the real
/// platform, and wherever the simulator wants the encoding (corruption, version skew, a sampled share of all runs), it
/// is text. [`read`](Body::read) gives the same value from either, and [`encoded`](Body::encoded) turns one into the
/// other without changing the body's digest, by which bodies are compared and hashed.
#[derive(Clone, Default)]
pub struct Body(Form);

#[derive(Clone, Default)]
enum Form {
    #[default]
    Empty,
    Text {
        text: Text,
        digest: u128,
    },
    Typed {
        value: Arc<dyn Payload>,
        digest: u128,
    },
}

/// Why a body could not be read as what was expected.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("the body is not a {expected}: at {field}: {reason}")]
pub struct BodyError {
    /// The type that was expected.
    pub expected: Text,
    /// The path of the field that is not what it should be; `.` is the whole body.
    pub field: Text,
    /// What is wrong with it, with line and column.
    pub reason: Text,
}

impl Body {
    /// A body of plain text; an empty one where the text is, as the wire does not tell the two apart.
    #[must_use]
    pub fn text(text: impl Into<Text>) -> Self {
        let text = text.into();
        if text.is_empty() {
            return Body::default();
        }
        let digest = digest_text(&text);
        Body(Form::Text { text, digest })
    }

    /// A body that shares a value.
    #[must_use]
    pub fn typed<T: Payload>(value: Arc<T>) -> Self {
        let digest = value.digest();
        Body(Form::Typed { value, digest })
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self.0, Form::Empty)
    }

    /// The body as it stands on the wire.
    #[must_use]
    pub fn to_text(&self) -> Text {
        match &self.0 {
            Form::Empty => Text::default(),
            Form::Text { text, .. } => text.clone(),
            Form::Typed { value, .. } => Text::from(value.encode()),
        }
    }

    /// The same body as text, with the digest it had.
    #[must_use]
    pub fn encoded(&self) -> Self {
        match &self.0 {
            Form::Typed { value, digest } => Body(Form::Text {
                text: Text::from(value.encode()),
                digest: *digest,
            }),
            Form::Empty | Form::Text { .. } => self.clone(),
        }
    }

    /// The value it carries: shared where it was sent as a `T`, decoded otherwise. Half a surrogate pair in the text, such
    /// as JavaScript leaves where it cuts one, does not make a body unreadable ([`to_well_formed_json`]).
    ///
    /// # Errors
    /// [`BodyError`] when the text is not JSON, or not a `T`; it names the field.
    pub fn read<T: Payload + DeserializeOwned>(&self) -> Result<Arc<T>, BodyError> {
        if let Form::Typed { value, .. } = &self.0 {
            let any: Arc<dyn Any + Send + Sync> = value.clone();
            if let Ok(value) = any.downcast::<T>() {
                return Ok(value);
            }
        }
        let text = self.to_text();
        let text = to_well_formed_json(&text);
        let mut reader = serde_json::Deserializer::from_str(&text);
        let value = serde_path_to_error::deserialize(&mut reader)
            .map_err(|error| BodyError::new::<T>(&error.path().to_string(), error.inner()))?;
        reader.end().map_err(|error| BodyError::new::<T>(".", &error))?;
        Ok(Arc::new(value))
    }

    /// What bodies are compared and hashed by.
    #[must_use]
    pub fn digest(&self) -> u128 {
        match &self.0 {
            Form::Empty => 0,
            Form::Text { digest, .. } | Form::Typed { digest, .. } => *digest,
        }
    }
}

impl BodyError {
    fn new<T>(field: &str, reason: &dyn fmt::Display) -> Self {
        let expected = std::any::type_name::<T>().rsplit("::").next().unwrap_or_default();
        let reason = reason.to_string();
        // The path leads to what holds the field that is missing, and only the text names that.
        let missing = reason
            .strip_prefix("missing field `")
            .and_then(|rest| rest.split('`').next());
        let field = match missing {
            Some(name) if field == "." => Text::new(name),
            Some(name) => Text::from(format!("{field}.{name}")),
            None => Text::new(field),
        };
        BodyError {
            expected: Text::new(expected),
            field,
            reason: Text::from(reason),
        }
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Empty => f.write_str("Empty"),
            Form::Text { text, .. } => fmt::Debug::fmt(text, f),
            Form::Typed { value, .. } => fmt::Debug::fmt(value, f),
        }
    }
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        self.digest() == other.digest()
    }
}

impl Eq for Body {}

impl Hash for Body {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest().hash(state);
    }
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_text().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Text::deserialize(deserializer).map(Body::text)
    }
}
