//! Reads a statement's text into a shape, or finds that it is none of the list.
//!
//! The tokens are `sqlparser`'s. The grammar on top is ours and closed: a clause that is not written here cannot be
//! overlooked, it makes the statement unsupported.

use protocol::host::{Bytes, Text};
use protocol::number::Number;
use sqlparser::dialect::SQLiteDialect;
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, Whitespace};

use super::cell::Cell;
use super::shape::{
    Assignment, Condition, Expression, Insert, OnConflict, Operand, Operator, Order, Output, Select, Shape,
};

mod create;

/// A statement that was read, and how many parameters it has.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) shape: Shape,
    pub(super) parameters: usize,
}

/// The text is none of the list.
pub(super) struct NotListed;
type Read<T> = Result<T, NotListed>;

/// Reads a text.
pub(super) fn parse(sql: &str) -> Read<Parsed> {
    // SQLite's text ends at a NUL.
    if sql.contains('\0') {
        return Err(NotListed);
    }
    let located = Tokenizer::new(&SQLiteDialect {}, sql)
        .tokenize_with_location()
        .map_err(|_| NotListed)?;
    let comment = |token: &Token| {
        use Whitespace as Blank;
        matches!(
            token,
            Token::Whitespace(Blank::SingleLineComment { .. } | Blank::MultiLineComment(_))
        )
    };
    if located.iter().any(|located| comment(&located.token)) {
        return Err(NotListed);
    }
    let (mut tokens, mut starts) = (Vec::new(), Vec::new());
    for TokenWithSpan { token, span } in located {
        starts.push(offset_of(sql, span.start).ok_or(NotListed)?);
        tokens.push(token);
    }
    starts.push(sql.len());
    let mut parser = Parser {
        sql,
        tokens,
        starts,
        at: 0,
        parameters: 0,
    };
    let shape = parser.statement()?;
    parser.take(&Token::SemiColon);
    match parser.peek() {
        None => Ok(Parsed {
            shape,
            parameters: parser.parameters,
        }),
        Some(_) => Err(NotListed),
    }
}

struct Parser<'a> {
    sql: &'a str,
    tokens: Vec<Token>,
    /// Where each token begins in the text, and where the text ends.
    starts: Vec<usize>,
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

