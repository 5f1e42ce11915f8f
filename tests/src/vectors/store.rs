//! The small model that the flow vectors were made with: a map of `cfw_meta`, the statements that were committed, and
//! transactions that keep all or nothing.

use std::collections::BTreeMap;

use protocol::host::{End, Text};
use protocol::json::Json;
use protocol::lanes::log::{Application, ApplyOptions, Position, PositionFacts};
use protocol::lanes::meta::{Key, Write};
use protocol::lanes::rules::Rules;
use protocol::lanes::wire::{ApplyAnswer, Record};
use protocol::sql::Bound;

use super::{Js, Stop};

/// An object's storage.
#[derive(Clone, Debug, Default)]
pub struct Store {
    meta: BTreeMap<String, Text>,
    executed: Vec<Bound<Json>>,
    /// How many transactions were committed.
    pub transactions: u64,
    /// The statement, counted from 1, that fails.
    pub fail_at: Option<u64>,
    begun: u64,
}

impl Store {
    /// A store with this content of `cfw_meta`.
    pub fn of(meta: &Js) -> Result<Store, Stop> {
        let mut store = Store::default();
        for (key, value) in meta.option(Js::entries)?.unwrap_or_default() {
            store.meta.insert(key.clone(), Text::from(value.text()?));
        }
        Ok(store)
    }

    /// What a key holds.
    pub fn get(&self, key: Key) -> Option<&str> {
        self.meta.get(key.0).map(Text::as_str)
    }

    /// Writes outside a transaction.
    pub fn put(&mut self, writes: Vec<Write>) -> Result<(), String> {
        for write in writes {
            match write {
                Write::Meta(key, value) => {
                    self.meta.insert(key.0.to_owned(), value);
                }
                Write::Sql(statement) => {
                    self.begun += 1;
                    if Some(self.begun) == self.fail_at {
                        return Err("injected failure".to_owned());
                    }
                    self.executed.push(statement);
                }
            }
        }
        Ok(())
    }

    /// Runs a transaction: all of it or nothing.
    pub fn transaction(&mut self, writes: Vec<Write>, end: End) -> Result<(), String> {
        let (meta, executed) = (self.meta.clone(), self.executed.len());
        let ran = self.put(writes);
        if ran.is_err() || end == End::Rollback {
            self.meta = meta;
            self.executed.truncate(executed);
        } else {
            self.transactions += 1;
        }
        ran
    }

    /// Where the lane stands.
    pub fn position(&self, rules: &Rules) -> Position {
        (rules.log.read_position)(&PositionFacts {
            applied: self.get(Key::APPLIED),
            inflight: self.get(Key::INFLIGHT),
        })
    }

    /// Applies a record, or fails with what is thrown.
    pub fn apply(
        &mut self,
        rules: &Rules,
        record: &Record,
        options: &ApplyOptions<'_>,
    ) -> Result<ApplyAnswer, String> {
        let position = self.position(rules);
        let application = (rules.log.apply_record)(rules, &position, record, options);
        let answer = application.answer(&position);
        if let Application::Runs { batches, .. } = application {
            for batch in batches {
                let end = if batch.unbound.is_some() {
                    End::Rollback
                } else {
                    End::Commit
                };
                self.transaction(batch.writes, end)?;
                if let Some(unbound) = batch.unbound {
                    return Err(unbound.to_string());
                }
            }
        }
        Ok(answer)
    }

    /// `cfw_meta`.
    pub fn meta(&self) -> Js {
        let entry = |(key, value): (&String, &Text)| (key.clone(), value.as_str().into());
        Js::Object(self.meta.iter().map(entry).collect())
    }

    /// What was committed, in order.
    pub fn executed(&self) -> Js {
        self.executed.iter().map(statement).collect::<Vec<_>>().into()
    }
}

/// A statement as the vectors write it.
pub fn statement(statement: &Bound<Json>) -> Js {
    let params: Vec<Js> = statement.params.iter().map(Js::from).collect();
    Js::object([("sql", statement.sql.as_str().into()), ("params", params.into())])
}
