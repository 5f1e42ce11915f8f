//! The kernel checks itself: the invariants PL-1 to PL-7 and PL-9 (`invariants.md`), and PL-10: a request that was rejected
//! as its object is overloaded has no turn (`platform.md` section 10); on every event of every run.
//!
//! Each check keeps its own account, beside the code that it watches. One that fails is a bug in the kernel, and ends
//! the run with an assertion that begins with the invariant's id; no verdict is made of it. Tests break the kernel on
//! purpose ([`Sabotage`]) and see each check fire. One check is not made every time: what a crash leaves (PL-3) is held
//! against the contents after the commit before it on `model` always, on `sqlite` where that commit is one of 256.

use std::collections::{BTreeMap, BTreeSet};

use protocol::host::{Millis, Statement, Text, Value};

use super::overload::Queued;
use super::party::{PartyId, Sent};
use super::storage::{Ran, Store};
use super::stubs::StubSerial;
use super::wide::Guest;
use super::{Kernel, party};

/// How a test breaks the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sabotage {
    /// A stale incarnation is handed the storage.
    NoFence,
    /// Messages leave before the writes that they depend on are durable.
    OpenGate,
    /// A commit that is lost leaves its writes.
    KeepLostWrites,
    /// An alarm that is set is not put into the queue.
    LoseAlarm,
    /// An alarm's run begins while another is under way.
    TwoAlarmRuns,
    /// Calls on one stub overtake one another.
    NoOrder,
    /// The next incarnation gets the memory of the one before.
    KeepMemory,
    /// An object's clock is set back.
    ClockBack,
    /// Statements are not measured.
    NoLimits,
    /// A request that was rejected runs all the same.
    RunRejected,
}

/// The commits that have to be durable before a message may be delivered: the first `commits` of an incarnation's object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Depends {
    pub party: PartyId,
    pub incarnation: u32,
    pub commits: u64,
}

impl Depends {
    /// The same, and the commit of the turn that is under way if it has written.
    pub fn and_this(self, wrote: bool) -> Self {
        Depends {
            commits: self.commits + u64::from(wrote),
            ..self
        }
    }
}

/// The account that is kept of a party.
#[derive(Clone, Debug, Default)]
pub(super) struct PartyAudit {
    /// How many of its commits are known to be durable.
    pub durable: u64,
    /// How many were when an incarnation ended, for the latest of those that have.
    pub ended: BTreeMap<u32, u64>,
    /// The contents after its newest durable commit, and after its newest commit, where they are known.
    pub durable_contents: Option<u128>,
    pub contents: Option<u128>,
    /// The incarnation in which a run of its alarm is under way, if one is.
    pub alarm_run: Option<u32>,
    /// How many runs of its alarm have failed in a row and count.
    pub alarm_failed: u32,
    /// The latest requests that were rejected.
    rejected: BTreeSet<u64>,
}

/// How many incarnations that have ended are remembered: messages of earlier ones have arrived long since.
const REMEMBERED: usize = 64;

impl PartyAudit {
    /// The storage is a new one: what its contents are is not known yet, and no run of an alarm counts.
    pub fn storage_is_new(&mut self) {
        (self.durable_contents, self.contents) = (None, None);
        self.alarm_failed = 0;
    }

    /// A request is rejected: it will not run.
    pub fn rejects(&mut self, queued: Queued) {
        self.rejected.insert(queued.nth);
        if self.rejected.len() > REMEMBERED {
            self.rejected.pop_first();
        }
    }

    /// An incarnation has ended with so many of its object's commits durable.
    pub fn incarnation_ends(&mut self, number: u32, durable: u64) {
        self.ended.insert(number, durable);
        if self.ended.len() > REMEMBERED {
            self.ended.pop_first();
        }
    }
}

