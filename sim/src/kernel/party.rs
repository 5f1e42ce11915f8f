//! Who takes part in a run: objects and isolates of the front Worker.

use std::collections::{BTreeMap, VecDeque};

use protocol::host::{
    CallId, CallOutcome, Effect, Entry, Event, Label, Millis, Namespace, ObjectName, Outcome, Request,
    Shared, Stub, TaskId, Text,
};
use protocol::task::Program;

use super::choice::{OriginId, PlaceId};
use super::commit::TurnEnd;
use super::queue::EventKey;
use super::storage::Mark;
use super::stubs::{InFlight, StubKey, StubState};
use super::time::Micros;
use super::watch::StepId;

/// Refers to a party within one run, in the order in which they were first reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartyId(pub(super) u32);

/// The memory of one incarnation.
#[derive(Clone, Debug)]
pub(super) enum Life<P: Program> {
    Object(P::Object),
    Front(P::Front),
}

/// Who is told how a task ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ReplyTo {
    /// The client of a plan item.
    Client { item: u32 },
    /// A task of a party.
    Caller {
        caller: CallerRef,
        answer_lost: bool,
        answer_late: Micros,
    },
    /// The alarm of the same object.
    Alarm,
}

/// The end of a call at which its answer arrives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CallerRef {
    pub party: PartyId,
    pub incarnation: u32,
    pub call: CallId,
    pub label: Label,
    /// Which of the calls in flight on its stubs this is; none for what is not a call, or on a stub for one call.
    pub in_flight: Option<u32>,
}

/// Something on its way to a party.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Delivery {
    Request {
        request: Request,
        reply_to: ReplyTo,
    },
    Answer {
        to: CallerRef,
        outcome: CallOutcome,
        connection: Connection,
    },
    /// Valid while the alarm was not armed again since.
    Alarm {
        retry: u32,
        armed: u64,
    },
}

/// Whether an answer tells that the connection on which the call was made is no more: then the stub is of no more use,
/// and all that is in flight on it fails. The flags of an error do not tell, as code can throw them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Connection {
    Stands,
    Lost,
}

/// A delivery with where it comes from.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub delivery: Delivery,
    pub origin: OriginId,
    pub cause: Option<StepId>,
}

/// What a task asked for during a turn, in the order it asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Output {
    Call {
        call: CallId,
        label: Label,
        stub: Stub,
        request: Request,
    },
    Reply {
        to: ReplyTo,
        outcome: Outcome,
    },
    Put {
        call: CallId,
        label: Label,
        store: Shared,
        key: Text,
        value: Text,
    },
    Act(Effect),
    /// A read, a sleep or a digest: not held back by the output gate.
    Service {
        call: CallId,
        label: Label,
        after: ServiceTime,
        answer: ServiceAnswer,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ServiceTime {
    Exactly(Micros),
    Drawn,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ServiceAnswer {
    Ready(protocol::host::Answer),
    Entry(Shared, Text),
}

/// An output, what it descends from, and whether a write of its turn came before it.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub output: Output,
    pub origin: OriginId,
    pub step: StepId,
    pub behind_write: bool,
}

/// A turn's writes, handed to the storage and not yet known to be durable.
#[derive(Clone, Debug)]
pub(super) struct Commit {
    pub nth: u64,
    pub mark: Mark,
    /// What the alarm was before.
    pub alarm_before: AlarmBefore,
    /// What leaves when the commit is confirmed.
    pub held: Vec<Held>,
}

/// An object's one alarm.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Alarm {
    /// When it is due, by the object's clock.
    pub stored: Option<Millis>,
    /// The run that is under way.
    pub running: Option<Running>,
    /// Its event in the queue, and the time it was scheduled for.
    pub event: Option<(EventKey, Millis)>,
    /// How many runs in a row have failed.
    pub failed: u32,
    /// How many times an event of it was put into the queue, or taken out: tells the one that counts.
    pub armed: u64,
}

/// The part of an alarm that is undone together with writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct AlarmBefore {
    stored: Option<Millis>,
    set_since: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Running {
    pub scheduled: Millis,
    /// Whether the alarm was set or cleared since the run began.
    pub set_since: bool,
}

impl Alarm {
    /// What code sees: inside a run, nothing, unless it was set since (`platform.md` section 6, item 3).
    pub fn seen(&self) -> Option<Millis> {
        match self.running {
            Some(Running { set_since: false, .. }) => None,
            _ => self.stored,
        }
    }

    /// What a write can change of it.
    pub fn before(&self) -> AlarmBefore {
        let set_since = self.running.is_some_and(|run| run.set_since);
        AlarmBefore {
            stored: self.stored,
            set_since,
        }
    }

    /// Undoes what was written since.
    pub fn restore(&mut self, before: AlarmBefore) {
        self.stored = before.stored;
        if let Some(run) = &mut self.running {
            run.set_since = before.set_since;
        }
    }

    pub fn set(&mut self, at: Option<Millis>) {
        // The same time once more changes nothing (`platform.md` section 6, item 1), a pending retry included.
        if self.running.is_none() && self.stored == at {
            return;
        }
        self.stored = at;
        if let Some(running) = &mut self.running {
            running.set_since = true;
        }
    }
}

/// What an object has and a front Worker has not.
#[derive(Clone, Debug)]
pub(super) struct Storage<S> {
    pub store: S,
    pub alarm: Alarm,
    pub unconfirmed: VecDeque<Commit>,
    /// How many commits there were.
    pub commits: u64,
    /// When the last confirmation is due: confirmations come in the order of the commits.
    pub last_confirm: Micros,
}

/// An object, or an isolate of the front Worker.
#[derive(Debug)]
pub(super) struct Party<P: Program, S> {
    pub who: Text,
    /// None for a front Worker.
    pub address: Option<(Namespace, ObjectName)>,
    /// Where the choices stand that are made at it.
    pub place: PlaceId,
    /// The descent of what its alarm begins.
    pub alarm_origin: OriginId,
    pub incarnation: u32,
    pub life: Option<Life<P>>,
    /// What each task descends from.
    pub origins: BTreeMap<TaskId, OriginId>,
    /// Who is told of the end of each task that an event began.
    pub replies: BTreeMap<TaskId, ReplyTo>,
    /// What it knows of its stubs. An object's live as long as its incarnation; a front Worker's as long as the task
    /// that used them, since the runtime lets nothing that was opened for one request be used for another.
    pub stubs: BTreeMap<StubKey, StubState>,
    /// Its calls on these stubs whose answers are still to come, by number.
    pub in_flight: Vec<InFlight>,
    /// How many of its calls have left at each label.
    pub calls_made: BTreeMap<Label, u32>,
    /// A turn whose code has declared work and holds the thread: what it leaves when it has done.
    pub holding: Option<TurnEnd>,
    /// What has arrived while the thread was held, in the order it came.
    pub waiting: VecDeque<Sent>,
    pub storage: Option<Storage<S>>,
}

impl Delivery {
    /// The event that this is to an incarnation which takes it.
    pub fn event(&self, alarm: &Alarm) -> Event {
        match self {
            Delivery::Request { request, .. } => Event::Begin(Entry::Request(request.clone())),
            Delivery::Answer { to, outcome, .. } => Event::Answer {
                call: to.call,
                outcome: outcome.clone(),
            },
            Delivery::Alarm { retry, .. } => Event::Begin(Entry::Alarm(protocol::host::AlarmRun {
                scheduled: alarm.stored.expect("an alarm that runs was set"),
                retry_count: *retry,
                is_retry: *retry > 0,
            })),
        }
    }
}
