//! Watching a run: what the kernel tells, and who listens.
//!
//! Hash chains, history, marks and logs are observers. They compose, and none of them can change what happens.

use std::fmt;

use protocol::host::{
    AlarmRun, CallId, CallOutcome, Cause, Effect, End, Entry, Event, Failed, Label, Millis, Note, Outcome,
    Request, Rows, Shared, SqlError, Statement, Stub, TaskId, Text,
};
use serde::{Deserialize, Serialize};

use super::choice::Origin;
use super::time::Micros;

/// The number of a step of the run: one event that the kernel took from its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepId(pub u64);

/// One thing that happened.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// During which step.
    pub step: StepId,
    /// The true time of that step.
    pub at: Micros,
    /// To whom: an object as `namespace/name`, a front Worker as `front N`, or `client`.
    pub who: &'a Text,
    /// What.
    pub what: What<'a>,
}

/// The kinds of things that happen.
#[derive(Clone, Copy, Debug)]
pub enum What<'a> {
    /// An event is delivered: a turn begins.
    Delivered {
        /// Which life of the party's memory takes it.
        incarnation: u32,
        /// The event.
        event: &'a Event,
        /// The step in which it was sent, or set, or begun; none for what the plan itself begins.
        cause: Option<StepId>,
        /// What it descends from.
        origin: &'a Origin,
    },
    /// A task has started.
    Started {
        /// Which.
        task: TaskId,
        /// By what.
        cause: Cause,
    },
    /// A statement has run.
    Ran {
        /// The statement.
        statement: &'a Statement,
        /// What it answered.
        outcome: &'a Result<Rows, SqlError>,
    },
    /// A transaction has run.
    Transacted {
        /// Its statements.
        batch: &'a [Statement],
        /// How it was to end.
        end: End,
        /// What it answered.
        outcome: &'a Result<Vec<Rows>, Failed>,
    },
    /// A call was begun; it may still be held back.
    Called {
        /// Which.
        call: CallId,
        /// Where in the protocol.
        label: Label,
        /// Whom.
        stub: &'a Stub,
        /// With what.
        request: &'a Request,
    },
    /// Something else that ends later was begun.
    Began {
        /// Which.
        call: CallId,
        /// Where in the protocol.
        label: Label,
        /// What.
        service: Service<'a>,
    },
    /// A task that an event began has ended; its answer may still be held back.
    Finished {
        /// Which.
        task: TaskId,
        /// How.
        outcome: &'a Outcome,
    },
    /// The alarm was set or cleared.
    AlarmSet(Option<Millis>),
    /// The protocol told of a decision.
    Noted {
        /// Which task.
        task: TaskId,
        /// What it said.
        note: &'a Note,
    },
    /// An act upon the outside world has left the platform.
    Acted(&'a Effect),
    /// A turn's writes were handed to the storage.
    Committed {
        /// How many commits of this object came before.
        nth: u64,
    },
    /// A commit is durable; what waited for it leaves.
    Confirmed {
        /// Which commit.
        nth: u64,
    },
    /// An incarnation has ended.
    Reset {
        /// Why, as its callers are told.
        reason: &'a str,
        /// How many commits that were not confirmed have survived.
        survivors: u64,
        /// What it descends from: the plan item that broke it, or the event in which it was aborted.
        origin: &'a Origin,
    },
    /// A fault took effect.
    Fault {
        /// Its kind: a mark.
        kind: FaultKind,
    },
    /// A client has its answer.
    Answered {
        /// The plan item that asked.
        item: u32,
        /// What it was told.
        outcome: &'a Outcome,
        /// The step in which that was said.
        cause: StepId,
    },
}

/// What a task can begin besides a call.
#[derive(Clone, Copy, Debug)]
pub enum Service<'a> {
    /// A read of a shared service.
    Get(Shared, &'a str),
    /// A write of a shared service.
    Put(Shared, &'a str, &'a str),
    /// A sleep.
    Sleep(Millis),
    /// A digest of so many bytes.
    Digest(usize),
}

/// The ways in which the world can break. Each is a mark once it took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// A request was lost before it was delivered.
    RequestLost,
    /// A request was delivered, and its answer was lost.
    AnswerLost,
    /// A request was late.
    RequestLate,
    /// An answer was late.
    AnswerLate,
    /// An object lost its memory while something was under way in it.
    Reset,
    /// A reset lost commits that were not confirmed.
    CommitsLost,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [FaultKind; 6] = [
        FaultKind::RequestLost,
        FaultKind::AnswerLost,
        FaultKind::RequestLate,
        FaultKind::AnswerLate,
        FaultKind::Reset,
        FaultKind::CommitsLost,
    ];

    /// Its name, as in plans and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::RequestLost => "request-lost",
            FaultKind::AnswerLost => "answer-lost",
            FaultKind::RequestLate => "request-late",
            FaultKind::AnswerLate => "answer-late",
            FaultKind::Reset => "reset",
            FaultKind::CommitsLost => "commits-lost",
        }
    }
}

