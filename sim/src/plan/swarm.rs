//! Swarm: what the seed of a plan decides, whatever world the plan is of. Each run turns whole kinds of faults on or off
//! and draws its own rates.

use protocol::host::{Label, Millis, SqlErrorKind, Text};
use strum::VariantArray as _;

use super::Fault;
use crate::kernel::{
    Aim, AutoRetry, CallFault, Chance, DigestAwait, Episode, FaultKind, Knobs, Micros, Origin, PlaceId,
    Purpose, Ratio, ResetCause, STORAGE_ERRORS, Source, Span, Way,
};

/// For whom a party makes its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// For clients, who can go away meanwhile.
    ForClients,
    /// For itself.
    ForItself,
}

/// Draws from the seed, for one plan.
#[derive(Debug)]
pub struct Dice {
    chance: Chance,
    source: Source,
}

impl Dice {
    /// Those of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut chance = Chance::new(seed, &[]);
        let origin = chance.origin(&Origin::Plan);
        let source = Source {
            origin,
            place: PlaceId::NOWHERE,
        };
        Dice { chance, source }
    }

    /// From 0 up to, and without, `alternatives`; 0 where there are none.
    pub fn below(&mut self, label: &'static str, alternatives: u32) -> u32 {
        let drawn = self.chance.choose(
            Purpose::Plan,
            self.source,
            &Text::new_static(label),
            u64::from(alternatives.max(1)),
        );
        u32::try_from(drawn).expect("below a 32-bit number")
    }

    /// From 1 to `most`.
    pub fn some(&mut self, label: &'static str, most: u32) -> u32 {
        1 + self.below(label, most)
    }

    /// An instant or a length below another one.
    pub fn instant(&mut self, label: &'static str, before: Micros) -> Micros {
        Micros(self.chance.choose(
            Purpose::Plan,
            self.source,
            &Text::new_static(label),
            before.0.max(1),
        ))
    }

    /// Off in half of all runs, else a rate up to the scenario's.
    pub fn episode(&mut self, kind: FaultKind, most: Episode) -> Episode {
        if self.below(kind.name(), 2) == 0 {
            return Episode::NEVER;
        }
        most.at_rate(Ratio {
            hits: most.begins.hits.saturating_mul(self.some(kind.name(), 8)),
            of: most.begins.of.saturating_mul(8),
        })
    }

    /// Whether the platform is in one of two ways, where the scenario allows the second one.
    pub fn either(&mut self, label: &'static str, allowed: bool) -> bool {
        self.below(label, 2) == 1 && allowed
    }
}

