//! A lane: stages, chunks, rounds of catching up.

use std::collections::BTreeMap;

use protocol::host::{Payload, Text};
use protocol::json::Json;
use protocol::lanes::admission::{
    AdmissionFacts, AdmissionRefusal, MANDATORY_COLLECTIONS, MANDATORY_STATE, StageName, StateEntry,
};
use protocol::lanes::catch_up::{NoRound, Pull, PullEnd, RefusedRecord, RoundFacts};
use protocol::lanes::log::ApplyOptions;
use protocol::lanes::log::{ApplyRefusal, Plan};
use protocol::lanes::meta::{Key, Write};
use protocol::lanes::restore::{LandingFacts, WholenessFacts};
use protocol::lanes::rules::Rules;
use protocol::lanes::wire::{Chunk, Head, Record, RestoreAnswer, StageAnswer};
use protocol::number::Number;

use super::super::store::Store;
use super::super::wire::{message, optional_text, texts_or_none};
use super::super::{Js, Ran, Stop, unheld};

/// Runs the steps of a vector and tells what the lane has become.
pub fn run(input: &Js) -> Ran {
    let mut lane = Lane::of(input.field("lane"))?;
    let mut results = Vec::new();
    for step in input.field("steps").array()? {
        results.push(match step.field("op").text()?.as_str() {
            "stage" => lane.set_stage(&step.field("to").text()?),
            "chunk" => lane.land(step.field("restart").is_true(), &message(step.field("chunk"))?)?,
            "catch" => {
                let records = step.field("records").array()?.iter().map(message);
                lane.catch_up(
                    &message(step.field("head"))?,
                    &records.collect::<Result<Vec<_>, _>>()?,
                )?
            }
            other => return unheld(format!("the model has no step {other:?}")),
        });
    }
    let rows = lane
        .rows
        .iter()
        .map(|(table, count)| (table.to_string(), (*count).into()));
    Ok(Js::object([
        ("results", results.into()),
        ("meta", lane.store.meta()),
        ("stage", lane.stage().as_str().into()),
        ("rows", Js::Object(rows.collect())),
        ("purges", lane.purges.into()),
    ]))
}

struct Lane {
    rules: Rules,
    store: Store,
    schema: String,
    fingerprint: String,
    gap: Vec<Text>,
    rows: BTreeMap<Text, u64>,
    purges: u32,
}

impl Lane {
    fn of(given: &Js) -> Result<Lane, Stop> {
        let mut store = Store::of(given.field("meta"))?;
        if let Some(stage) = optional_text(given.field("stage"))? {
            put(&mut store, vec![Write::Meta(Key::STAGE, stage.into())])?;
        }
        Ok(Lane {
            rules: Rules::DOCUMENTED,
            store,
            schema: optional_text(given.field("localSchema"))?.unwrap_or_else(|| "p1".to_owned()),
            fingerprint: "fp".to_owned(),
            gap: texts_or_none(given.field("gap"))?,
            rows: BTreeMap::new(),
            purges: 0,
        })
    }

    fn stage(&self) -> StageName {
        StageName::stored(self.store.get(Key::STAGE))
    }

    fn sequence(&self) -> Number {
        Number::parse(self.store.get(Key::COMMIT_SEQUENCE).unwrap_or("0"))
    }

    fn set_stage(&mut self, to: &str) -> Js {
        let wish = (self.rules.admission.set_stage)(&self.rules, &self.stage(), &StageName::of(to));
        self.write(wish.write().into_iter().collect());
        told(&StageAnswer::from(&wish))
    }

    /// Nothing of what these flows write themselves can fail.
    fn write(&mut self, writes: Vec<Write>) {
        let _ = self.store.put(writes);
    }

    fn land(&mut self, restart: bool, chunk: &Chunk) -> Ran {
        if restart {
            self.write((self.rules.copies.restart)());
        }
        let landing = (self.rules.copies.land)(
            &self.rules,
            &LandingFacts {
                replica: true,
                stage: self.stage(),
                restore_generation: self.store.get(Key::RESTORE_GENERATION),
                restore_seen: self.store.get(Key::RESTORE_SEEN),
                restore_attempt: None,
                hash_salt: self.store.get(Key::HASH_SALT),
                commit_sequence: self.sequence(),
                local_schema: Some(&self.schema),
                table_exists: true,
            },
            chunk,
        );
        let landing = match landing {
            Ok(landing) => landing,
            Err(why) => {
                return Ok(told(&RestoreAnswer::refused(
                    &why.to_string(),
                    &self.stage(),
                    0,
                    &[],
                )));
            }
        };
        self.write(landing.begin);
        let count = landing.rows.len();
        self.count_rows(chunk);
        self.write(landing.seen);
        if !landing.is_last {
            return Ok(told(&RestoreAnswer::landed(&self.stage(), count)));
        }
        let whole = (self.rules.copies.finish)(
            &self.rules,
            &WholenessFacts {
                generation: chunk.generation.or_nan(),
                stage: self.stage(),
                gap: &self.gap,
                restore_expect: self.store.get(Key::RESTORE_EXPECT),
                restore_seen: self.store.get(Key::RESTORE_SEEN),
            },
        );
        Ok(match whole {
            Ok(whole) => {
                self.write(whole.writes);
                told(&RestoreAnswer::landed(&self.stage(), count))
            }
            Err(incomplete) => {
                let reason = incomplete.to_string();
                told(&RestoreAnswer::refused(
                    &reason,
                    &self.stage(),
                    count,
                    &incomplete.missing,
                ))
            }
        })
    }

