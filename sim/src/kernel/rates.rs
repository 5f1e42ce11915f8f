//! Which knob switches which kind of fault on: one table, for the kernel that draws and for a sweep that judges.

use strum::VariantArray as _;

use super::choice::Purpose;
use super::episode::Episode;
use super::knobs::Knobs;
use super::watch::FaultKind;

/// What has a kind of fault happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The knob that does most about it, as scenario files have it; none where no knob does anything.
    pub knob: Option<&'static str>,
    /// How often it begins where it could strike; `None` for a kind that follows from others, or from how the platform
    /// is.
    pub rate: Option<Episode>,
    /// What decides whether it begins, where it has a rate.
    pub purpose: Option<Purpose>,
}

impl Switch {
    const fn rate(knob: &'static str, rate: Episode, purpose: Purpose) -> Self {
        Switch {
            knob: Some(knob),
            rate: Some(rate),
            purpose: Some(purpose),
        }
    }

    const fn follows_from(knob: &'static str) -> Self {
        Switch {
            knob: Some(knob),
            rate: None,
            purpose: None,
        }
    }

    /// Somebody has to ask for it.
    const ON_REQUEST: Switch = Switch {
        knob: None,
        rate: None,
        purpose: None,
    };

    /// Whether it begins at a rate above zero.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.rate.is_some_and(|rate| rate.begins.hits > 0)
    }
}

impl Knobs {
    /// What has a kind of fault happen.
    #[must_use]
    pub fn switch(&self, kind: FaultKind) -> Switch {
        match kind {
            FaultKind::RequestLost => Switch::rate("request-loss", self.request_loss, Purpose::RequestLoss),
            FaultKind::AnswerLost => Switch::rate("answer-loss", self.answer_loss, Purpose::AnswerLoss),
            FaultKind::RequestLate => Switch::rate("late", self.late, Purpose::RequestLate),
            FaultKind::AnswerLate => Switch::rate("late", self.late, Purpose::AnswerLate),
            FaultKind::Partitioned => Switch::rate("partition", self.partition, Purpose::Partition),
            FaultKind::Clogged => Switch::rate("clog", self.clog, Purpose::Clog),
            FaultKind::Duplicated => Switch::rate("duplicate", self.duplicate, Purpose::Duplicate),
            FaultKind::Cancelled => Switch::rate("cancel", self.cancel, Purpose::Cancel),
            FaultKind::CommitFailed => {
                Switch::rate("commit-failure", self.commit_failure, Purpose::CommitFailure)
            }
            FaultKind::CommitStalled => Switch::rate("commit-stall", self.commit_stall, Purpose::CommitStall),
            FaultKind::StorageRefused => {
                Switch::rate("storage-error", self.storage_error, Purpose::StorageError)
            }
            FaultKind::Reset => Switch::rate("reset", self.reset, Purpose::Reset),
            FaultKind::Displaced => Switch::rate("displacement", self.displacement, Purpose::Displacement),
            FaultKind::Evicted => Switch::rate("eviction", self.eviction, Purpose::Eviction),
            FaultKind::AlarmLate => Switch::rate("alarm-late", self.alarm_late, Purpose::AlarmLate),
            FaultKind::AlarmSyncLost => {
                Switch::rate("alarm-sync-loss", self.alarm_sync_loss, Purpose::AlarmSyncLoss)
            }
            FaultKind::IsolateShared => Switch::follows_from("shared-isolates"),
            FaultKind::CommitsLost => Switch::follows_from("reset"),
            FaultKind::GateTimeout => Switch::follows_from("commit-stall"),
            FaultKind::StaleRan | FaultKind::StaleEnded => Switch::follows_from("displacement"),
            FaultKind::AlarmEarly => Switch::follows_from("alarm-sync-loss"),
            FaultKind::AlarmStuck => Switch::follows_from("alarm-now-sticks"),
            FaultKind::Recreated => Switch::ON_REQUEST,
            FaultKind::NameMissing => Switch::follows_from("name-missing"),
            FaultKind::ClockSkewed => Switch::follows_from("clock-skew"),
            FaultKind::KvFailed => Switch::rate("kv-failure", self.kv_failure, Purpose::KvFailure),
            FaultKind::KvTooOften => Switch::follows_from("kv-write-interval"),
            FaultKind::KvStale => Switch::follows_from("kv-copy"),
            FaultKind::EdgeDropped => Switch::rate("edge-loss", self.edge_loss, Purpose::EdgeLoss),
            FaultKind::MessageLost => Switch::rate("message-loss", self.message_loss, Purpose::MessageLoss),
            FaultKind::SubscriberDropped => Switch::follows_from("broker-buffer"),
            FaultKind::BrokerRestarted => {
                Switch::rate("broker-restart", self.broker_restart, Purpose::BrokerRestart)
            }
            FaultKind::FrontRestarted => {
                Switch::rate("front-restart", self.front_restart, Purpose::FrontRestart)
            }
            FaultKind::EvictedAtWork => Switch::follows_from("evicts-at-work"),
            FaultKind::Overloaded => Switch::follows_from("queue-most"),
            FaultKind::CallRetried | FaultKind::ClaimRefused => Switch::follows_from("auto-retry"),
            FaultKind::RetryRanAgain => Switch::follows_from("claims-kept"),
            FaultKind::UpdateDeferred => Switch::follows_from("update-delay"),
            FaultKind::Rewound
            | FaultKind::Cloned
            | FaultKind::CodeUpdated
            | FaultKind::FrontUpdated
            | FaultKind::VersionSkew
            | FaultKind::StorageInherited => Switch::ON_REQUEST,
        }
    }

    /// What has a kind of fault happen, by the name of the kind; `None` where there is no such kind.
    #[must_use]
    pub fn switch_of(&self, name: &str) -> Option<Switch> {
        let kind = FaultKind::VARIANTS.iter().find(|kind| kind.name() == name)?;
        Some(self.switch(*kind))
    }

    /// The episode of a kind of fault that has a rate, and what decides it.
    pub(super) fn episode(&self, kind: FaultKind) -> (Episode, Purpose) {
        let Switch { rate, purpose, .. } = self.switch(kind);
        rate.zip(purpose).expect("only faults that have a rate are drawn")
    }
}

/// The kinds of fault that begin at a rate above zero: several times an event somebody asks.
#[derive(Clone, Copy, Debug)]
pub(super) struct SwitchedOn(u64);

impl SwitchedOn {
    pub fn by(knobs: &Knobs) -> Self {
        let kinds = FaultKind::VARIANTS.iter();
        let on = kinds.filter(|kind| knobs.switch(**kind).is_on());
        SwitchedOn(on.fold(0, |on, kind| on | 1 << *kind as u32))
    }

    #[inline]
    pub fn has(self, kind: FaultKind) -> bool {
        self.0 >> kind as u32 & 1 == 1
    }
}
