//! Reading a captured log, whatever it is made of: what is not as it should be is told with its line and its field.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{Answered, Captured, Log, Placed};

/// Why a log cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// It is no text.
    #[error("line {line}: these bytes are not UTF-8")]
    NotText {
        /// The line, from 1.
        line: usize,
    },
    /// It is no JSON.
    #[error("line {line}: {why}")]
    NotJson {
        /// The line, from 1.
        line: usize,
        /// What the reader says.
        why: String,
    },
    /// A record or an answer is not as it should be.
    #[error("line {line}: {}{why}", if field == "." { String::new() } else { format!("{field}: ") })]
    Field {
        /// The line in which it begins, from 1.
        line: usize,
        /// Which field; `.` is the whole record or answer, which is not told.
        field: String,
        /// What is wrong with it.
        why: String,
    },
}

/// An answer of `action=log`.
#[derive(Deserialize)]
struct Answer<'a> {
    generation: Option<u64>,
    #[serde(borrow)]
    records: Vec<&'a RawValue>,
    overflowed: Option<Vec<u64>>,
}

/// Something of which only its keys matter.
#[derive(Deserialize)]
struct Kind {
    records: Option<serde::de::IgnoredAny>,
}

/// Reads a log: answers, lists of records, and records, one after another.
///
/// # Errors
/// The first thing that is not as it should be.
pub fn read(bytes: &[u8]) -> Result<Log, LogError> {
    let text = std::str::from_utf8(bytes).map_err(|error| LogError::NotText {
        line: line_at(bytes, error.valid_up_to()),
    })?;
    let mut log = Log::default();
    let mut lines = Lines { text, at: 0, line: 1 };
    let values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let mut records_list = None;
    for value in values {
        let value = value.map_err(|error| LogError::NotJson {
            line: error.line(),
            why: error.to_string(),
        })?;
        let line = lines.of(value);
        match value.get().as_bytes().first() {
            Some(b'[') => {
                let list = log.next_list();
                for record in parse::<Vec<&RawValue>>(value, line)? {
                    log.add(list, lines.of(record), record)?;
                }
                records_list = None;
            }
            Some(b'{') if parse::<Kind>(value, line)?.records.is_some() => {
                let list = log.next_list();
                let answer = parse::<Answer<'_>>(value, line)?;
                log.answers.push(Answered {
                    line,
                    list,
                    generation: answer.generation,
                    overflowed: answer.overflowed,
                });
                for record in answer.records {
                    log.add(list, lines.of(record), record)?;
                }
                records_list = None;
            }
            // Records that follow each other are of one list.
            _ => {
                let list = *records_list.get_or_insert_with(|| log.next_list());
                log.add(list, line, value)?;
            }
        }
    }
    Ok(log)
}

impl Log {
    /// A list that no record is of.
    fn next_list(&self) -> usize {
        let records = self.records.last().map_or(0, |placed| placed.list + 1);
        records.max(self.answers.last().map_or(0, |answer| answer.list + 1))
    }

    fn add(&mut self, list: usize, line: usize, record: &RawValue) -> Result<(), LogError> {
        let record: Captured = owned(record, line)?;
        self.records.push(Placed { line, list, record });
        Ok(())
    }
}

fn owned<T: DeserializeOwned>(value: &RawValue, line: usize) -> Result<T, LogError> {
    parse(value, line)
}

fn parse<'a, T: Deserialize<'a>>(value: &'a RawValue, line: usize) -> Result<T, LogError> {
    let mut reader = serde_json::Deserializer::from_str(value.get());
    serde_path_to_error::deserialize(&mut reader).map_err(|error| LogError::Field {
        line: line + error.inner().line().saturating_sub(1),
        field: error.path().to_string(),
        why: error.inner().to_string(),
    })
}

/// Tells the lines of values that are asked for in their order.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line in which a value begins, which is a part of the text.
    fn of(&mut self, value: &RawValue) -> usize {
        let start = value.get().as_ptr() as usize - self.text.as_ptr() as usize;
        // The records of an answer stand behind its beginning.
        let from = self.at.min(start);
        if start >= self.at {
            self.line += self.text.as_bytes()[from..start]
                .iter()
                .filter(|byte| **byte == b'\n')
                .count();
            self.at = start;
        }
        self.line
    }
}

fn line_at(bytes: &[u8], at: usize) -> usize {
    1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count()
}
