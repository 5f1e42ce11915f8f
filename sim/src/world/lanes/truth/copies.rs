//! Copies on their way to lanes: which attempt each chunk is of, and of which attempts the chunks are that have landed.
//!
//! An attempt begins with a chunk that is posted with `restart=1`. What the same run of the primary posts after it is of
//! the attempt, and so is what a later run of its alarm posts without beginning anew. Chunks are known again by their
//! bytes: two attempts that post the same bytes cannot be told apart, and need not be.

use std::collections::{BTreeMap, BTreeSet};

use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;
use protocol::lanes::wire::Chunk;

use super::Turn;
use super::wire::{Called, Heard};
use crate::kernel::Micros;
use crate::world::lanes::truth::standing::Generation;

/// One attempt of a copy.
pub type AttemptId = u64;

/// What has landed on a lane since its copy began.
#[derive(Clone, Debug, Default)]
pub struct Landing {
    /// The chunks, by their digests.
    pub chunks: BTreeSet<u128>,
    /// The generations that they carry.
    pub generations: BTreeSet<Generation>,
    /// Whether the lane was cut short meanwhile, so that a chunk may have landed that was not seen.
    pub cut_short: bool,
}

/// All copies.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    begun: AttemptId,
    by_run: BTreeMap<(u32, u64), AttemptId>,
    by_alarm: BTreeMap<u32, AttemptId>,
    /// The attempts of each chunk that was posted, by lane and digest; none where one is not known.
    posted: BTreeMap<(u32, u128), Option<BTreeSet<AttemptId>>>,
    landing: BTreeMap<u32, Landing>,
    /// The runs of the primary that copy, each with the lane.
    posting: BTreeMap<u64, u32>,
    /// When the latest attempt to each lane has begun.
    since: BTreeMap<u32, Micros>,
}

impl Copies {
    /// What has landed on a lane since its copy began.
    #[must_use]
    pub fn landing(&self, lane: u32) -> Option<&Landing> {
        self.landing.get(&lane)
    }

    /// When the latest attempt to a lane has begun.
    #[must_use]
    pub fn since(&self, lane: u32) -> Option<Micros> {
        self.since.get(&lane).copied()
    }

    /// Whether a run of the primary copies to a lane.
    #[must_use]
    pub fn is_posting(&self, lane: u32) -> bool {
        self.posting.values().any(|to| *to == lane)
    }

    /// A run of the primary calls a lane for a copy.
    pub fn copies(&mut self, lane: u32, called: &Called) {
        if let Some(run) = &called.run {
            self.posting.insert(run.nth, lane);
        }
    }

    /// The primary has had a turn.
    pub fn primary_turned(&mut self, turn: &Turn) {
        if turn.is_reset() {
            self.posting.clear();
        }
        for heard in &turn.heard {
            if let Heard::Finished { run: Some(run), .. } = heard {
                self.posting.remove(&run.nth);
            }
        }
    }

    /// The attempts that all chunks are of which have landed on a lane; none where a chunk's attempts are not known. What
    /// one attempt has posted may be posted by another one later: so this is asked when the copy is whole.
    #[must_use]
    pub fn attempts(&self, lane: u32, landing: &Landing) -> Option<BTreeSet<AttemptId>> {
        let of_each = landing
            .chunks
            .iter()
            .map(|digest| self.posted.get(&(lane, *digest)).cloned().flatten());
        let common = |common: BTreeSet<AttemptId>, of: BTreeSet<AttemptId>| &common & &of;
        of_each.collect::<Option<Vec<_>>>()?.into_iter().reduce(common)
    }

    /// A lane is another object from now on.
    pub fn recreated(&mut self, lane: u32) {
        self.landing.remove(&lane);
    }

    /// The primary posts a chunk to a lane.
    pub fn posted(&mut self, lane: u32, called: &Called, now: Micros) {
        if called.request.path.contains("restart=1") {
            self.since.insert(lane, now);
        }
        let attempt = self.attempt(lane, called);
        let known = self
            .posted
            .entry((lane, called.request.body.digest()))
            .or_insert_with(|| Some(BTreeSet::new()));
        match (known.as_mut(), attempt) {
            (Some(attempts), Some(attempt)) => drop(attempts.insert(attempt)),
            _ => *known = None,
        }
    }

    fn attempt(&mut self, lane: u32, called: &Called) -> Option<AttemptId> {
        let run = called.run.as_ref()?;
        let is_alarm = run.is_alarm();
        if called.request.path.contains("restart=1") {
            self.begun += 1;
            self.by_run.insert((lane, run.nth), self.begun);
            if is_alarm {
                self.by_alarm.insert(lane, self.begun);
            }
        } else if is_alarm && let Some(attempt) = self.by_alarm.get(&lane) {
            return Some(*attempt);
        }
        self.by_run.get(&(lane, run.nth)).copied()
    }

    /// A lane has had a turn.
    pub fn turned(&mut self, turn: &Turn) {
        if turn.is_reset() {
            self.landing.entry(turn.lane).or_default().cut_short = true;
        }
        let begins = turn.puts(Key::RESTORE_GENERATION).any(|text| !text.is_empty());
        if begins {
            self.landing.insert(turn.lane, Landing::default());
        }
        for heard in &turn.heard {
            if let Some((digest, chunk)) = landed(heard) {
                let landing = self.landing.entry(turn.lane).or_default();
                // Two copies can begin in one turn: what the first has landed is none of the second's.
                if begins && restarts(heard) {
                    *landing = Landing::default();
                }
                landing.chunks.insert(digest);
                let generation = chunk.generation.get().and_then(|number| number.to_u64_exact());
                landing.generations.extend(generation);
            }
        }
    }
}

/// The chunk that a run of a lane has landed, and its digest.
pub fn landed(heard: &Heard) -> Option<(u128, std::sync::Arc<Chunk>)> {
    let Heard::Finished {
        run: Some(run),
        outcome: Ok(Some(response)),
        ..
    } = heard
    else {
        return None;
    };
    let request = run.request()?;
    if response.status != 200 || !request.path.starts_with("/__replica?action=restore") {
        return None;
    }
    Some((request.body.digest(), request.body.read().ok()?))
}

/// Whether a chunk has landed that begins a copy anew.
fn restarts(heard: &Heard) -> bool {
    let Heard::Finished { run: Some(run), .. } = heard else {
        return false;
    };
    run.request()
        .is_some_and(|request| request.path.contains("restart=1"))
}

/// Whether a copy has become whole in a turn.
#[must_use]
pub fn is_whole(turn: &Turn) -> bool {
    turn.puts(Key::STAGE)
        .any(|stage| *stage == Stage::Verified.as_str())
}
