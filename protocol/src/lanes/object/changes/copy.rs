//! Copies and verdicts that are of one instant.

use super::super::catch_up::{self, Round};
use super::super::provision::{self, Provisioning};
use crate::lanes::object::{Cx, Next, SiteObject, Version};
use crate::task::Resume;

/// Reads no page of a copy when the primary has moved on since the copy began.
pub(in crate::lanes) fn check_each_page(
    step: &mut Provisioning,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let now = site.sequence(cx)?;
    if !now.js_eq(step.generation) {
        let why = format!(
            "the primary committed during the copy: began at {}, now {now}",
            step.generation
        );
        return step.refused(why, true, None, cx);
    }
    provision::post(step, site, version, resume, cx)
}

/// A verdict on a position that the lane has left says nothing: the next round judges anew.
pub(in crate::lanes) fn verdict_of_now(
    round: &mut Round,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let position = site.position(version, cx)?;
    let stays = round
        .digested
        .as_ref()
        .is_some_and(|(applied, _)| applied.js_eq(position.applied));
    if !stays || position.inflight.is_some() {
        resume.answer()?;
        return round.ended(site, version, true, "the lane has moved on", false, cx);
    }
    catch_up::verdict(round, site, version, resume, cx)
}
