//! What each party was told of the variables that KV can override (`lanes.md` 22.6).

use std::collections::BTreeMap;

use protocol::host::{Answer, Shared, Text};

use super::wire::Heard;
use crate::kernel::Micros;
use crate::world::lanes::Variable;

/// For how long what was told is kept: longer than any belief holds.
const KEPT: Micros = Micros::from_millis(180_000);

/// How many of the latest are kept however old they are: reads that fail leave what they said in force.
const LATEST: usize = 2;

/// How long the reads of a front take at most: those that end so near to each other may have overlapped.
pub const READING: Micros = Micros::from_millis(1_000);

/// When a party was told of a variable, and its override, or that there is none.
type Told = (Micros, Option<Text>);

/// What came of the reads of one key.
#[derive(Clone, Debug, Default)]
struct Reads {
    /// What those said that have succeeded, oldest first.
    told: Vec<Told>,
    /// When one has failed last.
    failed: Option<Micros>,
}

impl Reads {
    fn told(&mut self, now: Micros, text: Option<Text>) {
        let old = self.told.partition_point(|(at, _)| *at < now.since(KEPT));
        let old = old.min(self.told.len().saturating_sub(LATEST));
        self.told.drain(..old);
        self.told.push((now, text));
    }
}

/// What each incarnation was told of each key. One that begins anew was told nothing.
#[derive(Clone, Debug, Default)]
pub struct Overrides(BTreeMap<(Text, u32, Text), Reads>);

impl Overrides {
    /// A party has had a turn.
    pub fn heard(&mut self, who: &Text, heard: &[Heard], now: Micros) {
        for heard in heard {
            let Heard::Answered {
                incarnation,
                made,
                outcome,
            } = heard
            else {
                continue;
            };
            let entry = made.entry.as_ref().filter(|(store, _)| *store == Shared::Kv);
            let Some((_, key)) = entry.filter(|(_, key)| key.starts_with("env:")) else {
                continue;
            };
            let at = (who.clone(), *incarnation, key.clone());
            let reads = self.0.entry(at).or_default();
            match outcome {
                Ok(Answer::Entry(text)) => reads.told(now, text.clone()),
                _ => reads.failed = Some(now),
            }
        }
    }

    fn reads(&self, who: &Text, incarnation: u32, variable: Variable) -> Option<&Reads> {
        self.0
            .get(&(who.clone(), incarnation, Text::from(variable.key())))
    }

    /// What an incarnation was told of a variable, oldest first, and when.
    #[must_use]
    pub fn told(&self, who: &Text, incarnation: u32, variable: Variable) -> &[(Micros, Option<Text>)] {
        self.reads(who, incarnation, variable)
            .map_or(&[], |reads| &reads.told)
    }

    /// What it was told last; none where it was told nothing, or that there is no override.
    #[must_use]
    pub fn last(&self, who: &Text, incarnation: u32, variable: Variable) -> Option<&Text> {
        self.told(who, incarnation, variable).last()?.1.as_ref()
    }

    /// What may have been in force of a variable since an instant: what was told since, and before it where a read has
    /// failed since, which leaves things as they were; of reads that overlapped then it is not known which one did.
    pub fn in_force(
        &self,
        who: &Text,
        incarnation: u32,
        variable: Variable,
        since: Micros,
    ) -> impl Iterator<Item = &Text> {
        let reads = self.reads(who, incarnation, variable);
        let (told, failed) = reads.map_or((&[][..], None), |reads| (&reads.told[..], reads.failed));
        let outlives = failed.is_some_and(|failed| failed >= since);
        let latest = told.last().filter(|_| outlives).map(|(at, _)| at.since(READING));
        let lasts = move |(at, _): &&Told| latest.is_some_and(|latest| *at >= latest);
        let recent = told.iter().rev().take_while(move |(at, _)| *at >= since);
        recent
            .chain(told.iter().rev().take_while(lasts))
            .filter_map(|(_, text)| text.as_ref())
    }
}
