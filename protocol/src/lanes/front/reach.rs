//! A call to the chosen object, with what follows from its answer: the primary in place of a lane, or the same object
//! once more.

use super::{AttemptFacts, Cx, ErrorFacts, Front, Heard, Hop, Recovery, Value, labels, page, uuid};
use crate::host::{CallError, Label, Response, Text};
use crate::lanes::header;
use crate::lanes::object::Version;
use crate::lanes::routing::FailoverFacts;
use crate::lanes::wire::{Answerer, Retried};
use crate::task::{On, Resume, Step};

/// One request that an object is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reaching {
    /// What is sent, and where to.
    pub hop: Hop,
    /// Whether it was sent to an object that had been reset.
    repeated: bool,
    /// The lane that has handed it over, and why.
    handed_over: Option<Retried>,
    /// Whether it was sent at all.
    sent: bool,
}

/// A segment of a call, between two waits.
pub type ReachStep = fn(&mut Reaching, &mut Front, &Version, &mut Cx<'_, '_>) -> Step<Front>;

impl Reaching {
    pub(super) fn new(hop: Hop) -> Self {
        Reaching {
            hop,
            repeated: false,
            handed_over: None,
            sent: false,
        }
    }

    pub(super) fn step(
        &mut self,
        front: &mut Front,
        version: &Version,
        resume: Resume<Front>,
        cx: &mut Cx<'_, '_>,
    ) -> Step<Front> {
        let steps = &version.rules.front;
        if !self.sent {
            self.sent = true;
            return (steps.ask)(self, front, version, cx);
        }
        match resume.response() {
            Ok(response) => self.answered(front, version, response, cx),
            Err(error) => self.failed(front, version, &error, cx),
        }
    }

    fn answered(
        &mut self,
        front: &mut Front,
        version: &Version,
        response: Response,
        cx: &mut Cx<'_, '_>,
    ) -> Step<Front> {
        let rules = &version.rules;
        if self.hop.is_to_primary() {
            let heard = Heard {
                site: &self.hop.site,
                headers: &response.headers,
            };
            (rules.front.listen)(front, version, &heard, cx);
            return self.finish(response);
        }
        let facts = FailoverFacts {
            status: response.status,
            headers: &response.headers,
        };
        if !(rules.routing.should_failover)(&facts) {
            return self.finish(response);
        }
        let why = response.headers.get(header::REQUIRES_PRIMARY).unwrap_or_default();
        let refused_by = Answerer::Lane(self.hop.lane);
        cx.note(labels::FAILED_OVER, format!("{refused_by}: {why}"));
        self.handed_over = Some(Retried {
            refused_by,
            reason: Text::new(why),
        });
        (rules.front.fail_over)(self, front, version, cx)
    }

    fn failed(
        &mut self,
        front: &mut Front,
        version: &Version,
        error: &CallError,
        cx: &mut Cx<'_, '_>,
    ) -> Step<Front> {
        let steps = &version.rules.front;
        let recovery = (steps.after_error)(&ErrorFacts {
            method: &self.hop.request.method,
            has_attempt: self.hop.request.headers.get(header::ATTEMPT).is_some(),
            repeated: self.repeated,
            error,
        });
        cx.note(labels::RECOVERED, format!("{recovery}: {error}"));
        match recovery {
            Recovery::AskAgain => {
                self.repeated = true;
                (steps.ask_again)(self, front, version, cx)
            }
            Recovery::GiveUp => self.finish(page::unavailable(error)),
        }
    }

    /// The answer to the visitor: marked where a lane handed the request over, or an object was reset meanwhile.
    fn finish(&self, mut response: Response) -> Step<Front> {
        if let Some(retried) = &self.handed_over {
            retried.write(&mut response.headers);
        }
        if self.repeated {
            response.headers.set(header::OBJECT_RESET, "1");
        }
        Step::Return(Value::Response(response))
    }

    /// Sends what is held.
    fn send(&self, label: Label, cx: &mut Cx<'_, '_>) -> Step<Front> {
        let call = cx.call(label, &self.hop.stub(), self.hop.request.clone());
        Step::Await(On::Call(call))
    }
}

/// Asks the chosen object.
pub(super) fn ask(
    reaching: &mut Reaching,
    _: &mut Front,
    version: &Version,
    cx: &mut Cx<'_, '_>,
) -> Step<Front> {
    let hop = &mut reaching.hop;
    let to_primary = hop.is_to_primary();
    let attaches = (version.rules.front.attaches_attempt)(&AttemptFacts {
        method: &hop.request.method,
        to_primary,
    });
    if attaches {
        let id = uuid(&cx.entropy(16));
        cx.note(labels::ATTEMPT, id.clone());
        hop.request.headers.set(header::ATTEMPT, id);
    }
    let label = if to_primary {
        labels::ASK_PRIMARY
    } else {
        labels::ASK_LANE
    };
    reaching.send(label, cx)
}

/// Asks the same object once more, by another stub.
pub(super) fn ask_again(
    reaching: &mut Reaching,
    _: &mut Front,
    _: &Version,
    cx: &mut Cx<'_, '_>,
) -> Step<Front> {
    reaching.send(labels::ASK_AGAIN, cx)
}

/// Sends the same request to the primary, marked with the lane that handed it over.
pub(super) fn fail_over(
    reaching: &mut Reaching,
    _: &mut Front,
    _: &Version,
    cx: &mut Cx<'_, '_>,
) -> Step<Front> {
    if let Some(retried) = &reaching.handed_over {
        retried.write(&mut reaching.hop.request.headers);
    }
    reaching.hop.turn_to_primary();
    reaching.send(labels::FAIL_OVER, cx)
}
