//! A pull: ask for the records after the position, apply what comes. Pulls of one follower can overlap.

use std::sync::Arc;

use protocol::host::{End, Request, Response};
use protocol::number::Number;
use protocol::task::{On, Resume, Step};

use super::{Cx, Follower, store};
use crate::rules::{PullFacts, Rules};
use crate::wire::LogPage;
use crate::{Failure, Next, labels};

/// One pull on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pulling {
    /// The position that it asked from, once it has asked.
    asked_from: Number,
}

/// A segment of a pull, between two waits.
pub type PullStep =
    fn(&mut Pulling, &mut Follower, &Rules, Resume<Follower>, &mut Cx<'_, '_>) -> Next<Follower>;

/// The segments of a pull.
#[derive(Clone, Copy)]
pub struct PullSteps {
    /// First: read the position and ask.
    pub ask: PullStep,
    /// With the answer: apply it.
    pub apply: PullStep,
}

impl PullSteps {
    /// As documented.
    pub const DOCUMENTED: PullSteps = PullSteps { ask, apply };
}

impl Pulling {
    pub(super) fn new() -> Self {
        Pulling {
            asked_from: Number::ZERO,
        }
    }

    pub(super) fn step(
        &mut self,
        follower: &mut Follower,
        rules: &Rules,
        resume: Resume<Follower>,
        cx: &mut Cx<'_, '_>,
    ) -> Next<Follower> {
        let step = match resume {
            Resume::Start => rules.pull.ask,
            _ => rules.pull.apply,
        };
        step(self, follower, rules, resume, cx)
    }
}

fn ask(
    pulling: &mut Pulling,
    follower: &mut Follower,
    rules: &Rules,
    _: Resume<Follower>,
    cx: &mut Cx<'_, '_>,
) -> Next<Follower> {
    pulling.asked_from = store::standing(cx)?.applied;
    let path = format!("/log?since={}&limit={}", pulling.asked_from, rules.policy.batch);
    let call = cx.call(labels::PULL, &follower.counter()?, Request::get(path));
    Ok(Step::Await(On::Call(call)))
}

fn apply(
    pulling: &mut Pulling,
    _: &mut Follower,
    rules: &Rules,
    resume: Resume<Follower>,
    cx: &mut Cx<'_, '_>,
) -> Next<Follower> {
    let page = page(&resume.response()?)?;
    let application = (rules.apply)(&PullFacts {
        asked_from: pulling.asked_from,
        applied_now: store::standing(cx)?.applied,
        answer: &page,
    });
    for reason in &application.left_out {
        cx.note(labels::LEFT_OUT, reason.to_string());
    }
    if let Some(last) = application.records.last() {
        let batch: Vec<_> = application.records.iter().map(store::application).collect();
        cx.transaction(&batch, End::Commit)?;
        cx.note(labels::APPLIED, last.generation.to_string());
    }
    Ok(Step::Return(None))
}

/// The page that the counter sent.
fn page(response: &Response) -> Result<Arc<LogPage>, Failure> {
    if response.status != 200 {
        return Err(Failure::Status {
            status: response.status,
            body: response.body.to_text(),
        });
    }
    Ok(response.body.read()?)
}
