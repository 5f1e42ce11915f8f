//! Whether a statement can be proven to read only.

use super::cursor::Cursor;
use crate::ecma::{is_js_space, is_word_boundary, trim};

/// Whether a `;` remains when one at the end, with the blanks behind it, is taken off (`lanes.md` 11).
///
/// Also one inside of a literal or a comment counts: `SELECT ';'` is compound.
pub fn is_compound(sql: &str) -> bool {
    let text = sql.trim_end_matches(is_js_space);
    text.strip_suffix(';').unwrap_or(text).contains(';')
}

/// `isProvenRead`: one statement that starts with `SELECT` or `EXPLAIN`, or with `PRAGMA name (` (`lanes.md` 11).
///
/// `WITH`, `VALUES` and a comment in front are not proven. A pragma with an argument is: its name is not looked at, so
/// `PRAGMA user_version(5)` counts as a read here, and it is the platform that refuses it (`workerd.md`, SQL table).
pub fn is_proven_read(sql: &str) -> bool {
    let text = trim(sql);
    !is_compound(text)
        && (starts_with_word(text, "SELECT") || starts_with_word(text, "EXPLAIN") || is_pragma_call(text))
}

fn starts_with_word(text: &str, word: &str) -> bool {
    Cursor::new(text).letters(word).is_some() && is_word_boundary(text, word.len())
}

fn is_pragma_call(text: &str) -> bool {
    let name = Cursor::new(text).words(&["PRAGMA"]).and_then(Cursor::word);
    name.is_some_and(|(_, after)| after.blanks().char('(').is_some())
}