impl Dice {
    /// The scenario's platform, with only some of its faults, and not as often.
    pub fn knobs(&mut self, most: &Knobs) -> Knobs {
        let digest = if self.either("digest", most.digest == DigestAwait::GoesOn) {
            DigestAwait::GoesOn
        } else {
            DigestAwait::Suspends
        };
        Knobs {
            request_loss: self.episode(FaultKind::RequestLost, most.request_loss),
            answer_loss: self.episode(FaultKind::AnswerLost, most.answer_loss),
            late: self.episode(FaultKind::RequestLate, most.late),
            partition: self.episode(FaultKind::Partitioned, most.partition),
            clog: self.episode(FaultKind::Clogged, most.clog),
            duplicate: self.episode(FaultKind::Duplicated, most.duplicate),
            cancel: self.episode(FaultKind::Cancelled, most.cancel),
            commit_failure: self.episode(FaultKind::CommitFailed, most.commit_failure),
            commit_stall: self.episode(FaultKind::CommitStalled, most.commit_stall),
            storage_error: self.episode(FaultKind::StorageRefused, most.storage_error),
            alarm_late: self.episode(FaultKind::AlarmLate, most.alarm_late),
            alarm_sync_loss: self.episode(FaultKind::AlarmSyncLost, most.alarm_sync_loss),
            eviction: self.episode(FaultKind::Evicted, most.eviction),
            reset: self.episode(FaultKind::Reset, most.reset),
            displacement: self.episode(FaultKind::Displaced, most.displacement),
            kv_failure: self.episode(FaultKind::KvFailed, most.kv_failure),
            edge_loss: self.episode(FaultKind::EdgeDropped, most.edge_loss),
            message_loss: self.episode(FaultKind::MessageLost, most.message_loss),
            broker_restart: self.episode(FaultKind::BrokerRestarted, most.broker_restart),
            front_restart: self.episode(FaultKind::FrontRestarted, most.front_restart),
            locations: self.some("locations", most.locations),
            kv_copy: self.kv_copy(most.kv_copy),
            kv_write_interval: self.some_of("kv-write-interval", most.kv_write_interval),
            clock_skew: self.instant("clock-skew", most.clock_skew),
            alarm_now_sticks: self.either("alarm-now-sticks", most.alarm_now_sticks),
            alarm_keeps_retry: self.either("alarm-keeps-retry", most.alarm_keeps_retry),
            alarm_count_lost: self.either("alarm-count-lost", most.alarm_count_lost),
            name_missing: self.either("name-missing", most.name_missing),
            shared_isolates: self.either("shared-isolates", most.shared_isolates),
            digest,
            // Each of the ways in which code is updated: at once, with a grace, deferred.
            update_grace: self.some_of("update-grace", most.update_grace),
            update_delay: self.some_of("update-delay", most.update_delay),
            queue_most: self
                .bound("queue-most", most.queue_most.map(u64::from))
                .map(|most| most as u32),
            // Any less could be less than what a protocol at rest sends.
            window_most: if self.either("window-most", most.window_most.is_some()) {
                most.window_most
            } else {
                None
            },
            queue_bytes: self.bound("queue-bytes", most.queue_bytes),
            queue_age: self
                .bound("queue-age", most.queue_age.map(|age| age.0))
                .map(Micros),
            auto_retry: if self.either("auto-retry", most.auto_retry != AutoRetry::Off) {
                most.auto_retry
            } else {
                AutoRetry::Off
            },
            evicts_at_work: self.either("evicts-at-work", most.evicts_at_work),
            alarm_not_cloned: self.either("alarm-not-cloned", most.alarm_not_cloned),
            claims_kept: !self.either("claims-kept", !most.claims_kept),
            ..most.clone()
        }
    }

    /// No copies in a third of all runs; else they last for up to the scenario's longest time.
    fn kv_copy(&mut self, most: Span) -> Span {
        if self.below("kv-copies", 3) == 0 {
            return Span::exactly(Micros::ZERO);
        }
        let longest = self.instant("kv-copy", most.most.after(Micros(1)));
        Span {
            least: most.least.min(longest),
            most: longest,
        }
    }

    /// A fault of a service that all share, or of an isolate.
    pub fn service_fault(&mut self, fronts: &[Text]) -> Fault {
        match self.below("service-fault", 4) {
            0 => Fault::KvOutage { lasts: self.lasts() },
            1 => Fault::BrokerRestart,
            _ => Fault::Restart {
                front: fronts[self.below("restarted", fronts.len() as u32) as usize].clone(),
            },
        }
    }

    /// None in half of all runs, else a bound from 1 up to the scenario's.
    fn bound(&mut self, label: &'static str, most: Option<u64>) -> Option<u64> {
        if self.below(label, 2) == 0 {
            return None;
        }
        let drawn = self.instant(label, Micros(most?)).0;
        Some(drawn + 1)
    }

    /// None in half of all runs, else a length up to this one.
    fn some_of(&mut self, label: &'static str, most: Micros) -> Micros {
        if self.below(label, 2) == 0 {
            return Micros::ZERO;
        }
        self.instant(label, most)
    }