/// The messages that are on their way on each stub: which one has to start next, and how many there are.
#[derive(Clone, Debug, Default)]
pub(super) struct StubAudit {
    /// In the order of the stubs' numbers. A new stub's is the greatest, and few stubs have something on its way, so that
    /// to move those behind one costs less than the nodes of a tree.
    on_their_way: Vec<OnStub>,
}

/// What is on its way on one stub.
#[derive(Clone, Copy, Debug)]
struct OnStub {
    stub: u64,
    /// The message that has started last.
    before: u64,
    messages: u64,
}

impl StubAudit {
    pub fn sent(&mut self, serial: StubSerial) {
        match self.place_of(serial.stub) {
            Ok(at) => self.on_their_way[at].messages += 1,
            Err(at) => {
                let first = OnStub {
                    stub: serial.stub,
                    before: 0,
                    messages: 1,
                };
                self.on_their_way.insert(at, first);
            }
        }
    }

    /// A message is lost, or told of the end of the incarnation that it was for.
    pub fn gone(&mut self, serial: StubSerial) {
        if let Ok(at) = self.place_of(serial.stub) {
            self.take_one(at);
        }
    }

    fn starts(&mut self, serial: StubSerial) {
        let Ok(at) = self.place_of(serial.stub) else {
            panic!(
                "PL-5: message {} on a stub starts, and none is on its way",
                serial.nth
            )
        };
        let OnStub { before, messages, .. } = self.on_their_way[at];
        assert!(
            messages > 0 && serial.nth > before,
            "PL-5: message {} on a stub starts after message {before}, and {messages} are on their way",
            serial.nth
        );
        self.on_their_way[at].before = serial.nth;
        self.take_one(at);
    }

    fn place_of(&self, stub: u64) -> Result<usize, usize> {
        match self.on_their_way.last() {
            Some(last) if last.stub < stub => Err(self.on_their_way.len()),
            _ => self.on_their_way.binary_search_by_key(&stub, |on| on.stub),
        }
    }

    /// One message fewer is on its way there.
    fn take_one(&mut self, at: usize) {
        let messages = &mut self.on_their_way[at].messages;
        *messages = messages.saturating_sub(1);
        if *messages == 0 {
            self.on_their_way.remove(at);
        }
    }
}

/// PL-1: storage is handed to the incarnation that owns it.
pub(super) fn storage(who: &Text, incarnation: u32, owner: u32) {
    assert_eq!(
        incarnation, owner,
        "PL-1: the storage of {who} is handed to a stale incarnation"
    );
}

