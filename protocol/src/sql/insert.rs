//! Plain inserts: a table, a list of columns, one tuple of values.

use super::cursor::Cursor;
use crate::ecma::trim;

/// How the tuple of a [`PlainInsert`] ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tuple<'a> {
    /// The text ends before a closing parenthesis.
    Open,
    /// It is closed, and this follows.
    Closed(&'a str),
}

/// `INSERT [OR word] INTO table (columns) VALUES (values`, taken apart (`lanes.md` 10).
///
/// Three rules of the contract read inserts, each asking for more than the one before; so one reader takes in what all
/// of them allow, and says what else there was. It is a pattern, not a parser: a list ends at the first `)` and is cut
/// at each `,`, so a value that is a call or a literal with a comma in it comes apart. Such pieces are neither `?` nor
/// digits, and those are the only two that the rules take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainInsert<'a> {
    /// Whether the statement has `OR word`.
    pub has_or: bool,
    /// The table's name as it is written, with its double quotes if it has any. Other quotes are not read.
    pub table: &'a str,
    /// The columns as they are written, without white space around; at least one, which may be empty.
    pub columns: Vec<&'a str>,
    /// The values of the first tuple, alike.
    pub values: Vec<&'a str>,
    /// What comes behind them.
    pub tuple: Tuple<'a>,
}

impl<'a> PlainInsert<'a> {
    /// Takes a statement apart; nothing when it is no such insert.
    pub fn read(sql: &'a str) -> Option<Self> {
        let verb = Cursor::new(trim(sql)).words(&["INSERT"])?;
        let or = verb.or_clause();
        let named = or.unwrap_or(verb).words(&["INTO"])?;
        let (_, after) = named.optional_char(&['"']).word()?;
        let after = after.optional_char(&['"']);
        let table = &named.rest()[..named.rest().len() - after.rest().len()];
        let (columns, after) = after.blanks().char('(')?.until(|c| c == ')');
        let values = after.char(')')?.blanks().letters("VALUES")?.blanks().char('(')?;
        let (values, after) = values.until(|c| c == ')');
        Some(PlainInsert {
            has_or: or.is_some(),
            table,
            columns: split(columns),
            values: split(values),
            tuple: after
                .char(')')
                .map_or(Tuple::Open, |after| Tuple::Closed(after.rest())),
        })
    }

    /// Whether nothing stands in it that was not read: no `OR`, and behind the tuple at most one `;`.
    pub fn is_whole(&self) -> bool {
        match self.tuple {
            Tuple::Closed(rest) => !self.has_or && matches!(trim(rest), "" | ";"),
            Tuple::Open => false,
        }
    }

    /// Whether the tuple is closed and its values are as many as the columns and all `?`.
    pub fn is_all_bound(&self) -> bool {
        matches!(self.tuple, Tuple::Closed(_))
            && self.columns.len() == self.values.len()
            && self.values.iter().all(|value| *value == "?")
    }

    /// At which place a column stands. Its quotes do not count, its case does.
    ///
    /// Of a column that is listed twice it is the first place: that is the one whose value SQLite takes.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| unquoted(column) == name)
    }
}

/// A name without double quotes around it.
fn unquoted(name: &str) -> &str {
    let inner = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(name)
}

fn split(list: &str) -> Vec<&str> {
    list.split(',').map(trim).collect()
}