    /// The vectors' model only counts rows.
    fn count_rows(&mut self, chunk: &Chunk) {
        let rows = self.rows.entry(chunk.table.to_text()).or_default();
        if chunk.first.is_true() {
            *rows = 0;
        }
        *rows += chunk.rows.get().map_or(0, |rows| rows.len() as u64);
    }

    fn catch_up(&mut self, head: &Head, records: &[Record]) -> Ran {
        let begun = (self.rules.catch_up.begin)(
            &self.rules,
            &RoundFacts {
                pool_lane: true,
                namespace_bound: true,
                stage: self.stage(),
                position: self.store.position(&self.rules),
            },
        );
        if let Err(why) = begun {
            if matches!(why, NoRound::Untrusted(_)) {
                self.write(
                    (self.rules.catch_up.withdraw)(&self.rules, &self.stage())
                        .write()
                        .into_iter()
                        .collect(),
                );
            }
            return Ok(self.round(false, why.to_string(), Number::ZERO, 0, false));
        }
        let (advertised, applied) = (head.generation.to_number(), self.applied());
        let mut count = 0;
        if let Pull::After { to_catching_up, .. } =
            (self.rules.catch_up.after_head)(&self.rules, &self.stage(), applied, head)
        {
            self.write(to_catching_up.and_then(|wish| wish.write()).into_iter().collect());
            match self.pull(records)? {
                Ok(applied) => count = applied,
                Err((applied, refused)) => {
                    return Ok(self.round(true, refused.to_string(), advertised, applied, false));
                }
            }
        }
        let why = self.admit(head);
        Ok(self.round(
            true,
            why.unwrap_or_default().to_owned(),
            advertised,
            count,
            why.is_none(),
        ))
    }

    /// How many records were applied, or also which one was refused.
    fn pull(&mut self, records: &[Record]) -> Result<Result<u32, (u32, RefusedRecord)>, Stop> {
        let schema = self.schema.clone();
        let options = ApplyOptions {
            local_schema: Some(&schema),
            chunk_size: Number::INFINITY,
        };
        let mut count = 0;
        for record in records {
            let plan = (self.rules.log.plan_apply)(
                &self.rules,
                &self.store.position(&self.rules),
                record,
                Some(&schema),
            );
            if let Plan::Refuse(refusal) = plan {
                let end = (self.rules.catch_up.after_refusal)(
                    &self.rules,
                    &self.stage(),
                    self.applied(),
                    count as usize,
                );
                self.end_pull(end);
                return Ok(Err((count, refused(record, refusal))));
            }
            self.store
                .apply(&self.rules, record, &options)
                .map_err(Stop::Threw)?;
            count += u32::from(plan == Plan::Apply);
        }
        let end = (self.rules.catch_up.after_records)(self.applied(), count as usize);
        self.end_pull(end);
        Ok(Ok(count))
    }

    fn end_pull(&mut self, end: PullEnd) {
        self.write(end.writes);
        self.purges += u32::from(end.purges);
    }

    /// Why the lane is not admitted, as the vectors abbreviate it.
    fn admit(&mut self, head: &Head) -> Option<&'static str> {
        let present = MANDATORY_STATE.map(|name| StateEntry {
            collection: "state".into(),
            name: name.into(),
        });
        let verdict = (self.rules.admission.verdict)(
            &self.rules,
            &AdmissionFacts {
                stage: self.stage(),
                present_state: &present,
                present_collections: &MANDATORY_COLLECTIONS.map(Text::new_static),
                applied: self.applied(),
                advertised: head.generation.or_nan(),
                fingerprint: Some(&self.fingerprint),
                primary_fingerprint: head.fingerprint.as_str(),
                schema: Some(&self.schema),
                primary_schema: head.schema_version.as_str(),
            },
        );
        for stage in (self.rules.catch_up.after_verdict)(&self.rules, &self.stage(), &verdict) {
            self.write(vec![Write::Meta(Key::STAGE, Text::new_static(stage.as_str()))]);
        }
        verdict.refusals().first().map(|refusal| match refusal {
            AdmissionRefusal::Withdrawn => "withdrawn",
            AdmissionRefusal::Missing(_) => "mandatory",
            AdmissionRefusal::SchemaUnknown(_) | AdmissionRefusal::Schema { .. } => "schema",
            AdmissionRefusal::NotANumber(_) => "generation",
            AdmissionRefusal::Behind { .. } => "behind",
            AdmissionRefusal::Ahead { .. } => "ahead",
            AdmissionRefusal::FingerprintUnknown(_) | AdmissionRefusal::Fingerprint => "fingerprint",
        })
    }

    fn applied(&self) -> Number {
        self.store.position(&self.rules).applied
    }

    fn round(&self, ran: bool, reason: String, advertised: Number, records: u32, admitted: bool) -> Js {
        Js::object([
            ("ran", ran.into()),
            ("reason", reason.into()),
            ("applied", self.applied().into()),
            ("advertised", advertised.into()),
            ("records", records.into()),
            ("stage", self.stage().as_str().into()),
            ("admitted", admitted.into()),
        ])
    }
}

/// A message as it reads on the other side.
fn told(message: &impl Payload) -> Js {
    Json::parse(&message.encode()).map_or(Js::Undefined, |json| Js::from(&json))
}

fn refused(record: &Record, refusal: ApplyRefusal) -> RefusedRecord {
    RefusedRecord {
        generation: record.generation.to_text(),
        refusal,
    }
}

fn put(store: &mut Store, writes: Vec<Write>) -> Result<(), Stop> {
    store.put(writes).map_err(Stop::Threw)
}
