//! How a value stands in JSON on the bridge between the interpreter and its object (`lanes.md` 22.5).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::host::{Bytes, Text, Value};
use crate::number::Number;
use crate::sql::Inherited;

/// A value as the bridge carries it.
///
/// Integers within int32, texts and null stand for themselves. Every other number is
/// `{"$": "number", "v": "<as String(n) prints it>"}`, where minus zero is `-0`, and bytes are
/// `{"$": "bytes", "v": "<base64>"}`. The contract leaves the kinds open; their names are ours.
///
/// Read more freely than written: a plain JSON number of any size is that number. A boolean is kept as one, because the
/// interpreter hands them over; the platform makes a text of it (`lanes.md` 19.14).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoded {
    /// `true` or `false`.
    Bool(bool),
    /// A value of SQL.
    Value(Value),
}

const NUMBER: &str = "number";
const BYTES: &str = "bytes";

impl Encoded {
    /// What the platform binds.
    pub fn to_value(&self) -> Value {
        match self {
            Encoded::Bool(value) => Value::text(value.to_string()),
            Encoded::Value(value) => value.clone(),
        }
    }

    /// The text that this is, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Encoded::Bool(_) => None,
            Encoded::Value(value) => value.as_text(),
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
            Encoded::Bool(value) => serializer.serialize_bool(*value),
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

/// # Errors
/// A list, an object other than `{"$", "v"}`, an unknown kind, and a text that is not of its kind are refused, each by
/// name.
impl<'de> Deserialize<'de> for Encoded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EncodedVisitor)
    }
}

struct EncodedVisitor;

impl EncodedVisitor {
    fn value<E>(value: impl Into<Value>) -> Result<Encoded, E> {
        Ok(Encoded::Value(value.into()))
    }
}

impl<'de> Visitor<'de> for EncodedVisitor {
    type Value = Encoded;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value: null, a boolean, a number, a text, or {\"$\": kind, \"v\": text}")
    }

    fn visit_unit<E>(self) -> Result<Encoded, E> {
        Ok(Encoded::Value(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Encoded, E> {
        Ok(Encoded::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Encoded, E> {
        Self::value(Number::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Encoded, E> {
        Self::value(Number::from(value))
    }

    #[expect(
        clippy::disallowed_types,
        reason = "serde hands a JSON number over as a double"
    )]
    fn visit_f64<E>(self, value: f64) -> Result<Encoded, E> {
        Self::value(Number::from_f64(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Encoded, E> {
        Ok(Encoded::Value(Value::text(value)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Encoded, A::Error> {
        let (mut kind, mut text) = (None, None);
        while let Some(key) = map.next_key::<Text>()? {
            match key.as_str() {
                "$" => kind = Some(map.next_value::<Text>()?),
                "v" => text = Some(map.next_value::<Text>()?),
                other => return Err(A::Error::unknown_field(other, &["$", "v"])),
            }
        }
        let kind = kind.ok_or_else(|| A::Error::missing_field("$"))?;
        let text = text.ok_or_else(|| A::Error::missing_field("v"))?;
        untag(&kind, &text).map(Encoded::Value).map_err(A::Error::custom)
    }
}

fn untag(kind: &str, text: &str) -> Result<Value, String> {
    match kind {
        NUMBER => match Number::parse(text) {
            // Every other text that is no number reads as NaN too.
            number if number.is_nan() && text != "NaN" => Err(format!("v: {text:?} is not a number")),
            number => Ok(Value::Number(number)),
        },
        BYTES => match BASE64.decode(text) {
            Ok(bytes) => Ok(Value::Bytes(Bytes(bytes.into()))),
            Err(error) => Err(format!("v: not base64: {error}")),
        },
        kind => Err(format!("$: unknown kind {kind:?}; known: {NUMBER:?}, {BYTES:?}")),
    }
}
