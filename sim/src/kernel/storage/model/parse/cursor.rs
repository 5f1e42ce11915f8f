//! Walking along a statement's tokens.

use protocol::host::Text;
use sqlparser::dialect::SQLiteDialect;
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, Whitespace};

use super::{NotListed, Read};

/// A text's tokens and how far they were read.
pub(super) struct Parser<'a> {
    sql: &'a str,
    tokens: Vec<Token>,
    /// Where each token begins and ends in the text, in bytes.
    spans: Vec<(usize, usize)>,
    at: usize,
    parameters: usize,
}

/// Words that are no names without quotes, or that SQLite may read as something else where a name could stand.
const RESERVED: &str = " ABORT ADD ALL ALTER AND AS ASC AUTOINCREMENT BETWEEN BY CASE CAST CHECK COLLATE COMMIT \
    CONSTRAINT CREATE CROSS CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DEFAULT DEFERRABLE DELETE DESC DISTINCT DROP \
    ELSE ESCAPE EXCEPT EXISTS FALSE FILTER FOREIGN FROM FULL GENERATED GLOB GROUP HAVING IN INDEX INDEXED INNER \
    INSERT INTERSECT INTO IS ISNULL JOIN LEFT LIKE LIMIT MATCH NATURAL NOT NOTHING NOTNULL NULL OFFSET OID ON OR \
    ORDER OUTER OVER PRIMARY RAISE REFERENCES REGEXP RETURNING RIGHT ROWID SELECT SET TABLE THEN TO TRANSACTION TRUE \
    UNION UNIQUE UPDATE USING VALUES WHEN WHERE WINDOW WITH WITHIN WITHOUT _ROWID_ ";

