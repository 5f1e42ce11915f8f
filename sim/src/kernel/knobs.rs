//! How the platform behaves: latencies always, faults as often as a run wants them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::again::AutoRetry;
use super::episode::Episode;
use super::span::Span;
use super::time::Micros;

/// What an await on a digest is. The runtime was not seen to let anything in there, production documents that it does
/// (`workerd.md` T2, I4; `platform.md` section 2, item 3): code that is right under one and wrong under the other has
/// a bug.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum DigestAwait {
    /// It ends the commit unit, and other events come between.
    #[default]
    Suspends,
    /// It does neither: the code goes on within the turn.
    GoesOn,
}

/// How the platform behaves: latencies always, faults for as long as the run injects them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Knobs {
    /// How long a request is on its way, and an answer.
    pub latency: Span,
    /// How often a request is lost before it is delivered.
    pub request_loss: Episode,
    /// How often the answer of a request that was delivered is lost.
    pub answer_loss: Episode,
    /// How often a request or an answer is late …
    pub late: Episode,
    /// … and by how much.
    pub late_by: Span,
    /// How often a party stops reaching another, in one direction or in both.
    pub partition: Episode,
    /// How often messages from one party to another stop moving: they all arrive when it ends. Only where it lasts.
    pub clog: Episode,
    /// How often a client, or a proxy on the way of a call, sends a request a second time …
    pub duplicate: Episode,
    /// … and how long after the first.
    pub duplicate_after: Span,
    /// How often the client of a front Worker's request goes away while a call is under way …
    pub cancel: Episode,
    /// … and how long after that call has left.
    pub cancel_after: Span,
    /// How long a caller waits before it is told that a call failed.
    pub notice: Span,
    /// How long a commit takes to be confirmed.
    pub confirm: Span,
    /// How often a commit fails: its writes and all later ones are lost, and the object is reset.
    pub commit_failure: Episode,
    /// How often commits are not confirmed until it ends. What waits longer than the gate does resets the object. Only
    /// where it lasts.
    pub commit_stall: Episode,
    /// How often a statement meets an error of the storage that breaks the object.
    pub storage_error: Episode,
    /// How long a digest or a shared service takes.
    pub service: Span,
    /// What an await on a digest is.
    pub digest: DigestAwait,
    /// How late an alarm runs on a good day.
    pub alarm_lateness: Span,
    /// How often an alarm is late beyond that …
    pub alarm_late: Episode,
    /// … and by how much.
    pub alarm_late_by: Span,
    /// How long the alarm's manager takes to hear of a later time, or of none.
    pub alarm_sync: Span,
    /// How often it does not hear of it.
    pub alarm_sync_loss: Episode,
    /// Whether an alarm that its own run sets to now gets stuck until something disturbs it (`platform.md` 6.13).
    pub alarm_now_sticks: bool,
    /// Whether an alarm that is set while it waits for a retry runs when the retry is due, as that retry
    /// (`workerd.md` A7), and not at its own time.
    pub alarm_keeps_retry: bool,
    /// Whether a machine that fails is that of the alarm's manager too, who keeps the count of failed runs in memory
    /// (`workerd.md` A10, A11): an alarm that waits for a retry is then simply overdue. Production's manager is another
    /// service, and who counts on gives an alarm up sooner.
    pub alarm_count_lost: bool,
    /// How often an object that has nothing to do is evicted …
    pub eviction: Episode,
    /// … and after how long.
    pub idle: Span,
    /// How often an object is reset after a turn, by one cause or another …
    pub reset: Episode,
    /// … and how long after it.
    pub reset_after: Span,
    /// How often an object is started elsewhere while its incarnation runs on …
    pub displacement: Episode,
    /// … and for how long that one runs on at most.
    pub overlap: Span,
    /// How far an object's clock is from the true one at most, either way. Each incarnation has another.
    pub clock_skew: Micros,
    /// Whether an instance that its alarm has woken does not know its name (`platform.md` 1.4, `workerd.md` A12).
    pub name_missing: bool,
    /// Whether all objects of a namespace share an isolate, so that memory runs out for all of them (1.5).
    pub shared_isolates: bool,
    /// How long code may hold the thread before the platform stops it (section 9).
    pub cpu_limit: Micros,
    /// In how many locations parties are: each has KV's copies and an edge cache of its own. Isolate N of the front Worker
    /// is in location N, counted around; an object is where it was called from first (1.3).
    pub locations: u32,
    /// How long a location goes by a copy of an entry of KV, or of there being none. None at all: everybody reads what
    /// is written.
    pub kv_copy: Span,
    /// How long after a program's write of a key of KV other writes of it are refused, but for an operator's (section 18:
    /// one second). No time: none is.
    pub kv_write_interval: Micros,
    /// How often a read or a write of KV fails.
    pub kv_failure: Episode,
    /// How often an edge cache has dropped an entry that is read.
    pub edge_loss: Episode,
    /// How often a message of the broker does not reach a subscriber.
    pub message_loss: Episode,
    /// How often the broker restarts when a message is published.
    pub broker_restart: Episode,
    /// How many messages the broker keeps for a subscriber that is not reading; with one more the subscription ends.
    pub broker_buffer: u32,
    /// How often an isolate of the front Worker ends after a turn; how long after it, `reset-after` says.
    pub front_restart: Episode,
    /// How long it takes until a deploy reaches an object or an isolate (8.1).
    pub deploy_reach: Span,
    /// For how long what is under way in an object goes on at most when its code is updated, if it does not touch the
    /// storage (8.2); none where it is stopped at once.
    pub update_grace: Micros,
    /// How long an object may go on with its old code, unless it loses its memory before (8.3); none where it is updated as
    /// soon as a deploy reaches it.
    pub update_delay: Micros,
    /// How many requests wait for an object at most (section 10); any number where none is named.
    pub queue_most: Option<u32>,
    /// How many bytes of them.
    pub queue_bytes: Option<u64>,
    /// How long each.
    pub queue_age: Option<Micros>,
    /// How many requests an object takes in 10 s at most (section 10); any number where none is named.
    pub window_most: Option<u32>,
    /// Which calls the runtime tries again whose connection was lost (12.4).
    pub auto_retry: AutoRetry,
    /// Whether an object knows which calls an earlier incarnation has claimed: if not, one that is tried again can run twice
    /// (12.4, 20).
    pub claims_kept: bool,
    /// Whether the alarm of an object is not among what is cloned of it, although it stands in its database (14.4): then
    /// nothing wakes the clone.
    pub alarm_not_cloned: bool,
    /// Whether calls, sleeps and the like that nobody waits for keep no object in memory: it can be evicted while they are
    /// under way (7.4: before the compatibility date 2026-10-01).
    pub evicts_at_work: bool,
}

