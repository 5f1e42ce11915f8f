//! The oracle: what is true of a site, as somebody sees it who can look into every database and hears every word.
//!
//! It keeps the primary's state at each generation, where each lane has stood, what each client has asked and been
//! told, and what the primary's statements did. None of it is taken from an object's memory or its word.

pub mod clients;
pub mod contents;
pub mod copies;
pub mod demand;
pub mod evaluator;
mod follow;
pub mod heard;
pub mod minted;
mod objects;
pub mod overrides;
mod pages;
pub mod passed;
pub mod runs;
pub mod sessions;
pub mod standing;
pub mod wire;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use protocol::host::{Millis, Response, Statement, Text, Value};
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;
use protocol::number::Number;

use clients::{Attempt, Effects};
use contents::Contents;
use copies::Copies;
use demand::Demand;
use evaluator::Evaluator;
use heard::Announced;
use minted::MintedIds;
use overrides::Overrides;
use passed::Passed;
use runs::Run;
use sessions::Sessions;
use standing::{Generation, Standing};
use wire::Heard;

use crate::check::Measures;
use crate::kernel::{EPOCH, Micros};

/// Where a lane stood, from an instant on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// From when.
    pub since: Micros,
    /// The generation that it had applied in full; none while a copy or a record was under way.
    pub generation: Option<Generation>,
    /// Its stage.
    pub stage: Option<Stage>,
}

/// What an object did in a step, and how it stood before and after.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The lane; 0 for the primary.
    pub lane: u32,
    /// Before.
    pub before: Standing,
    /// After.
    pub after: Standing,
    /// Whether anything in its database may have changed.
    pub changed: bool,
    /// What was heard of it.
    pub heard: Vec<Heard>,
}

impl Turn {
    /// Whether an incarnation has ended in it.
    #[must_use]
    pub fn is_reset(&self) -> bool {
        let told = self
            .heard
            .iter()
            .any(|heard| matches!(heard, Heard::Reset { .. }));
        told || self.before.incarnation != self.after.incarnation
    }

    /// The statements that were committed in it.
    pub fn statements(&self) -> impl Iterator<Item = &Statement> {
        let committed = self.heard.iter().filter_map(|heard| match heard {
            Heard::Committed { statements, .. } => Some(statements),
            _ => None,
        });
        committed.flatten()
    }

    /// What was heard in it, without the answers that never leave the object: an incarnation has ended behind them, and what
    /// they wait for has not become durable by then (`platform.md` section 3; section 4, item 7).
    pub fn lasting(&self) -> impl Iterator<Item = &Heard> {
        let ended = self
            .heard
            .iter()
            .rposition(|heard| matches!(heard, Heard::Reset { .. }));
        let waits = |heard: &Heard| {
            matches!(
                heard,
                Heard::Finished {
                    behind_write: true,
                    ..
                }
            )
        };
        let leaves =
            move |(at, heard): &(usize, &Heard)| ended.is_none_or(|ended| *at > ended) || !waits(heard);
        self.heard
            .iter()
            .enumerate()
            .filter(leaves)
            .map(|(_, heard)| heard)
    }

    /// The requests that were answered in it, with their answers.
    pub fn answers(&self) -> impl Iterator<Item = (&Run, &Response)> {
        self.lasting().filter_map(|heard| match heard {
            Heard::Finished {
                run: Some(run),
                outcome: Ok(Some(response)),
                ..
            } => Some((&**run, response)),
            _ => None,
        })
    }

    /// What was put under a key of `cfw_meta`, one after another.
    pub fn puts(&self, key: Key) -> impl Iterator<Item = &Text> {
        self.statements().filter_map(move |statement| put(statement, key))
    }
}

pub(super) fn put(statement: &Statement, key: Key) -> Option<&Text> {
    match statement.params.as_slice() {
        [Value::Text(k), Value::Text(value)]
            if k == key.0 && statement.sql.starts_with("INSERT INTO cfw_meta ") =>
        {
            Some(value)
        }
        _ => None,
    }
}

