//! `protocol::number`.

use protocol::number::Number;

use super::{Js, Ran, Runner};

/// The runners of this area.
pub fn runners() -> Vec<Runner> {
    vec![Runner::answers("jsNumber", js_number)]
}

fn js_number(input: &Js) -> Ran {
    // Half a surrogate pair is no part of any number, and neither is the U+FFFD that stands for it here.
    let value = Number::parse(&input.field("text").js_text()?.to_string_lossy());
    Ok(Js::object([
        ("value", value.into()),
        ("finite", value.is_finite().into()),
        ("integer", value.is_integer().into()),
        ("safeInteger", value.is_safe_integer().into()),
    ]))
}
