//! CREATE TABLE.

use std::rc::Rc;

use protocol::host::Text;
use sqlparser::tokenizer::Token;

use super::super::bind::may_name_a_table;
use super::super::cell::{Affinity, Cell};
use super::super::shape::{Column, Key, Operand, Schema, Shape};
use super::{NotListed, Parser, Read};

/// A column as it is declared, and what it says of the key.
struct Declared {
    column: Column,
    /// Whether its type is INTEGER in that very word: only then is a primary key the row's number.
    integer: bool,
    primary: bool,
}

impl Parser<'_> {
    /// After CREATE.
    pub(super) fn create_table(&mut self) -> Read<Shape> {
        self.expect_word("TABLE")?;
        let if_not_exists = self.take_word("IF");
        if if_not_exists {
            self.expect_word("NOT")?;
            self.expect_word("EXISTS")?;
        }
        let start = self.at();
        let name = self.place()?;
        self.expect(&Token::LParen)?;
        let mut declared = vec![self.column()?];
        let mut key = None;
        while self.take(&Token::Comma) {
            if self.take_word("PRIMARY") {
                self.expect_word("KEY")?;
                key = Some(self.names(Parser::name)?);
                break;
            }
            declared.push(self.column()?);
        }
        self.expect(&Token::RParen)?;
        let clustered = self.take_word("WITHOUT");
        if clustered {
            self.expect_word("ROWID")?;
        }
        let ddl = Text::new(format!("CREATE TABLE {}", self.text_since(start)));
        let key = match (key_of(&declared, key)?, clustered) {
            (key, false) => key,
            (Key::Nothing, true) => return Err(NotListed),
            (Key::Rowid(column), true) => Key::Clustered(vec![column]),
            (Key::Columns(columns) | Key::Clustered(columns), true) => Key::Clustered(columns),
        };
        let mut columns: Vec<Column> = declared.into_iter().map(|declared| declared.column).collect();
        if let Key::Clustered(key) = &key {
            key.iter().for_each(|column| columns[*column].not_null = true);
        }
        let doubled = (1..columns.len()).any(|at| {
            columns[..at]
                .iter()
                .any(|other| other.name.eq_ignore_ascii_case(&columns[at].name))
        });
        if doubled || !may_name_a_table(&name) {
            return Err(NotListed);
        }
        Ok(Shape::CreateTable {
            schema: Rc::new(Schema {
                name,
                ddl,
                columns,
                key,
            }),
            if_not_exists,
        })
    }

    fn column(&mut self) -> Read<Declared> {
        let name = self.place()?;
        let (affinity, integer) = self.column_type();
        let column = Column {
            name,
            affinity,
            not_null: false,
            default: Cell::Null,
        };
        let mut declared = Declared {
            column,
            integer,
            primary: false,
        };
        loop {
            if self.take_word("PRIMARY") {
                self.expect_word("KEY")?;
                declared.primary = true;
            } else if self.take_word("NOT") {
                self.expect_word("NULL")?;
                declared.column.not_null = true;
            } else if self.take_word("DEFAULT") {
                declared.column.default = match self.operand()? {
                    Operand::Literal(literal) => literal,
                    Operand::Parameter(_) => return Err(NotListed),
                };
            } else {
                return Ok(declared);
            }
        }
    }

    fn column_type(&mut self) -> (Affinity, bool) {
        if self.take_word("INTEGER") {
            (Affinity::Integer, true)
        } else if self.take_word("INT") {
            (Affinity::Integer, false)
        } else if self.take_word("TEXT") {
            (Affinity::Text, false)
        } else if self.take_word("REAL") {
            (Affinity::Real, false)
        } else {
            self.take_word("BLOB");
            (Affinity::None, false)
        }
    }
}

fn key_of(declared: &[Declared], listed: Option<Vec<Text>>) -> Read<Key> {
    let mut key: Vec<usize> = (0..declared.len()).filter(|at| declared[*at].primary).collect();
    if let Some(listed) = listed {
        if !key.is_empty() {
            return Err(NotListed);
        }
        for name in listed {
            let at = declared
                .iter()
                .position(|declared| declared.column.name == name)
                .ok_or(NotListed)?;
            if key.contains(&at) {
                return Err(NotListed);
            }
            key.push(at);
        }
    } else if key.len() > 1 {
        return Err(NotListed);
    }
    Ok(match key.as_slice() {
        [] => Key::Nothing,
        [only] if declared[*only].integer => Key::Rowid(*only),
        _ => Key::Columns(key),
    })
}
