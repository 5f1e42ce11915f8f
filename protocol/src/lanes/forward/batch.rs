//! What a lane puts into a batch, and what the primary finds in one.

use super::{ForwardBatch, ForwardStatement};
use crate::host::Text;
use crate::json::Json;
use crate::lanes::bind;
use crate::lanes::bridge::SqlStatement;
use crate::lanes::rules::Rules;
use crate::lanes::wire::Field;
use crate::sql::{BindError, Bound};

/// A statement of a batch that cannot be bound. The deployed code throws, and the answer is a 500 (`lanes.md` 13.3).
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Unbound {
    /// Its names and its parameters do not agree.
    #[error(transparent)]
    Names(#[from] BindError),
    /// Its `sql` is no text.
    #[error("a statement of the batch carries no text")]
    NoText,
}

/// A batch with `null` among its statements. The deployed code asks it for a field, which throws, and the answer is a
/// 500.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("statement {at} of the batch is null")]
pub struct NullStatement {
    /// How many statements stand before it.
    pub at: usize,
}

impl ForwardStatement {
    /// The statement as a lane collects it: its parameters "as in the payload", whatever they are (`lanes.md` 14.4).
    pub fn collected(rules: &Rules, statement: &SqlStatement) -> Self {
        let given = statement.params.get().map(Json::as_sent);
        let minted = statement.minted.clone();
        ForwardStatement {
            sql: statement.sql.clone().into(),
            params: given.map_or(Field::Missing, Field::Is),
            table: Text::new((rules.statements.write_target)(&statement.sql).unwrap_or_default()).into(),
            minted: minted.map_or(Field::Missing, Field::Is),
            ..ForwardStatement::default()
        }
    }

    /// The table, as the lane names it; what is no text names none, and is empty.
    pub fn table_name(&self) -> &str {
        self.table.as_str().unwrap_or_default()
    }

    /// The table, in lower case as the rules compare it.
    pub(super) fn folded_table(&self) -> String {
        self.table_name().to_lowercase()
    }

    /// Binds its parameters by position (`lanes.md` 5). They are still JSON, of which
    /// [`decode`](crate::lanes::codec::decode) makes what is executed.
    ///
    /// # Errors
    /// As [`positional_bindings`](crate::sql::positional_bindings), and when there is no text.
    pub fn bind(&self) -> Result<Bound<Json>, Unbound> {
        let sql = self.sql.as_str().ok_or(Unbound::NoText)?;
        let params = self.params.get().unwrap_or(&Json::Null);
        Ok(bind::positional(sql, params)?)
    }
}

impl ForwardBatch {
    /// The statements as JavaScript finds them: none in what is no list (`planForward`, `lanes.md` 10), and in an item
    /// that is neither an object nor `null` a statement without fields.
    ///
    /// # Errors
    /// An item is `null`.
    pub fn read_statements(&self) -> Result<Vec<ForwardStatement>, NullStatement> {
        let items = self.statements.get().map(Vec::as_slice).unwrap_or_default();
        let statements = items.iter().enumerate().map(|(at, item)| match item {
            Field::Is(statement) => Ok(statement.clone()),
            Field::Other(Json::Null) => Err(NullStatement { at }),
            Field::Other(_) | Field::Missing => Ok(ForwardStatement::default()),
        });
        statements.collect()
    }

    /// The tables that it says are partitioned: the texts of the list; none in what is no list.
    pub fn read_partitioned(&self) -> Vec<Text> {
        let items = self.partitioned.get().map(Vec::as_slice).unwrap_or_default();
        items.iter().filter_map(Field::get).cloned().collect()
    }
}
