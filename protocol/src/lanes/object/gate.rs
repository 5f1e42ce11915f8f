//! A request in the gate: one at a time, first in, first out (`lanes.md` 16).

use super::identity::of;
use super::memory::Timing;
use super::route::Route;
use super::{Cx, Failure, Next, SiteFrame, SiteObject, Value, Version, answer, labels, pages};
use crate::host::{Millis, Request, Response};
use crate::lanes::wire::Advertisement;
use crate::task::{On, Resume, Step};

/// A request in the gate, or before it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gated {
    route: Route,
    request: Request,
    phase: Phase,
    /// How many were in the gate or waited for it when it came.
    ahead: u32,
    came: Millis,
    entered: Millis,
    /// What the route answered, or what was thrown.
    ending: Option<Result<Response, Failure>>,
}

/// What it waits for, or has entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Route,
    Flush,
    Seal,
}

impl Gated {
    pub(super) fn new(route: Route, request: Request) -> Self {
        Gated {
            route,
            request,
            phase: Phase::Route,
            ahead: 0,
            came: Millis::ZERO,
            entered: Millis::ZERO,
            ending: None,
        }
    }

    pub(super) fn step(
        &mut self,
        site: &mut SiteObject,
        version: &Version,
        resume: Resume<SiteObject>,
        cx: &mut Cx<'_, '_>,
    ) -> Next {
        match resume {
            Resume::Start => {
                self.came = cx.now();
                self.ahead = site.queued;
                site.queued += 1;
                Ok(Step::Await(On::Gate(labels::GATE)))
            }
            Resume::Gate => {
                self.entered = cx.now();
                Ok(Step::Enter(self.route.frame(&self.request)))
            }
            Resume::Returned(value) => match self.phase {
                Phase::Route => {
                    let response = answer::of_value(value);
                    (version.rules.flows.flush.returned)(site, &response, cx);
                    self.ending = Some(Ok(response));
                    self.phase = Phase::Flush;
                    if of(version, cx).is_lane() && site.forward.is_some() {
                        return Ok(Step::Enter(SiteFrame::Flush(Box::default())));
                    }
                    self.settle(site, version, cx)
                }
                Phase::Flush => self.settle(site, version, cx),
                Phase::Seal => self.end(site, version, cx),
            },
            Resume::Failed(failure) => match (self.phase, &failure) {
                // A batch that was not committed is thrown when everything else is settled; a lost call at once.
                (Phase::Flush, Failure::Requires(_)) | (Phase::Route, _) => {
                    if self.phase == Phase::Route {
                        (version.rules.flows.flush.thrown)(site, cx);
                    }
                    self.ending = Some(Err(failure));
                    self.settle(site, version, cx)
                }
                _ => Err(failure),
            },
            Resume::Finally => {
                site.queued = site.queued.saturating_sub(1);
                if cx.holds(labels::GATE) {
                    cx.release(labels::GATE);
                }
                Ok(Step::Return(Value::Nothing))
            }
            Resume::Answer { .. } | Resume::Started(_) | Resume::Joined(_) => {
                unreachable!("a request in the gate enters frames, and awaits nothing but the gate")
            }
        }
    }

    fn settle(&mut self, site: &mut SiteObject, version: &Version, cx: &mut Cx<'_, '_>) -> Next {
        self.phase = Phase::Seal;
        site.settle(version, cx)?;
        Ok(Step::Enter(SiteFrame::Seal(Box::default())))
    }

    fn end(&mut self, site: &mut SiteObject, version: &Version, cx: &mut Cx<'_, '_>) -> Next {
        let mut response = match self.ending.take() {
            Some(Ok(response)) => response,
            Some(Err(failure)) => return Err(failure),
            None => unreachable!("a seal follows a route's ending"),
        };
        let now = cx.now();
        site.record(Timing {
            ahead: self.ahead,
            queued: self.entered.since(self.came),
            service: now.since(self.entered),
        });
        if !of(version, cx).is_lane() {
            let known = site.known_lanes(cx)?;
            let advertised = Advertisement {
                lanes: known.lanes,
                epoch: known.epoch,
            };
            advertised.write(&mut response.headers);
        }
        Ok(Step::Return(Value::Response(response)))
    }
}

impl SiteObject {
    /// Settles tags and plans. Cache tags that were written empty the pages that show them, and move the generation of
    /// pages on (`lanes.md` 22.8).
    pub(super) fn settle(&mut self, version: &Version, cx: &mut Cx<'_, '_>) -> Result<(), Failure> {
        if std::mem::take(&mut self.tags) {
            cx.note(labels::SETTLE_TAGS, "written");
            pages::purge(version, cx, "tags")?;
            pages::next_generation(cx)?;
        }
        Ok(())
    }
}
