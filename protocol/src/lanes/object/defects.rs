//! Segments of an object's flows that are broken. What each breaks stands in the table of
//! [`defects`](crate::lanes::defects).

use super::alarm::AlarmSteps;
use super::capture::note_authoritative_write;
use super::catch_up::Round;
use super::changes::{all_caches, mark_before_sending, records_unless_copied_to, seal_in_one_turn};
use super::flush::{FlushSteps, Flushing};
use super::identity::Identity;
use super::memory::Collected;
use super::provision::{ProvisionSteps, Provisioning};
use super::seal::Sealing;
use super::{Cx, Failure, Next, Refusal, SiteObject, Value, Version, store};
use crate::host::{Millis, SqlError, Text};
use crate::json::Json;
use crate::lanes::meta::{Key, Write};
use crate::number::Number;
use crate::sql::Bound;
use crate::task::{Resume, Step};

pub(in crate::lanes) fn leave_it_to_the_next_seal(
    sealing: &mut Sealing,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    if site.queued > 1 {
        return Ok(Step::Return(Value::Nothing));
    }
    seal_in_one_turn(sealing, site, version, resume, cx)
}

#[allow(clippy::unnecessary_wraps, reason = "the rule may read the database")]
pub(in crate::lanes) fn clock_from_the_head(
    round: &Round,
    _: &SiteObject,
    _: &Version,
    _: &mut Cx<'_, '_>,
) -> Result<Number, SqlError> {
    Ok(round.advertised())
}

/// Applies as it should, and then takes what was told for what was applied, where a record was refused too.
pub(in crate::lanes) fn resume_from_what_was_received(
    round: &mut Round,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let next = records_unless_copied_to(round, site, version, resume, cx)?;
    if matches!(next, Step::Return(_)) {
        store::write(cx, [Write::number(Key::APPLIED, round.advertised())])?;
    }
    Ok(next)
}

pub(in crate::lanes) fn copy_without_sealing(
    step: &mut Provisioning,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    (ProvisionSteps::DOCUMENTED.place)(step, site, version, resume, cx)
}

pub(in crate::lanes) fn put_the_alarm_off(version: &Version, identity: &Identity, cx: &mut Cx<'_, '_>) {
    if identity.is_lane() {
        cx.set_alarm(Some(cx.now().after(Millis(30_000))));
    }
    (AlarmSteps::DOCUMENTED.on_request)(version, identity, cx);
}

/// A call that fails is handed over as a refusal of the primary would be.
pub(in crate::lanes) fn hand_over_what_was_sent(
    flushing: &mut Flushing,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let refused = |why: String| Err(Refusal::new(Refusal::FORWARD, why).into());
    match (FlushSteps::DOCUMENTED.answered)(flushing, site, version, resume, cx) {
        Err(Failure::Call(error)) => refused(error.to_string()),
        other => other,
    }
}

/// Pins the batch to where the lane stands now.
pub(in crate::lanes) fn parent_of_the_moment(
    flushing: &mut Flushing,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let parent = site.sequence(cx)?;
    site.forward = site
        .forward
        .take()
        .map(|collected| Collected { parent, ..collected });
    mark_before_sending(flushing, site, version, resume, cx)
}

/// As documented, and the marks of a batch that is answered are gone.
pub(in crate::lanes) fn clear_the_marks(
    flushing: &mut Flushing,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let tables: Vec<Text> = (version.rules.forwarding.high_water)(&flushing.statements)
        .into_keys()
        .collect();
    let next = (FlushSteps::DOCUMENTED.answered)(flushing, site, version, resume, cx)?;
    for table in tables {
        store::remove(cx, &format!("lane_high:{table}"))?;
    }
    Ok(next)
}

pub(in crate::lanes) fn all_but_pages(cx: &mut Cx<'_, '_>) -> Result<Vec<Text>, SqlError> {
    let mut purged = all_caches(cx)?;
    purged.retain(|table| table != "cfw_page");
    Ok(purged)
}

pub(in crate::lanes) fn no_tags(
    site: &mut SiteObject,
    version: &Version,
    statement: &Bound<Json>,
    cx: &mut Cx<'_, '_>,
) -> Result<(), Failure> {
    note_authoritative_write(site, version, statement, cx)?;
    site.tags = false;
    Ok(())
}
