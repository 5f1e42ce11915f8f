//! JavaScript values: what a vector gives and what it expects, with nothing lost.
//!
//! JSON cannot say NaN, `-0`, `undefined` or half a surrogate pair, and the vectors are about those. So they write
//! `{"$js": ...}` and `{"$utf16": [...]}` in their place, and [`Js`] holds what is meant.

use std::fmt;

use protocol::ecma::JsString;
use protocol::number::Number;

use super::{Stop, unheld};

/// A JavaScript value. Two are equal when nothing tells them apart: NaN is NaN, `-0` is not `0`, `undefined` is not
/// `null`; the order of an object's keys does not count, and a key that holds `undefined` is no key.
#[derive(Clone, Debug)]
pub enum Js {
    /// `undefined`: also what a missing key reads as.
    Undefined,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// Any number, NaN and infinities included.
    Number(Number),
    /// Any text, also one that is not well-formed Unicode.
    Text(JsString),
    /// A list.
    Array(Vec<Js>),
    /// Keys and values, in the order they were written.
    Object(Vec<(String, Js)>),
}

static UNDEFINED: Js = Js::Undefined;

impl Js {
    /// An object of these keys.
    pub fn object<const N: usize>(entries: [(&str, Js); N]) -> Js {
        Js::Object(entries.map(|(key, value)| (key.to_owned(), value)).into())
    }

    /// What the key holds; `undefined` when it is missing, or when this is no object.
    pub fn field(&self, key: &str) -> &Js {
        self.entries()
            .ok()
            .and_then(|entries| entries.iter().rev().find(|(name, _)| name == key))
            .map_or(&UNDEFINED, |(_, value)| value)
    }

    /// Whether this is `null` or `undefined`.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Js::Undefined | Js::Null)
    }

    /// `value === true`: not merely truthy (`lanes.md` 19.7).
    pub fn is_true(&self) -> bool {
        matches!(self, Js::Bool(true))
    }

    /// Nothing for `null` and `undefined`, else what `read` makes of it.
    pub fn option<'a, T>(&'a self, read: impl FnOnce(&'a Js) -> Result<T, Stop>) -> Result<Option<T>, Stop> {
        if self.is_nothing() {
            Ok(None)
        } else {
            read(self).map(Some)
        }
    }

    /// The boolean that this is.
    pub fn bool(&self) -> Result<bool, Stop> {
        match self {
            Js::Bool(value) => Ok(*value),
            other => unheld(format!("a boolean is needed, not {other}")),
        }
    }

    /// The number that this is; nothing is coerced.
    pub fn number(&self) -> Result<Number, Stop> {
        match self {
            Js::Number(value) => Ok(*value),
            other => unheld(format!("a number is needed, not {other}")),
        }
    }

    /// The text that this is, which must be well-formed.
    pub fn text(&self) -> Result<String, Stop> {
        let text = self.js_text()?;
        String::from_utf16(text.units()).or_else(|_| unheld(format!("{text:?} is not well-formed")))
    }

    /// The text that this is, of any units.
    pub fn js_text(&self) -> Result<&JsString, Stop> {
        match self {
            Js::Text(value) => Ok(value),
            other => unheld(format!("a text is needed, not {other}")),
        }
    }

    /// The items of this list.
    pub fn array(&self) -> Result<&[Js], Stop> {
        match self {
            Js::Array(items) => Ok(items),
            other => unheld(format!("a list is needed, not {other}")),
        }
    }

    /// The keys and values of this object.
    pub fn entries(&self) -> Result<&[(String, Js)], Stop> {
        match self {
            Js::Object(entries) => Ok(entries),
            other => unheld(format!("an object is needed, not {other}")),
        }
    }

    /// `String(value)`: how a value that is no text reads where the deployed code makes it one.
    pub fn to_text(&self) -> JsString {
        match self {
            Js::Text(value) => value.clone(),
            Js::Undefined => "undefined".into(),
            Js::Null => "null".into(),
            Js::Bool(value) => value.to_string().as_str().into(),
            Js::Number(value) => value.to_string().as_str().into(),
            Js::Array(items) => items
                .iter()
                .map(|item| {
                    if item.is_nothing() {
                        JsString::default()
                    } else {
                        item.to_text()
                    }
                })
                .collect::<Vec<_>>()
                .iter()
                .map(JsString::units)
                .collect::<Vec<_>>()
                .join(&u16::from(b','))
                .into(),
            Js::Object(_) => "[object Object]".into(),
        }
    }

    /// `Number(value)`: how a value that is no number counts where the deployed code makes it one.
    pub fn to_number(&self) -> Number {
        match self {
            Js::Number(value) => *value,
            Js::Undefined => Number::NAN,
            Js::Null => Number::ZERO,
            Js::Bool(value) => Number::from(i32::from(*value)),
            // A lone surrogate is no digit, and U+FFFD is none either.
            other => Number::parse(&other.to_text().to_string_lossy()),
        }
    }

    /// Where this differs from what was expected, as a path and both values; nothing when they are equal.
    pub fn difference(&self, expected: &Js) -> Option<String> {
        match (self, expected) {
            (Js::Array(got), Js::Array(wanted)) if got.len() == wanted.len() => got
                .iter()
                .zip(wanted)
                .enumerate()
                .find_map(|(at, (got, wanted))| Some(format!("[{at}]{}", got.difference(wanted)?))),
            (Js::Object(got), Js::Object(wanted)) => got.iter().chain(wanted).find_map(|(key, _)| {
                Some(format!(
                    ".{key}{}",
                    self.field(key).difference(expected.field(key))?
                ))
            }),
            (Js::Array(got), Js::Array(wanted)) => {
                Some(format!(": {} items, expected {}", got.len(), wanted.len()))
            }
            _ if self.is_same_leaf(expected) => None,
            _ => Some(format!(": {self}, expected {expected}")),
        }
    }

    fn is_same_leaf(&self, other: &Js) -> bool {
        match (self, other) {
            (Js::Undefined, Js::Undefined) | (Js::Null, Js::Null) => true,
            (Js::Bool(a), Js::Bool(b)) => a == b,
            (Js::Number(a), Js::Number(b)) => a == b,
            (Js::Text(a), Js::Text(b)) => a == b,
            _ => false,
        }
    }
}

