//! limits placeholder
use protocol::host::{SqlError, SqlErrorKind, Statement};
/// check
pub fn check(statement: &Statement) -> Result<(), SqlError> {
    if statement.params.len() > 100 {
        return Err(SqlError::of(SqlErrorKind::TooManyParameters));
    }
    Ok(())
}
