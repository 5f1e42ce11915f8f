//! JSON as JavaScript holds it: what `JSON.parse` makes and `JSON.stringify` writes.
//!
//! The wire of the protocols is what JavaScript code wrote and read. Such code takes any JSON and finds out field by
//! field what it got: a generation that is a text, a row that is an object, a parameter that is `true`. [`Json`] holds
//! all of that, with numbers that are JavaScript's and keys in JavaScript's order. Source: `lanes.md` section 19, traps
//! 6, 9, 10 and 14; ECMA-262.
//!
//! A deviation from `String` and `Number`: an object with a `toString` of its own, which JSON can give it but not make a
//! function, throws there, and here it is `[object Object]` and NaN as any other.
//!
//! Two deviations from `JSON.parse`. Nesting deeper than [`Json::DEPTH`] is refused with an error; a
//! message may stand around values of that depth. And half a
//! surrogate pair, which `JSON.stringify` does write (as `\ud83d`), reads as U+FFFD, because a [`Text`] cannot hold it:
//! see [`to_well_formed_json`].

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::ecma::to_well_formed_json;
use crate::host::Text;
use crate::number::Number;

mod object;
mod parse;

pub use object::Object;

/// A value that `JSON.parse` can give. Equal, ordered and hashed by what it holds, with [`Number`] by its bits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number. One that is not finite is written as `null` (`lanes.md` 19.10).
    Number(Number),
    /// A text.
    Text(Text),
    /// A list.
    Array(Vec<Json>),
    /// Keys and values.
    Object(Object),
}

/// What `typeof` and `Array.isArray` tell of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JsonKind {
    /// `null`.
    Null,
    /// A boolean.
    Bool,
    /// A number.
    Number,
    /// A text.
    Text,
    /// A list.
    Array,
    /// An object that is neither `null` nor a list.
    Object,
}

impl fmt::Display for JsonKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            JsonKind::Null => "null",
            JsonKind::Bool => "a boolean",
            JsonKind::Number => "a number",
            JsonKind::Text => "a text",
            JsonKind::Array => "a list",
            JsonKind::Object => "an object",
        })
    }
}

impl Json {
    /// How deep lists and objects may stand in each other: as deep as `serde_json` reads them into values. Reading goes
    /// down by calls, and must not exhaust the stack.
    pub const DEPTH: usize = 127;

    /// A text.
    #[must_use]
    pub fn text(text: impl AsRef<str>) -> Self {
        Json::Text(Text::new(text))
    }

    /// What kind of value this is.
    #[must_use]
    pub fn kind(&self) -> JsonKind {
        match self {
            Json::Null => JsonKind::Null,
            Json::Bool(_) => JsonKind::Bool,
            Json::Number(_) => JsonKind::Number,
            Json::Text(_) => JsonKind::Text,
            Json::Array(_) => JsonKind::Array,
            Json::Object(_) => JsonKind::Object,
        }
    }

    /// `value === true`: not merely truthy (`lanes.md` 19.7).
    #[must_use]
    pub fn is_true(&self) -> bool {
        matches!(self, Json::Bool(true))
    }

    /// The number in it, if it is one. Nothing is coerced: `'6'` is none (`lanes.md` 19.6).
    #[must_use]
    pub fn as_number(&self) -> Option<Number> {
        if let Json::Number(number) = self {
            Some(*number)
        } else {
            None
        }
    }

    /// The text in it, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&Text> {
        if let Json::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// The items in it, if it is a list.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Json]> {
        if let Json::Array(items) = self {
            Some(items)
        } else {
            None
        }
    }

    /// The keys and values in it, if it is an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        if let Json::Object(object) = self {
            Some(object)
        } else {
            None
        }
    }

    /// `String(value)`: how the value reads where the deployed code makes it a text (`lanes.md` 19.14).
    #[must_use]
    pub fn to_text(&self) -> Text {
        match self {
            Json::Text(text) => text.clone(),
            Json::Null => Text::new_static("null"),
            Json::Bool(true) => Text::new_static("true"),
            Json::Bool(false) => Text::new_static("false"),
            Json::Number(number) => Text::from(number.to_string()),
            Json::Array(items) => Text::from(joined(items)),
            Json::Object(_) => Text::new_static("[object Object]"),
        }
    }

    /// `Number(value)`: how the value counts where the deployed code makes it a number (`lanes.md` 19.2).
    #[must_use]
    pub fn to_number(&self) -> Number {
        match self {
            Json::Number(number) => *number,
            Json::Null => Number::ZERO,
            Json::Bool(value) => Number::from(i32::from(*value)),
            Json::Text(_) | Json::Array(_) | Json::Object(_) => Number::parse(&self.to_text()),
        }
    }

    /// What arrives of the value: `JSON.parse(JSON.stringify(value))`. A number that is not finite becomes `null`, and
    /// `-0` becomes `0` (`lanes.md` 19.10).
    #[must_use]
    pub fn as_sent(&self) -> Self {
        match self {
            Json::Number(number) if !number.is_finite() => Json::Null,
            Json::Number(number) => Json::Number(*number + Number::ZERO),
            Json::Array(items) => Json::Array(items.iter().map(Json::as_sent).collect()),
            Json::Object(object) => {
                let entries = object.iter().map(|(key, value)| (key.clone(), value.as_sent()));
                Json::Object(entries.collect())
            }
            Json::Null | Json::Bool(_) | Json::Text(_) => self.clone(),
        }
    }

    /// `JSON.parse(text)`.
    ///
    /// # Errors
    /// The text is not JSON; the error names line and column. See the module for what is JSON and is refused.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        Json::parse_within(text, Json::DEPTH)
    }

    /// As [`parse`](Json::parse), of a text whose lists and objects may stand `depth` deep in each other.
    pub(crate) fn parse_within(text: &str, depth: usize) -> Result<Self, serde_json::Error> {
        parse::parse(&to_well_formed_json(text), depth)
    }
}

/// `Array.prototype.toString`: `null` reads as nothing inside a list.
fn joined(items: &[Json]) -> String {
    let texts: Vec<Text> = items
        .iter()
        .map(|item| match item {
            Json::Null => Text::default(),
            other => other.to_text(),
        })
        .collect();
    texts.join(",")
}

/// `JSON.stringify(value)`.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Number(number) => number.serialize(serializer),
            Json::Text(text) => serializer.serialize_str(text),
            Json::Array(items) => serializer.collect_seq(items),
            Json::Object(object) => object.serialize(serializer),
        }
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// As [`Json::parse`]: goes by the text ([`RawValue`]), so it is meant for `serde_json`.
impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        Json::parse(text.get()).map_err(D::Error::custom)
    }
}

macro_rules! from {
    ($($Type:ty => |$value:ident| $made:expr;)*) => {$(
        impl From<$Type> for Json {
            fn from($value: $Type) -> Json {
                $made
            }
        }
    )*};
}

from! {
    bool => |value| Json::Bool(value);
    Number => |value| Json::Number(value);
    i32 => |value| Json::Number(value.into());
    u32 => |value| Json::Number(value.into());
    &str => |value| Json::text(value);
    Text => |value| Json::Text(value);
    Object => |value| Json::Object(value);
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Json {
        Json::Array(items.into_iter().map(T::into).collect())
    }
}

#[cfg(test)]
mod tests;
