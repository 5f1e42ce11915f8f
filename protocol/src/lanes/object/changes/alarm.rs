//! A chain of alarms that does not break.

use super::super::alarm::{self, Alarming, arm};
use super::super::land::land_chunk;
use super::super::readmit::{self, Asking};
use super::super::store;
use crate::host::{Body, Millis, Response};
use crate::lanes::admission::{Stage, StageName};
use crate::lanes::alarm::{LanePhase, LanePhaseFacts, asked};
use crate::lanes::meta::{Key, Write, present};
use crate::lanes::object::identity::{Identity, of};
use crate::lanes::object::{Cx, Failure, Next, SiteObject, Value, Version};
use crate::lanes::rules::Rules;
use crate::number::Number;
use crate::task::{Resume, Step};

/// How long a lane waits for the next chunk of a copy before it asks for another one.
const PATIENCE: Millis = Millis(60_000);

/// How soon an alarm comes again whose run has failed.
const AGAIN: Millis = Millis(5_000);

/// Asks for a copy until one begins: also when it has asked before, and when one was begun and is not going on, which is
/// what the alarm of a lane that is being restored means ([`land_and_watch`]).
pub(in crate::lanes) fn ask_until_it_comes(
    rules: &Rules,
    stage: &StageName,
    asks: Option<&str>,
) -> Option<Vec<Write>> {
    let waits = *stage == Stage::Created.into() && present(asks).is_some();
    let mut writes = Vec::new();
    let put = |stage: Stage| Write::Meta(Key::STAGE, stage.as_str().into());
    match stage.known()? {
        Stage::Restoring => writes.extend([put(Stage::Withdrawn), put(Stage::Created)]),
        Stage::Withdrawn => writes.push(put(Stage::Created)),
        Stage::Created if waits => {}
        _ => return None,
    }
    writes.extend((rules.copies.restart)());
    writes.push(Write::number(Key::READMIT_ASKS, asked(asks) + Number::integer(1)));
    Some(writes)
}

/// Asks as documented, unless a chunk has come since this run of the alarm began: it has set the next one.
pub(in crate::lanes) fn ask_unless_a_chunk_came(
    asking: &mut Asking,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    if site.stage(cx)? == Stage::Restoring.into() && cx.alarm().is_some() {
        return Ok(Step::Return(Value::Asked(false)));
    }
    readmit::post(asking, site, version, resume, cx)
}

/// As documented, but that a lane that is being restored sleeps with an alarm.
pub(in crate::lanes) fn after_lane_phase(rules: &Rules, facts: &LanePhaseFacts<'_>) -> LanePhase {
    match crate::lanes::alarm::after_lane_phase(rules, facts) {
        LanePhase::Sleeps if facts.stage == Stage::Restoring.into() => {
            LanePhase::Again(Number::from(PATIENCE.0))
        }
        phase => phase,
    }
}

/// Lands a chunk, and sets the alarm for the case that it was the last one to come.
pub(in crate::lanes) fn land_and_watch(
    site: &mut SiteObject,
    version: &Version,
    restart: bool,
    body: &Body,
    cx: &mut Cx<'_, '_>,
) -> Result<Response, Failure> {
    let response = land_chunk(site, version, restart, body, cx)?;
    if site.stage(cx)? == Stage::Restoring.into() {
        arm(cx, PATIENCE, "watches a copy");
    }
    Ok(response)
}

/// A lane whose stage was moved from outside sees to itself soon.
pub(in crate::lanes) fn wake_after_a_move(_: &Version, identity: &Identity, cx: &mut Cx<'_, '_>) {
    let due = cx.now().after(AGAIN);
    if identity.is_lane() && cx.alarm().is_none_or(|armed| armed > due) {
        arm(cx, AGAIN, "moved from outside");
    }
}

/// However a run of the alarm ends, another one is set.
pub(in crate::lanes) fn arm_however_it_ends(
    run: &mut Alarming,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let owns = !of(version, cx).is_lane()
        || site.stage(cx)? != Stage::Created.into()
        || store::meta(cx, Key::READMIT_ASKS.0)?.is_some();
    if owns && cx.alarm().is_none() {
        arm(cx, AGAIN, "however it ended");
    }
    alarm::settle(run, site, version, resume, cx)
}
