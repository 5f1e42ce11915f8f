//! The application's database driver: how its statements reach the two SQL bridges, and who gives ids to new rows
//! (`lanes.md` 18).
//!
//! Its memory is with the interpreter that the object has booted: whose ids it mints, and the highest that it has minted.

use std::collections::BTreeMap;

use super::program::NewId;
use crate::host::{End, Rows, Text, Value};
use crate::json::Json;
use crate::lanes::bridge::{SqlExec, SqlStatement, SqlTxn};
use crate::lanes::codec::encode;
use crate::lanes::guard::SqlCall;
use crate::lanes::minting::{HighestIds, MintFacts, Minted};
use crate::lanes::object::{RenderHost, Thrown};
use crate::lanes::partition::Writer;
use crate::lanes::rules::Rules;
use crate::lanes::wire::Field;
use crate::number::Number;

/// A write whose values are known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Prepared {
    /// The statement.
    pub statement: SqlStatement,
    /// Of an insert that leaves its id to others.
    pub new_id: Option<NewId>,
}

/// The writes of a transaction that has not ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Buffered {
    /// In order.
    pub statements: Vec<SqlStatement>,
    /// The highest id that was minted among them, by table in lower case.
    pub highest: BTreeMap<Text, Number>,
}

/// What the driver decides while it runs; it stands in the table of [`Rules`].
#[derive(Clone, Copy, Debug)]
pub struct DriverSteps {
    /// [`choose_bridge`]
    pub choose_bridge: fn(&Rules, Writer, SqlStatement) -> SqlCall,
    /// [`highest_ids`]
    pub highest_ids: fn(&mut dyn RenderHost, &Buffered, &NewId) -> Result<HighestIds, Thrown>,
    /// [`remember`]
    pub remember: fn(&mut dyn RenderHost, &mut Buffered, &Text, Number),
}

impl DriverSteps {
    /// As the contract documents it.
    pub const DOCUMENTED: DriverSteps = DriverSteps {
        choose_bridge,
        highest_ids,
        remember,
    };
}

/// Runs a write that is in no transaction. The id of its new row, if it leaves that to others.
pub(super) fn write(rules: &Rules, host: &mut dyn RenderHost, write: Prepared) -> Result<Written, Thrown> {
    let mut buffered = Buffered::default();
    let Prepared { statement, new_id } = write;
    let (statement, minted) = mint(rules, host, &mut buffered, statement, new_id.as_ref())?;
    let sent = statement.clone();
    match (rules.driver.choose_bridge)(rules, host.writer(), statement) {
        SqlCall::Exec(exec) => host.exec(&exec)?,
        SqlCall::Transaction(transaction) => host.transaction(&transaction)?,
    };
    let id = match (minted, &new_id) {
        (Some(id), _) => Some(Value::Number(id)),
        (None, Some(new_id)) if new_id.into.is_some() => Some(first(&host.exec(&newest(new_id))?)),
        (None, _) => None,
    };
    Ok(Written { sent, id })
}

/// Keeps a write of a transaction back. The id of its new row, if it leaves that to others; when the database shall
/// give it, a replay asks what it gives.
pub(super) fn buffer(
    rules: &Rules,
    host: &mut dyn RenderHost,
    buffered: &mut Buffered,
    write: Prepared,
) -> Result<Option<Value>, Thrown> {
    let Prepared { statement, new_id } = write;
    let (statement, minted) = mint(rules, host, buffered, statement, new_id.as_ref())?;
    buffered.statements.push(statement);
    Ok(match (minted, new_id) {
        (Some(id), _) => Some(Value::Number(id)),
        (None, Some(new_id)) if new_id.into.is_some() => {
            Some(first(&replay(host, buffered, newest(&new_id))?))
        }
        (None, _) => None,
    })
}

