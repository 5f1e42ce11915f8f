//! How a value stands in JSON on the bridge between the interpreter and its object (`lanes.md` 22.5).
//!
//! Integers within int32, texts and null stand for themselves. Every other number is
//! `{"$": "number", "v": "<as String(n) prints it>"}`, where minus zero is `-0`, and bytes are
//! `{"$": "bytes", "v": "<base64>"}`. The contract leaves the kinds open; their names are ours.
//!
//! Parameters stay JSON until they are bound, because a lane forwards them "as in the payload" (`lanes.md` 14.4).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::bind::bindable;
use crate::ecma::trim;
use crate::host::{Bytes, Value};
use crate::json::{Json, Object};
use crate::number::Number;

const NUMBER: &str = "number";
const BYTES: &str = "bytes";

/// The JSON of a value.
pub fn encode(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Text(text) => Json::Text(text.clone()),
        Value::Number(number) if is_plain(*number) => Json::Number(*number),
        // `Debug` prints as `String(n)` does, and the sign of minus zero besides.
        Value::Number(number) => tagged(NUMBER, &format!("{number:?}")),
        Value::Bytes(Bytes(bytes)) => tagged(BYTES, &BASE64.encode(bytes)),
    }
}

/// The value that is bound of a parameter.
///
/// Any JSON has one, because no parameter makes a statement unreadable (`lanes.md` 11): a plain number of any size is
/// that number, and of what is no value of SQL the platform makes a text (`lanes.md` 19.14). That is a boolean, a list,
/// and any object that the codec does not write, also one whose `v` is not of the kind that it names. What becomes of
/// such an object is ours, too.
pub fn decode(json: &Json) -> Value {
    let tagged = json.as_object().and_then(untagged);
    tagged.unwrap_or_else(|| bindable(json))
}

/// Whether a number stands for itself: an integer within int32, and not minus zero, which JSON would lose.
fn is_plain(number: Number) -> bool {
    number == Number::from(number.to_int32())
}

fn tagged(kind: &str, text: &str) -> Json {
    Json::Object(Object::from_iter([("$", kind), ("v", text)]))
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
