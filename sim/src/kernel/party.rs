//! Who takes part in a run: objects and isolates of the front Worker.

use std::collections::VecDeque;

use protocol::host::{
    CallId, CallOutcome, Effect, Label, Millis, Namespace, ObjectName, Outcome, Request, Shared, Stub,
    TaskId, Text,
};

use super::Changed;
use super::again::{Claims, Token};
use super::alarm::{Alarm, AlarmBefore, AlarmCall};
use super::audit::{Depends, PartyAudit};
use super::choice::{OriginId, PlaceId};
use super::incarnation::Incarnation;
use super::overload::{Queued, Window};
use super::rollout::Reached;
use super::storage::Mark;
use super::stubs::StubSerial;
use super::time::Micros;
use super::watch::StepId;
use super::wide::Guest;

/// Refers to a party within one run, in the order in which they were first reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartyId(pub(super) u32);

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
    /// Nobody: the answer of a request that was sent twice, when the other one's is told.
    Nobody,
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
    /// The alarm's manager wakes the object.
    Alarm(AlarmCall),
    /// The client of the request that this task of a front Worker answers has gone away.
    Cancel {
        task: TaskId,
    },
}

/// Whether an answer tells that the connection on which the call was made is no more: then the stub is of no more use,
/// and all that is in flight on it fails. The flags of an error do not tell, as code can throw them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Connection {
    Stands,
    Lost,
    /// It is lost, and the platform tells that the call was not delivered on it …
    NotDelivered,
    /// … or that it was.
    Delivered,
    /// It stands, and the call's token was claimed before.
    Refused,
}

impl Connection {
    pub fn is_lost(self) -> bool {
        match self {
            Connection::Stands | Connection::Refused => false,
            Connection::Lost | Connection::NotDelivered | Connection::Delivered => true,
        }
    }
}

/// A delivery with where it comes from.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub delivery: Delivery,
    pub origin: OriginId,
    pub cause: Option<StepId>,
    /// The commit that has to be durable before this is delivered (PL-2).
    pub depends: Option<Depends>,
    /// Which message on its stub this is, where it is on one (PL-5).
    pub serial: Option<StubSerial>,
    /// Whether a client or a proxy has sent it before.
    pub repeated: bool,
    /// What its callee has to claim, where the runtime may send it again.
    pub token: Option<Token>,
    /// Since when it waits, where what waits is bounded.
    pub queued: Option<Queued>,
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
        keep: Option<Millis>,
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
    /// The newest commit that was made, or that this turn will make, before it was asked for.
    pub depends: Option<Depends>,
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
    /// When the first of that began to wait.
    pub waits_since: Option<Micros>,
    pub origin: OriginId,
    /// The contents that it leaves, where the store tells cheaply (PL-3).
    pub leaves: Option<u128>,
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
    /// Whether the next commit fails.
    pub next_commit_fails: bool,
    /// The version of the code that has written last.
    pub written_by: Option<usize>,
}

/// An object, or an isolate of the front Worker.
#[derive(Debug)]
pub(super) struct Party<P: Guest, S> {
    /// The version of the code that its next incarnation runs.
    pub version: usize,
    /// The version that its newest incarnation runs, once one does.
    pub ran: Option<usize>,
    /// What of the deploys has reached it.
    pub reached: Reached,
    pub who: Text,
    /// None for a front Worker.
    pub address: Option<(Namespace, ObjectName)>,
    /// Where it is, modulo the number of locations.
    pub location: u32,
    /// Where the choices stand that are made at it.
    pub place: PlaceId,
    /// The descent of what its alarm begins.
    pub alarm_origin: OriginId,
    /// The incarnation that new events go to, and that alone may use the storage.
    pub current: Incarnation<P>,
    /// The highest number of an incarnation that it has had: not the current one's, where a front Worker has gone back to
    /// an isolate of an earlier version.
    pub newest: u32,
    /// An object's earlier ones that have not noticed yet that they were replaced (`platform.md` section 13), oldest first; a
    /// front Worker's isolates of other versions.
    pub stale: Vec<Incarnation<P>>,
    /// How many of its calls have left at each label, of which there are a few; in the order of the labels.
    pub calls_made: Vec<(Label, u32)>,
    pub storage: Option<Storage<S>>,
    /// What of its storage may have changed since somebody last asked.
    pub changed: Changed,
    /// The calls that may not run at it again.
    pub claims: Claims,
    /// An object's requests of the last seconds.
    pub window: Window,
    pub audit: PartyAudit,
}

impl<P: Guest, S> Party<P, S> {
    /// A number that no incarnation has had: what is still under way to one that has ended reaches no other.
    pub fn next_number(&mut self) -> u32 {
        self.newest += 1;
        self.newest
    }

    /// An incarnation that is still there.
    pub fn incarnation(&self, number: u32) -> Option<&Incarnation<P>> {
        if self.current.number == number {
            return Some(&self.current);
        }
        self.stale.iter().find(|stale| stale.number == number)
    }

    /// An incarnation that is still there.
    pub fn incarnation_mut(&mut self, number: u32) -> Option<&mut Incarnation<P>> {
        if self.current.number == number {
            return Some(&mut self.current);
        }
        self.stale.iter_mut().find(|stale| stale.number == number)
    }

    /// A commit that is not known to be durable yet.
    pub fn unconfirmed_commit(&self, nth: u64) -> Option<&Commit> {
        let mut unconfirmed = self.storage.iter().flat_map(|storage| &storage.unconfirmed);
        unconfirmed.find(|commit| commit.nth == nth)
    }

    /// Whether this is an object, or an isolate of the front Worker.
    pub fn is_object(&self) -> bool {
        self.address.is_some()
    }
}