/// PL-9: no statement beyond a limit has run. What the limits are stands here a second time, on purpose.
pub(super) fn statement(statement: &Statement, ran: &Ran) {
    if ran.outcome.is_err() {
        return;
    }
    let (parameters, bytes) = (statement.params.len(), statement.sql.len());
    assert!(
        parameters <= 100 && bytes <= 100_000,
        "PL-9: a statement of {bytes} bytes with {parameters} parameters has run"
    );
    let mut longest = 0;
    for value in &statement.params {
        longest = longest.max(match value {
            Value::Text(text) => text.len(),
            Value::Bytes(bytes) => bytes.0.len(),
            Value::Null | Value::Number(_) => 0,
        });
    }
    assert!(
        longest <= 8_388_608,
        "PL-9: a value of {longest} bytes was bound, which no limit allows"
    );
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// A delivery is about to have its turn in an incarnation.
    pub(super) fn audit_delivery(&mut self, id: PartyId, incarnation: u32, sent: &Sent) {
        if let Some(depends) = sent.depends.filter(|depends| depends.party != id) {
            let account = &self.party(depends.party).audit;
            let of_ended = account.ended.get(&depends.incarnation).copied();
            let durable = of_ended.unwrap_or(account.durable);
            assert!(
                depends.commits <= durable,
                "PL-2: what {} sent behind its commit no. {} is delivered, and {durable} of its commits are durable",
                self.party(depends.party).who,
                depends.commits,
            );
        }
        if let (party::Delivery::Request { .. }, Some(serial)) = (&sent.delivery, sent.serial) {
            self.stub_audit.starts(serial);
        }
        let party = self.party(id);
        let who = &party.who;
        if let Some(queued) = sent.queued {
            assert!(
                !party.audit.rejected.contains(&queued.nth),
                "PL-10: {who} was overloaded and has rejected a request, and it runs"
            );
        }
        let of_party = party.incarnation(incarnation);
        let of_party = of_party.expect("a delivery is for an incarnation that is there");
        let shows = of_party.skew.shown(self.now);
        assert!(
            shows >= of_party.shown,
            "PL-7: the clock of {who} shows {shows} after {}",
            of_party.shown
        );
        if of_party.life.is_some() {
            assert_eq!(
                of_party.born, of_party.number,
                "PL-6: incarnation {} of {who} has the memory of incarnation {}",
                of_party.number, of_party.born
            );
        }
    }

    /// Whether a test breaks the kernel in this way. Nobody else can.
    #[cfg(test)]
    pub(super) fn sabotaged(&self, how: Sabotage) -> bool {
        self.sabotage == Some(how)
    }

    /// Whether a test breaks the kernel in this way: this is no test.
    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "in a test it answers")]
    pub(super) const fn sabotaged(&self, _: Sabotage) -> bool {
        false
    }

    /// What was not confirmed when an incarnation ended is lost from some commit on: what is left is what the commit
    /// before it left.
    pub(super) fn audit_contents(&mut self, id: PartyId, left: Option<u128>) {
        let (Some(left), Some(storage)) = (left, &mut self.party_mut(id).storage) else {
            return;
        };
        let found = storage.store.digest();
        assert_eq!(
            found,
            left,
            "PL-3: after a crash the contents of {} are not those of a prefix of its commits",
            self.party(id).who
        );
    }

    /// After a step of an object: an alarm that is set and does not run will (PL-4).
    pub(super) fn audit_alarm(&self, id: PartyId) {
        let party = self.party(id);
        let Some(storage) = &party.storage else { return };
        let alarm = &storage.alarm;
        let will_run = alarm.running.is_some() || alarm.is_awaited();
        // A turn that holds the thread, and a transaction, have not handed the alarm to anybody yet.
        let open = party.current.holding.is_some() || party.current.in_transaction();
        assert!(
            alarm.stored.is_none() || will_run || open,
            "PL-4: the alarm of {} is set and nothing will run it",
            party.who
        );
        assert_eq!(
            alarm.running.is_some(),
            party.audit.alarm_run.is_some(),
            "PL-4: {} has lost count of the runs of its alarm",
            party.who
        );
    }
}

impl PartyAudit {
    /// A run of the alarm begins.
    pub fn alarm_begins(&mut self, incarnation: u32, seen: Option<Millis>, is_first: bool) {
        if is_first {
            self.alarm_failed = 0;
        }
        assert_eq!(
            self.alarm_run, None,
            "PL-4: a run of the alarm begins while another is under way"
        );
        assert_eq!(
            seen, None,
            "PL-4: inside a run the alarm is seen that has not been set since"
        );
        self.alarm_run = Some(incarnation);
    }

    /// It ends; how, if it counts.
    pub fn alarm_ends(&mut self, counts: Option<Result<(), ()>>, is_still_set: bool, set_since: bool) {
        self.alarm_run = None;
        match counts {
            _ if set_since => self.alarm_failed = 0,
            Some(Ok(())) => self.alarm_failed = 0,
            Some(Err(())) => {
                self.alarm_failed += 1;
                assert_eq!(
                    is_still_set,
                    self.alarm_failed < 7,
                    "PL-4: after {} failed runs an alarm is tried again, or given up, too soon or too late",
                    self.alarm_failed
                );
                if !is_still_set {
                    self.alarm_failed = 0;
                }
            }
            None => self.alarm_failed = 0,
        }
    }
}