/// Gives a new row its id, when ids are partitioned and the statement leaves its id to others.
fn mint(
    rules: &Rules,
    host: &mut dyn RenderHost,
    buffered: &mut Buffered,
    statement: SqlStatement,
    new_id: Option<&NewId>,
) -> Result<(SqlStatement, Option<Number>), Thrown> {
    let writer = host.writer();
    let Some(new_id) = new_id.filter(|_| (rules.minting.is_partitioned)(writer)) else {
        return Ok((statement, None));
    };
    let highest = (rules.driver.highest_ids)(host, buffered, new_id)?;
    let base = (rules.minting.base)(&highest);
    let minted = (rules.minting.mint)(&MintFacts {
        sql: &statement.sql,
        id_column: &new_id.column,
        id: (rules.partition.next_id)(rules, base, writer),
    });
    let Some(Minted { sql, table, id }) = minted else {
        return Ok((statement, None));
    };
    (rules.driver.remember)(host, buffered, &table, id);
    let statement = SqlStatement {
        sql,
        params: statement.params,
        minted: Some(table),
    };
    Ok((statement, Some(id)))
}

/// A write that has run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Written {
    /// The statement that was sent.
    pub sent: SqlStatement,
    /// The id of the new row.
    pub id: Option<Value>,
}

/// By which bridge a statement goes that is in no transaction: on a lane, by
/// [`unbuffered`](crate::lanes::minting::unbuffered); elsewhere by itself. A driver whose ids are not partitioned does
/// not know that it is on a lane.
#[must_use]
pub fn choose_bridge(rules: &Rules, writer: Writer, statement: SqlStatement) -> SqlCall {
    if writer.lane.js_gt(Number::ZERO) {
        return (rules.minting.unbuffered)(rules, statement);
    }
    SqlCall::Exec(SqlExec {
        sql: statement.sql,
        params: statement.params,
    })
}

/// Asks for the highest ids that are known of a table. The reads are the driver's own: the application does not see
/// them, and no page shows them.
///
/// `sqlite_sequence` is not asked: it is there only for tables with AUTOINCREMENT, and the catalogue has none.
///
/// # Errors
/// The object refused a read.
pub fn highest_ids(
    host: &mut dyn RenderHost,
    buffered: &Buffered,
    new_id: &NewId,
) -> Result<HighestIds, Thrown> {
    let table = Text::from(new_id.table.to_lowercase());
    let in_table = first(&host.exec(&newest(new_id))?);
    let mark = host.exec(&SqlExec {
        sql: Text::new_static("SELECT v FROM cfw_meta WHERE k = ?"),
        params: Field::Is(Json::Array(vec![encode(&Value::text(format!(
            "lane_high:{table}"
        )))])),
    })?;
    let marked = first(&mark).as_text().map_or(Number::ZERO, Number::parse);
    let of = |ids: &BTreeMap<Text, Number>| ids.get(&table).copied().unwrap_or(Number::ZERO);
    let memo = host.memo().map_or(Number::ZERO, |memo| of(memo));
    Ok(HighestIds {
        in_table: in_table.as_number().unwrap_or(Number::ZERO),
        in_sequence: Number::ZERO,
        buffered: of(&buffered.highest),
        marked,
        memo,
    })
}

/// Keeps in mind that an id was minted: in this transaction, and for as long as the interpreter lives.
///
/// A transaction that is rolled back, as all are on a lane, leaves nothing else behind.
pub fn remember(host: &mut dyn RenderHost, buffered: &mut Buffered, table: &Text, id: Number) {
    let table = Text::from(table.to_lowercase());
    buffered.highest.insert(table.clone(), id);
    if let Some(memo) = host.memo() {
        memo.insert(table, id);
    }
}

/// Runs what is buffered and a read behind it, and has it all rolled back.
pub(super) fn replay(host: &mut dyn RenderHost, buffered: &Buffered, read: SqlExec) -> Result<Rows, Thrown> {
    host.transaction(&SqlTxn {
        statements: buffered.statements.clone(),
        read: Some(read),
        end: End::Rollback,
    })
}

/// Reads the highest id of a table; after an insert that the database gave its id, the id of that row.
fn newest(new_id: &NewId) -> SqlExec {
    let NewId { table, column, .. } = new_id;
    SqlExec {
        sql: Text::from(format!("SELECT MAX({column}) AS id FROM {table}")),
        params: Field::Missing,
    }
}

/// The first value of the first row; NULL where there is none.
pub(super) fn first(rows: &Rows) -> Value {
    rows.first().cloned().unwrap_or(Value::Null)
}
