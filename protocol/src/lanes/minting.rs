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
    /// The column that is another name of the row id, as the schema writes it.
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
/// The contract says "spliced in as literal first column and value", so an insert of several rows cannot be meant; it
/// is left as it is, and so is one whose next id is no safe integer: written as digits it would be another id.
pub fn mint(facts: &MintFacts<'_>) -> Option<Minted> {
    let id = facts.id;
    if !id.is_safe_integer() {
        return None;
    }
    let column = format!("\"{}\"", facts.id_column);
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
mod tests {
    use super::*;
    use crate::lanes::partition::next_lane_id;
    use crate::sql::Params;

    const RULES: &Rules = &Rules::DOCUMENTED;

    fn minted(sql: &str) -> Option<(String, String)> {
        let id = Number::from(258);
        let id_column = "nid";
        mint(&MintFacts { sql, id_column, id })
            .map(|minted| (minted.sql.to_string(), minted.table.to_string()))
    }

    #[test]
    fn the_id_is_the_first_column_and_value() {
        let sql = "INSERT INTO \"node\" (\"title\") VALUES (?)";
        let spliced = "INSERT INTO \"node\" (\"nid\", \"title\") VALUES (258, ?)";
        assert_eq!(minted(sql), Some((spliced.to_owned(), "node".to_owned())));
    }

    #[test]
    fn what_has_an_id_or_is_not_one_row_is_left_alone() {
        for sql in [
            "INSERT INTO node (NID, title) VALUES (NULL, ?)",
            "INSERT INTO node (title) VALUES (?), (?)",
            "INSERT INTO node (title) SELECT title FROM node",
            "INSERT INTO node VALUES (?)",
            "INSERT INTO node DEFAULT VALUES",
            "UPDATE node SET title = ?",
        ] {
            assert_eq!(minted(sql), None, "{sql}");
        }
    }

    #[test]
    fn an_id_that_is_not_exact_is_not_written() {
        let (sql, id_column) = ("INSERT INTO node (title) VALUES (?)", "nid");
        for id in [
            Number::NAN,
            Number::INFINITY,
            Number::MAX_SAFE_INTEGER + Number::integer(1),
        ] {
            assert_eq!(mint(&MintFacts { sql, id_column, id }), None);
        }
    }

    #[test]
    fn the_next_id_is_above_everything_known() {
        let highest = HighestIds {
            in_table: Number::from(3),
            in_sequence: Number::from(260),
            buffered: Number::from(258),
            marked: Number::from(515),
            memo: Number::from(1),
        };
        let writer = Writer {
            lane: Number::from(1),
            lanes: Number::from(256),
        };
        assert_eq!(next_lane_id(RULES, highest.base(), writer), Number::from(772));
        assert!(is_partitioned(writer));
        assert!(!is_partitioned(Writer {
            lane: Number::ZERO,
            lanes: Number::ZERO
        }));
    }

    #[test]
    fn only_a_write_becomes_a_transaction_of_its_own() {
        let call = |sql| unbuffered(RULES, SqlStatement::new(sql, Params::Absent));
        assert!(
            matches!(call("UPDATE node SET a = 1"), SqlCall::Transaction(one) if one.statements.len() == 1)
        );
        assert!(matches!(
            call("WITH a AS (SELECT 1) DELETE FROM node"),
            SqlCall::Transaction(_)
        ));
        for sql in [
            "SELECT 1",
            "CREATE TABLE flood (fid)",
            "DROP TABLE flood",
            "alter table flood ADD x",
        ] {
            assert!(matches!(call(sql), SqlCall::Exec(_)), "{sql}");
        }
    }
}
