//! The read-only guard: what a replica lets its interpreter do (`enforceReadOnly`, `lanes.md` 11).

use super::bridge::{PayloadError, SqlExec, SqlStatement, SqlTxn, read_payload};
use super::capability::{Bridge, Capability};
use super::forward::ForwardStatement;
use super::rules::Rules;
use crate::ecma::{JsString, collapse_space};
use crate::host::{End, Text};

/// `statementAllowedOnReplica`: a read, a sweep of expired rows, or a write of a table that is the replica's own, and
/// not compound (`lanes.md` 11).
///
/// It goes by [`write_target`](crate::sql::write_target), so by the name of the index in `CREATE INDEX cache_idx ON node (a)`, which is allowed.
pub fn statement_allowed_on_replica(rules: &Rules, sql: &str) -> bool {
    let shapes = &rules.statements;
    !(shapes.is_compound)(sql)
        && ((shapes.is_read)(sql)
            || (shapes.expiry_sweep)(sql).is_some()
            || !(rules.inventory.needs_forwarding)(rules, (shapes.write_target)(sql)))
}

/// Whether writes can be forwarded from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Collector {
    /// A pool lane with forwarding on: writes are collected for the primary.
    Present,
    /// Any other replica.
    Absent,
}

/// One call of the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GuardFacts<'a> {
    /// The function it calls.
    pub capability: &'a str,
    /// The argument of a SQL bridge: JSON.
    pub payload: &'a str,
    /// Whether its writes can be forwarded.
    pub collector: Collector,
}

/// What a call may do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Guarded {
    /// It runs as it is: no SQL.
    Pass,
    /// It runs as it is: only statements that are allowed here.
    PassSql(SqlCall),
    /// It runs and is rolled back, its own cache writes included; what it wrote is forwarded.
    Speculate {
        /// What runs: its end is [`End::Rollback`], whatever the payload said.
        transaction: SqlTxn,
        /// What is forwarded. None when the payload said `commit: false`: a replay was collected when it first ran.
        collected: Option<Vec<ForwardStatement>>,
    },
}

/// A call of one of the bridges, read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SqlCall {
    /// `cfwSqlExec`.
    Exec(SqlExec),
    /// `cfwSqlTxn`.
    Transaction(SqlTxn),
}

impl SqlCall {
    /// The texts of all its statements, the read behind them included.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            SqlCall::Exec(exec) => vec![&exec.sql],
            SqlCall::Transaction(transaction) => {
                let statements = transaction.statements.iter().map(|statement| &*statement.sql);
                statements
                    .chain(transaction.read.as_ref().map(|read| &*read.sql))
                    .collect()
            }
        }
    }
}

/// Only the primary can do this: `ReplicaRequiresPrimary`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{capability} requires the primary: {detail}")]
pub struct RequiresPrimary {
    /// What was called; the value of `x-cfw-requires-primary`.
    pub capability: Text,
    /// Why.
    pub detail: Detail,
}

/// Why a call is refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Detail {
    /// A function that is not known to read only.
    #[error("the capability mutates state outside this replica")]
    Mutates,
    /// The argument of a SQL bridge is no JSON, or a statement in it has no text.
    #[error("the statement payload could not be read")]
    Unreadable(#[source] PayloadError),
    /// A statement is neither a read nor local, and nothing can be forwarded.
    ///
    /// Its text is cut after 120 UTF-16 units, so perhaps within a character.
    #[error("not a read and not replica-local: {0}")]
    NotLocal(JsString),
    /// A write on the bridge that commits at once.
    #[error("a write on the exec bridge cannot be rolled back, so it cannot be forwarded")]
    ExecWrite,
}

/// How much of a refused statement is shown.
const SHOWN_UNITS: usize = 120;

/// `guardCall`: decides one call (`lanes.md` 11).
///
/// # Errors
/// [`RequiresPrimary`] when the replica cannot do it. In the order of the checks: a function that is not known to read;
/// a payload that cannot be read; then, at the first statement that is not allowed, that nothing can be forwarded, or
/// that this bridge cannot roll back.
pub fn guard_call(rules: &Rules, facts: &GuardFacts<'_>) -> Result<Guarded, RequiresPrimary> {
    guard(rules, facts).map_err(|detail| RequiresPrimary {
        capability: Text::new(facts.capability),
        detail,
    })
}

fn guard(rules: &Rules, facts: &GuardFacts<'_>) -> Result<Guarded, Detail> {
    let call = match (rules.guard.classify)(facts.capability) {
        Capability::Safe => return Ok(Guarded::Pass),
        Capability::Mutating => return Err(Detail::Mutates),
        Capability::Sql(Bridge::Exec) => read_payload(facts.payload).map(SqlCall::Exec),
        Capability::Sql(Bridge::Transaction) => read_payload(facts.payload).map(SqlCall::Transaction),
    }
    .map_err(Detail::Unreadable)?;
    let refused = call
        .texts()
        .into_iter()
        .find(|sql| !(rules.guard.allows)(rules, sql));
    let Some(refused) = refused.map(shown) else {
        return Ok(Guarded::PassSql(call));
    };
    match (facts.collector, call) {
        (Collector::Absent, _) => Err(Detail::NotLocal(refused)),
        (Collector::Present, SqlCall::Exec(_)) => Err(Detail::ExecWrite),
        (Collector::Present, SqlCall::Transaction(transaction)) => Ok(speculate(rules, transaction)),
    }
}

fn shown(sql: &str) -> JsString {
    collapse_space(sql).encode_utf16().take(SHOWN_UNITS).collect()
}

fn speculate(rules: &Rules, transaction: SqlTxn) -> Guarded {
    let collected = (transaction.end == End::Commit).then(|| collect(rules, &transaction));
    Guarded::Speculate {
        transaction: SqlTxn {
            end: End::Rollback,
            ..transaction
        },
        collected,
    }
}

/// `collectForward`, one transaction of it: each statement that is not allowed here, in order (`lanes.md` 14.4).
///
/// Also the read behind the statements when it is no read: the contract checks it like the others, and what was rolled
/// back here must not get lost.
fn collect(rules: &Rules, transaction: &SqlTxn) -> Vec<ForwardStatement> {
    let read = transaction
        .read
        .as_ref()
        .map(|read| SqlStatement::new(&read.sql, read.params.clone()));
    let statements = transaction.statements.iter().chain(&read);
    statements
        .filter(|statement| !(rules.guard.allows)(rules, &statement.sql))
        .map(|statement| ForwardStatement::collected(rules, statement))
        .collect()
}

#[cfg(test)]
mod tests;