impl Default for Knobs {
    fn default() -> Self {
        Knobs::calm()
    }
}

impl Knobs {
    /// A platform on a good day: short latencies, no faults.
    #[must_use]
    pub const fn calm() -> Self {
        Knobs {
            latency: Span::millis(1, 20),
            request_loss: Episode::NEVER,
            answer_loss: Episode::NEVER,
            late: Episode::NEVER,
            late_by: Span::millis(100, 2_000),
            partition: Episode::NEVER,
            clog: Episode::NEVER,
            duplicate: Episode::NEVER,
            duplicate_after: Span::millis(0, 2_000),
            cancel: Episode::NEVER,
            cancel_after: Span::millis(0, 50),
            notice: Span::millis(50, 500),
            confirm: Span {
                least: Micros(200),
                most: Micros(5_000),
            },
            commit_failure: Episode::NEVER,
            commit_stall: Episode::NEVER,
            storage_error: Episode::NEVER,
            service: Span {
                least: Micros(100),
                most: Micros(2_000),
            },
            digest: DigestAwait::Suspends,
            alarm_lateness: Span {
                least: Micros(0),
                most: Micros(1_000),
            },
            alarm_late: Episode::NEVER,
            alarm_late_by: Span::millis(1_000, 60_000),
            alarm_sync: Span::millis(1, 50),
            alarm_sync_loss: Episode::NEVER,
            alarm_now_sticks: false,
            alarm_keeps_retry: false,
            alarm_count_lost: false,
            eviction: Episode::NEVER,
            idle: Span::millis(10_000, 140_000),
            reset: Episode::NEVER,
            reset_after: Span::millis(0, 20),
            displacement: Episode::NEVER,
            overlap: Span::millis(100, 30_000),
            clock_skew: Micros::ZERO,
            name_missing: false,
            shared_isolates: false,
            cpu_limit: Micros::from_millis(30_000),
            locations: 1,
            kv_copy: Span::exactly(Micros::ZERO),
            kv_write_interval: Micros::ZERO,
            kv_failure: Episode::NEVER,
            edge_loss: Episode::NEVER,
            message_loss: Episode::NEVER,
            broker_restart: Episode::NEVER,
            broker_buffer: 1_000,
            front_restart: Episode::NEVER,
            deploy_reach: Span::millis(0, 30_000),
            update_grace: Micros::from_millis(30_000),
            update_delay: Micros::ZERO,
            queue_most: None,
            queue_bytes: None,
            queue_age: None,
            window_most: None,
            auto_retry: AutoRetry::Off,
            claims_kept: true,
            alarm_not_cloned: false,
            evicts_at_work: false,
        }
    }

