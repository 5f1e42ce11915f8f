//! Texts that may come from any file, for a terminal: on one line, and of bounded length.

use std::borrow::Cow;

/// How many characters of a text are printed where nobody says otherwise.
const MOST: usize = 400;

/// A text on one line: what no terminal shows as itself (control characters, marks without width) is escaped. Two texts that
/// differ are printed differently.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    if text
        .bytes()
        .all(|byte| (b' '..=b'~').contains(&byte) && byte != b'\\')
    {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // Quotes stand as they are: `escape_debug` would not leave them.
            '"' | '\'' => line.push(character),
            _ => line.extend(character.escape_debug()),
        }
    }
    Cow::Owned(line)
}

/// The beginning of a text, on one line.
#[must_use]
pub fn brief(text: &str) -> Cow<'_, str> {
    shortened(text, MOST)
}

/// So many characters of a text at most, on one line.
#[must_use]
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    let Some((end, _)) = text.char_indices().nth(most) else {
        return one_line(text);
    };
    Cow::Owned(one_line(&text[..end]).into_owned() + "…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_terminal_shows_is_escaped() {
        assert_eq!(one_line("a \"row\", it's ä"), "a \"row\", it's ä");
        assert_eq!(one_line("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\\n");
        assert_eq!(one_line("a\u{202e}b\u{200b}"), "a\\u{202e}b\\u{200b}");
        assert_ne!(one_line("\\n"), one_line("\n"));
    }

    #[test]
    fn a_long_text_is_told_from_its_beginning() {
        let long = "é".repeat(MOST + 1);
        assert_eq!(brief(&long).chars().count(), MOST + 1);
        assert!(brief(&long).ends_with('…'));
        assert_eq!(brief(&long[..2 * MOST]), long[..2 * MOST]);
    }
}
