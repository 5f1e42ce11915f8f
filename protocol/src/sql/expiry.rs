//! Sweeps of rows that have expired: the one kind of delete whose effect does not depend on who runs it.

use super::cursor::Cursor;
use crate::ecma::{collapse_space, trim};

/// The tables whose rows expire, each with the column that says when (`lanes.md` 11).
pub const EXPIRING: [(&str, &str); 5] = [
    ("sessions", "timestamp"),
    ("flood", "expiration"),
    ("key_value_expire", "expire"),
    ("batch", "timestamp"),
    ("semaphore", "expire"),
];

const OPENING: [char; 4] = ['"', '\'', '`', '['];
const CLOSING: [char; 4] = ['"', '\'', '`', ']'];

/// `expiryGcTable`: the table of [`EXPIRING`] that a statement sweeps; nothing when it is no such sweep (`lanes.md`
/// 11).
///
/// A sweep is exactly `DELETE FROM table WHERE column < ?`, in any case and with any white space, each name in quotes
/// or not, and a `;` behind it or not. Quotes need not match; a bound of any other form (`:name`, a number) is none.
pub fn expiry_sweep(sql: &str) -> Option<&'static str> {
    let text = collapse_space(trim(sql));
    let (table, after) = quoted(Cursor::new(&text).words(&["DELETE", "FROM"])?)?;
    let (column, after) = quoted(after.space()?.words(&["WHERE"])?)?;
    let end = after.blanks().char('<')?.blanks().char('?')?.blanks();
    let is_whole = end.optional_char(&[';']).rest().is_empty();
    let swept = EXPIRING
        .iter()
        .find(|(t, c)| table.eq_ignore_ascii_case(t) && column.eq_ignore_ascii_case(c))?;
    is_whole.then_some(swept.0)
}

fn quoted(at: Cursor<'_>) -> Option<(&str, Cursor<'_>)> {
    let (name, after) = at.optional_char(&OPENING).word()?;
    Some((name, after.optional_char(&CLOSING)))
}
