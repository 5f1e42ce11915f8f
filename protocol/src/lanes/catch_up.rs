//! One round of a lane's catching up, as the decisions between its waits (`catchUpOnce`, `lanes.md` 14.2).
//!
//! The round asks the primary's head, then its log, then digests its own state; between these waits anything can happen
//! to the lane, so each decision takes its facts anew.

use super::admission::{AdmissionVerdict, Move, Stage, StageName};
use super::log::{ApplyRefusal, Distrust, Position};
use super::meta::{Key, Write};
use super::rules::Rules;
use super::wire::Head;
use crate::host::{Millis, Text};
use crate::number::Number;

/// Records that are asked for at once.
pub const BATCH: u32 = 25;

/// The shortest time between two rounds that sessions nudge, per object (`lanes.md` 3).
pub const NUDGE_EVERY: Millis = Millis(1_000);

/// What the beginning of a round is decided by.
#[derive(Clone, Debug)]
pub struct RoundFacts {
    /// Whether this object is a pool lane.
    pub pool_lane: bool,
    /// Whether it can reach other objects.
    pub namespace_bound: bool,
    /// Its stage.
    pub stage: StageName,
    /// Its position.
    pub position: Position,
}

/// Why a round does not run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NoRound {
    /// Only lanes catch up. The wording is ours.
    #[error("only a pool lane catches up")]
    NotALane,
    /// There is nobody to ask. The wording is ours, after the primary's.
    #[error("the namespace is not bound")]
    NoNamespace,
    /// The stage is one that only a copy leads out of.
    #[error("stage {0} needs a restore, not a log")]
    Stage(Stage),
    /// The position is not to be trusted. This withdraws the lane.
    #[error(transparent)]
    Untrusted(#[from] Distrust),
}

/// Whether a round runs.
///
/// # Errors
/// It does not; [`NoRound::Untrusted`] withdraws the lane.
pub fn begin_round(rules: &Rules, facts: &RoundFacts) -> Result<(), NoRound> {
    if !facts.pool_lane {
        return Err(NoRound::NotALane);
    }
    if !facts.namespace_bound {
        return Err(NoRound::NoNamespace);
    }
    match facts.stage.known() {
        Some(stage @ (Stage::Created | Stage::Restoring | Stage::Withdrawn)) => Err(NoRound::Stage(stage)),
        _ => Ok((rules.log.position_trust)(&facts.position)?),
    }
}

/// What the primary's head says to a lane.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pull {
    /// There is nothing to ask for: the verdict is next.
    Nothing,
    /// The log after `since` is asked for.
    After {
        /// The lane's position.
        since: Number,
        /// The move of a VERIFIED lane to CATCHING_UP; other stages do not move here.
        to_catching_up: Option<Move>,
    },
}

/// Whether the lane asks for the log: its position is below the generation that the head tells of, compared as
/// JavaScript's `<` compares (`lanes.md` 14.2).
pub fn after_head(rules: &Rules, stage: &StageName, applied: Number, head: &Head) -> Pull {
    if !applied.js_lt(head.generation.to_number()) {
        return Pull::Nothing;
    }
    let verified = *stage == Stage::Verified.into();
    Pull::After {
        since: applied,
        to_catching_up: verified
            .then(|| (rules.admission.set_stage)(rules, stage, &Stage::CatchingUp.into())),
    }
}

/// What follows from the records of a round.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PullEnd {
    /// What is written.
    pub writes: Vec<Write>,
    /// Whether the caches that show state are emptied.
    pub purges: bool,
}

/// All records were applied or passed over: the commit sequence is set to the position, also when there were none, and
/// also downwards (`lanes.md` 14.2).
pub fn after_records(applied: Number, count: usize) -> PullEnd {
    PullEnd {
        writes: vec![Write::number(Key::COMMIT_SEQUENCE, applied)],
        purges: count > 0,
    }
}

/// A record that ends a round and withdraws the lane.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("refused generation {generation}: {refusal}")]
pub struct RefusedRecord {
    /// The record's generation, as JavaScript prints it.
    pub generation: Text,
    /// Why.
    pub refusal: ApplyRefusal,
}

/// A record was refused after `count` were applied (`lanes.md` 14.2).
pub fn after_refusal(rules: &Rules, stage: &StageName, applied: Number, count: usize) -> PullEnd {
    let mut end = if count > 0 {
        (rules.catch_up.after_records)(applied, count)
    } else {
        PullEnd {
            writes: Vec::new(),
            purges: false,
        }
    };
    end.writes.extend((rules.catch_up.withdraw)(rules, stage).write());
    end
}

/// The move to WITHDRAWN.
pub fn withdraw(rules: &Rules, stage: &StageName) -> Move {
    (rules.admission.set_stage)(rules, stage, &Stage::Withdrawn.into())
}

/// The moves of a lane after its verdict: admitted, it tries CATCHING_UP, ELIGIBLE and SERVING in turn; not admitted,
/// it stays where it is, also when it is SERVING (`lanes.md` 14.2). The last is its stage afterwards.
pub fn after_verdict(rules: &Rules, stage: &StageName, verdict: &AdmissionVerdict) -> Vec<Stage> {
    if !verdict.is_admitted() {
        return Vec::new();
    }
    let mut at = stage.clone();
    let mut moves = Vec::new();
    for next in [Stage::CatchingUp, Stage::Eligible, Stage::Serving] {
        if let Move::Moved(stage) = (rules.admission.set_stage)(rules, &at, &next.into()) {
            at = stage.into();
            moves.push(stage);
        }
    }
    moves
}

/// Whether a session that a lane does not know starts a round (`lanes.md` 14.5): the first, then one that comes a
/// second or more after the last.
pub fn may_nudge(last: Option<Millis>, now: Millis) -> bool {
    last.is_none_or(|last| now.since(last) >= NUDGE_EVERY)
}

#[cfg(test)]
mod tests;
