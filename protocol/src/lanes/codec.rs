//! How a value stands in JSON on the bridge between the interpreter and its object (`lanes.md` 22.5).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::ecma::trim;
use crate::host::{Bytes, Value};
use crate::json::{Json, Object};
use crate::number::Number;
use crate::sql::Inherited;

/// A value as the bridge carries it.
///
/// Integers within int32, texts and null stand for themselves. Every other number is
/// `{"$": "number", "v": "<as String(n) prints it>"}`, where minus zero is `-0`, and bytes are
/// `{"$": "bytes", "v": "<base64>"}`. The contract leaves the kinds open; their names are ours.
///
/// Any JSON is one, because no parameter makes a statement unreadable (`lanes.md` 11): a plain number of any size is that
/// number, and what is no value of SQL is kept as it came. That is a boolean, a list, and any object that the codec does
/// not write, also one whose `v` is not of the kind that it names. What becomes of such an object is ours, too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoded {
    /// A value of SQL.
    Value(Value),
    /// Anything else. The platform makes a text of it (`lanes.md` 19.14).
    Other(Json),
}

const NUMBER: &str = "number";
const BYTES: &str = "bytes";

impl Encoded {
    /// What the platform binds.
    pub fn to_value(&self) -> Value {
        match self {
            Encoded::Value(value) => value.clone(),
            Encoded::Other(json) => Value::Text(json.to_text()),
        }
    }

    /// The text that this is, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Encoded::Value(value) => value.as_text(),
            Encoded::Other(_) => None,
        }
    }
}

impl From<Value> for Encoded {
    fn from(value: Value) -> Self {
        Encoded::Value(value)
    }
}

impl From<Inherited> for Encoded {
    fn from(key: Inherited) -> Self {
        Encoded::Value(key.into())
    }
}

/// Whether a number stands for itself: an integer within int32, and not minus zero, which JSON would lose.
fn is_plain(number: Number) -> bool {
    number == Number::from(number.to_int32())
}

impl Serialize for Encoded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Encoded::Other(json) => json.serialize(serializer),
            Encoded::Value(Value::Null) => serializer.serialize_unit(),
            Encoded::Value(Value::Text(text)) => serializer.serialize_str(text),
            Encoded::Value(Value::Number(number)) if is_plain(*number) => number.serialize(serializer),
            // `Debug` prints as `String(n)` does, and the sign of minus zero besides.
            Encoded::Value(Value::Number(number)) => tagged(serializer, NUMBER, &format!("{number:?}")),
            Encoded::Value(Value::Bytes(Bytes(bytes))) => tagged(serializer, BYTES, &BASE64.encode(bytes)),
        }
    }
}

fn tagged<S: Serializer>(serializer: S, kind: &str, text: &str) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("$", kind)?;
    map.serialize_entry("v", text)?;
    map.end()
}

/// Out of any JSON: what the codec did not write stays what it is.
impl From<Json> for Encoded {
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Value::Null.into(),
            Json::Number(number) => Value::Number(number).into(),
            Json::Text(text) => Value::Text(text).into(),
            Json::Object(object) => {
                untagged(&object).map_or(Encoded::Other(Json::Object(object)), Encoded::Value)
            }
            other @ (Json::Bool(_) | Json::Array(_)) => Encoded::Other(other),
        }
    }
}

/// The value that an object of the codec stands for: `$` and `v` are there, nothing else is, and `v` is of its kind.
fn untagged(object: &Object) -> Option<Value> {
    if object.len() != 2 {
        return None;
    }
    let text = |key| object.get(key).and_then(Json::as_text);
    let (kind, text) = (text("$")?, text("v")?);
    match kind.as_str() {
        NUMBER => printed(text).map(Value::Number),
        BYTES => {
            let bytes = BASE64.decode(text.as_str()).ok()?;
            Some(Value::Bytes(Bytes(bytes.into())))
        }
        _ => None,
    }
}

/// The number that a text prints. No number is printed as a blank, which `Number(text)` takes for 0, and only `NaN` as
/// what `Number(text)` takes for NaN.
fn printed(text: &str) -> Option<Number> {
    let number = Number::parse(text);
    let is_printed = if number.is_nan() {
        text == "NaN"
    } else {
        !trim(text).is_empty()
    };
    is_printed.then_some(number)
}
