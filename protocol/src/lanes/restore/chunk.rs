//! Whether a chunk may land, and what it writes.

use super::{Copying, is_plain_identifier};
use crate::host::Text;
use crate::json::Json;
use crate::lanes::rules::Rules;
use crate::lanes::wire::Chunk;
use crate::number::Number;
use crate::sql::Bound;

/// The most columns a copied table can have: as many parameters as the platform binds (`lanes.md` 3).
pub const MOST_COLUMNS: usize = 100;

/// Why a chunk may not land, in the order in which it is looked for (`lanes.md` 9).
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ChunkRefusal {
    /// `table` is no text, or no plain identifier.
    #[error("the chunk names no copyable table")]
    NoTable,
    /// The table is not one that is copied.
    #[error("{table} is not copyable: {why}")]
    NotCopyable {
        /// The table.
        table: Text,
        /// Why.
        why: Copying,
    },
    /// `columns` is no list, or empty.
    #[error("the chunk carries no columns")]
    NoColumns,
    /// There are more columns than parameters can be bound.
    #[error("{table} has {columns} columns, past the {MOST_COLUMNS} bound-parameter limit")]
    TooManyColumns {
        /// The table.
        table: Text,
        /// How many.
        columns: usize,
    },
    /// A column is no plain identifier, read as a text.
    #[error("{table} names a column that is not an identifier")]
    BadColumn {
        /// The table.
        table: Text,
    },
    /// `rows` is no list.
    #[error("the chunk carries no row list")]
    NoRows,
    /// A row is no list, or not as long as there are columns.
    #[error("{table} carries a row of the wrong width")]
    BadRow {
        /// The table.
        table: Text,
    },
    /// The lane knows no schema of its own, or another one.
    #[error("schema mismatch: chunk {chunk}, replica {}", .replica.as_deref().unwrap_or("unknown"))]
    Schema {
        /// The chunk's, as JavaScript prints it.
        chunk: Text,
        /// The lane's, if it knows one.
        replica: Option<Text>,
    },
    /// `generation` is no number, not finite, or negative.
    #[error("the chunk carries a generation that is not a number")]
    BadGeneration,
    /// The copy in progress shows another generation.
    #[error("torn copy: the restore began at generation {begun_at} and this chunk was read at {generation}")]
    Torn {
        /// The generation of the copy.
        begun_at: Number,
        /// The generation of the chunk.
        generation: Number,
    },
}

/// Why a chunk may not land; nothing when it may (`lanes.md` 9).
///
/// `begun_at` is the generation of the copy in progress, if there is one. Columns are judged by what JavaScript's
/// regular expression sees: `true` passes, as the text `true`.
pub fn chunk_refusal(
    rules: &Rules,
    chunk: &Chunk,
    local_schema: Option<&str>,
    begun_at: Option<Number>,
) -> Option<ChunkRefusal> {
    judge(rules, chunk, local_schema, begun_at).err()
}

fn judge(
    rules: &Rules,
    chunk: &Chunk,
    local_schema: Option<&str>,
    begun_at: Option<Number>,
) -> Result<(), ChunkRefusal> {
    let table = judge_table(rules, chunk)?;
    let columns = judge_columns(chunk, &table)?;
    judge_rows(chunk, &table, columns)?;
    if local_schema.is_none() || chunk.schema_version.as_str() != local_schema {
        return Err(ChunkRefusal::Schema {
            chunk: chunk.schema_version.to_text(),
            replica: local_schema.map(Text::new),
        });
    }
    let generation = chunk.generation.or_nan();
    if !generation.is_finite() || generation.js_lt(Number::ZERO) {
        return Err(ChunkRefusal::BadGeneration);
    }
    match begun_at {
        Some(begun_at) if !begun_at.js_eq(generation) => Err(ChunkRefusal::Torn { begun_at, generation }),
        _ => Ok(()),
    }
}

fn judge_table(rules: &Rules, chunk: &Chunk) -> Result<Text, ChunkRefusal> {
    let table = chunk
        .table
        .get()
        .filter(|table| is_plain_identifier(table))
        .ok_or(ChunkRefusal::NoTable)?;
    match (rules.copies.plan)(rules, std::slice::from_ref(table)).first() {
        Some(plan) if !plan.copying.is_copied() => Err(ChunkRefusal::NotCopyable {
            table: table.clone(),
            why: plan.copying,
        }),
        _ => Ok(table.clone()),
    }
}

fn judge_columns(chunk: &Chunk, table: &Text) -> Result<usize, ChunkRefusal> {
    let columns = chunk
        .columns
        .get()
        .filter(|columns| !columns.is_empty())
        .ok_or(ChunkRefusal::NoColumns)?;
    if columns.len() > MOST_COLUMNS {
        return Err(ChunkRefusal::TooManyColumns {
            table: table.clone(),
            columns: columns.len(),
        });
    }
    if columns
        .iter()
        .all(|column| is_plain_identifier(&column.to_text()))
    {
        Ok(columns.len())
    } else {
        Err(ChunkRefusal::BadColumn { table: table.clone() })
    }
}

fn judge_rows(chunk: &Chunk, table: &Text, columns: usize) -> Result<(), ChunkRefusal> {
    let rows = chunk.rows.get().ok_or(ChunkRefusal::NoRows)?;
    let fits = |row: &Json| row.as_array().is_some_and(|cells| cells.len() == columns);
    if rows.iter().all(fits) {
        Ok(())
    } else {
        Err(ChunkRefusal::BadRow { table: table.clone() })
    }
}

/// What a chunk writes, in one transaction, with the cells as they came (`lanes.md` 9). Of a chunk that [`chunk_refusal`] refuses, whatever of it
/// can be written, which nobody should run.
///
/// An inserted row replaces every row that it collides with on *any* unique index (`lanes.md` 19.17).
pub fn restore_statements(chunk: &Chunk) -> Vec<Bound<Json>> {
    let table = chunk.table.to_text();
    let mut statements = Vec::new();
    if chunk.first.is_true() {
        statements.push(Bound {
            sql: format!("DELETE FROM \"{table}\"").into(),
            params: Vec::new(),
        });
    }
    let (Some(columns), Some(rows)) = (chunk.columns.get(), chunk.rows.get()) else {
        return statements;
    };
    let sql = insert_text(&table, columns);
    statements.extend(rows.iter().filter_map(Json::as_array).map(|cells| Bound {
        sql: sql.clone(),
        params: cells.to_vec(),
    }));
    statements
}

fn insert_text(table: &str, columns: &[Json]) -> Text {
    let names: Vec<String> = columns
        .iter()
        .map(|column| format!("\"{}\"", column.to_text()))
        .collect();
    let places = vec!["?"; columns.len()].join(", ");
    format!(
        "INSERT OR REPLACE INTO \"{table}\" ({}) VALUES ({places})",
        names.join(", ")
    )
    .into()
}
