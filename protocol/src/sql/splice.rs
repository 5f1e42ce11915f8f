//! A literal put in front of the columns and values of an insert.

use super::cursor::{Cursor, step_over, through};
use crate::ecma::{is_word, trim};
use crate::host::Text;

/// An insert with one more column and value, at the front of both lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spliced {
    /// The text.
    pub sql: Text,
    /// The table, without quotes.
    pub table: Text,
}

/// The parts of an insert that a splice needs, as offsets in its text.
struct Places<'a> {
    table: &'a str,
    columns: usize,
    values: usize,
    listed: &'a str,
}

/// Puts `column` and `literal` in front of an insert's columns and values (`lanes.md` 18).
///
/// Nothing when the statement is no insert with a list of columns and exactly one tuple of values, or when it names
/// the column already. Unlike [`PlainInsert`](super::PlainInsert) this reads literals, quoted names, comments and
/// nested parentheses, because what it writes is run: a literal with `)` in it must not shift the place.
pub fn splice_first(sql: &str, column: &str, literal: &str) -> Option<Spliced> {
    let places = places(sql)?;
    if names(places.listed).any(|name| name.eq_ignore_ascii_case(unquoted(column))) {
        return None;
    }
    let text = format!(
        "{}{column}, {}{literal}, {}",
        &sql[..places.columns],
        &sql[places.columns..places.values],
        &sql[places.values..]
    );
    Some(Spliced {
        sql: text.into(),
        table: Text::new(places.table),
    })
}

fn places(sql: &str) -> Option<Places<'_>> {
    let offset = |at: Cursor<'_>| sql.len() - at.rest().len();
    let verb = Cursor::new(sql).blanks().words(&["INSERT"])?;
    let into = verb.or_clause().unwrap_or(verb).words(&["INTO"])?;
    let (table, after) = into.optional_char(&['"']).run(|c| is_word(c) || c == '.')?;
    let columns = after.optional_char(&['"']).blanks().char('(')?;
    let (listed, after) = group(columns)?;
    let values = after.blanks().letters("VALUES")?.blanks().char('(')?;
    let (tuple, after) = group(values)?;
    // Two tuples would need two values; an empty list has no place before its first item.
    let one = after.blanks().char(',').is_none();
    let filled = !trim(listed).is_empty() && !trim(tuple).is_empty();
    (one && filled).then(|| Places {
        table,
        columns: offset(columns),
        values: offset(values),
        listed,
    })
}

/// The text up to the parenthesis that closes the one before, and the place behind it.
fn group(at: Cursor<'_>) -> Option<(&str, Cursor<'_>)> {
    let text = at.rest();
    let (mut depth, mut place) = (1_usize, 0);
    while let Some(found) = text[place..].find(['(', ')', '\'', '"', '`', '[', '-', '/']) {
        let token = place + found;
        let rest = &text[token..];
        place = token + step(rest);
        match rest.as_bytes()[0] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&text[..token], Cursor::new(&text[place..])));
        }
    }
    None
}

/// As [`step_over`], which knows the two quotes of the contract; a name can stand in two more.
fn step(text: &str) -> usize {
    match text.as_bytes() {
        [b'`', ..] => through(text, 1, "`"),
        [b'[', ..] => through(text, 1, "]"),
        _ => step_over(text),
    }
}

/// The names in a list of columns. One with a comma in it comes apart, and then equals no plain name.
fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(|name| unquoted(trim(name)))
}

fn unquoted(name: &str) -> &str {
    name.trim_matches(['"', '`', '[', ']', '\''])
}
