//! What one incarnation of an object keeps in memory, and loses with it (`lanes.md` 2).

use std::collections::{BTreeMap, VecDeque};

use super::failure::Refusal;
use crate::host::{Millis, ObjectName, TaskId, Text};
use crate::lanes::belief::LanesPointer;
use crate::lanes::forward::ForwardStatement;
use crate::lanes::partition::Writer;
use crate::lanes::seal::Buffer;
use crate::number::Number;

/// The memory of an object of a site: the primary's or a lane's, for which of them it is follows from its name each
/// time (`lanes.md` 1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SiteObject {
    /// Whether this incarnation has seen to it that its own tables are there.
    pub(super) started: bool,
    /// Its own name, where it keeps that.
    pub(super) name: Option<ObjectName>,
    /// `pendingCommits`: advances of the commit sequence that are not stored yet.
    pub(super) pending: Number,
    /// `pendingReplication`: what was captured since the last seal.
    pub(super) buffer: Option<Buffer>,
    /// `forwardBuffer` and `forwardParent`: what a request of a lane wants to be committed.
    pub(super) forward: Option<Collected>,
    /// `lastForward`: how many batches were answered, and what the last one came to.
    pub(super) last_forward: Option<LastForward>,
    /// `replicaRefusals` and `replicaRefusalsTotal`.
    pub(super) refusals: Refusals,
    /// `laneTimings`, the latest last.
    pub(super) timings: VecDeque<Timing>,
    /// `inflight`: requests that are inside now.
    pub(super) inflight: u32,
    /// `inflightPeak`: the most since the alarm last looked.
    pub(super) peak: u32,
    /// Requests that are in the gate or wait for it.
    pub(super) queued: u32,
    /// `lanesMemo` and `epochMemo`.
    pub(super) lanes: Option<LanesPointer>,
    /// `lastSessionCatchUpAt`.
    pub(super) nudged_at: Option<Millis>,
    /// Why a lane was last withdrawn.
    pub(super) withdrawal: Option<Text>,
    /// The interpreter, once it has booted.
    pub(super) interpreter: Option<Interpreter>,
    /// The requests that others may share.
    pub(super) herds: BTreeMap<HerdKey, TaskId>,
    /// Whether a request has written cache tags that are not settled yet.
    pub(super) tags: bool,
    /// Whether anything was served since the alarm last looked.
    pub(super) served: bool,
    /// Overrides of variables, as the alarm last read them from KV.
    pub(super) overrides: BTreeMap<&'static str, Text>,
}

/// What a request of a lane has collected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Collected {
    /// The commit sequence when the first transaction was collected.
    pub parent: Number,
    /// The statements, in order.
    pub statements: Vec<ForwardStatement>,
}

/// What the last batch came to. Two are told apart by their count: they are different objects in JavaScript.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LastForward {
    /// How many there were with it.
    pub count: u64,
    /// Its outcome, for people.
    pub outcome: Text,
}

/// The most refusals that are remembered.
const REFUSALS: usize = 20;
/// The most timings that are remembered.
const TIMINGS: usize = 64;

/// What the guard has refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Refusals {
    /// The last 20.
    pub last: VecDeque<Refusal>,
    /// How many there were.
    pub total: u64,
}

impl Refusals {
    /// Remembers one.
    pub fn push(&mut self, refusal: Refusal) {
        if self.last.len() == REFUSALS {
            self.last.pop_front();
        }
        self.last.push_back(refusal);
        self.total += 1;
    }
}

/// How one gated request fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Timing {
    /// How many were in the gate or waited for it when it came.
    pub ahead: u32,
    /// How long it waited.
    pub queued: Millis,
    /// How long it took from then on.
    pub service: Millis,
}

/// A booted interpreter: its settings are those of its boot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Interpreter {
    /// Whose row ids it mints.
    pub writer: Writer,
    /// The site's hash salt.
    pub salt: Text,
    /// The highest id that its driver has given out, per table.
    pub memo: BTreeMap<Text, Number>,
}

/// What the requests of a herd have in common (`lanes.md` 16).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct HerdKey {
    /// The page generation.
    pub generation: Text,
    /// The visitor's path.
    pub path: Text,
    /// The whole cookie.
    pub cookie: Text,
}

impl SiteObject {
    /// Remembers how a gated request fared.
    pub(super) fn record(&mut self, timing: Timing) {
        if self.timings.len() == TIMINGS {
            self.timings.pop_front();
        }
        self.timings.push_back(timing);
    }

    /// Counts a request that has come in.
    pub(super) fn arrived(&mut self) {
        self.inflight += 1;
        self.peak = self.peak.max(self.inflight);
    }
}
