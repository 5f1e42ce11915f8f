//! CREATE TABLE.

use std::rc::Rc;

use protocol::host::Text;
use sqlparser::tokenizer::Token;

use super::super::bind::may_name_a_table;
use super::super::cell::{Affinity, Cell};
use super::super::shape::{Change, Column, Index, Key, Operand, Schema};
use super::{NotListed, Parser, Read};

/// A column as it is declared, and what it says of the key.
pub(super) struct Declared {
    pub(super) column: Column,
    /// Whether its type is INTEGER in that very word: only then is a primary key the row's number.
    integer: bool,
    autoincrement: bool,
    /// Its own constraints, in the order in which they stand.
    constraints: Vec<Constraint>,
}

impl Declared {
    /// Whether it says which rows cannot stand beside each other.
    pub(super) fn constrains(&self) -> bool {
        !self.constraints.is_empty()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Constraint {
    Primary,
    Unique,
}

/// A constraint and its columns.
type Constraints = Vec<(Constraint, Vec<usize>)>;

impl Parser<'_> {
    /// After CREATE.
    pub(super) fn create_table(&mut self) -> Read<Change> {
        self.expect_word("TABLE")?;
        let if_not_exists = self.if_not_exists()?;
        let (start, start_offset) = (self.at(), self.offset());
        let quoted = self.at_quoted();
        let name = self.place()?;
        self.expect(&Token::LParen)?;
        let mut declared = vec![self.column()?];
        let mut end = self.offset();
        while self.take(&Token::Comma) && !self.at_constraint() {
            declared.push(self.column()?);
            end = self.offset();
        }
        let constraints = self.constraints(&declared)?;
        self.expect(&Token::RParen)?;
        let clustered = self.take_word("WITHOUT");
        let text = if clustered {
            self.expect_word("ROWID")?;
            self.text_to_end(start)?
        } else {
            self.text_since(start)
        };
        const VERB: &str = "CREATE TABLE ";
        let ddl = Text::new(format!("{VERB}{text}"));
        let key = key_of(&declared, &constraints, clustered)?;
        let schema = Schema {
            add_at: VERB.len() + end - start_offset,
            autoincrement: declared.iter().any(|declared| declared.autoincrement),
            indexes: indexes_of(&name, &key, &constraints),
            columns: columns_of(declared, &key),
            name,
            ddl,
            key,
        };
        check(&schema)?;
        Ok(Change::CreateTable {
            schema: Rc::new(schema),
            quoted,
            if_not_exists,
        })
    }

    fn at_constraint(&self) -> bool {
        let is = |word: &str| {
            matches!(self.peek(), Some(Token::Word(found))
                if found.quote_style.is_none() && found.value.eq_ignore_ascii_case(word))
        };
        is("PRIMARY") || is("UNIQUE")
    }

    /// Those of the columns and, after a comma that was read, those of the table.
    fn constraints(&mut self, declared: &[Declared]) -> Read<Constraints> {
        let mut constraints = Constraints::new();
        for (at, declared) in declared.iter().enumerate() {
            let of_column = declared.constraints.iter();
            constraints.extend(of_column.map(|constraint| (*constraint, vec![at])));
        }
        while self.at_constraint() {
            let constraint = self.constraint()?;
            let mut columns = Vec::new();
            for name in self.names(Parser::name)? {
                let mut known = declared.iter();
                let at = known.position(|declared| declared.column.name == name);
                let at = at.ok_or(NotListed)?;
                if columns.contains(&at) {
                    return Err(NotListed);
                }
                columns.push(at);
            }
            constraints.push((constraint, columns));
            if !self.take(&Token::Comma) {
                return Ok(constraints);
            }
            if !self.at_constraint() {
                return Err(NotListed);
            }
        }
        Ok(constraints)
    }

    fn constraint(&mut self) -> Read<Constraint> {
        if self.take_word("UNIQUE") {
            return Ok(Constraint::Unique);
        }
        self.expect_word("PRIMARY")?;
        self.expect_word("KEY")?;
        Ok(Constraint::Primary)
    }

    pub(super) fn column(&mut self) -> Read<Declared> {
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
            autoincrement: false,
            constraints: Vec::new(),
        };
        loop {
            if self.at_constraint() {
                let constraint = self.constraint()?;
                declared.autoincrement |=
                    constraint == Constraint::Primary && self.take_word("AUTOINCREMENT");
                declared.constraints.push(constraint);
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

fn key_of(declared: &[Declared], constraints: &Constraints, clustered: bool) -> Read<Key> {
    let mut primary = constraints
        .iter()
        .filter(|(constraint, _)| *constraint == Constraint::Primary);
    let key = primary.next().map(|(_, columns)| columns.clone());
    if primary.next().is_some() || clustered && constraints.len() > 1 {
        return Err(NotListed);
    }
    Ok(match (key, clustered) {
        (None, false) => Key::Nothing,
        (None, true) => return Err(NotListed),
        (Some(key), true) => Key::Clustered(key),
        (Some(key), false) => match key.as_slice() {
            [only] if declared[*only].integer => Key::Rowid(*only),
            _ => Key::Columns(key),
        },
    })
}

/// The indexes that SQLite makes for the constraints of a table with numbers: one where several say the same.
fn indexes_of(table: &Text, key: &Key, constraints: &Constraints) -> Vec<Index> {
    let mut indexes: Vec<Index> = Vec::new();
    if matches!(key, Key::Clustered(_)) {
        return indexes;
    }
    for (constraint, columns) in constraints {
        let primary = *constraint == Constraint::Primary;
        if primary && matches!(key, Key::Rowid(_)) {
            continue;
        }
        match indexes.iter_mut().find(|index| index.columns == *columns) {
            Some(index) => index.is_key |= primary,
            None => indexes.push(Index {
                name: Text::from(format!("sqlite_autoindex_{table}_{}", indexes.len() + 1)),
                ddl: None,
                columns: columns.clone(),
                unique: true,
                is_key: primary,
            }),
        }
    }
    indexes
}

fn columns_of(declared: Vec<Declared>, key: &Key) -> Vec<Column> {
    let mut columns: Vec<Column> = declared.into_iter().map(|declared| declared.column).collect();
    if let Key::Clustered(key) = key {
        key.iter().for_each(|column| columns[*column].not_null = true);
    }
    columns
}

/// What no table of the list has.
fn check(schema: &Schema) -> Read<()> {
    let columns = &schema.columns;
    let doubled = (1..columns.len()).any(|at| {
        columns[..at]
            .iter()
            .any(|other| other.name.eq_ignore_ascii_case(&columns[at].name))
    });
    let no_number = schema.autoincrement && !matches!(schema.key, Key::Rowid(_));
    if doubled || no_number || !may_name_a_table(&schema.name) {
        return Err(NotListed);
    }
    Ok(())
}
