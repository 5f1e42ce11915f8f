//! A follower's decision about what it was sent.

use protocol::number::Number;

use crate::wire::{LogPage, Record};

/// What is known when the answer to a pull has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PullFacts<'a> {
    /// The position that the pull asked from.
    pub asked_from: Number,
    /// The position now. Another pull may have moved it since.
    pub applied_now: Number,
    /// What the counter sent.
    pub answer: &'a LogPage,
}

/// What a follower does with an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Application {
    /// The records to apply, in order. The position moves to the generation of the last.
    pub records: Vec<Record>,
    /// The records to leave out, and why.
    pub left_out: Vec<LeftOut>,
}

/// Why a follower leaves a record out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum LeftOut {
    /// It is in the copy already.
    #[error("record {generation} is in the copy, which stands at {applied}")]
    Duplicate {
        /// The record.
        generation: Number,
        /// The position.
        applied: Number,
    },
    /// It does not follow the copy: something between them is missing, or the log has forked.
    #[error("record {generation} follows {parent}, and the copy stands at {applied}")]
    Gap {
        /// The record.
        generation: Number,
        /// What it follows.
        parent: Number,
        /// The position.
        applied: Number,
    },
}

/// As documented: the answer to *since G* continues a copy that stands at G, so all of it is applied.
///
/// The flaw: the copy stood at G when the pull asked. When another pull has overtaken this one, records are applied
/// twice and the position moves back.
#[must_use]
pub fn apply(facts: &PullFacts<'_>) -> Application {
    Application {
        records: facts.answer.records.clone(),
        left_out: Vec::new(),
    }
}

/// Applies each record that follows the position where it finds it, and leaves out the others.
#[must_use]
pub fn apply_where_it_fits(facts: &PullFacts<'_>) -> Application {
    let mut position = facts.applied_now;
    let mut application = Application::default();
    for record in &facts.answer.records {
        match fit(record, position) {
            Ok(()) => {
                position = record.generation;
                application.records.push(record.clone());
            }
            Err(reason) => application.left_out.push(reason),
        }
    }
    application
}

/// Whether a record can be applied to a copy that stands at `applied`.
fn fit(record: &Record, applied: Number) -> Result<(), LeftOut> {
    let &Record {
        generation, parent, ..
    } = record;
    if generation <= applied {
        Err(LeftOut::Duplicate { generation, applied })
    } else if parent != applied {
        Err(LeftOut::Gap {
            generation,
            parent,
            applied,
        })
    } else {
        Ok(())
    }
}
