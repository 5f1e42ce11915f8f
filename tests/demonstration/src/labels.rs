//! The names of all places where something is begun, awaited or decided: marks of a sweep, and aims for faults.

use protocol::host::Label;

/// Gate: one addition at a time in the counter.
pub const ADDS: Label = Label("adds");
/// Await: the digest of a new record, before the counter seals it.
pub const DIGEST: Label = Label("digest-record");
/// Unawaited call: the counter tells a follower that there is something to pull.
pub const NUDGE: Label = Label("nudge-follower");
/// Await: the counter nudges a follower that is to follow from now on.
pub const FIRST_NUDGE: Label = Label("nudge-new-follower");
/// Await: a follower asks the counter for the records after its position.
pub const PULL: Label = Label("pull-log");
/// Await: a follower hands a client's addition on to the counter.
pub const FORWARD: Label = Label("forward-add");
/// Await: a front learns from the configuration which counter it serves.
pub const CONFIGURE: Label = Label("read-configuration");
/// Await: a front learns from KV which followers others have seen.
pub const LEARN: Label = Label("read-followers");
/// Await: a front learns from its edge cache which followers others nearby have seen.
pub const LEARN_NEARBY: Label = Label("read-followers-nearby");
/// Await: a front listens at the broker for the followers that others see.
pub const LISTEN: Label = Label("listen-for-followers");
/// Unawaited write: a front tells the others, through KV, which followers it has seen.
pub const TELL: Label = Label("write-followers");
/// Unawaited write: a front tells the others nearby, through the edge cache.
pub const TELL_NEARBY: Label = Label("write-followers-nearby");
/// Unawaited write: a front tells the others that listen, through the broker.
pub const PUBLISH: Label = Label("publish-followers");
/// Await: a front asks the object that it chose.
pub const REACH: Label = Label("reach-object");
/// Await: a front lets a moment pass after a failed call.
pub const PAUSE: Label = Label("pause-before-retry");
/// Await: a front asks the counter, after a call failed.
pub const RETRY: Label = Label("reach-counter-again");

/// Decision: the counter refuses an addition; the detail is the reason.
pub const REFUSED: Label = Label("add-refused");
/// Decision: the counter answers a token that it knows as it did before.
pub const REPEATED: Label = Label("add-repeated");
/// Decision: the counter has sealed a record; the detail is its generation.
pub const SEALED: Label = Label("record-sealed");
/// Decision: a follower leaves a record out; the detail is the reason.
pub const LEFT_OUT: Label = Label("record-left-out");
/// Decision: a follower's position moves; the detail says where to.
pub const APPLIED: Label = Label("records-applied");
/// Decision: a front sends a request to an object; the detail is its name.
pub const ROUTED: Label = Label("routed");

/// All labels, for tables of marks.
pub const ALL: [Label; 22] = [
    ADDS,
    DIGEST,
    NUDGE,
    FIRST_NUDGE,
    PULL,
    FORWARD,
    CONFIGURE,
    LEARN,
    LEARN_NEARBY,
    LISTEN,
    TELL,
    TELL_NEARBY,
    PUBLISH,
    REACH,
    PAUSE,
    RETRY,
    REFUSED,
    REPEATED,
    SEALED,
    LEFT_OUT,
    APPLIED,
    ROUTED,
];
