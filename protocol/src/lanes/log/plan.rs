//! Whether a record builds on a position.

use super::{Distrust, Position};
use crate::host::Text;
use crate::lanes::rules::Rules;
use crate::lanes::wire::{Field, Record};
use crate::number::Number;

/// What is to be done with a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Plan {
    /// It builds on the position: apply it.
    Apply,
    /// It is behind the position: pass it over.
    Duplicate {
        /// The generation that it leads to.
        generation: Number,
    },
    /// It cannot be applied; in a round of catching up this withdraws the lane (`lanes.md` 14.2).
    Refuse(ApplyRefusal),
}

/// What became of a record, in the words of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ApplyAction {
    /// It was applied.
    Apply,
    /// It was passed over.
    Duplicate,
    /// It was refused.
    Refuse,
}

impl ApplyAction {
    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            ApplyAction::Apply => "apply",
            ApplyAction::Duplicate => "duplicate",
            ApplyAction::Refuse => "refuse",
        }
    }
}

/// Why a record cannot be applied, in the order in which it is looked for (`lanes.md` 5).
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ApplyRefusal {
    /// The lane's own position is not to be trusted.
    #[error(transparent)]
    Untrusted(#[from] Distrust),
    /// Generation or parent is no finite number; a text of digits is none either.
    #[error("the record carries a generation that is not a number")]
    NotANumber,
    /// Generation or parent is negative.
    #[error("the record carries a negative generation")]
    Negative,
    /// Generation is not after parent.
    #[error("the record claims {parent} -> {generation}, which does not advance")]
    NoAdvance {
        /// The record's parent.
        parent: Number,
        /// The record's generation.
        generation: Number,
    },
    /// There were too many statements for a record.
    #[error("the record overflowed and carries no statements; this replica must restore")]
    Overflowed,
    /// `statements` is no list.
    #[error("the record carries no statement list")]
    NoStatements,
    /// `fingerprint` is no text, or empty.
    #[error("the record carries no fingerprint, so applying it could not be verified")]
    NoFingerprint,
    /// The lane knows no schema of its own, or another one.
    #[error("schema mismatch: record {record}, replica {}", .replica.as_deref().unwrap_or("unknown"))]
    Schema {
        /// The record's, as JavaScript prints it.
        record: Text,
        /// The lane's, if it knows one.
        replica: Option<Text>,
    },
    /// The record builds on a generation that the lane has not reached.
    #[error("missing generation: applied {applied}, record needs {parent}")]
    Missing {
        /// The lane's position.
        applied: Number,
        /// The record's parent.
        parent: Number,
    },
    /// The record builds on a generation that the lane has passed, and leads beyond it.
    #[error("out of order: applied {applied}, record builds on {parent}")]
    OutOfOrder {
        /// The lane's position.
        applied: Number,
        /// The record's parent.
        parent: Number,
    },
}

impl Plan {
    /// The plan in the words of the wire.
    pub fn action(&self) -> ApplyAction {
        match self {
            Plan::Apply => ApplyAction::Apply,
            Plan::Duplicate { .. } => ApplyAction::Duplicate,
            Plan::Refuse(_) => ApplyAction::Refuse,
        }
    }

    /// Why the record is not applied; empty when it is.
    pub fn reason(&self) -> String {
        match self {
            Plan::Apply => String::new(),
            Plan::Duplicate { generation } => format!("generation {generation} is already applied"),
            Plan::Refuse(refusal) => refusal.to_string(),
        }
    }
}

/// Whether a record builds on a position (`lanes.md` 5).
///
/// A bad record and a foreign schema outrank a duplicate: a record far below the position that overflowed still
/// refuses, and so withdraws the lane.
pub fn plan_apply(rules: &Rules, position: &Position, record: &Record, local_schema: Option<&str>) -> Plan {
    match judge(rules, position, record, local_schema) {
        Err(refusal) => Plan::Refuse(refusal),
        Ok(Some(generation)) => Plan::Duplicate { generation },
        Ok(None) => Plan::Apply,
    }
}

/// The generation of a duplicate, nothing for a record that applies, or the refusal.
fn judge(
    rules: &Rules,
    position: &Position,
    record: &Record,
    local_schema: Option<&str>,
) -> Result<Option<Number>, ApplyRefusal> {
    (rules.log.position_trust)(position)?;
    let named = record.generation.or_nan();
    if (rules.log.is_passed)(position, named) {
        return Ok(Some(named));
    }
    let (parent, generation) = well_formed(record)?;
    if local_schema.is_none() || record.schema_version.as_str() != local_schema {
        return Err(ApplyRefusal::Schema {
            record: record.schema_version.to_text(),
            replica: local_schema.map(Text::new),
        });
    }
    let applied = position.applied;
    if generation.js_le(applied) {
        Ok(Some(generation))
    } else if parent.js_gt(applied) {
        Err(ApplyRefusal::Missing { applied, parent })
    } else if parent.js_lt(applied) {
        Err(ApplyRefusal::OutOfOrder { applied, parent })
    } else {
        Ok(None)
    }
}

fn well_formed(record: &Record) -> Result<(Number, Number), ApplyRefusal> {
    let (generation, parent) = (record.generation.or_nan(), record.parent.or_nan());
    if !generation.is_finite() || !parent.is_finite() {
        return Err(ApplyRefusal::NotANumber);
    }
    if generation.js_lt(Number::ZERO) || parent.js_lt(Number::ZERO) {
        return Err(ApplyRefusal::Negative);
    }
    if generation.js_le(parent) {
        return Err(ApplyRefusal::NoAdvance { parent, generation });
    }
    if record.overflowed.is_true() {
        return Err(ApplyRefusal::Overflowed);
    }
    if !matches!(record.statements, Field::Is(_)) {
        return Err(ApplyRefusal::NoStatements);
    }
    match record.fingerprint.as_str() {
        None | Some("") => Err(ApplyRefusal::NoFingerprint),
        Some(_) => Ok((parent, generation)),
    }
}
