//! A client's request, from its coming to its answer.

use protocol::host::{Effect, Entry, Request, Response, Text};
use protocol::task::{Resume, Step};

use super::ask::{self, Ask};
use super::{Cx, Front, FrontFrame, Learning, Reaching};
use crate::Next;
use crate::rules::{Purpose, RouteFacts, Rules};
use crate::wire::{Problem, answer};

/// One request on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Serving {
    request: Request,
    /// The request's id, once it is minted.
    id: Text,
    stage: Stage,
}

/// What is under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// Nothing yet.
    Starting,
    /// This is to be routed when the front has learnt enough.
    Learning(Ask, Option<u32>),
    /// An object is being asked.
    Reaching(Purpose),
}

impl Serving {
    pub(super) fn new(entry: Entry) -> Self {
        let request = match entry {
            Entry::Request(request) => request,
            // A front Worker has no alarm. Should one ring all the same, nothing answers it.
            Entry::Alarm(_) => Request::get("/alarm"),
        };
        Serving {
            request,
            id: Text::default(),
            stage: Stage::Starting,
        }
    }

    pub(super) fn step(
        &mut self,
        front: &mut Front,
        rules: &Rules,
        resume: Resume<Front>,
        cx: &mut Cx<'_, '_>,
    ) -> Next<Front> {
        let response = match (&self.stage, resume) {
            (Stage::Starting, _) => {
                self.id = Text::from(hex::encode(cx.entropy(8)));
                match ask::read(&self.request) {
                    Err(bad) => bad.response(),
                    Ok((ask, follower)) if front.counter.is_none() => {
                        self.stage = Stage::Learning(ask, follower);
                        return Ok(Step::Enter(FrontFrame::Learn(Learning::default())));
                    }
                    Ok((ask, follower)) => return Ok(self.reach(front, rules, &ask, follower)),
                }
            }
            (Stage::Learning(ask, follower), _) => {
                let (ask, follower) = (ask.clone(), *follower);
                return Ok(self.reach(front, rules, &ask, follower));
            }
            (Stage::Reaching(purpose), Resume::Returned(Some(response))) => {
                if *purpose == Purpose::Read {
                    cx.work(rules.policy.render);
                }
                response
            }
            (Stage::Reaching(_), Resume::Failed(failure)) => answer(503, Problem::new(failure)),
            (Stage::Reaching(_), other) => {
                unreachable!("a call ends with a response or fails, not with {other:?}")
            }
        };
        Ok(Step::Return(Some(self.finish(response, cx))))
    }

    fn reach(&mut self, front: &Front, rules: &Rules, ask: &Ask, follower: Option<u32>) -> Step<Front> {
        let purpose = ask.purpose();
        let target = (rules.route)(&RouteFacts {
            purpose,
            asked: follower,
            believed: &front.followers,
        });
        self.stage = Stage::Reaching(purpose);
        Step::Enter(FrontFrame::Reach(Reaching::new(
            target,
            ask.request(&front.counter()),
        )))
    }

    /// Puts the id on the response, and a line into the access log.
    fn finish(&self, mut response: Response, cx: &mut Cx<'_, '_>) -> Response {
        let Request { method, path, .. } = &self.request;
        cx.effect(Effect {
            kind: Text::new_static("access-log"),
            detail: Text::from(format!(
                "{} {} {path} {}",
                self.id,
                method.as_str(),
                response.status
            )),
        });
        response.headers.set("x-request-id", self.id.clone());
        response
    }
}
