//! Captured logs: what a real primary has answered, held to what must hold of any log.

mod read;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use protocol::lanes::fingerprint::COVERED_TABLES;
use protocol::sql::write_target;
use serde::Deserialize;

pub use read::{LogError, read};

/// A record, as far as it is held to anything.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Captured {
    /// The generation that it leads to.
    pub generation: u64,
    /// The generation that it builds on.
    pub parent: u64,
    /// The schema of the primary that sealed it.
    pub schema_version: String,
    /// The fingerprint of the state that it leads to.
    pub fingerprint: String,
    /// Whether there were more statements than a record holds.
    pub overflowed: bool,
    /// What was executed.
    pub statements: Vec<CapturedStatement>,
}

/// A statement of a record. Its parameters say nothing that is checked, but they belong to what must not change.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CapturedStatement {
    /// Its text.
    pub sql: String,
    /// Its parameters.
    #[serde(default)]
    pub params: serde_json::Value,
}

/// Something that must not be, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The line, from 1.
    pub line: usize,
    /// What is broken: an invariant's id, or what else is compared.
    pub what: &'static str,
    /// How.
    pub how: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.how)
    }
}

/// Records in the order in which they stand in a file, each with its line and the list that it is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    records: Vec<Placed>,
    answers: Vec<Answered>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Placed {
    line: usize,
    list: usize,
    record: Captured,
}

/// What an answer says beside its records.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answered {
    line: usize,
    list: usize,
    generation: Option<u64>,
    overflowed: Option<Vec<u64>>,
}

/// Whether a statement can change what a fingerprint covers: those whose table nobody can tell can.
fn may_be_covered(statement: &CapturedStatement) -> bool {
    write_target(&statement.sql).is_none_or(|table| COVERED_TABLES.contains(&table))
}

impl Log {
    /// How many records there are, each time that one occurs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// All that must not be, by line. `since` is the generation that the first record must build on, where that is known.
    #[must_use]
    pub fn broken(&self, since: Option<u64>) -> Vec<Breach> {
        let mut broken = Vec::new();
        let mut first: BTreeMap<u64, &Placed> = BTreeMap::new();
        let mut before: Option<&Placed> = None;
        for placed in &self.records {
            let Placed { line, list, record } = placed;
            let mut breach = |what, how: String| {
                broken.push(Breach {
                    line: *line,
                    what,
                    how,
                })
            };
            if record.parent >= record.generation {
                breach(
                    "LR-1",
                    format!(
                        "record {} builds on {}, which is not before it",
                        record.generation, record.parent
                    ),
                );
            }
            if let Some(before) = before.filter(|before| before.list == *list)
                && before.record.generation >= record.generation
            {
                let (here, there) = (record.generation, before.record.generation);
                breach("LR-1", format!("record {here} stands behind record {there}"));
            }
            if record.overflowed && !record.statements.is_empty() {
                breach(
                    "LR-6",
                    format!(
                        "record {} overflowed and carries {} statements",
                        record.generation,
                        record.statements.len()
                    ),
                );
            }
            let is_digest = record.fingerprint.len() == 64
                && record
                    .fingerprint
                    .bytes()
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            if !is_digest {
                breach(
                    "fingerprint",
                    format!("that of record {} is no digest", record.generation),
                );
            }
            match first.get(&record.generation) {
                Some(known) if known.record != *record => {
                    breach(
                        "LR-2",
                        format!(
                            "record {} was another one in line {}",
                            record.generation, known.line
                        ),
                    );
                }
                Some(_) => {}
                None => drop(first.insert(record.generation, placed)),
            }
            before = Some(placed);
        }
        chain(&first, since, &mut broken);
        self.answers
            .iter()
            .for_each(|answer| self.answered(answer, &mut broken));
        broken.sort_by_key(|breach| breach.line);
        broken
    }

    fn answered(&self, answer: &Answered, broken: &mut Vec<Breach>) {
        let own = || {
            self.records
                .iter()
                .filter(|placed| placed.list == answer.list)
                .map(|placed| &placed.record)
        };
        if let (Some(told), Some(newest)) = (answer.generation, own().map(|record| record.generation).max())
            && newest > told
        {
            broken.push(Breach {
                line: answer.line,
                what: "LR-7",
                how: format!("the primary stood at {told} and has record {newest}"),
            });
        }
        let overflowed: Vec<u64> = own()
            .filter(|record| record.overflowed)
            .map(|record| record.generation)
            .collect();
        if answer.overflowed.as_ref().is_some_and(|told| *told != overflowed) {
            broken.push(Breach {
                line: answer.line,
                what: "LR-6",
                how: format!(
                    "the answer lists {:?} as overflowed, and its records say {overflowed:?}",
                    answer.overflowed.as_deref().unwrap_or_default()
                ),
            });
        }
    }
}

/// Holds each record to the one before it, by generation.
fn chain(records: &BTreeMap<u64, &Placed>, since: Option<u64>, broken: &mut Vec<Breach>) {
    if let (Some(since), Some(first)) = (since, records.values().next())
        && first.record.parent != since
    {
        broken.push(Breach {
            line: first.line,
            what: "LR-2",
            how: format!(
                "the log after {since} begins with record {}, which builds on {}",
                first.record.generation, first.record.parent
            ),
        });
    }
    for (before, after) in records.values().zip(records.values().skip(1)) {
        let (one, next) = (&before.record, &after.record);
        let mut breach = |what, how: String| {
            broken.push(Breach {
                line: after.line,
                what,
                how,
            })
        };
        if next.parent != one.generation {
            breach(
                "LR-1",
                format!(
                    "record {} builds on {}, and the record before it is {}",
                    next.generation, next.parent, one.generation
                ),
            );
            continue;
        }
        let stays = !next.overflowed && !next.statements.iter().any(may_be_covered);
        if stays && next.fingerprint != one.fingerprint {
            breach(
                "fingerprint",
                format!(
                    "record {} writes nothing that it covers, and it is not that of record {}",
                    next.generation, one.generation
                ),
            );
        }
    }
}
