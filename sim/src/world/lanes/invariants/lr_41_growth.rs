//! LR-41. The pool grows by sustained demand, one copy at a time, and after what is to be repaired.
//!
//! Judged when the primary's alarm begins a copy to a lane that nobody has queued: that is growth. The primary was not told
//! last that it may not grow (a reading that fails tells it nothing); the lane's number is no higher than it was told that it
//! may be, and 32 at most; no lane was queued for another copy and none was being copied when the alarm fired; and in each of the
//! last three windows, from one firing to the next, at least as many requests waited for the gate as there will be lanes.
//! A request counts in every window from its coming to its answer, so that whoever counts it once, anywhere, is right.
//! Windows are not judged that began before anybody looked, or before the last fault took effect: what was counted may be
//! lost with an incarnation. Catches a ring of waits that is counted in every window, and windows that outlive a quiet one.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::Variable;
use crate::world::lanes::truth::Truth;
use crate::world::lanes::truth::wire::Called;
use protocol::host::Text;
use protocol::lanes::meta::{Key, names};
use protocol::lanes::object::labels;

/// It is switched off.
const SWITCHED_OFF: Class = Class("switched-off");
/// There are more lanes than may be.
const TOO_MANY: Class = Class("too-many");
/// Something waits for repair.
const BEFORE_REPAIR: Class = Class("before-repair");
/// A copy is in progress.
const TWO_COPIES: Class = Class("two-copies");
/// Nobody asks for it.
const UNASKED: Class = Class("unasked");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-41",
        statement: "the pool grows after three contended windows in a row, to as many lanes as are allowed and 32 at most, one copy at a time, when nothing waits for repair, and not while that is off",
        classes: &[SWITCHED_OFF, TOO_MANY, BEFORE_REPAIR, TWO_COPIES, UNASKED],
    },
    triage: Triage::Reworded(
        "no run limits the rows of a day: what follows from them is tested by itself",
    ),
    stands: &[Stand::Call(check)],
};

/// The most lanes that a pool grows to by itself (`lanes.md` 3).
const MOST: u32 = 32;

fn check(truth: &mut Truth, called: &Called) -> Judgement {
    let by_alarm = called.run.as_ref().is_some_and(|run| run.is_alarm());
    if called.label != labels::MIGRATE_LANE || !by_alarm || truth.lane_of(&called.who) != Some(0) {
        return Judgement::NoSubject;
    }
    let Some(lane) = truth.number_of(&called.to.0) else {
        return Judgement::NoSubject;
    };
    let number = Text::from(lane.to_string());
    let queued = names(truth.primary.meta(Key::REPAIRS).map(Text::as_str));
    if truth.demand.queued.contains(&number) || queued.contains(&number) {
        return Judgement::NoSubject;
    }
    let told = |variable| {
        let last = truth.overrides.last(&called.who, called.incarnation, variable);
        last.map(Text::as_str)
    };
    if told(Variable::ReplicaAutoscale) == Some("0") {
        return grew(SWITCHED_OFF, lane, ("autoscaling, as it was told last", 0), ("it adds lane", lane));
    }
    let allowed = told(Variable::ReplicaMaxLanes).and_then(|text| text.parse().ok());
    let most = allowed.unwrap_or(MOST).min(MOST);
    if lane > most {
        return grew(TOO_MANY, lane, ("lanes at most", most), ("it becomes", lane));
    }
    let waits = truth.demand.queued.iter().find(|lane| queued.contains(lane));
    if let Some(first) = waits {
        return grew(BEFORE_REPAIR, lane, ("a lane that waits for another copy", first), ("it copies to", lane));
    }
    if let Some(other) = truth.demand.copying.as_ref().filter(|other| **other != number) {
        return grew(TWO_COPIES, lane, ("a copy in progress", other), ("it begins one to", lane));
    }
    contended(truth, lane)
}

/// Whether so many requests have waited in each of the last windows.
fn contended(truth: &Truth, lane: u32) -> Judgement {
    let Some(windows) = truth.demand.sustained() else {
        return Judgement::NoSubject;
    };
    if truth.troubled.is_some_and(|at| at >= windows[0].since) {
        return Judgement::NoSubject;
    }
    let least = windows.iter().filter_map(|window| window.waited).min();
    let Some(least) = least else {
        return Judgement::NoSubject;
    };
    if least >= u64::from(lane) {
        return Judgement::Holds;
    }
    let detail = format!("the pool grows to lane {lane}, and in one of the last three windows {least} requests have waited, not {lane}");
    Judgement::broken(Breach::new(UNASKED, detail).between(
        ("requests that wait in each of three windows, at least", lane),
        ("requests that waited in one of them", least),
    ))
}

fn grew(
    class: Class,
    lane: u32,
    due: (&'static str, impl std::fmt::Display),
    is: (&'static str, impl std::fmt::Display),
) -> Judgement {
    let detail = format!("the pool grows to lane {lane}: {} {}, {} {}", due.0, due.1, is.0, is.1);
    Judgement::broken(Breach::new(class, detail).between(due, is))
}
