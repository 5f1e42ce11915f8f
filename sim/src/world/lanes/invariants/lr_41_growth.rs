//! LR-41. The primary adds a lane by itself only where demand asks for it, and the settings allow it.
//!
//! Judged when an alarm's run begins the copy of a lane that was never provisioned, and that nobody has asked for: its
//! number is no higher than the highest that is allowed, at most 32; each of the last three windows of demand has
//! requests that waited; and the primary was not told last that it may not grow. A reading that fails tells it nothing.
//! That one copy is under way at a time is LR-15's. It cannot see the row budget, which no site of this world has.

use protocol::lanes::meta::Key;
use protocol::lanes::object::labels;

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::Variable;
use crate::world::lanes::truth::Truth;
use crate::world::lanes::truth::wire::Called;

/// One is added while that is switched off.
const SWITCHED_OFF: Class = Class("switched-off");

/// More are added than are allowed.
const TOO_MANY: Class = Class("too-many");

/// One is added that demand has not asked for in each window.
const NOT_ASKED_FOR: Class = Class("not-asked-for");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-41",
        statement: "a lane is added only after three windows of demand, within the most that is allowed, and not while that is off",
        classes: &[SWITCHED_OFF, TOO_MANY, NOT_ASKED_FOR],
    },
    triage: Triage::Reworded("no site of this world has a limit of rows"),
    stands: &[Stand::Call(check)],
};

/// The most lanes that are ever added (`lanes.md` 3).
const MOST: u32 = 32;

/// How many windows must ask for it (`lanes.md` 3).
const WINDOWS: usize = 3;

fn check(truth: &mut Truth, called: &Called) -> Judgement {
    let Some(lane) = added(truth, called) else {
        return Judgement::NoSubject;
    };
    let last = |variable| truth.overrides.last(&called.who, variable).map(|text| text.as_str());
    let off = last(Variable::ReplicaAutoscale) == Some("0");
    let most = last(Variable::ReplicaMaxLanes).and_then(|text| text.parse().ok());
    let most = most.unwrap_or(MOST).min(MOST);
    let waited = waited(truth);
    let asked = waited.len() == WINDOWS && waited.iter().all(|queued| *queued >= 1.0);
    if off {
        return Judgement::broken(Breach::new(SWITCHED_OFF, format!("lane {lane} is added while that is switched off")));
    }
    if lane > most {
        return Judgement::broken(
            Breach::new(TOO_MANY, format!("lane {lane} is added, and {most} are allowed")).between(("the most that is allowed", most), ("lane that is added", lane)),
        );
    }
    Judgement::that(asked, || {
        Breach::new(NOT_ASKED_FOR, format!("lane {lane} is added, and of the last windows of demand so many requests waited: {waited:?}"))
    })
}

/// The lane whose copy this call begins, if the primary adds it by itself.
fn added(truth: &Truth, called: &Called) -> Option<u32> {
    let by_alarm = called.run.as_ref().filter(|run| run.is_alarm())?;
    let first = by_alarm.calls().next().is_none();
    let begins = matches!(called.label, labels::MIGRATE_LANE | labels::POST_CHUNK);
    if !first || !begins || truth.lane_of(&called.who) != Some(0) {
        return None;
    }
    let lane = truth.number_of(&called.to.0).filter(|lane| *lane > 0)?;
    let primary = &truth.primary;
    let provisioned = primary.generation(Key::LANES).unwrap_or(0);
    let text = |key| primary.meta(key).map_or("", |text| text.as_str());
    let wanted = text(Key::REPAIRS).split(',').any(|queued| queued.trim().parse() == Ok(lane));
    let goes_on = !text(Key::COPY_CURSOR).is_empty();
    (u64::from(lane) > provisioned && !wanted && !goes_on).then_some(lane)
}

/// How many requests waited in each of the last windows of demand, as they are stored.
fn waited(truth: &Truth) -> Vec<f64> {
    let stored = truth.primary.meta(Key::DEMAND_WINDOWS).map_or("[]", |text| text.as_str());
    let windows: Vec<serde_json::Value> = serde_json::from_str(stored).unwrap_or_default();
    let last = windows.iter().rev().take(WINDOWS);
    last.map(|window| window["queued"].as_f64().unwrap_or(0.0)).collect()
}
