//! What the platform refuses whatever the database would say (`platform.md` section 5, `workerd.md`, SQL table).
//! Stands above both stores. What only SQLite can tell apart (PRAGMAs, temporary tables, the size of a whole row) is
//! refused by its authoriser and its own limits, set from here.

use protocol::host::{SqlError, SqlErrorKind, Statement, Text, Value};

use super::split;

/// The limits that a run may set. The default is what the platform documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Parameters that one statement can have.
    pub parameters: usize,
    /// Bytes of a statement's text.
    pub statement_bytes: usize,
    /// Bytes of a value, and of a whole row.
    pub row_bytes: usize,
    /// Columns of a table or of an answer.
    pub columns: usize,
}

/// The greatest value that the runtime of April 2026 was seen to take: a setting of [`Limits::row_bytes`].
pub const ROW_BYTES_OLDER: usize = 2_199_995;
/// The greatest value that the runtime of November 2026 was seen to take: a setting of [`Limits::row_bytes`].
pub const ROW_BYTES_NEWER: usize = 8_388_304;

impl Default for Limits {
    fn default() -> Self {
        Limits {
            parameters: 100,
            statement_bytes: 100_000,
            row_bytes: 2_000_000,
            columns: 100,
        }
    }
}

/// Terms of a compound SELECT.
pub const COMPOUND_TERMS: usize = 5;
/// Depth of an expression.
pub const EXPRESSION_DEPTH: usize = 100;
/// Bytes of a pattern of LIKE or GLOB.
pub const PATTERN_BYTES: usize = 50;
/// Instructions of SQLite's machine that a statement may compile to. The runtime's source had 25,000 in August 2026; that
/// of November runs a statement of 171,962 and refuses one of 172,231, as it does with any limit from 172,032 on up to
/// twice that: SQLite doubles its room for them.
pub const INSTRUCTIONS: usize = 250_000;
/// Arguments of a function.
pub const FUNCTION_ARGUMENTS: usize = 127;
/// Triggers that may set each other off.
pub const TRIGGER_DEPTH: usize = 10;

impl Limits {
    /// Checks what can be told without a database.
    ///
    /// # Errors
    /// Too long a text, too many parameters, too large a value.
    pub fn check(&self, statement: &Statement) -> Result<(), SqlError> {
        if statement.sql.len() > self.statement_bytes {
            return Err(SqlError::of(SqlErrorKind::TooBig));
        }
        if statement.params.len() > self.parameters {
            return Err(SqlError::of(SqlErrorKind::TooManyParameters));
        }
        if statement
            .params
            .iter()
            .any(|value| bytes_of(value) > self.row_bytes)
        {
            return Err(SqlError::of(SqlErrorKind::TooBig));
        }
        Ok(())
    }
}

/// The bytes that a value takes in a row, next to nothing for NULL and numbers.
#[must_use]
pub fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Null | Value::Number(_) => 0,
        Value::Text(text) => text.len(),
        Value::Bytes(bytes) => bytes.0.len(),
    }
}

/// Refuses, once a text, the statements that would reach around the platform's transactions. Their first word tells.
///
/// # Errors
/// A statement that begins, ends or marks a transaction, or rewrites or attaches a database.
pub fn check_first_word(sql: &str) -> Result<(), SqlError> {
    const OF_TRANSACTIONS: [&str; 6] = ["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"];
    let word = split::first_word(sql);
    if word.eq_ignore_ascii_case("VACUUM") {
        return Err(SqlError {
            detail: Some(Text::new_static("cannot VACUUM from within a transaction")),
            ..SqlError::of(SqlErrorKind::Other)
        });
    }
    let refused = OF_TRANSACTIONS.iter().chain(&["ATTACH", "DETACH"]);
    if refused
        .into_iter()
        .any(|refused| word.eq_ignore_ascii_case(refused))
    {
        return Err(SqlError::of(SqlErrorKind::NotAuthorized));
    }
    Ok(())
}
