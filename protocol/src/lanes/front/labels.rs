//! The names of all places where a front begins, awaits or decides something: marks of a sweep, and aims for faults.

use crate::host::Label;

/// Await: a front looks in KV for an override of a variable (`lanes.md` 22.6).
pub const READ_OVERRIDE: Label = Label("front-read-override");
/// Await: a front looks in KV for the site of a host.
pub const READ_SITE: Label = Label("front-read-site");
/// Await: a cold isolate looks for the pointer of a site in the edge cache.
pub const READ_EDGE: Label = Label("front-read-edge-pointer");
/// Await: a cold isolate looks for the pointer of a site in KV.
pub const READ_POINTER: Label = Label("front-read-pointer");
/// Unawaited write: a front leaves the pointer of a site in the edge cache.
pub const WRITE_EDGE: Label = Label("front-write-edge-pointer");
/// Await: a front asks the primary.
pub const ASK_PRIMARY: Label = Label("front-ask-primary");
/// Await: a front asks a lane.
pub const ASK_LANE: Label = Label("front-ask-lane");
/// Await: a front asks an object again that was reset.
pub const ASK_AGAIN: Label = Label("front-ask-again");
/// Await: a front asks the primary what a lane has handed over.
pub const FAIL_OVER: Label = Label("front-fail-over");

/// Decision: which object a request goes to; the detail is its name, and why.
pub const ROUTED: Label = Label("front-routed");
/// Decision: a lane hands a request over; the detail is the lane and its reason.
pub const FAILED_OVER: Label = Label("front-failed-over");
/// Decision: a call has failed; the detail is what follows, and the error.
pub const RECOVERED: Label = Label("front-call-failed");
/// Decision: an unsafe request is given an attempt's id.
pub const ATTEMPT: Label = Label("front-attempt");
/// Decision: a front has heard of another number of lanes; the detail is `lanes@epoch`.
pub const HEARD: Label = Label("front-heard");
/// Decision: a request is answered by the front itself; the detail is the reason.
pub const ANSWERED: Label = Label("front-answered");

/// All labels, for tables of marks.
pub const ALL: [Label; 15] = [
    READ_OVERRIDE,
    READ_SITE,
    READ_EDGE,
    READ_POINTER,
    WRITE_EDGE,
    ASK_PRIMARY,
    ASK_LANE,
    ASK_AGAIN,
    FAIL_OVER,
    ROUTED,
    FAILED_OVER,
    RECOVERED,
    ATTEMPT,
    HEARD,
    ANSWERED,
];
