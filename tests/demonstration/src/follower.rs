//! A follower: it holds a copy of its counter's value, and forwards writes.

use protocol::host::{Entry, Object, ObjectName, Request, Response, Stub};
use protocol::task::{Context, Frame, On, Resume, Role, Step};

use crate::request::{BadRequest, target};
use crate::rules::Rules;
use crate::wire::{Problem, answer};
use crate::{Failure, Next, labels, names};

mod alarm;
mod pull;
mod store;

pub use alarm::{AlarmStep, AlarmSteps, leave_alarm_unset};
pub use pull::{PullStep, PullSteps, Pulling};

/// A follower's memory. All of it can be made again from its storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Follower {
    /// Whether this incarnation has seen to it that its tables are there.
    started: bool,
    /// Its name, once the platform has said it or storage has.
    name: Option<ObjectName>,
    /// Which of its stubs for the counter is in use. A failed stub stays failed.
    serial: u32,
}

/// What a follower is asked to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ask {
    /// `POST /add`, to be forwarded as it is.
    Add(Request),
    /// It has been forwarded on this stub.
    Added(Stub),
    /// `POST /nudge`: there may be something to pull.
    Nudge,
    /// `GET /value`
    Value,
    /// Something that it cannot do.
    Nothing(BadRequest),
}

/// A step of a follower's flows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FollowerFrame {
    /// A request.
    Answer(Ask),
    /// A run of the alarm.
    Alarm,
    /// A pull: an alarm enters it, a nudge starts it.
    Pull(Pulling),
}

impl Frame for FollowerFrame {
    fn has_finally(&self) -> bool {
        matches!(self, FollowerFrame::Alarm)
    }
}

/// What a task of a follower can do with its platform.
pub type Cx<'a, 'h> = Context<'a, 'h, Follower>;

impl Role for Follower {
    type Frame = FollowerFrame;
    type Value = Option<Response>;
    type Failure = Failure;
    type Rules = Rules;
    type Host<'h> = dyn Object + 'h;

    fn begin(&mut self, _: &Rules, entry: Entry) -> FollowerFrame {
        match entry {
            Entry::Request(request) => FollowerFrame::Answer(read(request)),
            Entry::Alarm(_) => FollowerFrame::Alarm,
        }
    }

    fn step(
        &mut self,
        rules: &Rules,
        frame: &mut FollowerFrame,
        resume: Resume<Self>,
        cx: &mut Cx<'_, '_>,
    ) -> Next<Self> {
        self.start_up(cx)?;
        if (rules.starts_over)(self.name.as_ref()) {
            return Ok(cx.abort("this instance does not know its name; the next one may"));
        }
        match frame {
            FollowerFrame::Answer(ask) => self.answer(rules, ask, resume, cx),
            FollowerFrame::Alarm => alarm::step(rules, resume, cx),
            FollowerFrame::Pull(pulling) => pulling.step(self, rules, resume, cx),
        }
    }

    fn response(value: Option<Response>) -> Option<Response> {
        value
    }
}

/// What a request asks for. An addition is not looked into: the counter judges it.
fn read(request: Request) -> Ask {
    match (request.method.as_str(), target(&request).0) {
        ("POST", "/add") => Ask::Add(request),
        ("POST", "/nudge") => Ask::Nudge,
        ("GET", "/value") => Ask::Value,
        _ => Ask::Nothing(BadRequest::unknown(&request)),
    }
}

impl Follower {
    /// Sees to the tables and to the name at an incarnation's first event. An alarm can wake an instance that is not
    /// told its name, so the first event that brings it stores it.
    fn start_up(&mut self, cx: &mut Cx<'_, '_>) -> Result<(), Failure> {
        if self.started && self.name.is_some() {
            return Ok(());
        }
        let told = cx.name().cloned();
        if let Some(name) = &told {
            assert_eq!(
                cx.id(),
                cx.id_of(name),
                "a name is of the object whose id it has (1.1)"
            );
        }
        self.name = store::start_up(cx, told)?;
        self.started = true;
        Ok(())
    }

    /// How to reach the counter.
    fn counter(&self) -> Result<Stub, Failure> {
        let name = self.name.as_ref().ok_or(Failure::Nameless)?;
        let (counter, _) = names::parse_follower(name).ok_or_else(|| Failure::Misnamed(name.0.clone()))?;
        Ok(Stub {
            serial: self.serial,
            ..Stub::new(names::COUNTER, counter)
        })
    }

    /// A call on this stub has failed: from now on another is in use, unless another task has seen to that.
    fn stub_failed(&mut self, failed: &Stub) {
        if self.serial == failed.serial {
            self.serial = failed.fresh().serial;
        }
    }

    fn answer(
        &mut self,
        rules: &Rules,
        ask: &mut Ask,
        resume: Resume<Self>,
        cx: &mut Cx<'_, '_>,
    ) -> Next<Self> {
        let response = match (&mut *ask, resume) {
            (Ask::Nothing(bad), _) => bad.response(),
            (Ask::Value, _) => answer(200, store::standing(cx)?),
            (Ask::Add(request), _) => {
                let stub = self.counter()?;
                let call = cx.call(labels::FORWARD, &stub, request.clone());
                *ask = Ask::Added(stub);
                return Ok(Step::Await(On::Call(call)));
            }
            (Ask::Added(stub), counter) => counter.response().unwrap_or_else(|error| {
                self.stub_failed(stub);
                answer(503, Problem::new(error))
            }),
            (Ask::Nudge, Resume::Start) => {
                // Set before the pull, so that a pull that fails is not the last.
                if cx.alarm().is_none() {
                    cx.set_alarm(Some(cx.now().after(rules.policy.pull_every)));
                }
                return Ok(Step::Start(FollowerFrame::Pull(Pulling::new())));
            }
            // The pull goes on by itself; nobody waits for its end.
            (Ask::Nudge, _) => Response::new(202, Default::default()),
        };
        Ok(Step::Return(Some(response)))
    }
}

#[cfg(test)]
mod tests;
