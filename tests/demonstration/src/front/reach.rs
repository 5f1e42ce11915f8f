//! A call to the chosen object and, where it fails, one more at the counter after a pause.

use protocol::host::{CallError, Request, Response, Shared, Stub};
use protocol::task::{On, Resume, Step};

use super::learn::FOLLOWERS_KEY;
use super::{Cx, Front};
use crate::rules::{Rules, Target};
use crate::{Next, labels};

/// One call on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reaching {
    target: Target,
    request: Request,
    stage: Stage,
}

/// What is under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// Nothing yet.
    Starting,
    /// The call to the chosen object.
    Calling(Stub),
    /// The pause after it failed.
    Pausing,
    /// The call to the counter.
    Retrying(Stub),
}

/// A segment of the call, between two waits.
pub type ReachStep = fn(&mut Reaching, &mut Front, &Rules, &mut Cx<'_, '_>) -> Step<Front>;

/// The segments of the call.
#[derive(Clone, Copy)]
pub struct ReachSteps {
    /// First: call the chosen object.
    pub call: ReachStep,
    /// It failed: pause.
    pub pause: ReachStep,
    /// After the pause: call the counter. The token makes it safe to repeat an addition that may have run.
    pub retry: ReachStep,
}

impl ReachSteps {
    /// As documented.
    pub const DOCUMENTED: ReachSteps = ReachSteps { call, pause, retry };
}

impl Reaching {
    pub(super) fn new(target: Target, request: Request) -> Self {
        Reaching {
            target,
            request,
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
        match self.stage.clone() {
            Stage::Starting => Ok((rules.reach.call)(self, front, rules, cx)),
            Stage::Calling(stub) => match judge(front, self.target, &stub, resume.response(), cx) {
                Ok(response) => Ok(Step::Return(Some(response))),
                Err(_) => Ok((rules.reach.pause)(self, front, rules, cx)),
            },
            Stage::Pausing => Ok((rules.reach.retry)(self, front, rules, cx)),
            Stage::Retrying(stub) => {
                let response = judge(front, Target::Counter, &stub, resume.response(), cx)?;
                Ok(Step::Return(Some(response)))
            }
        }
    }
}

fn call(reaching: &mut Reaching, front: &mut Front, _: &Rules, cx: &mut Cx<'_, '_>) -> Step<Front> {
    let stub = front.stub(reaching.target);
    cx.note(labels::ROUTED, stub.name.0.clone());
    let call = cx.call(labels::REACH, &stub, reaching.request.clone());
    reaching.stage = Stage::Calling(stub);
    Step::Await(On::Call(call))
}

fn pause(reaching: &mut Reaching, _: &mut Front, rules: &Rules, cx: &mut Cx<'_, '_>) -> Step<Front> {
    reaching.stage = Stage::Pausing;
    Step::Await(On::Call(cx.sleep(labels::PAUSE, rules.policy.pause)))
}

fn retry(reaching: &mut Reaching, front: &mut Front, _: &Rules, cx: &mut Cx<'_, '_>) -> Step<Front> {
    let stub = front.stub(Target::Counter);
    let call = cx.call(labels::RETRY, &stub, reaching.request.clone());
    reaching.stage = Stage::Retrying(stub);
    Step::Await(On::Call(call))
}

/// Takes from an outcome what it says about the object: whether to believe in it, and which stub to use next.
fn judge(
    front: &mut Front,
    target: Target,
    stub: &Stub,
    outcome: Result<Response, CallError>,
    cx: &mut Cx<'_, '_>,
) -> Result<Response, CallError> {
    if outcome.is_err() {
        front.stub_failed(target, stub);
    }
    if let Target::Follower(number) = target {
        let changed = match &outcome {
            Ok(_) => front.followers.insert(number),
            Err(_) => front.followers.remove(&number),
        };
        if changed {
            let seen: Vec<String> = front.followers.iter().map(u32::to_string).collect();
            let listed = seen.join(",");
            for (label, store) in [
                (labels::TELL, Shared::Kv),
                (labels::TELL_NEARBY, Shared::EdgeCache),
                (labels::PUBLISH, Shared::Broker),
            ] {
                cx.put(label, store, FOLLOWERS_KEY, &listed, None);
            }
        }
    }
    outcome
}
