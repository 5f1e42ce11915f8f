//! A record of the primary's log, and the answer that carries some.

use super::{Field, message};
use crate::host::Text;
use crate::json::Json;
use crate::number::Number;

message! {
    /// One sealed record of the log: the statements that lead from one generation to the next (`lanes.md` 5).
    Record {
        /// The generation that the record leads to.
        "generation" generation: Number,
        /// The generation that it builds on.
        "parent" parent: Number,
        /// The schema text of the primary that sealed it.
        "schemaVersion" schema_version: Text,
        /// The fingerprint of the primary's state when it was sealed. No reader compares it: it must only be there.
        "fingerprint" fingerprint: Text,
        /// Whether there were more statements than a record holds (`lanes.md` 3: 500). Then it carries none.
        "overflowed" overflowed: bool,
        /// What was executed, in order.
        "statements" statements: Vec<Field<LoggedStatement>>,
    }
}

message! {
    /// One statement of a record.
    LoggedStatement {
        /// Its text.
        "sql" sql: Text,
        /// Its parameters: a list, or an object of named ones.
        "params" params: Json,
    }
}

message! {
    /// The answer of `GET action=log` (`lanes.md` 17). Its keys are ours: the contract names only what they hold.
    LogAnswer {
        /// The primary's live sequence.
        "generation" generation: Number,
        /// The records after the generation that was asked for, in order.
        "records" records: Vec<Field<Record>>,
        /// The generations of those that overflowed.
        "overflowed" overflowed: Vec<Json>,
    }
}

impl Record {
    /// A record of these statements.
    pub fn sealed(parent: Number, generation: Number, statements: Vec<LoggedStatement>) -> Self {
        Record {
            generation: generation.into(),
            parent: parent.into(),
            overflowed: false.into(),
            statements: Field::Is(statements.into_iter().map(Field::Is).collect()),
            ..Record::default()
        }
    }
}

impl LoggedStatement {
    /// A statement bound by position.
    pub fn new(sql: impl Into<Text>, params: Vec<Json>) -> Self {
        LoggedStatement {
            sql: Field::Is(sql.into()),
            params: Field::Is(Json::Array(params)),
            ..LoggedStatement::default()
        }
    }
}