impl PartialEq for Js {
    fn eq(&self, other: &Js) -> bool {
        self.difference(other).is_none()
    }
}

/// As a vector file writes it.
impl fmt::Display for Js {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Js::Undefined => f.write_str("undefined"),
            Js::Null => f.write_str("null"),
            Js::Bool(value) => write!(f, "{value}"),
            Js::Number(value) => write!(f, "{value:?}"),
            Js::Text(value) => write!(f, "{value:?}"),
            Js::Array(items) => {
                let items: Vec<String> = items.iter().map(Js::to_string).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Js::Object(entries) => {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|(key, value)| format!("{key}: {value}"))
                    .collect();
                write!(f, "{{{}}}", entries.join(", "))
            }
        }
    }
}

macro_rules! from {
    ($($Type:ty => |$value:ident| $made:expr;)*) => {$(
        impl From<$Type> for Js {
            fn from($value: $Type) -> Js {
                $made
            }
        }
    )*};
}

from! {
    bool => |value| Js::Bool(value);
    Number => |value| Js::Number(value);
    i32 => |value| Js::Number(value.into());
    u32 => |value| Js::Number(value.into());
    u64 => |value| Js::Number(value.into());
    &str => |value| Js::Text(value.into());
    String => |value| Js::Text(value.as_str().into());
    JsString => |value| Js::Text(value);
}

/// Nothing is `null`: no result.
impl<T: Into<Js>> From<Option<T>> for Js {
    fn from(value: Option<T>) -> Js {
        value.map_or(Js::Null, T::into)
    }
}

impl<T: Into<Js>> From<Vec<T>> for Js {
    fn from(items: Vec<T>) -> Js {
        Js::Array(items.into_iter().map(T::into).collect())
    }
}
