//! Pages of one generation, by lanes that serve.

use super::super::flush::drop_collected;
use super::super::serve::{self, Serving, returned};
use super::seal::seal_now;
use crate::host::{Request, Response};
use crate::lanes::admission::Stage;
use crate::lanes::handoff::Started;
use crate::lanes::header;
use crate::lanes::object::identity::of;
use crate::lanes::object::{Cx, Failure, Next, Refusal, SiteObject, Version};
use crate::task::{Resume, Step};

/// A lane that does not serve, and a request that asks for a generation, do not take the fast lane.
pub(in crate::lanes) fn fast_while_serving(
    site: &SiteObject,
    version: &Version,
    request: &Request,
    cx: &mut Cx<'_, '_>,
) -> Result<Option<Response>, Failure> {
    let identity = of(version, cx);
    let serves = !identity.is_lane() || site.stage(cx)? == Stage::Serving.into();
    let fenced = identity.is_replica() && request.headers.get(header::REQUIRE_GENERATION).is_some();
    if !serves || fenced {
        return Ok(None);
    }
    serve::fast(site, version, request, cx)
}

/// A render of a lane that finds, after a pause, that the lane has moved on is handed over as if nothing had run: it would
/// show two generations, or forward what it computed on the older one. It has written nothing that counts. A render of the
/// primary seals what it has written before it waits.
pub(in crate::lanes) fn render_at_one_generation(
    serving: &mut Serving,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    if of(version, cx).is_lane() {
        // By its position: a record that an operator has a lane apply moves that, and not the sequence.
        let stands = (site.stage(cx)?, site.position(version, cx)?.applied);
        match &serving.stood {
            None => serving.stood = Some(stands),
            Some(stood) if *stood != stands => {
                drop_collected(site, cx);
                let refusal = Refusal::new(Refusal::SERVE, "the lane has moved on while it rendered");
                return returned(site.hand_back(&version.rules, &refusal, Started::Never, cx));
            }
            Some(_) => {}
        }
    }
    let next = serve::render(serving, site, version, resume, cx)?;
    if matches!(next, Step::Await(_)) && !of(version, cx).is_lane() {
        // What was written so far is durable with this turn, and so must its record be.
        seal_now(site, version, cx)?;
    }
    Ok(next)
}
