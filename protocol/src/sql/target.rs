//! Which table a statement writes.

use super::cursor::Cursor;
use crate::ecma::{is_word, trim};

/// What may open a name. What closes it is not looked at.
const QUOTES: [char; 4] = ['"', '\'', '`', '['];

/// `writeTargetTable`: the table that a statement writes, as it is written; nothing when the text is none of the known
/// shapes (`lanes.md` 11).
///
/// Known are `INSERT [OR word] INTO`, `REPLACE INTO`, `UPDATE [OR word]`, `DELETE FROM` and
/// `CREATE [TEMP|TEMPORARY] TABLE|INDEX [IF NOT EXISTS]`, at the start of the text. The name is a run of ASCII letters,
/// digits, `_` and `.`, so it ends early in `"no de"` and `nodé`. Of `CREATE INDEX` it is the *index's* name, not the
/// table's.
pub fn write_target(sql: &str) -> Option<&str> {
    let start = Cursor::new(trim(sql));
    insert(start)
        .or_else(|| update(start))
        .or_else(|| name(start.words(&["DELETE", "FROM"])?))
        .or_else(|| name(start.words(&["REPLACE", "INTO"])?))
        .or_else(|| create(start))
}

/// Whether a statement defines: begins with `CREATE`, `DROP` or `ALTER` (`lanes.md` 18, "DDL").
pub fn is_definition(sql: &str) -> bool {
    let start = Cursor::new(trim(sql));
    let begins = |word| start.letters(word).is_some_and(|after| after.word().is_none());
    ["CREATE", "DROP", "ALTER"].into_iter().any(begins)
}

fn insert<'a>(start: Cursor<'a>) -> Option<&'a str> {
    let verb = start.words(&["INSERT"])?;
    name(verb.or_clause().unwrap_or(verb).words(&["INTO"])?)
}

/// `UPDATE OR node SET` writes `SET` to this shape, and `UPDATE OR` writes `OR`: the clause is taken where it fits.
fn update<'a>(start: Cursor<'a>) -> Option<&'a str> {
    let verb = start.words(&["UPDATE"])?;
    verb.or_clause().and_then(name).or_else(|| name(verb))
}

fn create<'a>(start: Cursor<'a>) -> Option<&'a str> {
    let verb = start.words(&["CREATE"])?;
    let temporary = ["TEMP", "TEMPORARY"]
        .into_iter()
        .find_map(|word| verb.words(&[word]))
        .unwrap_or(verb);
    let kind = ["TABLE", "INDEX"]
        .into_iter()
        .find_map(|word| temporary.words(&[word]))?;
    // `CREATE TABLE IF` without the rest creates `IF`.
    let guarded = kind.words(&["IF", "NOT", "EXISTS"]);
    guarded.and_then(name).or_else(|| name(kind))
}

fn name(at: Cursor<'_>) -> Option<&str> {
    let (name, _) = at.optional_char(&QUOTES).run(|c| is_word(c) || c == '.')?;
    Some(name)
}
