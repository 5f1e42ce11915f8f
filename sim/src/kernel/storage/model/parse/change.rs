//! CREATE, DROP and ALTER, but for what a table is made of.

use protocol::host::Text;

use super::super::cell::{Affinity, Cell};
use super::super::shape::{Change, Column, CreateIndex};
use super::{NotListed, Parser, Read};

impl Parser<'_> {
    /// After CREATE.
    pub(super) fn create(&mut self) -> Read<Change> {
        let unique = self.take_word("UNIQUE");
        if self.take_word("INDEX") {
            self.create_index(unique)
        } else if unique {
            Err(NotListed)
        } else {
            self.create_table()
        }
    }

    fn create_index(&mut self, unique: bool) -> Read<Change> {
        let if_not_exists = self.if_not_exists()?;
        let start = self.at();
        let name = self.place()?;
        self.expect_word("ON")?;
        let table = self.place()?;
        let columns = self.names(Parser::column_name)?;
        let kind = if unique { "UNIQUE INDEX" } else { "INDEX" };
        let ddl = Text::from(format!("CREATE {kind} {}", self.text_to_end(start)?));
        Ok(Change::CreateIndex(CreateIndex {
            table,
            name,
            ddl,
            columns,
            unique,
            if_not_exists,
        }))
    }

    /// After DROP.
    pub(super) fn drop(&mut self) -> Read<Change> {
        if self.take_word("INDEX") {
            let if_exists = self.if_exists()?;
            let name = self.place()?;
            return Ok(Change::DropIndex { name, if_exists });
        }
        self.expect_word("TABLE")?;
        let if_exists = self.if_exists()?;
        let table = self.place()?;
        Ok(Change::DropTable { table, if_exists })
    }

    /// After ALTER.
    pub(super) fn alter(&mut self) -> Read<Change> {
        self.expect_word("TABLE")?;
        let table = self.place()?;
        self.expect_word("ADD")?;
        self.take_word("COLUMN");
        let start = self.at();
        let declared = self.column()?;
        if declared.constrains() || !is_certain(&declared.column) {
            return Err(NotListed);
        }
        let sql = self.text_to_end(start)?.trim_ascii_end();
        Ok(Change::AddColumn {
            table,
            sql: Text::new(sql),
            without_rows: declared.column.not_null && declared.column.default.is_null(),
        })
    }
}

/// Whether the rows that are there have in a new column what new rows have by default. SQLite computes it from the text of
/// the literal for the former, from its value for the latter.
fn is_certain(column: &Column) -> bool {
    match (&column.default, column.affinity) {
        (Cell::Integer(integer), _) => i32::try_from(*integer).is_ok(),
        (Cell::Real(_), affinity) => matches!(affinity, Affinity::Integer | Affinity::Real),
        (Cell::Null | Cell::Text(_) | Cell::Blob(_), _) => true,
    }
}
