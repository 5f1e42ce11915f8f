//! Reads a statement's text into a shape, or finds that it is none of the list.
//!
//! The tokens are `sqlparser`'s. The grammar on top is ours and closed: a clause that is not written here cannot be
//! overlooked, it makes the statement unsupported.

use std::rc::Rc;

use protocol::host::{Bytes, Text};
use protocol::number::Number;
use sqlparser::tokenizer::Token;

use super::cell::Cell;
use super::shape::{
    Assignment, Change, Condition, Expression, Insert, OnConflict, Operand, Operator, Order, Output, Schema,
    Select, Shape,
};

mod change;
mod create;
mod cursor;

use self::cursor::{Parser, is_reserved};

/// Reads the text that `sqlite_schema` keeps of a table.
pub(super) fn parse_table(ddl: &str) -> Read<Schema> {
    match parse(ddl)?.shape {
        Shape::Change(Change::CreateTable { schema, .. }) => Rc::try_unwrap(schema).map_err(|_| NotListed),
        _ => Err(NotListed),
    }
}

/// A statement that was read, and how many parameters it has.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) shape: Shape,
    pub(super) parameters: usize,
}

/// The text is none of the list.
#[derive(Debug)]
pub(super) struct NotListed;
type Read<T> = Result<T, NotListed>;

/// Reads a text.
pub(super) fn parse(sql: &str) -> Read<Parsed> {
    let mut parser = Parser::new(sql)?;
    let shape = parser.statement()?;
    parser.take(&Token::SemiColon);
    match parser.peek() {
        None => Ok(Parsed {
            shape,
            parameters: parser.parameters(),
        }),
        Some(_) => Err(NotListed),
    }
}

impl Parser<'_> {
    fn statement(&mut self) -> Read<Shape> {
        match self.word()?.to_ascii_uppercase().as_str() {
            "CREATE" => Ok(Shape::Change(self.create()?)),
            "DROP" => Ok(Shape::Change(self.drop()?)),
            "ALTER" => Ok(Shape::Change(self.alter()?)),
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
        let table = self.place()?;
        let columns = if self.peek() == Some(&Token::LParen) {
            Some(self.names(Parser::place)?)
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
        let key = match self.peek() {
            Some(Token::LParen) => Some(self.names(Parser::column_name)?),
            _ => None,
        };
        self.expect_word("DO")?;
        if self.take_word("NOTHING") {
            return Ok(OnConflict::Update { key, set: None });
        }
        if key.is_none() {
            return Err(NotListed);
        }
        self.expect_word("UPDATE")?;
        self.expect_word("SET")?;
        let set = self.list(Parser::assignment)?;
        Ok(OnConflict::Update { key, set: Some(set) })
    }

    fn update(&mut self) -> Read<Shape> {
        let table = self.place()?;
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
            table: self.place()?,
            filter: self.filter()?,
        })
    }

    fn select(&mut self) -> Read<Shape> {
        let output = self.output()?;
        self.expect_word("FROM")?;
        let table = self.place()?;
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
        let start = self.at();
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
        let text = Text::new(self.text_since(start));
        if self.take_word("AS") {
            self.name()
        } else {
            Ok(text)
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
        let column = self.column_name()?;
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
        let column = self.place()?;
        self.expect(&Token::Eq)?;
        Ok(Assignment {
            column,
            value: self.expression()?,
        })
    }

    fn expression(&mut self) -> Read<Expression> {
        let is_name = matches!(self.peek(), Some(Token::Word(word)) if word.quote_style.is_some() || !is_reserved(&word.value));
        if !is_name {
            return Ok(Expression::Operand(self.operand()?));
        }
        let first = self.column_name()?;
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
                return Ok(Operand::Parameter(self.next_parameter()));
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
