//! Numbers in JSON: written as `JSON.stringify` writes them, byte for byte, and read as `JSON.parse` reads
//! them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Error, Serialize, Serializer};
use serde_json::value::RawValue;

use super::Number;

/// Through `serde_json`, what `JSON.stringify(n)` writes: integers without a fraction, `1e+21`, `0` for `-0`,
/// and `null` for NaN and infinities (`lanes.md` 19.10). So those three do not come back as they went.
///
/// Integers beyond 2^53 and numbers that need an exponent use [`RawValue`], which is meant for `serde_json`.
/// Those cannot be a map's key: turn a key into a text first.
impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.is_finite() {
            serializer.serialize_unit()
        } else if self.is_safe_integer() {
            serializer.serialize_i64(self.0 as i64)
        } else if prints_alike(self.0) {
            serializer.serialize_f64(self.0)
        } else {
            RawValue::from_string(self.to_string())
                .map_err(S::Error::custom)?
                .serialize(serializer)
        }
    }
}

/// Whether `serde_json` prints this fraction as JavaScript does: the fewest digits, around a point.
///
/// JavaScript goes on without an exponent down to 1e-6 and serde_json only down to 1e-5; one power of ten is
/// kept clear. Upwards, every double that has a fraction is below 2^53.
fn prints_alike(value: f64) -> bool {
    value.fract() != 0.0 && value.abs() >= 1e-4
}

/// Takes any JSON number. One beyond 2^53 is rounded to the nearest double, as `JSON.parse` does; nothing
/// that merely looks like a number (`"6"`, `true`, `null`) is taken.
///
/// One deviation: a number too large for a double (`1e999`), `Infinity` to `JSON.parse`, is refused by
/// `serde_json`.
impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_f64(NumberVisitor)
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_i64<E>(self, value: i64) -> Result<Number, E> {
        Ok(Number::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Number, E> {
        Ok(Number::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Number, E> {
        Ok(Number::from_f64(value))
    }
}