/// What is true of a site.
#[derive(Clone, Debug)]
pub struct Truth {
    /// The site.
    pub site: Text,
    /// The true time.
    pub now: Micros,
    /// The object of this number is in the middle of a turn: how it is known to stand is how it stood before.
    pub mid_turn: Option<u32>,
    /// The primary.
    pub primary: Standing,
    /// The primary once more, read from scratch when everything has come to rest.
    pub at_rest: Option<Standing>,
    /// The lanes that were ever reached, by number.
    pub lanes: BTreeMap<u32, Standing>,
    /// The primary's state when it sealed each generation.
    pub history: BTreeMap<Generation, Contents>,
    /// Where each lane has stood, oldest first.
    pub held: BTreeMap<u32, Vec<Held>>,
    /// What clients asked, by plan item.
    pub attempts: BTreeMap<u32, Attempt>,
    /// What sessions have written and seen.
    pub sessions: Sessions,
    /// What came of it.
    pub effects: Effects,
    /// How often each node was edited when the run began.
    pub edits_before: BTreeMap<Text, Number>,
    /// Ids that lanes have given out.
    pub minted: MintedIds,
    /// Copies on their way.
    pub copies: Copies,
    /// Who waits for the primary's gate.
    pub demand: Demand,
    /// Whether the primary has ever queued a lane for another copy.
    pub has_queued: bool,
    /// The lanes to which a whole copy has ever come.
    pub whole: BTreeSet<u32>,
    /// What each lane's contents are made of.
    pub passed: BTreeMap<u32, Passed>,
    /// When the primary sealed each generation.
    pub sealed_at: BTreeMap<Generation, Micros>,
    /// When the alarm of each lane last began a pull.
    pub pulled: BTreeMap<u32, Micros>,
    /// How long each lane's last pull by its alarm has waited for the primary.
    pub pull_waited: BTreeMap<u32, Micros>,
    /// What each front has heard of lanes.
    pub announced: Announced,
    /// What each party was told of overridden variables.
    pub overrides: Overrides,
    /// When a fault last took effect.
    pub troubled: Option<Micros>,
    /// How far the clock of an object may be from the true time.
    pub clock_skew: Micros,
    /// How late the platform may wake an object without any fault.
    pub lateness: Micros,
    /// Whether a copy to a lane has ever begun.
    pub copy_begun: bool,
    /// The lanes that an operator has put back or cloned to, and the newest generation that there was then.
    pub put_back: BTreeMap<u32, Generation>,
    /// The lanes on which a copy has begun for good: the commit of its first chunk is durable.
    pub copied: BTreeSet<u32>,
    /// The commits of first chunks that are not known to be durable.
    copy_commits: BTreeMap<u32, u64>,
    /// The generations that heads of the primary have told lanes, and when a lane heard each that was the newest so far.
    pub told: BTreeMap<Micros, Generation>,
    /// Of the heads that were heard in this turn: what a lane had been told when it was asked for, and what it tells.
    pub heads: Vec<(Generation, Generation)>,
    /// How near the run has come to bounds.
    pub measures: Measures,
    /// When each lane last asked for another copy, a few times.
    pub asks: BTreeMap<u32, VecDeque<Micros>>,
    /// The generations that the primary has told each lane as its newest.
    pub advertised: BTreeMap<u32, BTreeSet<Generation>>,
    /// Pages, by digest, that are known to be of a generation.
    pub known_pages: BTreeMap<Text, Generation>,
    evaluator: Evaluator,
}

impl Truth {
    /// What is true of a site that nobody has reached.
    #[must_use]
    pub fn new(site: Text) -> Self {
        Truth {
            site,
            now: Micros::ZERO,
            mid_turn: None,
            primary: Standing::default(),
            at_rest: None,
            lanes: BTreeMap::new(),
            history: BTreeMap::new(),
            held: BTreeMap::new(),
            attempts: BTreeMap::new(),
            sessions: Sessions::default(),
            effects: Effects::default(),
            edits_before: BTreeMap::new(),
            minted: MintedIds::default(),
            copies: Copies::default(),
            demand: Demand::default(),
            has_queued: false,
            whole: BTreeSet::new(),
            passed: BTreeMap::new(),
            sealed_at: BTreeMap::new(),
            pulled: BTreeMap::new(),
            pull_waited: BTreeMap::new(),
            announced: Announced::default(),
            overrides: Overrides::default(),
            troubled: None,
            clock_skew: Micros::ZERO,
            lateness: Micros::ZERO,
            copy_begun: false,
            put_back: BTreeMap::new(),
            copied: BTreeSet::new(),
            copy_commits: BTreeMap::new(),
            told: BTreeMap::new(),
            heads: Vec::new(),
            measures: Measures::default(),
            asks: BTreeMap::new(),
            advertised: BTreeMap::new(),
            known_pages: Default::default(),
            evaluator: Evaluator::default(),
        }
    }