impl Parser<'_> {
    fn statement(&mut self) -> Read<Shape> {
        match self.word()?.to_ascii_uppercase().as_str() {
            "CREATE" => self.create_table(),
            "INSERT" => self.insert(),
            "REPLACE" => self.insert_into(OnConflict::Replace),
            "UPDATE" => self.update(),
            "DELETE" => self.delete(),
            "SELECT" => self.select(),
            _ => Err(NotListed),
        }
    }

    fn insert(&mut self) -> Read<Shape> {
        let on_conflict = if !self.take_word("OR") {
            OnConflict::Fail
        } else if self.take_word("IGNORE") {
            OnConflict::Ignore
        } else {
            self.expect_word("REPLACE")?;
            OnConflict::Replace
        };
        self.insert_into(on_conflict)
    }

    fn insert_into(&mut self, on_conflict: OnConflict) -> Read<Shape> {
        self.expect_word("INTO")?;
        let table = self.name()?;
        let columns = if self.peek() == Some(&Token::LParen) {
            Some(self.names()?)
        } else {
            None
        };
        self.expect_word("VALUES")?;
        let rows = self.list(|parser| {
            parser.expect(&Token::LParen)?;
            let row = parser.list(Parser::operand)?;
            parser.expect(&Token::RParen)?;
            Ok(row)
        })?;
        let on_conflict = match on_conflict {
            OnConflict::Fail if self.take_word("ON") => self.upsert()?,
            other => other,
        };
        Ok(Shape::Insert(Insert {
            table,
            columns,
            rows,
            on_conflict,
        }))
    }

    fn upsert(&mut self) -> Read<OnConflict> {
        self.expect_word("CONFLICT")?;
        let key = self.names()?;
        self.expect_word("DO")?;
        if self.take_word("NOTHING") {
            return Ok(OnConflict::Update { key, set: None });
        }
        self.expect_word("UPDATE")?;
        self.expect_word("SET")?;
        let set = self.list(Parser::assignment)?;
        Ok(OnConflict::Update { key, set: Some(set) })
    }

    fn update(&mut self) -> Read<Shape> {
        let table = self.name()?;
        self.expect_word("SET")?;
        let set = self.list(Parser::assignment)?;
        Ok(Shape::Update {
            table,
            set,
            filter: self.filter()?,
        })
    }

    fn delete(&mut self) -> Read<Shape> {
        self.expect_word("FROM")?;
        Ok(Shape::Delete {
            table: self.name()?,
            filter: self.filter()?,
        })
    }

    fn select(&mut self) -> Read<Shape> {
        let output = self.output()?;
        self.expect_word("FROM")?;
        let table = self.name()?;
        let filter = self.filter()?;
        let order = if self.take_word("ORDER") {
            self.expect_word("BY")?;
            self.list(Parser::order)?
        } else {
            Vec::new()
        };
        let limit = if self.take_word("LIMIT") {
            Some(self.operand()?)
        } else {
            None
        };
        let offset = match limit {
            Some(_) if self.take_word("OFFSET") => Some(self.operand()?),
            _ => None,
        };
        Ok(Shape::Select(Select {
            table,
            output,
            filter,
            order,
            limit,
            offset,
        }))
    }

    fn output(&mut self) -> Read<Output> {
        if self.take(&Token::Mul) {
            return Ok(Output::All);
        }
        let start = self.next_at();
        if self.take_call("COUNT") {
            self.expect(&Token::Mul)?;
            self.expect(&Token::RParen)?;
            return Ok(Output::Count {
                named: self.name_of_expression(start)?,
            });
        }
        if self.take_call("MAX") {
            let column = self.name()?;
            self.expect(&Token::RParen)?;
            return Ok(Output::Max {
                column,
                named: self.name_of_expression(start)?,
            });
        }
        let columns = self.list(|parser| {
            let column = parser.name()?;
            let named = if parser.take_word("AS") {
                Some(parser.name()?)
            } else {
                None
            };
            Ok((column, named))
        })?;
        Ok(Output::Columns(columns))
    }

    /// The alias of an expression, or its own text, which is its name then.
    fn name_of_expression(&mut self, start: usize) -> Read<Text> {
        let text: String = self.tokens[start..self.at].iter().map(Token::to_string).collect();
        if self.take_word("AS") {
            self.name()
        } else {
            Ok(Text::new(text))
        }
    }

    fn order(&mut self) -> Read<Order> {
        let column = self.name()?;
        let descending = self.take_word("DESC");
        if !descending {
            self.take_word("ASC");
        }
        Ok(Order { column, descending })
    }

    fn filter(&mut self) -> Read<Vec<Condition>> {
        let mut conditions = Vec::new();
        if self.take_word("WHERE") {
            conditions.push(self.condition()?);
            while self.take_word("AND") {
                conditions.push(self.condition()?);
            }
        }
        Ok(conditions)
    }

    fn condition(&mut self) -> Read<Condition> {
        let column = self.name()?;
        let operator = match self.next()? {
            Token::Eq | Token::DoubleEq => Operator::Equal,
            Token::Lt => Operator::Less,
            Token::LtEq => Operator::LessOrEqual,
            Token::Gt => Operator::Greater,
            Token::GtEq => Operator::GreaterOrEqual,
            _ => return Err(NotListed),
        };
        Ok(Condition {
            column,
            operator,
            value: self.operand()?,
        })
    }

    fn assignment(&mut self) -> Read<Assignment> {
        let column = self.name()?;
        self.expect(&Token::Eq)?;
        Ok(Assignment {
            column,
            value: self.expression()?,
        })
    }

    fn expression(&mut self) -> Read<Expression> {
        let is_name = matches!(self.peek(), Some(Token::Word(word)) if !is_reserved(&word.value));
        if !is_name {
            return Ok(Expression::Operand(self.operand()?));
        }
        let first = self.name()?;
        if self.take(&Token::Period) {
            let excluded = first.eq_ignore_ascii_case("excluded");
            return if excluded {
                Ok(Expression::Excluded(self.name()?))
            } else {
                Err(NotListed)
            };
        }
        let minus = self.take(&Token::Minus);
        if minus || self.take(&Token::Plus) {
            return Ok(Expression::Sum {
                column: first,
                minus,
                by: self.operand()?,
            });
        }
        Ok(Expression::Column(first))
    }

    fn operand(&mut self) -> Read<Operand> {
        Ok(Operand::Literal(match self.next()? {
            Token::Placeholder(mark) if mark == "?" => {
                self.parameters += 1;
                return Ok(Operand::Parameter(self.parameters - 1));
            }
            Token::Minus => match self.next()? {
                Token::Number(digits, false) => literal_number(&format!("-{digits}"))?,
                _ => return Err(NotListed),
            },
            Token::Number(digits, false) => literal_number(&digits)?,
            Token::SingleQuotedString(text) => Cell::Text(Text::new(text)),
            Token::HexStringLiteral(digits) => {
                Cell::Blob(Bytes(hex::decode(digits).map_err(|_| NotListed)?.into()))
            }
            Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case("NULL") => {
                Cell::Null
            }
            _ => return Err(NotListed),
        }))
    }

    /// The text from a token on to what was read last.
    fn text_since(&self, start: usize) -> &str {
        &self.sql[self.starts[start]..self.starts[self.at]]
    }

    fn names(&mut self) -> Read<Vec<Text>> {
        self.expect(&Token::LParen)?;
        let names = self.list(Parser::name)?;
        self.expect(&Token::RParen)?;
        Ok(names)
    }

    /// A name without quotes: SQLite takes a quoted one that names nothing for a text.
    fn name(&mut self) -> Read<Text> {
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

    fn word(&mut self) -> Read<String> {
        match self.next()? {
            Token::Word(word) if word.quote_style.is_none() => Ok(word.value),
            _ => Err(NotListed),
        }
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.take(&Token::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn expect_word(&mut self, word: &str) -> Read<()> {
        if self.take_word(word) {
            Ok(())
        } else {
            Err(NotListed)
        }
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(found))
            if found.quote_style.is_none() && found.value.eq_ignore_ascii_case(word));
        if found {
            self.at = self.next_at() + 1;
        }
        found
    }

    /// `NAME(`, without a blank between.
    fn take_call(&mut self, function: &str) -> bool {
        let start = self.next_at();
        let is_call = self.tokens.get(start + 1) == Some(&Token::LParen) && self.take_word(function);
        if is_call {
            self.at = start + 2;
        }
        is_call
    }

    fn expect(&mut self, token: &Token) -> Read<()> {
        if self.take(token) { Ok(()) } else { Err(NotListed) }
    }

    fn take(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        if found {
            self.at = self.next_at() + 1;
        }
        found
    }

    fn next(&mut self) -> Read<Token> {
        let at = self.next_at();
        self.at = at + 1;
        self.tokens.get(at).cloned().ok_or(NotListed)
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next_at())
    }

    /// Where the next token that is no white space stands.
    fn next_at(&self) -> usize {
        let blank = |token: &&Token| matches!(token, Token::Whitespace(_));
        self.at
            + self.tokens[self.at.min(self.tokens.len())..]
                .iter()
                .take_while(blank)
                .count()
    }
}