    /// The same platform without any fault: what the healing phase runs on. What is no fault but a way that the
    /// platform can be (skew, sticking alarms, missing names) stays.
    #[must_use]
    pub fn healed(&self) -> Self {
        Knobs {
            request_loss: Episode::NEVER,
            answer_loss: Episode::NEVER,
            late: Episode::NEVER,
            partition: Episode::NEVER,
            clog: Episode::NEVER,
            duplicate: Episode::NEVER,
            cancel: Episode::NEVER,
            commit_failure: Episode::NEVER,
            commit_stall: Episode::NEVER,
            storage_error: Episode::NEVER,
            alarm_late: Episode::NEVER,
            alarm_sync_loss: Episode::NEVER,
            eviction: Episode::NEVER,
            reset: Episode::NEVER,
            displacement: Episode::NEVER,
            kv_failure: Episode::NEVER,
            edge_loss: Episode::NEVER,
            message_loss: Episode::NEVER,
            broker_restart: Episode::NEVER,
            front_restart: Episode::NEVER,
            ..self.clone()
        }
    }

    /// All lengths of time among them, with their names in files: the longest that each can draw.
    #[must_use]
    pub const fn lengths(&self) -> [(&'static str, Micros); 37] {
        [
            ("knobs.latency.most-us", self.latency.most),
            ("knobs.late-by.most-us", self.late_by.most),
            ("knobs.partition.least-us", self.partition.least),
            ("knobs.clog.least-us", self.clog.least),
            ("knobs.duplicate-after.most-us", self.duplicate_after.most),
            ("knobs.cancel-after.most-us", self.cancel_after.most),
            ("knobs.notice.most-us", self.notice.most),
            ("knobs.confirm.most-us", self.confirm.most),
            ("knobs.service.most-us", self.service.most),
            ("knobs.alarm-lateness.most-us", self.alarm_lateness.most),
            ("knobs.alarm-late-by.most-us", self.alarm_late_by.most),
            ("knobs.alarm-sync.most-us", self.alarm_sync.most),
            ("knobs.idle.most-us", self.idle.most),
            ("knobs.reset-after.most-us", self.reset_after.most),
            ("knobs.overlap.most-us", self.overlap.most),
            ("knobs.clock-skew", self.clock_skew),
            ("knobs.cpu-limit", self.cpu_limit),
            ("knobs.deploy-reach.most-us", self.deploy_reach.most),
            ("knobs.update-grace", self.update_grace),
            ("knobs.update-delay", self.update_delay),
            (
                "knobs.queue-age",
                match self.queue_age {
                    Some(age) => age,
                    None => Micros::ZERO,
                },
            ),
            ("knobs.request-loss.least-us", self.request_loss.least),
            ("knobs.answer-loss.least-us", self.answer_loss.least),
            ("knobs.late.least-us", self.late.least),
            ("knobs.duplicate.least-us", self.duplicate.least),
            ("knobs.cancel.least-us", self.cancel.least),
            ("knobs.commit-failure.least-us", self.commit_failure.least),
            ("knobs.commit-stall.least-us", self.commit_stall.least),
            ("knobs.storage-error.least-us", self.storage_error.least),
            ("knobs.reset.least-us", self.reset.least),
            ("knobs.kv-copy.most-us", self.kv_copy.most),
            ("knobs.kv-write-interval", self.kv_write_interval),
            ("knobs.kv-failure.least-us", self.kv_failure.least),
            ("knobs.edge-loss.least-us", self.edge_loss.least),
            ("knobs.message-loss.least-us", self.message_loss.least),
            ("knobs.broker-restart.least-us", self.broker_restart.least),
            ("knobs.front-restart.least-us", self.front_restart.least),
        ]
    }
}
