//! How the primary's writes become records of its log (`lanes.md` 13.1 and 13.2).

use super::rules::Rules;
use super::wire::{Field, LoggedStatement, Record};
use crate::host::{Millis, Statement, Text, Value};
use crate::number::Number;

/// The most statements that a record holds; one more and it overflows (`lanes.md` 3).
pub const MOST_STATEMENTS: usize = 500;

/// `copyableGeneration`: the generation that a copy taken now would show. The highest of the log if that is above 0,
/// else the commit sequence, which can be ahead of it (`lanes.md` 13.1).
pub fn copyable_generation(highest_logged: Option<Number>, sequence: Number) -> Number {
    highest_logged
        .filter(|highest| highest.js_gt(Number::ZERO))
        .unwrap_or(sequence)
}

/// Whether a statement that has run advances the commit sequence and is captured, by the table that it writes
/// (`noteAuthoritativeWrite`, `lanes.md` 13.1). One whose table nobody finds (ALTER, DROP) is not.
pub fn is_captured(rules: &Rules, target: Option<&str>) -> bool {
    target.is_some_and(|table| (rules.inventory.enters_log)(rules, table))
}

/// A transaction of the application that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TransactionFacts {
    /// How many of its statements have run.
    pub ran: usize,
    /// Whether it was committed, and not taken back by an error.
    pub committed: bool,
}

/// How many statements of a transaction that was meant to commit are noted: those that ran. A statement is noted before
/// the transaction ends, and what is in memory does not go back with it (`lanes.md` 13.1 and 19.19).
pub fn noted(facts: &TransactionFacts) -> usize {
    facts.ran
}

/// What was captured since the last seal. Memory only: it dies with the incarnation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Buffer {
    parent: Number,
    captured: Captured,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Captured {
    Statements(Vec<LoggedStatement>),
    Overflowed,
}

impl Buffer {
    /// An empty buffer for a record that builds on `parent`, which is [`copyable_generation`] when its first statement
    /// is captured.
    ///
    /// The sequence has advanced by then. So the first record of an empty log builds on the sequence *after* its first
    /// write, unless it is a forwarded batch, which advances at its end.
    pub fn opened_at(parent: Number) -> Self {
        Buffer {
            parent,
            captured: Captured::Statements(Vec::new()),
        }
    }

    /// Captures a statement. The 501st empties the buffer, and nothing is kept after it (`bufferForReplication`).
    pub fn push(&mut self, statement: LoggedStatement) {
        if let Captured::Statements(statements) = &mut self.captured {
            if statements.len() < MOST_STATEMENTS {
                statements.push(statement);
            } else {
                self.captured = Captured::Overflowed;
            }
        }
    }

    /// Whether nothing is kept any more.
    pub fn is_overflowed(&self) -> bool {
        self.captured == Captured::Overflowed
    }

    /// The generation that it builds on.
    pub fn parent(&self) -> Number {
        self.parent
    }

    /// The record of it, without its fingerprint and schema, which are known later.
    pub fn into_record(self, generation: Number) -> Record {
        let overflowed = self.is_overflowed();
        let statements = match self.captured {
            Captured::Statements(statements) => statements,
            Captured::Overflowed => Vec::new(),
        };
        Record {
            overflowed: overflowed.into(),
            ..Record::sealed(self.parent, generation, statements)
        }
    }
}

/// As what a buffer is sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SealPlan {
    /// As this generation, the commit sequence.
    Seal(Number),
    /// As this generation, to which the sequence is advanced by one more.
    AdvanceAndSeal(Number),
    /// The sequence is advanced to this, is still not after the parent, and the buffer is dropped.
    AdvanceAndDrop(Number),
}

/// As what a buffer is sealed, once the pending advances are in the commit sequence (`sealGeneration`, `lanes.md`
/// 13.2). The digest is awaited after this, so the sequence can move on before the record is stored.
pub fn plan_seal(parent: Number, sequence: Number) -> SealPlan {
    let advanced = sequence + Number::integer(1);
    if !sequence.js_le(parent) {
        SealPlan::Seal(sequence)
    } else if !advanced.js_le(parent) {
        SealPlan::AdvanceAndSeal(advanced)
    } else {
        SealPlan::AdvanceAndDrop(advanced)
    }
}

/// Stores a sealed record. One of the same generation keeps its schema and time and takes the rest of the new one.
///
/// The statements are stored as `JSON.stringify` writes them: a parameter of bytes is `{}` from here on (`lanes.md`
/// 19.10).
pub fn store_record(record: &Record, sealed_at: Millis) -> Statement {
    let text = |field: &Field<Text>| field.get().map_or(Value::Null, |text| Value::Text(text.clone()));
    let statements = record.statements.get().map_or(&[][..], Vec::as_slice);
    let statements = serde_json::to_string(statements).unwrap_or_default();
    Statement::new(
        "INSERT INTO cfw_repl_log (generation, parent, schema_version, fingerprint, overflowed, statements, sealed_at) \
         VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (generation) DO UPDATE SET parent = excluded.parent, \
         fingerprint = excluded.fingerprint, overflowed = excluded.overflowed, statements = excluded.statements",
        vec![
            Value::Number(record.generation.or_nan()),
            Value::Number(record.parent.or_nan()),
            text(&record.schema_version),
            text(&record.fingerprint),
            Value::from(u32::from(record.overflowed.is_true())),
            Value::text(statements),
            Value::Number(Number::from(sealed_at.0)),
        ],
    )
}

#[cfg(test)]
mod tests;
