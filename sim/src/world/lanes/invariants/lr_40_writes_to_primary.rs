//! LR-40. A write that a lane may not take goes to the primary.
//!
//! Judged on each call with an unsafe method that a front makes: a lane may be asked only for a visitor with a session,
//! and not where an upload, or the path that the visitor asked for, originates what is the primary's. What the paths are
//! is declared here. Forwarding is on in this world, so that a setting that turns it off is not shown. Catches H33 and
//! C07 where a method or a session is not asked for.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::Truth;
use crate::world::lanes::truth::wire::Called;
use protocol::host::{Method, Request};

/// It goes to a lane.
const TO_A_LANE: Class = Class("to-a-lane");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-40",
        statement: "a write without a session, or to a route that originates, goes to the primary",
        classes: &[TO_A_LANE],
    },
    triage: Triage::Reworded("no run turns forwarding off, so that writes go to lanes at all"),
    stands: &[Stand::Call(check)],
};

/// The paths below which writes are the primary's (`lanes.md` 4).
const ORIGINATING: [&str; 2] = ["/admin/modules", "/admin/config/drupflare/settings"];

fn check(truth: &mut Truth, called: &Called) -> Judgement {
    if truth.lane_of(&called.who).is_some() || is_read(&called.request) {
        return Judgement::NoSubject;
    }
    let visitor = called.run.as_ref().and_then(|run| run.request());
    let Some(why) = visitor.and_then(pinned) else {
        return Judgement::NoSubject;
    };
    Judgement::that(called.to.0 == truth.site, || {
        Breach::new(TO_A_LANE, format!("{} asks {} for a write that {why}", called.who, called.to))
    })
}

fn is_read(request: &Request) -> bool {
    matches!(request.method, Method::Get | Method::Head)
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