/// The byte at which a line and a column, both counted from 1, begin.
fn offset_of(sql: &str, location: Location) -> Option<usize> {
    let line = usize::try_from(location.line).ok()?.checked_sub(1)?;
    let column = usize::try_from(location.column).ok()?.checked_sub(1)?;
    let start: usize = sql.split_inclusive('\n').take(line).map(str::len).sum();
    let (within, _) = sql[start..]
        .char_indices()
        .chain([(sql.len() - start, ' ')])
        .nth(column)?;
    Some(start + within)
}

fn is_reserved(word: &str) -> bool {
    RESERVED
        .split_ascii_whitespace()
        .any(|reserved| word.eq_ignore_ascii_case(reserved))
}

/// A literal whose every digit is certain to be kept.
fn literal_number(digits: &str) -> Read<Cell> {
    let plain = digits
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'-');
    let short = digits.bytes().filter(u8::is_ascii_digit).count() <= 15;
    if !plain {
        return Err(NotListed);
    }
    if !digits.contains('.') {
        return digits.parse().map(Cell::Integer).map_err(|_| NotListed);
    }
    let number = Number::parse(digits);
    if !short || number.is_nan() || number.js_eq(Number::ZERO) {
        return Err(NotListed);
    }
    Ok(Cell::Real(number))
}
