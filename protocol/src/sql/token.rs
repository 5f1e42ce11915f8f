//! The tokens of a statement, as SQLite cuts them.
//!
//! The shapes of the contract read texts as JavaScript's patterns do ([`Cursor`](super::cursor::Cursor)). What is
//! rewritten and then run must be read as SQLite reads it: a comment is white space, a name has four kinds of quotes, a
//! character outside ASCII belongs to a word. Source: SQLite's documentation, "SQL Comment Syntax" and "SQLite
//! Keywords".

use std::borrow::Cow;

use super::cursor::through;

/// The smallest part of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A keyword, a bare name, a number.
    Word(&'a str),
    /// A literal or a quoted name, with its quotes. One that is not closed goes to the end.
    Quoted(&'a str),
    /// Any other character.
    Mark(char),
}

/// A name, as it is written and without its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name<'a> {
    pub written: &'a str,
    pub plain: Cow<'a, str>,
}

/// The rest of a text. As with [`Cursor`](super::cursor::Cursor), every method gives the place behind what it read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tokens<'a>(&'a str);

impl<'a> Tokens<'a> {
    pub fn new(text: &'a str) -> Self {
        Tokens(text)
    }

    /// What is left.
    pub fn rest(self) -> &'a str {
        self.0
    }

    /// The next token, behind white space and comments; nothing at the end.
    pub fn next(self) -> Option<(Token<'a>, Self)> {
        let text = self.behind_gap().0;
        let first = text.chars().next()?;
        let length = match first {
            '\'' | '"' | '`' | '[' => quoted(text, first),
            _ if is_word(first) => text.find(|c| !is_word(c)).unwrap_or(text.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = text.split_at(length);
        let token = match first {
            '\'' | '"' | '`' | '[' => Token::Quoted(token),
            _ if is_word(first) => Token::Word(token),
            _ => Token::Mark(first),
        };
        Some((token, Tokens(after)))
    }

    /// This keyword, in any case.
    pub fn keyword(self, keyword: &str) -> Option<Self> {
        match self.next()? {
            (Token::Word(word), after) if word.eq_ignore_ascii_case(keyword) => Some(after),
            _ => None,
        }
    }

    /// This character.
    pub fn mark(self, mark: char) -> Option<Self> {
        let (token, after) = self.next()?;
        (token == Token::Mark(mark)).then_some(after)
    }

    /// A name. SQLite takes a text in the place of one.
    pub fn name(self) -> Option<(Name<'a>, Self)> {
        let (token, after) = self.next()?;
        let (written, plain) = match token {
            Token::Word(word) => (word, Cow::Borrowed(word)),
            Token::Quoted(quoted) => (quoted, unquoted(quoted)),
            Token::Mark(_) => return None,
        };
        Some((Name { written, plain }, after))
    }

    /// Behind white space and comments. White space may go on with a vertical tab and cannot begin with one; a byte order
    /// mark is white space where no word is under way (SQLite's `tokenize.c`).
    fn behind_gap(self) -> Self {
        let mut text = self.0;
        loop {
            text = match text.as_bytes() {
                [b' ' | b'\t' | b'\n' | b'\x0c' | b'\r', ..] => {
                    text.trim_start_matches([' ', '\t', '\n', '\u{b}', '\u{c}', '\r'])
                }
                [b'-', b'-', ..] => &text[text.find('\n').unwrap_or(text.len())..],
                [b'/', b'*', ..] => &text[through(text, 2, "*/")..],
                _ => match text.strip_prefix('\u{feff}') {
                    Some(after) => after,
                    None => return Tokens(text),
                },
            };
        }
    }
}

fn is_word(c: char) -> bool {
    !c.is_ascii() || c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// The length of the literal or quoted name that `open` begins. A doubled quote stands for one, except in brackets.
fn quoted(text: &str, open: char) -> usize {
    if open == '[' {
        return through(text, 1, "]");
    }
    let mut length = 1;
    while let Some(at) = text[length..].find(open) {
        length += at + 1;
        if !text[length..].starts_with(open) {
            return length;
        }
        length += 1;
    }
    text.len()
}

fn unquoted(quoted: &str) -> Cow<'_, str> {
    let Some(open) = quoted.chars().next() else {
        return Cow::Borrowed(quoted);
    };
    let close = if open == '[' { ']' } else { open };
    let inner = &quoted[1..];
    let inner = inner.strip_suffix(close).unwrap_or(inner);
    let doubled = String::from_iter([open, open]);
    if inner.contains(&doubled) && open != '[' {
        Cow::Owned(inner.replace(&doubled, &open.to_string()))
    } else {
        Cow::Borrowed(inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut tokens = Vec::new();
        let mut at = Tokens::new(text);
        while let Some((token, after)) = at.next() {
            tokens.push(token);
            at = after;
        }
        tokens
    }

    #[test]
    fn comments_are_white_space_and_quotes_hide_them() {
        use Token::{Mark, Quoted, Word};
        assert_eq!(
            tokens("a/* ' */--\"\n \u{feff}'--' - /"),
            [Word("a"), Quoted("'--'"), Mark('-'), Mark('/')]
        );
        assert_eq!(tokens("é$1,?2"), [Word("é$1"), Mark(','), Mark('?'), Word("2")]);
        assert_eq!(
            tokens("'it''s'[a[]]"),
            [Quoted("'it''s'"), Quoted("[a[]"), Mark(']')]
        );
    }

    /// SQLite's tokenizer begins a gap with any other white space, and goes on with a vertical tab as well.
    #[test]
    fn a_vertical_tab_is_white_space_behind_other_white_space_only() {
        use Token::{Mark, Word};
        assert_eq!(tokens("a \u{b}b--\n\u{b}c"), [Word("a"), Word("b"), Word("c")]);
        for gap in ["\u{b}", "\u{b} ", "/**/\u{b}", "\u{feff}\u{b}"] {
            assert_eq!(tokens(gap), [Mark('\u{b}')], "{gap:?}");
        }
    }

    #[test]
    fn what_is_not_closed_goes_to_the_end() {
        for open in ["'a''", "\"a", "`", "[a"] {
            assert_eq!(tokens(open), [Token::Quoted(open)]);
        }
        assert_eq!(tokens("/* a"), []);
        assert_eq!(tokens("-- a"), []);
    }

    #[test]
    fn a_name_is_read_without_its_quotes() {
        for (text, name) in [
            ("node", "node"),
            ("\"a\"\"b\"", "a\"b"),
            ("`a``b`", "a`b"),
            ("[a b]", "a b"),
            ("[a[[b]", "a[[b"),
            ("'node'", "node"),
            ("\"", ""),
        ] {
            let read = Tokens::new(text).name().map(|(name, _)| name);
            let plain = Cow::Borrowed(name);
            assert_eq!(read, Some(Name { written: text, plain }));
        }
        assert!(Tokens::new("?").name().is_none());
    }
}
