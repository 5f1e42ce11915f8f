//! Between the vectors' values and the wire's types.

use protocol::host::Text;
use protocol::json::{Json, Object};
use protocol::lanes::wire::{Field, Shape};

use super::{Js, Stop, unheld};

/// The JSON of a value, with numbers that JSON cannot say.
pub fn json(value: &Js) -> Result<Json, Stop> {
    Ok(match value {
        Js::Undefined => return unheld("`undefined` where a value must be"),
        Js::Null => Json::Null,
        Js::Bool(value) => Json::Bool(*value),
        Js::Number(value) => Json::Number(*value),
        Js::Text(_) => Json::text(value.text()?),
        Js::Array(items) => Json::Array(items.iter().map(json).collect::<Result<_, _>>()?),
        Js::Object(entries) => {
            let held = entries.iter().filter(|(_, value)| *value != Js::Undefined);
            let pairs = held.map(|(key, value)| Ok((Text::new(key), json(value)?)));
            Json::Object(
                pairs
                    .collect::<Result<Vec<_>, Stop>>()?
                    .into_iter()
                    .collect::<Object>(),
            )
        }
    })
}

/// The message that a value is.
pub fn message<T: Shape + Default>(value: &Js) -> Result<T, Stop> {
    match Field::of(Some(json(value)?)) {
        Field::Is(message) => Ok(message),
        _ => unheld(format!("no message: {value}")),
    }
}

/// A text, or none.
pub fn optional_text(value: &Js) -> Result<Option<String>, Stop> {
    value.option(Js::text)
}

/// A list of texts.
pub fn texts(value: &Js) -> Result<Vec<Text>, Stop> {
    value
        .array()?
        .iter()
        .map(|item| Ok(Text::from(item.text()?)))
        .collect()
}

/// A list of texts; none where there is no list.
pub fn texts_or_none(value: &Js) -> Result<Vec<Text>, Stop> {
    value.option(texts).map(Option::unwrap_or_default)
}

impl From<&Json> for Js {
    fn from(value: &Json) -> Js {
        match value {
            Json::Null => Js::Null,
            Json::Bool(value) => (*value).into(),
            Json::Number(number) => (*number).into(),
            Json::Text(text) => text.as_str().into(),
            Json::Array(items) => items.iter().map(Js::from).collect::<Vec<_>>().into(),
            Json::Object(entries) => {
                let entry = |(key, value): &(Text, Json)| (key.to_string(), value.into());
                Js::Object(entries.iter().map(entry).collect())
            }
        }
    }
}
