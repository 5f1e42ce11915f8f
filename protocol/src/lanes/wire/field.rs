//! What a reader finds under a key.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::host::Text;
use crate::json::{Json, JsonKind};
use crate::number::Number;

/// What is found under a key that should hold a `T`: the value, something else, or nothing.
///
/// Something else is kept, for the text of a refusal shows it and for it to be written again as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field<T> {
    /// There is no such key: `undefined`.
    #[default]
    Missing,
    /// A value of the kind that it should be.
    Is(T),
    /// A value of another kind, `null` included.
    Other(Json),
}

/// A kind of value that a field can hold.
pub trait Shape: Sized {
    /// How deep lists and objects may stand in each other in it. What stands around a value adds to the value's own
    /// depth, so that what was read in one message can be sent on in another.
    const DEPTH: usize = Json::DEPTH;

    /// This kind of value out of any JSON.
    ///
    /// # Errors
    /// The JSON itself, when it is of another kind.
    fn shape(value: Json) -> Result<Self, Json>;
}

macro_rules! from {
    ($($Type:ty),*) => {$(
        impl From<$Type> for Field<$Type> {
            fn from(value: $Type) -> Self {
                Field::Is(value)
            }
        }
    )*};
}

from!(bool, Text, Json, Vec<Json>);

/// A number as it will be read: one that is not finite is `null` in JSON, and `-0` is `0` (`lanes.md` 19.10). So a
/// message that is handed over without being encoded says the same as one that is.
impl From<Number> for Field<Number> {
    fn from(value: Number) -> Self {
        Field::of(Some(Json::Number(value).as_sent()))
    }
}

impl<T: Shape> Field<T> {
    /// What a key holds, or nothing.
    pub fn of(value: Option<Json>) -> Self {
        value.map_or(Field::Missing, |value| {
            T::shape(value).map_or_else(Field::Other, Field::Is)
        })
    }
}

impl<T> Field<T> {
    /// A value, or `null` where there is none.
    pub fn or_null(value: Option<T>) -> Self {
        value.map_or(Field::Other(Json::Null), Field::Is)
    }

    /// The value, if it is of the kind that it should be.
    pub fn get(&self) -> Option<&T> {
        if let Field::Is(value) = self {
            Some(value)
        } else {
            None
        }
    }

    /// Whether there is no such key.
    pub fn is_missing(&self) -> bool {
        matches!(self, Field::Missing)
    }
}

impl<T: Shape + Clone> Field<T>
where
    Json: From<T>,
{
    /// `String(value)`: how it reads in the text of a refusal.
    pub fn to_text(&self) -> Text {
        match self {
            Field::Missing => Text::new_static("undefined"),
            Field::Is(value) => Json::from(value.clone()).to_text(),
            Field::Other(value) => value.to_text(),
        }
    }

    /// `Number(value)`: how it counts where the deployed code makes it a number; NaN when missing.
    pub fn to_number(&self) -> Number {
        match self {
            Field::Missing => Number::NAN,
            Field::Is(value) => Json::from(value.clone()).to_number(),
            Field::Other(value) => value.to_number(),
        }
    }

    /// What kind of value is there, if any.
    pub fn kind(&self) -> Option<JsonKind> {
        match self {
            Field::Missing => None,
            Field::Is(value) => Some(Json::from(value.clone()).kind()),
            Field::Other(value) => Some(value.kind()),
        }
    }
}

impl Field<bool> {
    /// `value === true`: the only way in which a flag counts (`lanes.md` 19.7).
    pub fn is_true(&self) -> bool {
        matches!(self, Field::Is(true))
    }
}

impl Field<Text> {
    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        self.get().map(Text::as_str)
    }
}

impl Field<Number> {
    /// The number, if it is one; else NaN, which no comparison accepts. Nothing is coerced (`lanes.md` 19.6).
    pub fn or_nan(&self) -> Number {
        self.get().copied().unwrap_or(Number::NAN)
    }
}

impl Shape for Json {
    fn shape(value: Json) -> Result<Self, Json> {
        Ok(value)
    }
}

impl Shape for bool {
    fn shape(value: Json) -> Result<Self, Json> {
        if let Json::Bool(value) = value {
            Ok(value)
        } else {
            Err(value)
        }
    }
}

impl Shape for Number {
    fn shape(value: Json) -> Result<Self, Json> {
        if let Json::Number(value) = value {
            Ok(value)
        } else {
            Err(value)
        }
    }
}

impl Shape for Text {
    fn shape(value: Json) -> Result<Self, Json> {
        if let Json::Text(value) = value {
            Ok(value)
        } else {
            Err(value)
        }
    }
}

/// Items of another kind than they should be are kept too.
impl<T: Shape> Shape for Vec<Field<T>> {
    const DEPTH: usize = T::DEPTH + 1;

    fn shape(value: Json) -> Result<Self, Json> {
        let Json::Array(items) = value else {
            return Err(value);
        };
        Ok(items.into_iter().map(|item| Field::of(Some(item))).collect())
    }
}

/// A list of anything, for what JavaScript takes item by item as it comes.
impl Shape for Vec<Json> {
    const DEPTH: usize = Json::DEPTH + 1;

    fn shape(value: Json) -> Result<Self, Json> {
        if let Json::Array(items) = value {
            Ok(items)
        } else {
            Err(value)
        }
    }
}

/// A missing field that must be written all the same, as an item of a list, is `null` (`lanes.md` 19.10).
impl<T: Serialize> Serialize for Field<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Field::Missing => serializer.serialize_unit(),
            Field::Is(value) => value.serialize(serializer),
            Field::Other(value) => value.serialize(serializer),
        }
    }
}

/// A message out of a body. JavaScript finds no fields in a number, a text or a list, and fails on `null`.
pub(super) fn message<'de, T: Shape + Default, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let text = Box::<RawValue>::deserialize(deserializer)?;
    let json = Json::parse_within(text.get(), T::DEPTH).map_err(D::Error::custom)?;
    match T::shape(json) {
        Ok(message) => Ok(message),
        Err(Json::Null) => Err(D::Error::custom("null holds no fields")),
        Err(_) => Ok(T::default()),
    }
}

/// The depth of a message around fields of these.
pub(super) const fn around(fields: &[usize]) -> usize {
    let (mut deepest, mut at) = (Json::DEPTH, 0);
    while at < fields.len() {
        if fields[at] > deepest {
            deepest = fields[at];
        }
        at += 1;
    }
    deepest + 1
}

/// `JSON.stringify(message)`.
pub(super) fn encode(message: &impl Serialize) -> String {
    // Every key is a text and no part refuses to be written, so there is nothing that could fail.
    serde_json::to_string(message).unwrap_or_default()
}
