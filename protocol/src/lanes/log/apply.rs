//! Applying a record, as transactions to run.

use super::{Inflight, Plan, Position};
use crate::host::{End, Statement};
use crate::json::Json;
use crate::lanes::meta::{Key, Write};
use crate::lanes::rules::Rules;
use crate::lanes::wire::{ApplyAnswer, Field, LoggedStatement, Record};
use crate::number::Number;
use crate::sql::{BindError, Bound};

/// How a record is to be applied.
#[derive(Clone, Copy, Debug)]
pub struct ApplyOptions<'a> {
    /// The lane's own schema text, if it knows one.
    pub local_schema: Option<&'a str>,
    /// The most statements in one transaction. Below 1 counts as 1; a fraction strides by that fraction; `Infinity` is
    /// no limit. NaN is what JavaScript makes of it: one chunk without statements, which is not the last, so that
    /// nothing is applied and the position stays, and the record is told to be applied all the same.
    pub chunk_size: Number,
}

/// What applying a record comes to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Application {
    /// Nothing is run.
    Stays(Plan),
    /// These transactions are run, one after the other, until one fails. A failure is thrown; it is no refusal, and what
    /// was committed before it stays, the marker among it.
    Runs {
        /// The transactions.
        batches: Batches,
        /// The position afterwards.
        applied: Number,
        /// How many of the transactions are chunks, without the one that only sets the marker.
        chunks: usize,
    },
}

/// Transactions in their order.
pub type Batches = Vec<Batch>;

/// One transaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Batch {
    /// What it writes, in order.
    pub writes: Vec<Write>,
    /// Why it cannot be committed: its next statement cannot be bound. The deployed code finds out when the statements
    /// before have run, so an error of one of those comes first.
    pub unbound: Option<Unbound>,
}

/// A statement of a record that cannot be bound.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Unbound {
    /// Its names and its parameters do not agree.
    #[error(transparent)]
    Names(#[from] BindError),
    /// It is no object, or its `sql` is no text.
    #[error("statement {at} of the record carries no text")]
    NoText {
        /// Which, from 0.
        at: usize,
    },
}

impl Batch {
    /// The transaction as the platform takes it, how it must end, and what is thrown then.
    pub fn into_parts(self) -> (Vec<Statement>, End, Option<Unbound>) {
        let end = if self.unbound.is_none() {
            End::Commit
        } else {
            End::Rollback
        };
        let statements = self.writes.into_iter().map(Write::into_statement).collect();
        (statements, end, self.unbound)
    }
}

impl Application {
    /// The answer of the wire, once all transactions are committed.
    pub fn answer(&self, position: &Position) -> ApplyAnswer {
        let (action, reason, applied, chunks) = match self {
            Application::Stays(plan) => (plan.action(), plan.reason(), position.applied, 0),
            Application::Runs { applied, chunks, .. } => {
                (super::ApplyAction::Apply, String::new(), *applied, *chunks)
            }
        };
        ApplyAnswer {
            action: Field::Is(action.as_str().into()),
            reason: Field::Is(reason.into()),
            applied: applied.into(),
            chunks: Number::from(chunks as u64).into(),
            ..ApplyAnswer::default()
        }
    }
}

/// The transactions that apply a record on a position, or why there are none (`lanes.md` 5, `applyRecord`).
///
/// Without a limit there is one, which also moves the position. Where the record has more statements than the limit,
/// the marker is committed before the first chunk and cleared with the last; so an apply that was interrupted shows
/// itself, and the position is not trusted any more. The record's fingerprint is compared with nothing.
pub fn apply_record(
    rules: &Rules,
    position: &Position,
    record: &Record,
    options: &ApplyOptions<'_>,
) -> Application {
    let plan = (rules.log.plan_apply)(rules, position, record, options.local_schema);
    let (Plan::Apply, Some(statements)) = (&plan, record.statements.get()) else {
        return Application::Stays(plan);
    };
    let (from, to) = (record.parent.or_nan(), record.generation.or_nan());
    let chunks = chunked(statements, options.chunk_size);
    let mut batches = Batches::new();
    if chunks.len() > 1 {
        batches.push(Batch {
            writes: (rules.log.mark)(Inflight { from, to }),
            unbound: None,
        });
    }
    for chunk in &chunks {
        let mut batch = bound(rules, chunk);
        if batch.unbound.is_none() && chunk.last {
            batch.writes.extend(landing(rules, to, chunks.len()));
        }
        let broken = batch.unbound.is_some();
        batches.push(batch);
        if broken {
            break;
        }
    }
    Application::Runs {
        batches,
        applied: to,
        chunks: chunks.len(),
    }
}

/// Without chunks there is no marker, so none is cleared.
fn landing(rules: &Rules, to: Number, chunks: usize) -> Vec<Write> {
    if chunks > 1 {
        (rules.log.land)(to)
    } else {
        vec![Write::number(Key::APPLIED, to)]
    }
}

/// Some statements of a record.
struct Chunk<'a> {
    /// How many stand before them.
    first: usize,
    statements: &'a [Field<LoggedStatement>],
    last: bool,
}

/// A list in strides of `size`, as `slice(i, i + size)` cuts it; an empty list is one empty
/// chunk, whatever the size (`lanes.md` 5: with no statements, one transaction that writes the position).
fn chunked(statements: &[Field<LoggedStatement>], size: Number) -> Vec<Chunk<'_>> {
    if statements.is_empty() {
        return vec![Chunk {
            first: 0,
            statements,
            last: true,
        }];
    }
    let one = Number::integer(1);
    let count = Number::from(statements.len() as u64);
    let size = one.js_max(size.js_min(one.js_max(count)));
    let (mut chunks, mut at) = (Vec::new(), Number::ZERO);
    loop {
        let next = at + size;
        let (first, end) = (index(at, statements.len()), index(next, statements.len()));
        chunks.push(Chunk {
            first,
            statements: &statements[first..end],
            last: next.js_ge(count),
        });
        at = next;
        if !at.js_lt(count) {
            return chunks;
        }
    }
}

/// Where `slice` cuts a list: a fraction is cut off, and NaN is 0.
fn index(at: Number, length: usize) -> usize {
    let at = if at.is_nan() { Number::ZERO } else { at.trunc() };
    let whole = at.to_u64_exact().and_then(|at| usize::try_from(at).ok());
    whole.map_or(length, |at| at.min(length))
}

/// The statements up to the first that cannot be bound.
fn bound(rules: &Rules, chunk: &Chunk<'_>) -> Batch {
    let mut writes = Vec::with_capacity(chunk.statements.len());
    for (nth, statement) in chunk.statements.iter().enumerate() {
        match bind_logged(rules, chunk.first + nth, statement) {
            Ok(statement) => writes.push(Write::Sql(statement)),
            Err(unbound) => {
                return Batch {
                    writes,
                    unbound: Some(unbound),
                };
            }
        }
    }
    Batch {
        writes,
        unbound: None,
    }
}

fn bind_logged(rules: &Rules, at: usize, statement: &Field<LoggedStatement>) -> Result<Bound<Json>, Unbound> {
    let statement = statement.get().ok_or(Unbound::NoText { at })?;
    let sql = statement.sql.as_str().ok_or(Unbound::NoText { at })?;
    let absent = Json::Null;
    let params = match &statement.params {
        Field::Missing => &absent,
        Field::Is(params) | Field::Other(params) => params,
    };
    Ok((rules.statements.bind)(sql, params)?)
}
