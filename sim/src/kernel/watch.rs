//! Watching a run: what the kernel tells, and who listens.
//!
//! Hash chains, history, marks, logs and progress are observers. They compose, and none of them can change what happens.

use std::fmt;

use protocol::host::{
    AlarmRun, CallId, CallOutcome, Cause, Effect, End, Entry, Event, Failed, Label, Millis, Note, Outcome,
    Request, Rows, Shared, SqlError, Statement, Stub, TaskId, Text,
};
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::choice::Origin;
use super::time::Micros;

/// The number of a step of the run: one event that the kernel took from its queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
        /// The step in which it left, or was set, or begun; none for what the plan itself begins. What was held back
        /// left in the step in which its commit was confirmed.
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
        /// The tables that it can have written, sorted.
        tables: &'a [Text],
    },
    /// A commit is durable; what waited for it leaves.
    Confirmed {
        /// Which commit.
        nth: u64,
    },
    /// An incarnation has ended.
    Reset {
        /// Which.
        incarnation: u32,
        /// Why, as its callers are told.
        reason: &'a str,
        /// How many commits that were not confirmed have survived.
        survivors: u64,
        /// What it descends from: the plan item that broke it, or the event in which it was aborted.
        origin: &'a Origin,
    },
    /// From now on a fault can strike, until it has or its time is over.
    Trouble {
        /// Its kind.
        kind: FaultKind,
        /// The other party, where it stands between two.
        to: &'a Text,
        /// What it descends from: the plan item, or the event in which an episode began.
        origin: &'a Origin,
    },
    /// A fault took effect.
    Fault {
        /// Its kind: a mark.
        kind: FaultKind,
    },
    /// A client went away without its answer.
    Left {
        /// The plan item that asked.
        item: u32,
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
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    VariantArray,
    IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum FaultKind {
    /// A request was lost before it was delivered.
    RequestLost,
    /// A request was delivered, and its answer was lost.
    AnswerLost,
    /// A request was late.
    RequestLate,
    /// An answer was late.
    AnswerLate,
    /// A message was lost because its sender does not reach its receiver.
    Partitioned,
    /// A message does not move until its way is clear again.
    Clogged,
    /// A request was delivered a second time, as a client or a proxy repeats it.
    Duplicated,
    /// The client of a front Worker's request went away, and the request was cancelled.
    Cancelled,
    /// An object lost its memory while it was loaded.
    Reset,
    /// An object lost its memory because another one in its isolate used it up.
    IsolateShared,
    /// The end of an incarnation lost commits that were not confirmed.
    CommitsLost,
    /// A commit could not be made durable: what waited for it was never sent.
    CommitFailed,
    /// A commit was made that is not confirmed for a while.
    CommitStalled,
    /// A message waited for a commit for longer than the output gate does.
    GateTimeout,
    /// A statement met an error of the storage.
    StorageRefused,
    /// An object with nothing to do lost its memory.
    Evicted,
    /// An object was taken away with all that it stored.
    Recreated,
    /// An object was started elsewhere while its incarnation ran.
    Displaced,
    /// A stale incarnation had a turn: two were at work at once.
    StaleRan,
    /// A stale incarnation ended: it touched the storage, or its time was over.
    StaleEnded,
    /// An alarm was late beyond what it is on a good day.
    AlarmLate,
    /// The alarm's manager did not hear of a later time, or of none.
    AlarmSyncLost,
    /// The alarm's manager woke an object before the time that it has stored, or for none.
    AlarmEarly,
    /// An alarm that its own run set to now got stuck.
    AlarmStuck,
    /// An instance that its alarm has woken does not know its name.
    NameMissing,
    /// An incarnation began whose clock is not the true one.
    ClockSkewed,
    /// A read or a write of KV met an error.
    KvFailed,
    /// A read of KV found what is not written there any more, or nothing although something is.
    KvStale,
    /// An edge cache had dropped what it was to keep.
    EdgeDropped,
    /// A message did not reach a subscriber.
    MessageLost,
    /// A subscription ended because its reader was too slow.
    SubscriberDropped,
    /// A subscription ended with the broker's memory.
    BrokerRestarted,
    /// An isolate of the front Worker ended, and what it knew with it.
    FrontRestarted,
    /// An object that was loaded was stopped, or went on without its storage, as its code was updated.
    CodeUpdated,
    /// An object went on with its old code for a while, although another version was deployed.
    UpdateDeferred,
    /// An isolate of a front Worker began whose version is not that of the one before.
    FrontUpdated,
    /// A request reached code of another version than its sender's.
    VersionSkew,
    /// An incarnation began on what another version of the code had written.
    StorageInherited,
    /// A request was rejected, as too many wait for its object, or too much, it has waited for too long, or too many have
    /// come lately.
    Overloaded,
    /// The runtime sent a call again whose connection was lost.
    CallRetried,
    /// A call that was sent again did not run, as it had been claimed before.
    ClaimRefused,
    /// A call that was sent again ran a second time, as the incarnation that had claimed it was no more.
    RetryRanAgain,
    /// An object was taken back to what it had stored at an earlier instant.
    Rewound,
    /// What an object stored was replaced by what another one stores.
    Cloned,
    /// An object lost its memory while something was under way that it had begun and nobody waited for.
    EvictedAtWork,
    /// A write of KV was refused, as the same key was written just before.
    KvTooOften,
}

impl FaultKind {
    /// Its name, as in plans and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
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
            What::Committed { nth, tables: [] } => write!(f, "commits no. {nth}"),
            What::Committed { nth, tables } => write!(f, "commits no. {nth}: {}", tables.join(", ")),
            What::Confirmed { nth } => write!(f, "commit no. {nth} is durable"),
            What::Reset {
                reason, survivors, ..
            } => {
                write!(f, "is reset ({reason}); {survivors} commits survive")
            }
            What::Trouble { kind, to, .. } => write!(f, "trouble {} towards {to}", kind.name()),
            What::Fault { kind } => write!(f, "fault {}", kind.name()),
            What::Left { item } => write!(f, "the client of item {item} goes away"),
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
