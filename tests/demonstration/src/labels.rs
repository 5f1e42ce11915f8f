//! The names of all places where something is begun, awaited or decided: marks of a sweep, and aims for faults.

use protocol::host::Label;

/// Gate: one addition at a time in the counter.
pub const ADDS: Label = Label("adds");
/// Await: the digest of a new record, before the counter seals it.
pub const DIGEST: Label = Label("digest-record");
/// Unawaited call: the counter tells a follower that there is something to pull.
pub const NUDGE: Label = Label("nudge-follower");
/// Await: a follower asks the counter for the records after its position.
pub const PULL: Label = Label("pull-log");
/// Await: a follower hands a client's addition on to the counter.
pub const FORWARD: Label = Label("forward-add");
/// Await: a front learns from the configuration which counter it serves.
pub const CONFIGURE: Label = Label("read-configuration");
/// Await: a front learns from KV which followers others have seen.
pub const LEARN: Label = Label("read-followers");
/// Unawaited write: a front tells the others, through KV, which followers it has seen.
pub const TELL: Label = Label("write-followers");
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
pub const ALL: [Label; 17] = [
    ADDS, DIGEST, NUDGE, PULL, FORWARD, CONFIGURE, LEARN, TELL, REACH, PAUSE, RETRY, REFUSED, REPEATED,
    SEALED, LEFT_OUT, APPLIED, ROUTED,
];
