//! A request, from its coming to its answer (`lanes.md` 16).

use super::failure::Refusal;
use super::gate::Gated;
use super::identity::of;
use super::memory::HerdKey;
use super::route::Route;
use super::sequence::page_generation;
use super::{Cx, Failure, Next, SiteFrame, SiteObject, Value, Version, answer, labels, query};
use crate::host::{Method, Request, Response, SqlError, Text};
use crate::lanes::handoff::Started;
use crate::lanes::header;
use crate::task::{On, Resume, Step};

/// What becomes of a request before it is in the gate.
#[derive(Clone, Copy, Debug)]
pub struct VisitSteps {
    /// Whether a session GET can share the page of another one: always, whatever else it asks for (`lanes.md` 16).
    pub herds: fn(&Request) -> bool,
    /// Whether a step of a lane's copy waits for the gate, as every action of `/__replica` does (`lanes.md` 22.2).
    pub provision_is_gated: bool,
}

impl VisitSteps {
    /// As documented.
    pub const DOCUMENTED: VisitSteps = VisitSteps {
        herds: |_| true,
        provision_is_gated: true,
    };
}

/// A request on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Visit {
    request: Request,
    /// What was refused and forwarded before it queued.
    before: Before,
    /// The herd that it leads.
    leads: Option<HerdKey>,
}

/// What was remembered before a request queued: the total of refusals and the count of batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Before {
    refusals: u64,
    forwards: u64,
}

impl Visit {
    pub(super) fn new(request: Request) -> Self {
        Visit {
            request,
            before: Before::default(),
            leads: None,
        }
    }

    pub(super) fn step(
        &mut self,
        site: &mut SiteObject,
        version: &Version,
        resume: Resume<SiteObject>,
        cx: &mut Cx<'_, '_>,
    ) -> Next {
        let ending = match resume {
            Resume::Start => match self.arrive(site, version, cx) {
                Ok(step) => return Ok(step),
                Err(failure) => Err(failure),
            },
            Resume::Finally => {
                site.inflight = site.inflight.saturating_sub(1);
                if let Some(key) = self.leads.take() {
                    site.herds.remove(&key);
                }
                return Ok(Step::Return(Value::Nothing));
            }
            Resume::Returned(value) => Ok(self.after_route(site, version, value, cx)),
            Resume::Joined(Ok(value)) => {
                let mut response = answer::of_value(value);
                response.headers.set(header::HERD, "shared");
                Ok(response)
            }
            Resume::Joined(Err(failure)) | Resume::Failed(failure) => Err(failure),
            Resume::Answer { .. } | Resume::Gate | Resume::Started(_) => {
                unreachable!("a request awaits the gate of its herd, and enters frames")
            }
        };
        let mut response = ending.unwrap_or_else(|failure| thrown(site, version, &failure, cx));
        of(version, cx).answerer().write(&mut response.headers);
        Ok(Step::Return(Value::Response(response)))
    }

    fn arrive(&mut self, site: &mut SiteObject, version: &Version, cx: &mut Cx<'_, '_>) -> Next {
        site.arrived();
        site.served = true;
        self.before = Before {
            refusals: site.refusals.total,
            forwards: site.forwards_answered(),
        };
        let identity = of(version, cx);
        (version.rules.flows.alarm.on_request)(version, &identity, cx);
        let route = Route::of(&self.request);
        if route == Route::Serve {
            if let Some(response) = (version.rules.flows.serve.fast)(site, version, &self.request, cx)? {
                let mut response = response;
                identity.answerer().write(&mut response.headers);
                return Ok(Step::Return(Value::Response(response)));
            }
            if (version.rules.flows.visit.herds)(&self.request)
                && let Some(key) = herd_key(&self.request, version, cx)?
            {
                if let Some(leader) = site.herds.get(&key) {
                    cx.note(labels::HERD, key.path);
                    return Ok(Step::Await(On::Task(*leader)));
                }
                site.herds.insert(key.clone(), cx.task());
                self.leads = Some(key);
            }
        }
        if route.is_provision() && !version.rules.flows.visit.provision_is_gated {
            return Ok(Step::Enter(route.frame(&self.request)));
        }
        let gated = Gated::new(route, self.request.clone());
        Ok(Step::Enter(SiteFrame::Gated(Box::new(gated))))
    }

    /// A page that failed while the guard refused something is handed back, unless a batch was answered meanwhile.
    fn after_route(
        &self,
        site: &SiteObject,
        version: &Version,
        value: Value,
        cx: &mut Cx<'_, '_>,
    ) -> Response {
        let response = answer::of_value(value);
        let grew = site.refusals.total > self.before.refusals;
        let forwarded = site.forwards_answered() != self.before.forwards;
        match site.refusals.last.back() {
            Some(refusal) if response.status >= 500 && grew && !forwarded => {
                site.hand_back(&version.rules, refusal, Started::Perhaps, cx)
            }
            _ => response,
        }
    }
}

/// Session GETs of the same page generation, path and whole cookie share one entry into the gate.
fn herd_key(request: &Request, version: &Version, cx: &mut Cx<'_, '_>) -> Result<Option<HerdKey>, SqlError> {
    let cookie = request.headers.get("cookie");
    let is_session = (version.rules.sessions.cookie_value)(cookie).is_some();
    if request.method != Method::Get || !is_session {
        return Ok(None);
    }
    Ok(Some(HerdKey {
        generation: page_generation(cx)?,
        path: Text::new(query::target(request).1),
        cookie: Text::new(cookie.unwrap_or_default()),
    }))
}

/// A thrown refusal is handed back: one of a batch as if nothing had run, for the lane took everything back. Anything
/// else is a 500.
fn thrown(site: &SiteObject, version: &Version, failure: &Failure, cx: &mut Cx<'_, '_>) -> Response {
    cx.note(labels::THREW, failure.to_string());
    let Failure::Requires(refusal) = failure else {
        return answer::problem(500, failure);
    };
    let started = if refusal.capability == Refusal::FORWARD {
        Started::Never
    } else {
        Started::Perhaps
    };
    site.hand_back(&version.rules, refusal, started, cx)
}

impl SiteObject {
    /// How many batches were answered so far.
    pub(super) fn forwards_answered(&self) -> u64 {
        self.last_forward.as_ref().map_or(0, |last| last.count)
    }
}
