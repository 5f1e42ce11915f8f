//! The names of all places where an object begins, awaits or decides something: marks of a sweep, and aims for faults.

use crate::host::Label;

/// Gate: one request at a time (`lanes.md` 16).
pub const GATE: Label = Label("gate");
/// Wait: a request that shares the response of another one of its herd.
pub const HERD: Label = Label("join-herd");

/// Await: the digest of the state, for a record that is sealed.
pub const SEAL_DIGEST: Label = Label("digest-for-seal");
/// Await: the digest of the state, for the head.
pub const HEAD_DIGEST: Label = Label("digest-for-head");
/// Await: the digest of a lane's own state, for its verdict.
pub const VERDICT_DIGEST: Label = Label("digest-for-verdict");
/// Await: the primary gives a lane the schema before a copy.
pub const MIGRATE_LANE: Label = Label("migrate-lane");
/// Await: the primary posts a chunk of a copy.
pub const POST_CHUNK: Label = Label("post-chunk");
/// Await: a lane asks for the primary's head.
pub const READ_HEAD: Label = Label("read-head");
/// Await: a lane asks for the records after its position.
pub const READ_LOG: Label = Label("read-log");
/// Await: a withdrawn lane asks for another copy.
pub const ASK_READMIT: Label = Label("ask-readmit");
/// Await: a lane forwards the statements of a request.
pub const FORWARD: Label = Label("forward-batch");
/// Await: a lane forwards the same statements again after a conflict.
pub const FORWARD_AGAIN: Label = Label("forward-batch-again");
/// Unawaited write: the primary tells KV how many lanes there are.
pub const PUT_LANES: Label = Label("put-lanes-pointer");
/// Await: the alarm reads an override of a variable from KV.
pub const READ_OVERRIDE: Label = Label("read-override");

/// Await: a render pauses, and holds nothing but the gate meanwhile.
pub const RENDER_PAUSE: Label = Label("pause-render");

