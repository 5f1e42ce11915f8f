//! [`Js`] from the text of a vector file, and to and from the types of the wire.

use std::fmt;

use protocol::ecma::JsString;
use protocol::number::Number;
use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeMap, SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};

use super::{Js, Stop, unheld};

impl Js {
    /// This value as JSON, read as a type of the wire. What JSON cannot carry, or the type does not take, is not held.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, Stop> {
        let text = serde_json::to_string(self).or_else(|error| unheld(error.to_string()))?;
        serde_json::from_str(&text).or_else(|error| unheld(format!("{error} in {self}")))
    }

    /// A value of the wire, as the JSON it is written as.
    ///
    /// # Panics
    /// When the value cannot be written as JSON.
    pub fn encode(value: &impl Serialize) -> Js {
        let text = serde_json::to_string(value).expect("a type of the wire is written as JSON");
        serde_json::from_str(&text).expect("JSON that was just written is read")
    }
}

impl Serialize for Js {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Js::Null => serializer.serialize_unit(),
            Js::Bool(value) => serializer.serialize_bool(*value),
            Js::Number(value) if value.is_finite() => value.serialize(serializer),
            Js::Text(text) => {
                let text = String::from_utf16(text.units())
                    .map_err(|_| S::Error::custom(format!("JSON here cannot carry {text:?}")))?;
                serializer.serialize_str(&text)
            }
            Js::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Js::Object(entries) => {
                let mut map = serializer.serialize_map(None)?;
                for (key, value) in entries {
                    if !matches!(value, Js::Undefined) {
                        map.serialize_entry(key, value)?;
                    }
                }
                map.end()
            }
            Js::Undefined | Js::Number(_) => Err(S::Error::custom(format!("JSON cannot carry {self}"))),
        }
    }
}

impl<'de> Deserialize<'de> for Js {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Js, D::Error> {
        deserializer.deserialize_any(JsVisitor)
    }
}

struct JsVisitor;

impl<'de> Visitor<'de> for JsVisitor {
    type Value = Js;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Js, E> {
        Ok(Js::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Js, E> {
        Ok(Js::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Js, E> {
        Ok(Js::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Js, E> {
        Ok(Js::Number(value.into()))
    }

    #[expect(clippy::disallowed_types, reason = "serde hands over a double")]
    fn visit_f64<E>(self, value: f64) -> Result<Js, E> {
        Ok(Js::Number(Number::from_f64(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Js, E> {
        Ok(Js::Text(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Js, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Js::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Js, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        special(entries).map_err(A::Error::custom)
    }
}

/// The value that `{"$js": ...}` or `{"$utf16": ...}` stands for; any other object as it is.
fn special(entries: Vec<(String, Js)>) -> Result<Js, String> {
    let [(key, value)] = entries.as_slice() else {
        return Ok(Js::Object(entries));
    };
    match key.as_str() {
        "$js" => named(value).ok_or_else(|| format!("unknown special value {{\"$js\": {value}}}")),
        "$utf16" => {
            units(value).ok_or_else(|| format!("{{\"$utf16\": {value}}} is not a list of 16-bit units"))
        }
        _ => Ok(Js::Object(entries)),
    }
}

fn named(value: &Js) -> Option<Js> {
    Some(match value.text().ok()?.as_str() {
        "NaN" => Js::Number(Number::NAN),
        "Infinity" => Js::Number(Number::INFINITY),
        "-Infinity" => Js::Number(Number::NEG_INFINITY),
        "-0" => Js::Number(-Number::ZERO),
        "undefined" => Js::Undefined,
        _ => return None,
    })
}

fn units(value: &Js) -> Option<Js> {
    let unit = |item: &Js| u16::try_from(item.number().ok()?.to_u32_exact()?).ok();
    let units: Option<JsString> = value.array().ok()?.iter().map(unit).collect();
    units.map(Js::Text)
}