impl<'a> Parser<'a> {
    pub(super) fn new(sql: &'a str) -> Read<Self> {
        // SQLite's text ends at a NUL.
        if sql.contains('\0') {
            return Err(NotListed);
        }
        let located = Tokenizer::new(&SQLiteDialect {}, sql)
            .tokenize_with_location()
            .map_err(|_| NotListed)?;
        let mut along = Along {
            rest: sql,
            line: 1,
            column: 1,
        };
        let (mut tokens, mut spans) = (Vec::new(), Vec::new());
        for TokenWithSpan { token, span } in located {
            match token {
                Token::Whitespace(Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_)) => {
                    return Err(NotListed);
                }
                Token::Whitespace(_) => {}
                token => {
                    let start = sql.len() - along.advance(span.start)?.len();
                    let end = sql.len() - along.advance(span.end)?.len();
                    spans.push((start, end));
                    tokens.push(token);
                }
            }
        }
        Ok(Parser {
            sql,
            tokens,
            spans,
            at: 0,
            parameters: 0,
        })
    }

    /// Parameters met so far.
    pub(super) fn parameters(&self) -> usize {
        self.parameters
    }

    /// The position of a parameter that was just read.
    pub(super) fn next_parameter(&mut self) -> usize {
        self.parameters += 1;
        self.parameters - 1
    }

    /// The text from a token on to what was read last.
    pub(super) fn text_since(&self, start: usize) -> &str {
        &self.sql[self.spans[start].0..self.spans[self.at - 1].1]
    }

    /// The text from a token on to the end of the statement, white space and all: so far SQLite keeps it where it has to
    /// look for what may follow.
    pub(super) fn text_to_end(&self, start: usize) -> Read<&str> {
        let end = match self.peek() {
            None => self.sql.len(),
            Some(Token::SemiColon) => self.spans[self.at].0,
            Some(_) => return Err(NotListed),
        };
        Ok(&self.sql[self.spans[start].0..end])
    }

    /// `IF EXISTS`.
    pub(super) fn if_exists(&mut self) -> Read<bool> {
        let found = self.take_word("IF");
        if found {
            self.expect_word("EXISTS")?;
        }
        Ok(found)
    }

    /// `IF NOT EXISTS`.
    pub(super) fn if_not_exists(&mut self) -> Read<bool> {
        let found = self.take_word("IF");
        if found {
            self.expect_word("NOT")?;
            self.expect_word("EXISTS")?;
        }
        Ok(found)
    }

    /// Where the token begins that is read next, in bytes.
    pub(super) fn offset(&self) -> usize {
        self.spans.get(self.at).map_or(self.sql.len(), |span| span.0)
    }

    /// Names in parentheses, each read in this way.
    pub(super) fn names(&mut self, name: fn(&mut Self) -> Read<Text>) -> Read<Vec<Text>> {
        self.expect(&Token::LParen)?;
        let names = self.list(name)?;
        self.expect(&Token::RParen)?;
        Ok(names)
    }

    /// A name without quotes: SQLite takes a quoted one that names nothing for a text.
    pub(super) fn name(&mut self) -> Read<Text> {
        let name = self.word()?;
        let plain = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if plain && !is_reserved(&name) {
            Ok(Text::new(name))
        } else {
            Err(NotListed)
        }
    }

    /// A name where nothing but a name can stand, so that quotes change nothing: of a table, of a column that is
    /// declared, inserted or set.
    pub(super) fn place(&mut self) -> Read<Text> {
        match self.quoted() {
            Some(name) => name,
            None => self.name(),
        }
    }

    /// The name of a column among values. One in quotes keeps the first of them, for it is a text where no column has
    /// that name.
    pub(super) fn column_name(&mut self) -> Read<Text> {
        match self.quoted() {
            Some(name) => Ok(Text::from(format!("\"{}", name?))),
            None => self.name(),
        }
    }

    /// Whether what comes next is in double quotes.
    pub(super) fn at_quoted(&self) -> bool {
        matches!(self.peek(), Some(Token::Word(word)) if word.quote_style == Some('"'))
    }

    /// The name in double quotes that comes next, if one does.
    fn quoted(&mut self) -> Option<Read<Text>> {
        let Some(Token::Word(word)) = self.peek() else {
            return None;
        };
        if word.quote_style != Some('"') {
            return None;
        }
        let name = Text::new(&word.value);
        self.at += 1;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let listed = !name.is_empty() && name.bytes().all(plain);
        Some(if listed { Ok(name) } else { Err(NotListed) })
    }

    pub(super) fn word(&mut self) -> Read<String> {
        match self.next()? {
            Token::Word(word) if word.quote_style.is_none() => Ok(word.value),
            _ => Err(NotListed),
        }
    }

    pub(super) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.take(&Token::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Read<()> {
        if self.take_word(word) {
            Ok(())
        } else {
            Err(NotListed)
        }
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(found))
            if found.quote_style.is_none() && found.value.eq_ignore_ascii_case(word));
        if found {
            self.at += 1;
        }
        found
    }

    /// `NAME(`.
    pub(super) fn take_call(&mut self, function: &str) -> bool {
        let is_call = self.tokens.get(self.at + 1) == Some(&Token::LParen) && self.take_word(function);
        if is_call {
            self.at += 1;
        }
        is_call
    }

    pub(super) fn expect(&mut self, token: &Token) -> Read<()> {
        if self.take(token) { Ok(()) } else { Err(NotListed) }
    }

    pub(super) fn take(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        if found {
            self.at += 1;
        }
        found
    }

    pub(super) fn next(&mut self) -> Read<Token> {
        let token = self.peek().cloned().ok_or(NotListed)?;
        self.at += 1;
        Ok(token)
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    /// The number of the token that is read next.
    pub(super) fn at(&self) -> usize {
        self.at
    }
}

/// A walk along a text by line and column, both counted from 1, as the tokenizer counts.
struct Along<'a> {
    rest: &'a str,
    line: u64,
    column: u64,
}

impl<'a> Along<'a> {
    /// Goes on to a place; gives the text from there on.
    fn advance(&mut self, to: Location) -> Read<&'a str> {
        while (self.line, self.column) < (to.line, to.column) {
            let mut chars = self.rest.chars();
            match chars.next().ok_or(NotListed)? {
                '\n' => (self.line, self.column) = (self.line + 1, 1),
                _ => self.column += 1,
            }
            self.rest = chars.as_str();
        }
        Ok(self.rest)
    }
}

pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED
        .split_ascii_whitespace()
        .any(|reserved| word.eq_ignore_ascii_case(reserved))
}