    /// A version is deployed, to some or to all: another one, or the one that stood before.
    pub fn deploy(&mut self) -> Fault {
        const PERCENT: [u32; 8] = [100, 100, 100, 75, 50, 25, 10, 0];
        Fault::Deploy {
            version: self.below("deploy-version", 2),
            percent: PERCENT[self.below("deploy-percent", PERCENT.len() as u32) as usize],
        }
    }

    /// One of these objects is taken back, or another one's storage is put in the place of its own.
    pub fn rewind(&mut self, objects: &[Text]) -> Fault {
        let object = self.object(objects);
        if self.below("rewind-kind", 3) == 0 {
            let from = self.object(objects);
            return Fault::Clone { from, to: object };
        }
        let back = self.lasts();
        Fault::Rewind { object, back }
    }

    fn object(&mut self, objects: &[Text]) -> Text {
        objects[self.below("fault-object", objects.len() as u32) as usize].clone()
    }

    fn party(&mut self, objects: &[Text], fronts: &[Text]) -> Text {
        if self.below("fault-party", 4) == 0 && !fronts.is_empty() {
            return fronts[self.below("fault-front", fronts.len() as u32) as usize].clone();
        }
        self.object(objects)
    }

    /// A length of up to about a minute, most of them short.
    pub fn lasts(&mut self) -> Micros {
        let most = Micros::from_millis(100 << self.below("fault-scale", 10));
        self.instant("fault-lasts", most)
    }

    /// A fault that is aimed at one of a party's calls: which of them, below a number that is told for each label.
    pub fn aimed(&mut self, callers: &[Text], label: Label, most: u32, calls: Calls) -> Fault {
        let aim = Aim {
            caller: callers[self.below("aim-caller", callers.len() as u32) as usize].clone(),
            label: Text::new_static(label.0),
            nth: self.below("aim-nth", most),
        };
        let by = |dice: &mut Self| Millis(dice.lasts().0 / 1_000);
        let fault = match self.below(
            "aim-fault",
            match calls {
                Calls::ForClients => 6,
                Calls::ForItself => 5,
            },
        ) {
            0 => CallFault::LoseRequest,
            1 => CallFault::LoseAnswer,
            2 => CallFault::DelayRequest(by(self)),
            3 => CallFault::DelayAnswer(by(self)),
            4 => CallFault::Duplicate(by(self)),
            _ => CallFault::Cancel(by(self)),
        };
        Fault::Call { aim, fault }
    }

    /// What a statement meets where the storage fails.
    fn storage_error(&mut self) -> SqlErrorKind {
        STORAGE_ERRORS[self.below("storage-error", STORAGE_ERRORS.len() as u32) as usize]
    }

    /// A fault that befalls one of these objects at an instant, or stands between it and another party.
    pub fn fault(&mut self, objects: &[Text], fronts: &[Text]) -> Fault {
        let object = self.object(objects);
        match self.below("fault-kind", 13) {
            0..=3 => {
                let causes = ResetCause::VARIANTS;
                let cause = causes[self.below("cause", causes.len() as u32) as usize];
                Fault::Reset { object, cause }
            }
            4 => Fault::Evict { object },
            5 => Fault::Displace {
                object,
                overlap: self.lasts(),
            },
            6..=7 => Fault::Partition {
                from: object,
                to: self.party(objects, fronts),
                way: if self.below("way", 2) == 0 {
                    Way::Both
                } else {
                    Way::There
                },
                lasts: self.lasts(),
            },
            8 => Fault::Clog {
                from: object,
                to: self.party(objects, fronts),
                lasts: self.lasts(),
            },
            9 => Fault::CommitStall {
                object,
                lasts: self.lasts(),
            },
            10 => Fault::CommitFailure { object },
            11 => Fault::StorageError {
                object,
                error: self.storage_error(),
                lasts: self.lasts(),
            },
            _ => Fault::Statement {
                object,
                after: u64::from(self.below("after", 8)),
                error: self.storage_error(),
            },
        }
    }
}
