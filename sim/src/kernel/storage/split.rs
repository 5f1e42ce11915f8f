//! Takes a text of several statements apart, by the rules of `sqlite3_complete`: quotes, comments, and the body of a
//! trigger hide a semicolon.

use protocol::host::{SqlError, SqlErrorKind, Text};

/// The last statement of a text and those before it, or none when the text is one statement (or nothing).
#[must_use]
pub fn split(sql: &str) -> Option<(&str, Vec<&str>)> {
    // Nearly every text: no semicolon at all.
    if !sql.as_bytes().contains(&b';') {
        return None;
    }
    let mut statements = Vec::new();
    let mut rest = sql;
    while let Some(first) = skip_blank(rest) {
        let (statement, after) = first.split_at(end_of_statement(first));
        if !skip_blank(statement).is_none_or(|text| text.starts_with(';')) {
            statements.push(statement);
        }
        rest = after;
    }
    let last = statements.pop()?;
    (last.len() < sql.len()).then_some((last, statements))
}

/// Why the platform runs nothing of a text, whatever the database would make of it: it holds a NUL, or no statement,
/// or something after its last semicolon that is neither blank nor a statement.
#[must_use]
pub fn refusal(sql: &str) -> Option<SqlError> {
    let none = || {
        Some(SqlError {
            detail: Some(Text::new_static("SQL code did not contain a statement.")),
            ..SqlError::of(SqlErrorKind::Other)
        })
    };
    if sql.contains('\0') {
        return none();
    }
    let mut rest = sql;
    loop {
        let Some(statement) = skip_blank(rest) else {
            return none();
        };
        let after = &statement[end_of_statement(statement)..];
        if after.trim_matches([' ', '\t', '\n', '\r', '\x0c']).is_empty() {
            return None;
        }
        if skip_blank(after).is_none_or(|text| text.starts_with(';')) {
            return none();
        }
        rest = after;
    }
}

/// The first word of a statement.
#[must_use]
pub fn first_word(sql: &str) -> &str {
    let text = skip_blank(sql).unwrap_or("");
    let text = text.trim_start_matches(';');
    let text = skip_blank(text).unwrap_or("");
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// What an `ALTER TABLE … RENAME TO` calls the table, and what follows; without the quote that the name may begin with.
#[must_use]
pub fn new_name(sql: &str) -> Option<&str> {
    let mut rest = skip_blank(first_word(sql).eq_ignore_ascii_case("ALTER").then_some(sql)?)?;
    let mut renames = false;
    loop {
        let (token, after) = rest.split_at(token(rest));
        rest = skip_blank(after)?;
        if renames && token.eq_ignore_ascii_case("TO") {
            return Some(rest.strip_prefix(['\'', '"', '`', '[']).unwrap_or(rest));
        }
        renames = token.eq_ignore_ascii_case("RENAME");
    }
}

/// Whether a word of capital letters stands anywhere in a text, in letters of either size, be it within a comment.
#[must_use]
pub fn mentions(sql: &str, word: &str) -> bool {
    sql.as_bytes()
        .windows(word.len())
        .any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

/// The text from its first token on, or none when only white space and comments are left.
fn skip_blank(mut text: &str) -> Option<&str> {
    loop {
        text = text.trim_start_matches([' ', '\t', '\n', '\r', '\x0c']);
        let length = comment(text);
        if length == 0 {
            return (!text.is_empty()).then_some(text);
        }
        text = &text[length..];
    }
}

/// The length of the comment that the text begins with, or 0.
fn comment(text: &str) -> usize {
    let end_after = |opening: usize, closing: &str| {
        text[opening..]
            .find(closing)
            .map_or(text.len(), |at| opening + at + closing.len())
    };
    if text.starts_with("--") {
        end_after(2, "\n")
    } else if text.starts_with("/*") {
        end_after(2, "*/")
    } else {
        0
    }
}

/// Where the first statement of the text ends, its semicolon included.
fn end_of_statement(text: &str) -> usize {
    let mut words: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = token(rest);
        let token = &rest[..length];
        at += length;
        if token == ";" && !inside_trigger(&words) {
            break;
        }
        let blank = token.trim().is_empty() || comment(token) > 0;
        if !blank && words.len() < 3 {
            words.push(token);
        } else if !blank {
            // Of the rest, only the last word matters: END closes a trigger.
            words.truncate(3);
            words.push(token);
        }
    }
    at
}

/// Whether these words (the first three and the last) are of a trigger that has not reached its END.
fn inside_trigger(words: &[&str]) -> bool {
    let is = |at: usize, word: &str| {
        words
            .get(at)
            .is_some_and(|found| found.eq_ignore_ascii_case(word))
    };
    let temporary = is(1, "TEMP") || is(1, "TEMPORARY");
    let trigger = is(0, "CREATE") && is(if temporary { 2 } else { 1 }, "TRIGGER");
    trigger && !is(words.len() - 1, "END")
}

/// The length of the token that the text begins with: a quoted text, a comment, a word, or one character.
fn token(text: &str) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    let quoted = |closing: char| {
        text[first..]
            .find(closing)
            .map_or(text.len(), |at| first + at + 1)
    };
    match text.as_bytes()[0] {
        quote @ (b'\'' | b'"' | b'`') => quoted(char::from(quote)),
        b'[' => quoted(']'),
        b'-' | b'/' if comment(text) > 0 => comment(text),
        byte if byte.is_ascii_alphabetic() => text
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(text.len()),
        _ => first,
    }
}

#[cfg(test)]
mod tests {
    use super::{first_word, new_name, split};

    #[test]
    fn one_statement_is_left_alone() {
        for text in [
            "",
            "SELECT 1",
            "SELECT 1;",
            "SELECT ';' -- one; two\n;",
            "SELECT 'a''; b' /* ; */;",
        ] {
            assert_eq!(split(text), None, "{text}");
        }
    }

    #[test]
    fn empty_statements_are_dropped() {
        assert_eq!(split(" ;; SELECT 1; -- end\n ; "), Some(("SELECT 1;", vec![])));
    }

    #[test]
    fn quotes_comments_and_triggers_hide_a_semicolon() {
        let trigger = "CREATE TRIGGER a AFTER INSERT ON t BEGIN DELETE FROM u; SELECT 1; END;";
        let text = format!("{trigger}INSERT INTO t VALUES (';'); /* ; */ SELECT [;]");
        assert_eq!(
            split(&text),
            Some(("SELECT [;]", vec![trigger, "INSERT INTO t VALUES (';');"]))
        );
    }

    #[test]
    fn the_first_word_stands_behind_comments() {
        assert_eq!(first_word(" -- a\n/* b */ vacuum INTO 'x'"), "vacuum");
        assert_eq!(first_word(";;COMMIT"), "COMMIT");
        assert_eq!(first_word(""), "");
    }

    #[test]
    fn a_new_name_stands_behind_rename_to() {
        let name = new_name("/* RENAME TO x */ alter table [RENAME TO y].rename RENAME -- to\n TO '_z' ;");
        assert_eq!(name, Some("_z' ;"));
        for text in [
            "ALTER TABLE t RENAME COLUMN a TO b",
            "SELECT 1 AS rename",
            "ALTER TABLE t RENAME TO",
            "",
        ] {
            assert_eq!(new_name(text), None, "{text}");
        }
    }
}
