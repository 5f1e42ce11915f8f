//! What choices decide.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// What a choice decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, VariantArray)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// Which of several events of one instant comes first.
    Order,
    /// Whether a request is lost on its way.
    RequestLoss,
    /// How long a request is on its way.
    RequestLatency,
    /// Whether a request is late …
    RequestLate,
    /// … and by how much.
    RequestLateBy,
    /// Whether an answer is lost on its way.
    AnswerLoss,
    /// How long an answer is on its way.
    AnswerLatency,
    /// Whether an answer is late …
    AnswerLate,
    /// … and by how much.
    AnswerLateBy,
    /// Whether messages stop getting from one party to another …
    Partition,
    /// … and whether in one direction only.
    PartitionWay,
    /// Whether messages from one party to another stop moving.
    Clog,
    /// Whether a request is sent a second time …
    Duplicate,
    /// … how long after the first …
    DuplicateAfter,
    /// … and whose answer is told: the first one's or the second one's.
    DuplicateAnswer,
    /// Whether a client goes away …
    Cancel,
    /// … and when.
    CancelAfter,
    /// How long a caller waits before it is told that a call failed.
    FailureNotice,
    /// How long a commit takes to be confirmed.
    Confirm,
    /// Whether a commit fails.
    CommitFailure,
    /// Whether commits stop being confirmed.
    CommitStall,
    /// Whether a statement meets an error of the storage …
    StorageError,
    /// … and which.
    StorageErrorKind,
    /// How many unconfirmed commits a reset leaves.
    Survivors,
    /// How long a digest, or a shared service, takes.
    Service,
    /// The jitter of an alarm's retry.
    RetryJitter,
    /// How late an alarm runs.
    AlarmLateness,
    /// Whether it is late beyond that …
    AlarmLate,
    /// … and by how much.
    AlarmLateBy,
    /// How long the alarm's manager takes to hear of a change …
    AlarmSync,
    /// … and whether it does not hear of it.
    AlarmSyncLoss,
    /// How long an alarm is stuck.
    AlarmStuck,
    /// Whether an object that has nothing to do is evicted …
    Eviction,
    /// … and after how long.
    Idle,
    /// Whether an object is reset …
    Reset,
    /// … by what …
    ResetCause,
    /// … and when.
    ResetAfter,
    /// Whether an object is started elsewhere while it runs …
    Displacement,
    /// … how long the earlier incarnation runs on at most …
    Overlap,
    /// … and whether it hears that its last commits are durable.
    Learns,
    /// Whether an episode of faults ends.
    EpisodeEnds,
    /// How far a clock is from the true one.
    ClockSkew,
    /// Bytes that nobody can guess.
    Entropy,
    /// What a plan consists of; drawn when it is generated, not when it runs.
    Plan,
    /// Whether a read or a write of KV fails.
    KvFailure,
    /// How long a copy of an entry of KV is gone by …
    KvCopy,
    /// … and whether a writer's own location sees what was written.
    KvOwnCopy,
    /// Whether an edge cache has dropped an entry.
    EdgeLoss,
    /// Whether a message of the broker is lost …
    MessageLoss,
    /// … or how long it is on its way.
    BrokerLatency,
    /// Whether the broker restarts.
    BrokerRestart,
    /// Whether an isolate of the front Worker ends.
    FrontRestart,
    /// How long it takes until a deploy reaches a party …
    DeployReach,
    /// … whether an object is among those that run it …
    DeployShare,
    /// … and whether a request of a front Worker is.
    FrontVersion,
    /// Whether the platform tells where a call was when its connection was lost …
    DeliveryMarker,
    /// … and how long it takes until the call is tried again.
    RetryAfter,
}
