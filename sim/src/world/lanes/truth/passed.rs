//! Which records each lane has really taken in, and when the primary sealed them.

use std::collections::BTreeMap;

use protocol::host::Text;
use protocol::lanes::meta::Key;
use protocol::number::Number;

use super::copies::is_whole;
use super::standing::{Generation, Standing};
use super::{Truth, Turn};
use crate::check::Measure;

/// What a lane's contents are made of.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    /// The generation of its copy.
    pub base: Generation,
    /// The records that it has applied since, with their fingerprints.
    pub records: BTreeMap<Generation, Text>,
}

impl Truth {
    /// A lane has had a turn: notes what it has taken in.
    pub(super) fn note_passed(&mut self, turn: &Turn) {
        let applied = turn.after.generation(Key::APPLIED).unwrap_or(0);
        let passed = self.passed.entry(turn.lane).or_default();
        // A lane that was withdrawn meanwhile takes its copy in as well, and stays withdrawn.
        let lands = turn.puts(Key::APPLIED).next().is_some()
            && turn.before.generation(Key::RESTORE_GENERATION) == Some(applied);
        if lands || is_whole(turn) {
            self.whole.insert(turn.lane);
            if let Some(since) = self.copies.since(turn.lane) {
                let measure = Measure {
                    what: "how long the primary has sealed nothing for a copy to become whole",
                    most: self.now.since(since),
                    bound: None,
                };
                self.measures.note("LR-L4", measure);
            }
            *passed = Passed {
                base: applied,
                records: BTreeMap::new(),
            };
            return;
        }
        for to in turn.puts(Key::APPLIED) {
            if let Some(to) = Number::parse(to).to_u64_exact()
                && let Some(record) = self.primary.log.get(&to)
            {
                passed.records.insert(to, record.fingerprint.clone());
            }
        }
        if turn.is_reset() {
            passed.records.split_off(&(applied + 1));
        }
    }

    /// A lane is found that stands somewhere already.
    pub fn note_base(&mut self, lane: u32, standing: &Standing) {
        let base = standing.generation(Key::APPLIED).unwrap_or(0);
        self.passed.entry(lane).or_default().base = base;
    }

    /// The primary has had a turn: notes when it sealed what is new.
    pub(super) fn note_sealed(&mut self, turn: &Turn) {
        if turn.is_reset() {
            let newest = turn.after.sealed().unwrap_or(0);
            self.sealed_at.split_off(&(newest + 1));
        }
        let fresh = turn.after.log.keys().rev();
        for generation in fresh.take_while(|generation| !turn.before.log.contains_key(*generation)) {
            self.sealed_at.insert(*generation, self.now);
        }
    }
}
