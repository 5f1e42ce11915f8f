//! The counter: it owns the value and the log of what was added to it.

use protocol::host::{End, Entry, Object, ObjectName, Request, Response, Stub, Text};
use protocol::number::Number;
use protocol::task::{Context, Frame, Resume, Role, Step};

use crate::names;
use crate::request::{self, BadRequest, target};
use crate::rules::{Policy, Rules};
use crate::wire::{Added, Follow, LogPage, Standing, answer};
use crate::{Failure, Next, labels};

mod add;
mod follow;
mod store;

pub use add::{AddStep, AddSteps, Adding, enter_without_gate};
pub use follow::Following;

/// A counter's memory. All of it can be made again from its storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counter {
    /// Whether this incarnation has seen to it that its tables are there.
    started: bool,
    /// The newest generation that was given to an addition. The log's head is behind it while a digest is awaited.
    issued: Number,
}

/// What a counter is asked to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ask {
    /// `GET /log?since=G&limit=N`
    Log {
        /// The position of who asks.
        since: Number,
        /// At most so many records; the policy's batch where it is not said, or is more.
        limit: Option<Number>,
    },
    /// `GET /value`
    Value,
    /// `POST /reset`: an operator ends this incarnation.
    Reset,
    /// The alarm.
    Alarm,
    /// Something that it cannot do.
    Nothing(BadRequest),
}

/// A step of a counter's flows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CounterFrame {
    /// A request that is answered at once.
    Answer(Ask),
    /// An addition.
    Add(Adding),
    /// `POST /follow`: a follower begins to follow.
    Follow(Following),
}

impl Frame for CounterFrame {
    fn has_finally(&self) -> bool {
        matches!(self, CounterFrame::Add(_))
    }
}

/// What a task of a counter can do with its platform.
pub type Cx<'a, 'h> = Context<'a, 'h, Counter>;

impl Role for Counter {
    type Frame = CounterFrame;
    type Value = Option<Response>;
    type Failure = Failure;
    type Rules = Rules;
    type Host<'h> = dyn Object + 'h;

    fn begin(&mut self, _: &Rules, entry: Entry) -> CounterFrame {
        match entry {
            Entry::Request(request) => {
                read(&request).unwrap_or_else(|bad| CounterFrame::Answer(Ask::Nothing(bad)))
            }
            // What the alarm is for is done when an incarnation starts.
            Entry::Alarm(_) => CounterFrame::Answer(Ask::Alarm),
        }
    }

    fn step(
        &mut self,
        rules: &Rules,
        frame: &mut CounterFrame,
        resume: Resume<Self>,
        cx: &mut Cx<'_, '_>,
    ) -> Next<Self> {
        self.start_up(rules, cx)?;
        match frame {
            CounterFrame::Answer(ask) => self.answer(rules, ask, cx),
            CounterFrame::Add(adding) => adding.step(self, rules, resume, cx),
            CounterFrame::Follow(following) => following.step(resume, cx),
        }
    }

    fn response(value: Option<Response>) -> Option<Response> {
        value
    }
}

/// What a request asks for.
fn read(request: &Request) -> Result<CounterFrame, BadRequest> {
    let (path, query) = target(request);
    let ask = match (request.method.as_str(), path) {
        ("POST", "/add") => return Ok(CounterFrame::Add(Adding::new(request::add(request)?))),
        ("POST", "/follow") => {
            return Ok(CounterFrame::Follow(Following::new(follower_named(request)?)));
        }
        ("POST", "/reset") => Ask::Reset,
        ("GET", "/value") => Ask::Value,
        ("GET", "/log") => Ask::Log {
            since: request::query_number(query, "since", 0)?.unwrap_or(Number::ZERO),
            limit: request::query_number(query, "limit", 1)?,
        },
        _ => return Err(BadRequest::unknown(request)),
    };
    Ok(CounterFrame::Answer(ask))
}

fn follower_named(request: &Request) -> Result<ObjectName, BadRequest> {
    let follow = request.body.read::<Follow>()?;
    if names::parse_follower(&follow.name).is_none() {
        return Err(BadRequest::field("name", "a follower's name, such as main#f1"));
    }
    Ok(follow.name.clone())
}

impl Counter {
    /// Sees to the tables at an incarnation's first event. It reads nothing that an earlier incarnation kept in memory.
    fn start_up(&mut self, rules: &Rules, cx: &mut Cx<'_, '_>) -> Result<(), Failure> {
        if !self.started {
            cx.transaction(&store::tables(), End::Commit)?;
            (rules.take_back)(cx)?;
            self.issued = store::head(cx)?;
            self.started = true;
        }
        Ok(())
    }

    fn answer(&mut self, rules: &Rules, ask: &Ask, cx: &mut Cx<'_, '_>) -> Next<Self> {
        let response = match ask {
            Ask::Alarm => return Ok(Step::Return(None)),
            Ask::Nothing(bad) => bad.response(),
            Ask::Reset => return Ok(cx.abort("an operator has reset this counter")),
            Ask::Value => {
                let (value, applied) = (store::value(cx)?, store::head(cx)?);
                answer(200, Standing { value, applied })
            }
            Ask::Log { since, limit } => {
                let limit = limit.map_or(rules.policy.batch, |limit| limit.min(rules.policy.batch));
                let (head, records) = (store::head(cx)?, store::records(cx, *since, limit)?);
                answer(200, LogPage { head, records })
            }
        };
        Ok(Step::Return(Some(response)))
    }
}

/// Tells a follower that there is something to pull. Should that be lost, its alarm will find out.
fn nudge(cx: &mut Cx<'_, '_>, follower: &ObjectName) {
    cx.send(
        labels::NUDGE,
        &stub_for_nudge(follower),
        Request::post("/nudge", Default::default()),
    );
}

/// Nudges need no order among each other, and one that fails must not spoil the next.
fn stub_for_nudge(follower: &ObjectName) -> Stub {
    Stub::once(names::FOLLOWER, follower.clone())
}

/// As documented: nothing. What an earlier incarnation has committed stands.
///
/// # Errors
/// None.
pub fn take_nothing_back(_: &mut Cx<'_, '_>) -> Result<(), Failure> {
    Ok(())
}

/// Takes back what an earlier incarnation committed and did not seal: nobody was told of it, and its token is in no
/// record, so that a repetition adds it again.
///
/// # Errors
/// What the database answered.
pub fn take_unsealed_back(cx: &mut Cx<'_, '_>) -> Result<(), Failure> {
    let sealed = store::sum(cx)?;
    cx.sql(&store::set_value(sealed))?;
    Ok(())
}

/// As documented: nothing.
pub fn watch_over_nothing(_: &Policy, _: &mut Cx<'_, '_>) {}

/// Sets the alarm, if it is not set: should this incarnation end before the record is sealed, the alarm wakes the next
/// one, which takes the value back, also where nobody asks for it again.
pub fn watch_over_unsealed(policy: &Policy, cx: &mut Cx<'_, '_>) {
    if cx.alarm().is_none() {
        cx.set_alarm(Some(cx.now().after(policy.pull_every)));
    }
}

/// The answer to an addition.
fn added(generation: Number, digest: Text) -> Response {
    answer(200, Added { generation, digest })
}

#[cfg(test)]
mod tests;
