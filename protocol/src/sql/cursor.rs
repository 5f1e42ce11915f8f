//! A place in a statement's text, from which a shape is read on.

use crate::ecma::{is_js_space, is_word};

/// The rest of a text. Every method gives the place behind what it read, or nothing when it is not there; being
/// `Copy`, a cursor is also the place to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Self {
        Cursor(text)
    }

    /// What is left.
    pub fn rest(self) -> &'a str {
        self.0
    }

    /// `\s*`
    pub fn blanks(self) -> Self {
        Cursor(self.0.trim_start_matches(is_js_space))
    }

    /// `\s+`
    pub fn space(self) -> Option<Self> {
        let after = self.blanks();
        (after.0.len() < self.0.len()).then_some(after)
    }

    /// This text, in any case; what follows it does not matter.
    pub fn letters(self, letters: &str) -> Option<Self> {
        let head = self.0.get(..letters.len())?;
        head.eq_ignore_ascii_case(letters)
            .then(|| Cursor(&self.0[letters.len()..]))
    }

    /// These words, each with white space behind it.
    pub fn words(self, words: &[&str]) -> Option<Self> {
        words.iter().try_fold(self, |at, word| at.letters(word)?.space())
    }

    /// This character.
    pub fn char(self, c: char) -> Option<Self> {
        self.0.strip_prefix(c).map(Cursor)
    }

    /// One of these characters, or none.
    pub fn optional_char(self, set: &[char]) -> Self {
        self.0.strip_prefix(set).map_or(self, Cursor)
    }

    /// One or more characters of a class.
    pub fn run(self, class: impl Fn(char) -> bool) -> Option<(&'a str, Self)> {
        let (run, after) = self.until(|c| !class(c));
        (!run.is_empty()).then_some((run, after))
    }

    /// `\w+`
    pub fn word(self) -> Option<(&'a str, Self)> {
        self.run(is_word)
    }

    /// All characters before the first one of a class, or to the end.
    pub fn until(self, class: impl Fn(char) -> bool) -> (&'a str, Self) {
        let end = self.0.find(class).unwrap_or(self.0.len());
        let (run, after) = self.0.split_at(end);
        (run, Cursor(after))
    }

    /// Behind `OR` and a word, each with white space behind it; nothing when it is not there.
    pub fn or_clause(self) -> Option<Self> {
        self.words(&["OR"])?.word()?.1.space()
    }
}

/// The length of the literal, quoted name or comment at the start of a text, else of its first byte, which must be ASCII
/// or nothing. One that is not closed goes to the end.
pub(super) fn step_over(text: &str) -> usize {
    match text.as_bytes() {
        // A doubled quote ends one literal and begins the next: the same bytes are stepped over.
        [b'\'', ..] => through(text, 1, "'"),
        [b'"', ..] => through(text, 1, "\""),
        [b'-', b'-', ..] => through(text, 2, "\n"),
        [b'/', b'*', ..] => through(text, 2, "*/"),
        _ => 1,
    }
}

/// The length of what begins with `open` bytes and ends with `close`.
pub(super) fn through(text: &str, open: usize, close: &str) -> usize {
    let found = text[open..].find(close);
    found.map_or(text.len(), |at| open + at + close.len())
}
