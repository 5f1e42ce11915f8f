//! How the interpreter's database driver gives ids to new rows (`lanes.md` section 18).
//!
//! SQLite gives the next free id, and two writers that do not see each other give the same one. So the driver of an
//! object whose site has lanes chooses the id itself, from a class that no other writer uses, and writes it into the
//! statement. The statement then reports `minted`, which is the primary's only sign that the id is the lane's to give.
//! Tables without a row id, and Drupal's `sequences`, are not covered.

use super::bridge::{SqlExec, SqlStatement, SqlTxn};
use super::guard::SqlCall;
use super::partition::Writer;
use super::rules::Rules;
use crate::host::{End, Text};
use crate::number::Number;
use crate::sql::splice_first;

/// The highest ids that a driver knows of in one table; 0 where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HighestIds {
    /// In the rows of its own copy.
    pub in_table: Number,
    /// In `sqlite_sequence`, which remembers deleted rows.
    pub in_sequence: Number,
    /// In inserts that this transaction has buffered.
    pub buffered: Number,
    /// In the stored mark `lane_high:<table>`: what was forwarded and has not come back yet.
    pub marked: Number,
    /// In the driver's memory since it booted.
    pub memo: Number,
}

impl HighestIds {
    /// The id above which the next one must be: the greatest of all.
    pub fn base(&self) -> Number {
        let others = [self.in_sequence, self.buffered, self.marked, self.memo];
        others.into_iter().fold(self.in_table, Number::js_max)
    }
}

/// What an id is minted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MintFacts<'a> {
    /// The statement.
    pub sql: &'a str,
    /// The column that is another name of the row id, without quotes.
    pub id_column: &'a str,
    /// The next id of the writer's class above [`HighestIds::base`]
    /// ([`next_lane_id`](super::partition::next_lane_id)).
    pub id: Number,
}

/// An insert with its id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Minted {
    /// The statement, with the id as first column and first value.
    pub sql: Text,
    /// The table: what the statement reports as `minted`.
    pub table: Text,
    /// The id.
    pub id: Number,
}

/// Whether a driver mints ids at all: from one lane on (`lanes.md` 18).
pub fn is_partitioned(writer: Writer) -> bool {
    writer.lanes.js_ge(Number::integer(1))
}

/// Gives a new row its id; nothing when the statement is no insert of one row with a list of columns, and when it has
/// an id already (`lanes.md` 18).
///
/// The contract says "spliced in as literal first column and value", so an insert of several rows cannot be meant. It is
/// left as it is, and so is each whose id [`lane_high_water`](super::forward::lane_high_water) would not find
/// afterwards, by which the lane knows that the id is used: see [`splice_first`], and an id that is no safe integer or
/// not above 0, as no id of a class is.
pub fn mint(facts: &MintFacts<'_>) -> Option<Minted> {
    let id = facts.id;
    if !(id.is_safe_integer() && id.js_gt(Number::ZERO)) {
        return None;
    }
    let column = format!("\"{}\"", facts.id_column.replace('"', "\"\""));
    let spliced = splice_first(facts.sql, &column, &id.to_string())?;
    Some(Minted {
        sql: spliced.sql,
        table: spliced.table,
        id,
    })
}

/// The call by which a lane's driver runs a statement outside of a transaction: a write as a transaction of its own, so
/// that it can be rolled back; a read or a definition by itself (`lanes.md` 18).
///
/// So a lane cannot create a table that is not its own: on that bridge the guard refuses it.
pub fn unbuffered(rules: &Rules, statement: SqlStatement) -> SqlCall {
    if (rules.statements.is_definition)(&statement.sql) || (rules.statements.is_read)(&statement.sql) {
        SqlCall::Exec(SqlExec {
            sql: statement.sql,
            params: statement.params,
        })
    } else {
        SqlCall::Transaction(SqlTxn {
            statements: vec![statement],
            read: None,
            end: End::Commit,
        })
    }
}

#[cfg(test)]
mod tests;
