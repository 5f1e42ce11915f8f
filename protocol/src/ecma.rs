//! JavaScript's texts, where they differ from Rust's.
//!
//! The contract was written in JavaScript and is carried by texts: headers, environment values, SQL. Which
//! characters `trim()` removes, where `\b` falls and how `sort()` orders decide whether a statement is
//! refused and what a fingerprint is. Rust's own methods look the same and answer differently for a few
//! characters, so the rules stand here once, under names that say whose they are. Source: `lanes.md` section
//! 19, traps 1, 3 and 11; ECMA-262.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// Whether JavaScript counts `c` as white space: what `trim()` removes and what `\s` matches (`lanes.md`
/// 19.3).
///
/// [`char::is_whitespace`] is another set: it holds U+0085 and lacks U+FEFF. U+200B and U+180E are in
/// neither.
pub const fn is_js_space(c: char) -> bool {
    matches!(
        c,
        '\u{9}'..='\u{d}'
            | ' '
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
            | '\u{feff}'
    )
}

/// `text.trim()` (`lanes.md` 19.3).
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_js_space)
}

/// `text.replace(/\s+/g, ' ')`: each run of white space becomes one space. It does not trim (`lanes.md` 11,
/// 19.3).
pub fn collapse_space(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_space = false;
    for c in text.chars() {
        let space = is_js_space(c);
        match (space, in_space) {
            (true, true) => {}
            (true, false) => out.push(' '),
            (false, _) => out.push(c),
        }
        in_space = space;
    }
    out
}

/// Whether `\d` matches `c`: `0` to `9` only, with or without the flag `u` (`lanes.md` 19.3).
pub const fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Whether `\w` matches `c`: ASCII letters, digits and `_` (`lanes.md` 19.3).
pub const fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether `\b` matches in `text` before the byte at offset `at` (`lanes.md` 19.3).
///
/// `at` may be `text.len()`: the ends of a text count as characters outside `\w`, and so does every character
/// that is not ASCII. Beyond the end there is no boundary.
pub fn is_word_boundary(text: &str, at: usize) -> bool {
    // Bytes will do: a byte of a longer character is never ASCII, so it is outside `\w` as its character is.
    let word = |at: usize| {
        text.as_bytes()
            .get(at)
            .is_some_and(|&byte| is_word(char::from(byte)))
    };
    at.checked_sub(1).is_some_and(word) != word(at)
}

/// How JavaScript's `<`, `>` and `sort()` order two texts: by UTF-16 code unit (`lanes.md` 19.11).
///
/// Rust orders by scalar value. The two disagree where one text has a character above U+FFFF, whose first
/// unit is at most U+DBFF, and the other one in U+E000 to U+FFFF.
pub fn cmp_utf16(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

/// A JSON text with `\ufffd` in place of each escape that is half a surrogate pair: what `toWellFormed()` would make of
/// the texts in it (`lanes.md` 19.1; ECMA-262, `JSON.stringify`).
///
/// JavaScript writes such a half as an escape and reads it back, and does write some: a reason that quotes a statement's
/// first 120 units can end in one (`lanes.md` 11). A reader whose texts are Unicode would have to refuse the whole body
/// for it. The result is as long as the text, so that an error names the same place in either; keys that differ in
/// such halves only become one.
pub fn to_well_formed_json(json: &str) -> Cow<'_, str> {
    let backslash = |from: usize| {
        let rest = json.as_bytes().get(from..)?;
        Some(from + rest.iter().position(|&byte| byte == b'\\')?)
    };
    let mut well_formed = String::new();
    let (mut copied, mut from) = (0, 0);
    while let Some(at) = backslash(from) {
        let (length, is_lone) = match escaped_unit(json, at) {
            // `\\`, `\"`, `\n`: the character behind the backslash begins no escape.
            None => (2, false),
            Some(0xd800..=0xdbff) if matches!(escaped_unit(json, at + 6), Some(0xdc00..=0xdfff)) => {
                (12, false)
            }
            Some(unit) => (6, (0xd800..=0xdfff).contains(&unit)),
        };
        from = at + length;
        if is_lone {
            well_formed.push_str(&json[copied..at]);
            well_formed.push_str("\\ufffd");
            copied = from;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    well_formed.push_str(&json[copied..]);
    Cow::Owned(well_formed)
}

/// The unit whose escape `\uXXXX` stands at an offset.
fn escaped_unit(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

/// A JavaScript text: any sequence of UTF-16 code units, also one that is not well-formed Unicode (`lanes.md`
/// 19.1).
///
/// A `&str` cannot hold half a surrogate pair, and a JavaScript text can: `slice(0, 120)` cuts between two
/// units without looking. Equality, order and hash are by unit, as in JavaScript. Collect one from units:
///
/// ```
/// use protocol::ecma::JsString;
/// let cut: JsString = "a🚢".encode_utf16().take(2).collect();
/// assert_eq!(cut.units(), [0x61, 0xd83d]);
/// assert_eq!(cut.to_string_lossy(), "a\u{fffd}");
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JsString(Vec<u16>);

impl JsString {
    /// The UTF-16 code units. Their number is JavaScript's `length`.
    pub fn units(&self) -> &[u16] {
        &self.0
    }

    /// The text as UTF-8 carries it (`TextEncoder`, `toWellFormed()`): one U+FFFD for each lone surrogate.
    pub fn to_string_lossy(&self) -> String {
        self.decode(1)
    }

    /// The text as it comes back after it was bound to an SQL statement of a Durable Object: each lone
    /// surrogate becomes three U+FFFD (`workerd.md`, measured).
    ///
    /// The runtime hands SQLite the surrogate as three bytes, as if it were a character; reading refuses each
    /// byte.
    pub fn to_string_from_sql(&self) -> String {
        self.decode(3)
    }

    fn decode(&self, marks_per_lone: usize) -> String {
        let mut out = String::with_capacity(self.0.len());
        for unit in char::decode_utf16(self.0.iter().copied()) {
            match unit {
                Ok(c) => out.push(c),
                Err(_) => out.extend(std::iter::repeat_n(char::REPLACEMENT_CHARACTER, marks_per_lone)),
            }
        }
        out
    }
}

impl From<&str> for JsString {
    fn from(text: &str) -> Self {
        text.encode_utf16().collect()
    }
}

impl From<Vec<u16>> for JsString {
    fn from(units: Vec<u16>) -> Self {
        Self(units)
    }
}

impl FromIterator<u16> for JsString {
    fn from_iter<I: IntoIterator<Item = u16>>(units: I) -> Self {
        Self(units.into_iter().collect())
    }
}

/// Prints as [`JsString::to_string_lossy`]; what must not lose a unit reads [`JsString::units`].
impl fmt::Display for JsString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_string_lossy())
    }
}

/// Prints a quoted text in which a lone surrogate stands as `\u{d83d}`, so that unequal texts look unequal.
impl fmt::Debug for JsString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for unit in char::decode_utf16(self.0.iter().copied()) {
            match unit {
                Ok(c) => write!(f, "{}", c.escape_debug())?,
                Err(lone) => write!(f, "\\u{{{:x}}}", lone.unpaired_surrogate())?,
            }
        }
        f.write_str("\"")
    }
}

#[cfg(test)]
mod tests;
