//! From the wire's values to what SQL binds (`lanes.md` 5 and 19.14).

use crate::host::{Statement, Value};
use crate::json::Json;
use crate::sql::{BindError, Bound, Inherited, Params, positional_bindings, to_positional};

/// What the platform binds of a JSON value: numbers, texts and `null` as they are, and the text of everything else,
/// `true` and `[object Object]` included, silently (`lanes.md` 19.14).
pub fn bindable(value: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Number(number) => Value::Number(*number),
        other => Value::Text(other.to_text()),
    }
}

/// What `JSON.stringify` leaves of a value of SQLite: of bytes, an empty object (`lanes.md` 19.10). Bound again, that
/// is the text `[object Object]`.
pub fn jsonable(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Number(number) => Json::Number(*number).as_sent(),
        Value::Text(text) => Json::Text(text.clone()),
        Value::Bytes(_) => Json::Object(crate::json::Object::default()),
    }
}

/// A statement of the wire, bound by `positionalBindings` (`lanes.md` 5). Its values are still the wire's.
///
/// # Errors
/// Names and parameters do not agree.
pub fn positional(sql: &str, given: &Json) -> Result<Bound<Json>, BindError> {
    positional_bindings(sql, &Params::from(given.clone()))
}

/// A statement that the primary captures, bound by `toPositional` (`lanes.md` 5). Its values are still those given.
///
/// # Errors
/// A name has no value.
pub fn captured(sql: &str, given: &Json) -> Result<Bound<Json>, BindError> {
    to_positional(sql, &Params::from(given.clone()))
}

/// The statement that is executed, of one whose parameters stand in order.
pub fn statement(bound: &Bound<Json>) -> Statement {
    Statement {
        sql: bound.sql.clone(),
        params: bound.params.iter().map(bindable).collect(),
    }
}

/// `String(inherited)` is what would be bound of it.
impl From<Inherited> for Json {
    fn from(key: Inherited) -> Json {
        Json::text(key.to_string())
    }
}