/// Somebody who listens to a run.
pub trait Observer {
    /// Takes notice of one thing that happened.
    fn observe(&mut self, seen: &Observed<'_>);
}

/// Nobody listens.
impl Observer for () {
    fn observe(&mut self, _: &Observed<'_>) {}
}

/// Both listen, the first one first.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn observe(&mut self, seen: &Observed<'_>) {
        self.0.observe(seen);
        self.1.observe(seen);
    }
}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn observe(&mut self, seen: &Observed<'_>) {
        (**self).observe(seen);
    }
}

impl<O: Observer> Observer for Option<O> {
    fn observe(&mut self, seen: &Observed<'_>) {
        if let Some(observer) = self {
            observer.observe(seen);
        }
    }
}

/// One line for people, without time and place.
impl fmt::Display for What<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Delivered { event, .. } => write_event(f, event),
            What::Started {
                task,
                cause: Cause::Event,
            } => write!(f, "{task} starts"),
            What::Started {
                task,
                cause: Cause::Task(by),
            } => write!(f, "{task} starts, by {by}"),
            What::Ran { statement, outcome } => match outcome {
                Ok(rows) => write!(f, "runs {} -> {} rows", statement.sql, rows.rows.len()),
                Err(error) => write!(f, "runs {} -> {error}", statement.sql),
            },
            What::Transacted { batch, end, outcome } => {
                let how = match end {
                    End::Commit => "transacts",
                    End::Rollback => "tries",
                };
                match outcome {
                    Ok(_) => write!(f, "{how} {} statements", batch.len()),
                    Err(failed) => write!(f, "{how} {} statements -> {failed}", batch.len()),
                }
            }
            What::Called {
                call,
                label,
                stub,
                request,
            } => write!(
                f,
                "{call} `{label}`: {} {} of {}/{}",
                request.method.as_str(),
                request.path,
                stub.namespace,
                stub.name
            ),
            What::Began { call, label, service } => write!(f, "{call} `{label}`: {service}"),
            What::Finished { task, outcome } => write!(f, "{task} ends: {}", Told(outcome)),
            What::AlarmSet(Some(at)) => write!(f, "sets the alarm to {}", at.0),
            What::AlarmSet(None) => f.write_str("clears the alarm"),
            What::Noted { note, .. } => write!(f, "notes {note}"),
            What::Acted(effect) => write!(f, "acts: {} {}", effect.kind, effect.detail),
            What::Committed { nth } => write!(f, "commits no. {nth}"),
            What::Confirmed { nth } => write!(f, "commit no. {nth} is durable"),
            What::Reset {
                reason, survivors, ..
            } => {
                write!(f, "is reset ({reason}); {survivors} commits survive")
            }
            What::Fault { kind } => write!(f, "fault {}", kind.name()),
            What::Answered { item, outcome, .. } => write!(f, "item {item} is answered: {}", Told(outcome)),
        }
    }
}

fn write_event(f: &mut fmt::Formatter<'_>, event: &Event) -> fmt::Result {
    match event {
        Event::Begin(Entry::Request(request)) => {
            write!(f, "receives {} {}", request.method.as_str(), request.path)
        }
        Event::Begin(Entry::Alarm(AlarmRun { retry_count: 0, .. })) => f.write_str("wakes by its alarm"),
        Event::Begin(Entry::Alarm(run)) => write!(f, "wakes by its alarm, retry {}", run.retry_count),
        Event::Answer { call, outcome } => write!(f, "{call} is answered: {}", ToldCall(outcome)),
        Event::Cancel { task } => write!(f, "{task} is cancelled"),
    }
}

impl fmt::Display for Service<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Service::Get(store, key) => write!(f, "reads {key} of {store:?}"),
            Service::Put(store, key, value) => write!(f, "writes {key} = {value} of {store:?}"),
            Service::Sleep(length) => write!(f, "sleeps {length}"),
            Service::Digest(bytes) => write!(f, "digests {bytes} bytes"),
        }
    }
}

/// What somebody was told, in a word or two.
struct Told<'a>(&'a Outcome);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Ok(Some(response)) => write!(f, "{}", response.status),
            Ok(None) => f.write_str("done"),
            Err(error) => write!(f, "error: {error}"),
        }
    }
}

struct ToldCall<'a>(&'a CallOutcome);

impl fmt::Display for ToldCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use protocol::host::Answer;
        match self.0 {
            Ok(Answer::Response(response)) => write!(f, "{}", response.status),
            Ok(Answer::Entry(Some(value))) => write!(f, "{value}"),
            Ok(Answer::Entry(None)) => f.write_str("nothing there"),
            Ok(Answer::Digest(digest)) => write!(f, "digest {}", &digest[..digest.len().min(8)]),
            Ok(Answer::Done) => f.write_str("done"),
            Err(error) => write!(f, "error: {error}"),
        }
    }
}
