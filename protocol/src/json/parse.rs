//! `JSON.parse`: from a text to a value.

use serde::de::Error as _;
use serde_json::Error;
use serde_json::value::RawValue;

use super::{Json, object};
use crate::host::Text;
use crate::number::Number;

/// Reads a text in which lists and objects stand at most `depth` deep. `serde_json` says whether it is well-formed; it is not asked for numbers, because it refuses those
/// beyond a double, which are infinite to `JSON.parse`.
pub(super) fn parse(text: &str, depth: usize) -> Result<Json, Error> {
    let text: &RawValue = serde_json::from_str(text)?;
    Parser { rest: text.get() }.value(depth)
}

/// What is left to read of a well-formed text. There, what separates two tokens tells nothing.
struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    /// The first byte of the next token.
    fn next(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r', ',', ':']);
        self.rest.bytes().next()
    }

    /// The next `length` bytes, which are read with that.
    fn take(&mut self, length: usize) -> &'a str {
        let (token, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        token
    }

    /// Passes over a closing bracket, if that is next.
    fn closes(&mut self, bracket: u8) -> bool {
        let closes = self.next() == Some(bracket);
        if closes {
            self.take(1);
        }
        closes
    }

    fn value(&mut self, depth: usize) -> Result<Json, Error> {
        let deeper = || {
            depth
                .checked_sub(1)
                .ok_or_else(|| Error::custom("recursion limit exceeded"))
        };
        match self.next() {
            Some(b'"') => self.text().map(Json::Text),
            Some(b'[') => self.array(deeper()?),
            Some(b'{') => self.object(deeper()?),
            _ => self.word(),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json, Error> {
        self.take(1);
        let mut items = Vec::new();
        while !self.closes(b']') {
            items.push(self.value(depth)?);
        }
        Ok(Json::Array(items))
    }

    fn object(&mut self, depth: usize) -> Result<Json, Error> {
        self.take(1);
        let mut object = object::Builder::default();
        while !self.closes(b'}') {
            let key = self.text()?;
            object.set(key, self.value(depth)?);
        }
        Ok(Json::Object(object.finish()))
    }

    /// A text with its quotes. Its escapes are for `serde_json`; half a surrogate pair was replaced before.
    fn text(&mut self) -> Result<Text, Error> {
        let mut is_escaped = false;
        let inner = self.rest.bytes().skip(1).position(|byte| {
            let ends = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            ends
        });
        serde_json::from_str(self.take(inner.map_or(self.rest.len(), |length| length + 2)))
    }

    /// `null`, a boolean, or a number.
    fn word(&mut self) -> Result<Json, Error> {
        let end = self.rest.find([' ', '\t', '\n', '\r', ',', ']', '}']);
        Ok(match self.take(end.unwrap_or(self.rest.len())) {
            "" => return Err(Error::custom("a value is missing")),
            "null" => Json::Null,
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            number => Json::Number(Number::parse(number)),
        })
    }
}