    /// The wall clock, as objects whose clock is right see it.
    #[must_use]
    pub fn clock(&self) -> Millis {
        EPOCH.after(Millis(self.now.0 / 1_000))
    }

    /// The wall clock in seconds, as rows have it.
    #[must_use]
    pub fn seconds(&self) -> Number {
        Number::from(self.clock().0 / 1_000)
    }

    /// How the object of this number stands.
    #[must_use]
    pub fn standing(&self, lane: u32) -> Option<&Standing> {
        if lane == 0 {
            return Some(&self.primary);
        }
        self.lanes.get(&lane)
    }

    /// The primary's state at a generation, where it is known.
    #[must_use]
    pub fn at(&self, generation: Generation) -> Option<&Contents> {
        self.history.get(&generation)
    }

    /// The generation whose state a lane that stands like this must hold: none below VERIFIED, after WITHDRAWN, and in
    /// the middle of an apply.
    #[must_use]
    pub fn owes(standing: &Standing) -> Option<Generation> {
        let holds = matches!(
            standing.stage()?,
            Stage::Verified | Stage::CatchingUp | Stage::Eligible | Stage::Serving
        );
        let settled = standing.meta(Key::INFLIGHT).is_none();
        if holds && settled {
            standing.generation(Key::APPLIED)
        } else {
            None
        }
    }

    /// Runs the statements of a record on a state: what comes out, where the oracle can run them all.
    pub fn replay(&mut self, from: &Contents, statements: &[Statement], to: &Contents) -> Option<Replayed> {
        let mut trial = self.evaluator.at(from);
        for statement in statements
            .iter()
            .filter(|statement| follow::writes_truth(statement))
        {
            match trial.run(statement) {
                Ok(_) => {}
                Err(crate::kernel::storage::StoreError::Unsupported(_)) => return None,
                Err(error) => {
                    return Some(Replayed::Fails(Text::from(format!("{}: {error}", statement.sql))));
                }
            }
        }
        let mut state = Contents::default();
        for (name, table) in to.tables() {
            if let Some(same) = from.table(name).filter(|_| !trial.has_written(name)) {
                state.share(name.clone(), same);
                continue;
            }
            let all = contents::plain(format!("SELECT * FROM \"{name}\""));
            if let Ok(found) = trial.run(&all) {
                state.set(
                    name.clone(),
                    contents::Table::beside(Some(table), table.ddl.clone(), found),
                );
            }
        }
        Some(Replayed::Holds(state))
    }

    /// The stages in which a lane stood since an instant, newest first; the one in which it stood then among them.
    pub fn stages_since(&self, lane: u32, since: Micros) -> impl Iterator<Item = Option<Stage>> {
        let held = self.held.get(&lane).map_or(&[][..], Vec::as_slice);
        let begun = held.iter().rposition(|held| held.since <= since).unwrap_or(0);
        held[begun..].iter().rev().map(|held| held.stage)
    }

    /// Since when a lane serves without a break; none where it does not.
    #[must_use]
    pub fn serving_since(&self, lane: u32) -> Option<Micros> {
        let held = self.held.get(&lane)?.iter().rev();
        let serving = held.take_while(|held| held.stage == Some(Stage::Serving));
        serving.last().map(|held| held.since)
    }

    /// The generations at which a lane stood and served since an instant, newest first.
    #[must_use]
    pub fn served_since(&self, lane: u32, since: Micros) -> Vec<Generation> {
        self.generations_since(lane, since, |held| held.stage == Some(Stage::Serving))
    }

    /// The generations at which a lane stood since an instant, newest first.
    #[must_use]
    pub fn stood_since(&self, lane: u32, since: Micros) -> Vec<Generation> {
        self.generations_since(lane, since, |_| true)
    }

    fn generations_since(&self, lane: u32, since: Micros, counts: impl Fn(&Held) -> bool) -> Vec<Generation> {
        let held = self.held.get(&lane).map_or(&[][..], Vec::as_slice);
        let mut generations: Vec<Generation> = Vec::new();
        let mut until = Micros(u64::MAX);
        for held in held.iter().rev() {
            if until < since {
                break;
            }
            if let Some(generation) = held.generation
                && counts(held)
                && !generations.contains(&generation)
            {
                generations.push(generation);
            }
            until = held.since;
        }
        generations
    }
}

/// What a replay has come to.
#[derive(Clone, Debug)]
pub enum Replayed {
    /// A statement is refused.
    Fails(Text),
    /// This state.
    Holds(Contents),
}
