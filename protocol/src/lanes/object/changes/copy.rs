//! Copies of one instant and of one attempt, and lanes that keep up.

use super::super::catch_up::{self, Round, RoundSteps};
use super::super::provision::{self, Provisioning};
use super::super::store;
use crate::host::{SqlError, Text};
use crate::lanes::admission::Stage;
use crate::lanes::catch_up::NoRound;
use crate::lanes::object::{Cx, Next, SiteObject, Version, labels};
use crate::lanes::restore::NoProvision;
use crate::lanes::wire::Cursor;
use crate::number::Number;
use crate::task::Resume;

/// Counts the attempts at copies to a lane; a copy that goes on is of the attempt that its cursor tells.
pub(in crate::lanes) fn count_attempts(
    lane: Number,
    goes_on: Option<&Cursor>,
    cx: &mut Cx<'_, '_>,
) -> Result<Option<Text>, SqlError> {
    if let Some(cursor) = goes_on {
        return Ok(cursor.attempt.as_str().map(Text::new));
    }
    let key = format!("copy_attempts:{lane}");
    let counted = Number::parse(store::meta(cx, &key)?.as_deref().unwrap_or("0"));
    let attempt = (counted + Number::integer(1)).to_string();
    store::set(cx, &key, &attempt)?;
    Ok(Some(Text::from(attempt)))
}

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
        let began = step.generation;
        return step.refused(NoProvision::Torn { began, now }, true, None, cx);
    }
    provision::post(step, site, version, resume, cx)
}

/// The commit sequence of a lane is its position, however many rounds bring it there.
pub(in crate::lanes) fn clock_from_the_position(
    _: &Round,
    site: &SiteObject,
    version: &Version,
    cx: &mut Cx<'_, '_>,
) -> Result<Number, SqlError> {
    Ok(site.position(version, cx)?.applied)
}

/// Pulls again at once while full batches come and the head is not reached.
pub(in crate::lanes) fn pull_until_level(
    round: &mut Round,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let applied = site.position(version, cx)?.applied;
    let was_full = std::mem::take(&mut round.brought) as u64;
    if Number::from(was_full).js_ge(round.limit) && applied.js_lt(round.advertised()) {
        return Ok(round.pull(applied, version, cx));
    }
    catch_up::digest(round, site, version, resume, cx)
}

/// Ends a round whose records come while its lane is being copied to, or waits for that: they are no concern of the copy,
/// and the position that they would be judged by is not the lane's any more. An error in place of an answer fails the
/// round all the same.
pub(in crate::lanes) fn records_unless_copied_to(
    round: &mut Round,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    match site.stage(cx)?.known() {
        Some(stage @ (Stage::Created | Stage::Restoring | Stage::Withdrawn)) => {
            resume.response()?;
            let why = NoRound::Stage(stage).to_string();
            cx.note(labels::NO_ROUND, why.as_str());
            round.ended(site, version, true, why, false, cx)
        }
        _ => (RoundSteps::DOCUMENTED.records)(round, site, version, resume, cx),
    }
}
