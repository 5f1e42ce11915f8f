//! LR-40. A write that a lane may not take goes to the primary.
//!
//! Judged on each call with an unsafe method that a front makes: a lane may be asked only for a visitor with a session,
//! and not where an upload, or the path that the visitor asked for, originates what is the primary's. What the paths are
//! is declared here. Nor may a front ask a lane to write that was told by KV that forwarding is off, and not that it is on
//! since: in its last two readings, since two may overlap. A reading that fails tells it nothing. Catches H33 and C07 where
//! a method or a session is not asked for.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::Variable;
use crate::world::lanes::truth::Truth;
use crate::world::lanes::truth::wire::Called;
use protocol::host::{Method, Request};

/// It goes to a lane.
const TO_A_LANE: Class = Class("to-a-lane");

/// It goes to a lane by a front that was told that none may be asked to write.
const FORWARDING_OFF: Class = Class("forwarding-off");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-40",
        statement: "a write without a session, to a route that originates, or while forwarding is off goes to the primary",
        classes: &[TO_A_LANE, FORWARDING_OFF],
    },
    triage: Triage::Reworded("forwarding is off where a front was last told so: nothing tells it of a change at once"),
    stands: &[Stand::Call(check)],
};

/// The paths below which writes are the primary's (`lanes.md` 4).
const ORIGINATING: [&str; 2] = ["/admin/modules", "/admin/config/drupflare/settings"];

fn check(truth: &mut Truth, called: &Called) -> Judgement {
    if truth.lane_of(&called.who).is_some() || is_read(&called.request) {
        return Judgement::NoSubject;
    }
    let visitor = called.run.as_ref().and_then(|run| run.request());
    let off = || is_off(truth, called).then_some((FORWARDING_OFF, "is not to be forwarded"));
    let pinned = |visitor| pinned(visitor).map(|why| (TO_A_LANE, why));
    let Some((class, why)) = visitor.and_then(|visitor| pinned(visitor).or_else(off)) else {
        return Judgement::NoSubject;
    };
    Judgement::that(called.to.0 == truth.site, || {
        Breach::new(class, format!("{} asks {} for a write that {why}", called.caller(), called.asked()))
    })
}

fn is_read(request: &Request) -> bool {
    matches!(request.method, Method::Get | Method::Head)
}

/// Whether a front knows that no lane may be asked to write. The same lane again, after an error, was asked before.
fn is_off(truth: &Truth, called: &Called) -> bool {
    let asks_again = called.run.as_ref().is_some_and(|run| run.calls().next().is_some());
    let told = truth
        .overrides
        .told(&called.who, called.incarnation, Variable::WriteForward);
    let last = told.iter().rev().take(2);
    !asks_again && !told.is_empty() && last.into_iter().all(|(_, text)| text.as_deref() == Some("0"))
}

/// Why a visitor's write is the primary's.
fn pinned(visitor: &Request) -> Option<&'static str> {
    let cookie = visitor.headers.get("cookie").unwrap_or_default();
    if !cookie.contains("SESS") {
        return Some("has no session");
    }
    let form = visitor.headers.get("content-type").unwrap_or_default();
    if form.starts_with("multipart/form-data") {
        return Some("is an upload");
    }
    let path = visitor.path.split('?').next().unwrap_or_default();
    let originates = |prefix: &str| {
        path.strip_prefix(prefix)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    ORIGINATING
        .into_iter()
        .any(originates)
        .then_some("originates what is the primary's")
}