/// Decision: an authoritative statement has run; the detail is its table.
pub const CAPTURED: Label = Label("write-captured");
/// Decision: the buffer has overflowed, and nothing is kept until it is sealed.
pub const OVERFLOWED: Label = Label("buffer-overflowed");
/// Decision: a record is sealed; the detail is `parent -> generation`.
pub const SEALED: Label = Label("record-sealed");
/// Decision: a buffer is dropped, for the sequence is not after its parent.
pub const SEAL_DROPPED: Label = Label("buffer-dropped");
/// Decision: a stage has moved; the detail is `from -> to`.
pub const STAGE: Label = Label("stage-moved");
/// Decision: a stage was asked to move and did not; the detail is the reason.
pub const STAGE_KEPT: Label = Label("stage-kept");
/// Decision: what became of a forwarded batch on the primary.
pub const BATCH: Label = Label("batch-judged");
/// Decision: a deferred row could not be appended; the detail is the error.
pub const DEFERRED_LOST: Label = Label("deferred-row-lost");
/// Decision: a chunk has landed; the detail is its table.
pub const LANDED: Label = Label("chunk-landed");
/// Decision: a chunk was refused, or its copy is not whole; the detail is the reason.
pub const NOT_LANDED: Label = Label("chunk-refused");
/// Decision: a copy is whole; the detail is its generation.
pub const WHOLE: Label = Label("copy-whole");
/// Decision: a record was applied, passed over or refused on a lane.
pub const RECORD: Label = Label("record-judged");
/// Decision: a round of catching up does not run; the detail is the reason.
pub const NO_ROUND: Label = Label("round-not-run");
/// Decision: the verdict on a lane; the detail is `admitted`, or the refusals.
pub const VERDICT: Label = Label("verdict");
/// Decision: a lane asks for another copy; the detail says how often it has.
pub const ASKED: Label = Label("copy-asked");
/// Decision: the primary queues a lane for another copy.
pub const REPAIR_QUEUED: Label = Label("repair-queued");
/// Decision: a step of a copy does not begin, or ends early; the detail is the reason.
pub const PROVISION_ENDED: Label = Label("provision-ended");
/// Decision: a step of a copy pauses; the detail is the cursor.
pub const PROVISION_PAUSED: Label = Label("provision-paused");
/// Decision: a lane's copy is done.
pub const PROVISIONED: Label = Label("lane-provisioned");
/// Decision: the pool does not grow; the detail is the reason.
pub const NO_GROWTH: Label = Label("pool-not-grown");
/// Decision: what the primary's answer to a forwarded batch comes to on the lane.
pub const FLUSHED: Label = Label("batch-answered");
/// Decision: what a request has collected is dropped, for it threw.
pub const COLLECTED_DROPPED: Label = Label("batch-dropped");
/// Decision: the guard refuses a call; the detail is the refusal.
pub const GUARDED: Label = Label("call-refused");
/// Decision: the guard makes a transaction speculative.
pub const SPECULATED: Label = Label("transaction-speculated");
/// Decision: a request is handed back; the detail is `clean` or `dirty`, and why.
pub const HANDED_BACK: Label = Label("request-handed-back");
/// Decision: what the fence says to a request.
pub const FENCED: Label = Label("fence-refused");
/// Decision: which tier answers a request.
pub const TIER: Label = Label("tier");
/// Decision: a lane does not know a session.
pub const SESSION_ABSENT: Label = Label("session-absent");
/// Decision: a round of catching up is nudged by a session.
pub const NUDGED: Label = Label("round-nudged");
/// Decision: the caches that show state are emptied.
pub const PURGED: Label = Label("caches-purged");
/// Decision: what follows the alarm's phases.
pub const ALARM: Label = Label("alarm-phase");
/// Decision: the interpreter boots; the detail is its class of ids.
pub const BOOTED: Label = Label("interpreter-booted");
/// Decision: the interpreter is dropped.
pub const DROPPED: Label = Label("interpreter-dropped");
/// Decision: an attempt was begun before and is not begun again.
pub const ATTEMPTED: Label = Label("attempt-known");
/// Decision: a request has failed; the detail is what was thrown.
pub const THREW: Label = Label("request-threw");
/// Decision: the cache tags that a request has written are settled.
pub const SETTLE_TAGS: Label = Label("settle-tags");

/// All labels, for tables of marks.
pub const ALL: [Label; 52] = [
    GATE,
    HERD,
    SEAL_DIGEST,
    HEAD_DIGEST,
    VERDICT_DIGEST,
    MIGRATE_LANE,
    POST_CHUNK,
    READ_HEAD,
    READ_LOG,
    ASK_READMIT,
    FORWARD,
    FORWARD_AGAIN,
    PUT_LANES,
    READ_OVERRIDE,
    RENDER_PAUSE,
    CAPTURED,
    OVERFLOWED,
    SEALED,
    SEAL_DROPPED,
    STAGE,
    STAGE_KEPT,
    BATCH,
    DEFERRED_LOST,
    LANDED,
    NOT_LANDED,
    WHOLE,
    RECORD,
    NO_ROUND,
    VERDICT,
    ASKED,
    REPAIR_QUEUED,
    PROVISION_ENDED,
    PROVISION_PAUSED,
    PROVISIONED,
    NO_GROWTH,
    FLUSHED,
    COLLECTED_DROPPED,
    GUARDED,
    SPECULATED,
    HANDED_BACK,
    FENCED,
    TIER,
    SESSION_ABSENT,
    NUDGED,
    PURGED,
    ALARM,
    BOOTED,
    DROPPED,
    ATTEMPTED,
    THREW,
    SETTLE_TAGS,
    CLAIMED,
];

/// Decision: a claim page is answered: this object does not know that the site was ever set up.
pub const CLAIMED: Label = Label("claim-page");
