//! The simulated platform: time, order, choices, objects, storage, calls, alarms, faults. Knows no protocol.
//!
//! The specification is `platform.md`; `workerd.md` says what the real runtime was seen to do. The kernel holds the
//! events that are still to come ([`Kernel::enabled`]) and takes one of them at a time ([`Kernel::step`]); which one is
//! the caller's strategy, and the earliest is the usual. A step delivers at most one event to one party: a *turn* of
//! the protocol's code, whose writes are one commit, and whose messages leave when what they depend on is durable.

mod alarm;
mod calls;
mod chain;
mod choice;
mod commit;
mod delivery;
mod network;
mod party;
mod queue;
mod state;
pub mod storage;
mod stubs;
mod time;
mod turn;
mod watch;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use protocol::host::{Namespace, ObjectName, Outcome, Request, Shared, Text};
use protocol::task::{Program, Waiting};

pub use chain::{BehaviourChain, Chain, FullChain, Link, RunHash};
pub use choice::{Chance, ChoiceKey, FixedChoice, Origin, OriginId, PlaceId, Purpose, Ratio, Source};
pub use network::{Aim, CallFault, Knobs, Span};
pub use party::PartyId;
pub use queue::EventKey;
pub use time::{EPOCH, Micros};
pub use watch::{FaultKind, Observed, Observer, Service, StepId, What};

use party::{Alarm, Delivery, Life, Party, ReplyTo, Sent, Storage};
use queue::Queue;
use storage::Store;
use storage::limits::Limits;
pub use turn::UnsupportedStatement;

/// What is still to come.
#[derive(Clone, Debug)]
enum Pending {
    /// A plan item is due: the world acts.
    Item(u32),
    /// Something arrives at a party.
    Arrival(PartyId, Sent),
    /// The code that holds a party's thread has done.
    Done(PartyId, u32),
    /// A party's thread is free, and something waits for it.
    Free(PartyId),
    /// A commit is durable.
    Confirmed(PartyId, u32),
    /// A client is answered.
    Answered {
        item: u32,
        outcome: Outcome,
        cause: StepId,
    },
    /// An object loses its memory.
    Reset(PartyId, OriginId),
}

/// What a step was, for the one who asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stepped {
    /// A plan item is due.
    Item(u32),
    /// A client of a plan item has its answer.
    Answered {
        /// The plan item.
        item: u32,
        /// The answer.
        outcome: Outcome,
    },
    /// A party has had a turn, or something has happened to it.
    Party(PartyId),
}

/// A world in mid-run: all parties and all that is on its way.
#[derive(Debug)]
pub struct Kernel<P: Program, S: Store> {
    program: P,
    pool: S::Pool,
    now: Micros,
    steps: u64,
    turns: u64,
    queue: Queue<Pending>,
    chance: Chance,
    /// The party whose step is being taken.
    here: PlaceId,
    knobs: Knobs,
    aims: BTreeMap<Aim, Vec<CallFault>>,
    parties: Vec<Party<P, S>>,
    objects: BTreeMap<(Namespace, ObjectName), PartyId>,
    fronts: Vec<PartyId>,
    names: BTreeMap<Text, PartyId>,
    shared: BTreeMap<(Shared, Text), Text>,
}

impl<P: Program, S: Store> Kernel<P, S> {
    /// An empty world. Aimed faults are armed from the beginning. The pool is this world's as long as it lives, and the
    /// next one's after it.
    #[must_use]
    pub fn new(
        program: P,
        pool: &S::Pool,
        chance: Chance,
        knobs: Knobs,
        aims: BTreeMap<Aim, Vec<CallFault>>,
    ) -> Self {
        Kernel {
            program,
            pool: pool.clone(),
            now: Micros::ZERO,
            steps: 0,
            turns: 0,
            queue: Queue::new(),
            chance,
            here: PlaceId::NOWHERE,
            knobs,
            aims,
            parties: Vec::new(),
            objects: BTreeMap::new(),
            fronts: Vec::new(),
            names: BTreeMap::new(),
            shared: BTreeMap::new(),
        }
    }

    /// The true time.
    #[must_use]
    pub fn now(&self) -> Micros {
        self.now
    }

    /// How many steps were taken.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How many turns the parties have had.
    #[must_use]
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// The events that could be taken next, earliest first.
    pub fn enabled(&self) -> impl Iterator<Item = EventKey> {
        self.queue.iter().map(|(key, _)| *key)
    }

    /// The earliest of them.
    #[must_use]
    pub fn earliest(&self) -> Option<EventKey> {
        self.queue.first()
    }

    /// Keeps all choices from now on: see [`Chance::keep`].
    pub fn keep_choices(&mut self) {
        self.chance.keep();
    }

    /// Where the choices come from.
    #[must_use]
    pub fn chance(&self) -> &Chance {
        &self.chance
    }

    /// Puts another platform in place of this one: how the healing phase begins.
    pub fn set_knobs(&mut self, knobs: Knobs) {
        self.knobs = knobs;
    }

    /// Disarms the aimed faults that have not struck.
    pub fn disarm(&mut self) {
        self.aims.clear();
    }

    /// Writes an entry of a shared service, as a deployment does.
    pub fn configure(&mut self, store: Shared, key: &str, value: &str) {
        self.shared.insert((store, Text::new(key)), Text::new(value));
    }

    /// Adds an isolate of the front Worker.
    pub fn add_front(&mut self) -> PartyId {
        let who = Text::from(format!("front {}", self.fronts.len()));
        let id = self.add_party(who, None);
        self.fronts.push(id);
        id
    }

    /// The front Workers, in the order they were added.
    #[must_use]
    pub fn fronts(&self) -> &[PartyId] {
        &self.fronts
    }

    /// The object of this name, made on first reach. `None` where the program has no such namespace.
    pub fn object(&mut self, namespace: &Namespace, name: &ObjectName) -> Option<PartyId> {
        let address = (namespace.clone(), name.clone());
        if let Some(known) = self.objects.get(&address) {
            return Some(*known);
        }
        self.program.object(namespace)?;
        let id = self.add_party(Text::from(format!("{namespace}/{name}")), Some(address.clone()));
        self.objects.insert(address, id);
        Some(id)
    }

    /// All objects, by namespace and name.
    pub fn objects(&self) -> impl Iterator<Item = (&Namespace, &ObjectName, PartyId)> {
        self.objects
            .iter()
            .map(|((namespace, name), id)| (namespace, name, *id))
    }

    /// The party of this name, if it has been reached.
    #[must_use]
    pub fn named(&self, who: &Text) -> Option<PartyId> {
        self.names.get(who).copied()
    }

    /// A party's name, as observers are told it.
    #[must_use]
    pub fn who(&self, party: PartyId) -> &Text {
        &self.party(party).who
    }

    /// An object's database as it stands, confirmed or not.
    pub fn store(&mut self, object: PartyId) -> Option<&mut S> {
        self.party_mut(object)
            .storage
            .as_mut()
            .map(|storage| &mut storage.store)
    }

    /// How many commits an object has made.
    #[must_use]
    pub fn commits(&self, object: PartyId) -> u64 {
        self.party(object)
            .storage
            .as_ref()
            .map_or(0, |storage| storage.commits)
    }

    /// Which life of its memory a party is in, counted from 0.
    #[must_use]
    pub fn incarnation(&self, party: PartyId) -> u32 {
        self.party(party).incarnation
    }

    /// Makes a plan item due at an instant.
    pub fn schedule_item(&mut self, item: u32, at: Micros) {
        let origin = self.chance.origin(&Origin::Item(item));
        self.schedule(at, origin, Pending::Item(item));
    }

    /// Sends a client's request to a party, now. Requests of clients arrive; what is lost between a client and the
    /// platform is the plan's to say.
    pub fn send(&mut self, item: u32, to: PartyId, request: Request) {
        let origin = self.chance.origin(&Origin::Item(item));
        let delivery = Delivery::Request {
            request,
            reply_to: ReplyTo::Client { item },
        };
        let sent = Sent {
            delivery,
            origin,
            cause: Some(StepId(self.steps)),
        };
        self.schedule(self.now, origin, Pending::Arrival(to, sent));
    }

    /// Takes an object's memory from it, now, together with some of its commits that are not confirmed.
    pub fn reset(&mut self, item: u32, object: PartyId) {
        let origin = self.chance.origin(&Origin::Item(item));
        self.schedule(self.now, origin, Pending::Reset(object, origin));
    }

    /// What tasks are under way, and what they wait for: who, which task, what.
    #[must_use]
    pub fn waits(&self) -> Vec<(&Text, protocol::host::TaskId, Waiting<'_>)> {
        let mut waits = Vec::new();
        for party in &self.parties {
            let of_party = match &party.life {
                Some(Life::Object(object)) => self.program.waits(object),
                Some(Life::Front(front)) => self.program.front_waits(front),
                None => Vec::new(),
            };
            waits.extend(
                of_party
                    .into_iter()
                    .map(|(task, waiting)| (&party.who, task, waiting)),
            );
        }
        waits
    }

    /// Takes one event. `None` when it is not there.
    pub fn step(&mut self, key: EventKey, watch: &mut dyn Observer) -> Option<Stepped> {
        let pending = self.queue.take(key)?;
        // An event that is taken out of its turn happens now; time does not run backwards.
        self.now = self.now.max(key.at);
        self.steps += 1;
        self.here = match &pending {
            Pending::Item(_) | Pending::Answered { .. } => PlaceId::NOWHERE,
            Pending::Arrival(party, _)
            | Pending::Free(party)
            | Pending::Done(party, _)
            | Pending::Confirmed(party, _)
            | Pending::Reset(party, _) => self.party(*party).place,
        };
        let stepped = match pending {
            Pending::Item(item) => Stepped::Item(item),
            Pending::Answered { item, outcome, cause } => {
                let what = What::Answered {
                    item,
                    outcome: &outcome,
                    cause,
                };
                self.see(&Text::new_static("client"), what, watch);
                Stepped::Answered { item, outcome }
            }
            Pending::Arrival(party, sent) => {
                self.arrive(party, sent, watch);
                Stepped::Party(party)
            }
            Pending::Free(party) => {
                self.free(party, watch);
                Stepped::Party(party)
            }
            Pending::Done(party, incarnation) => {
                self.done(party, incarnation, watch);
                Stepped::Party(party)
            }
            Pending::Confirmed(party, incarnation) => {
                self.confirm(party, incarnation, watch);
                Stepped::Party(party)
            }
            Pending::Reset(party, origin) => {
                self.reset_now(party, origin, watch);
                Stepped::Party(party)
            }
        };
        Some(stepped)
    }

    fn party(&self, id: PartyId) -> &Party<P, S> {
        &self.parties[id.0 as usize]
    }

    fn party_mut(&mut self, id: PartyId) -> &mut Party<P, S> {
        &mut self.parties[id.0 as usize]
    }

    fn add_party(&mut self, who: Text, address: Option<(Namespace, ObjectName)>) -> PartyId {
        let id = PartyId(u32::try_from(self.parties.len()).expect("a run has fewer than 2^32 parties"));
        let alarm_origin = self.chance.origin(&Origin::Alarm(who.clone()));
        let place = self.chance.place(&who);
        self.names.insert(who.clone(), id);
        let storage = address.is_some().then(|| Storage {
            store: S::open(&self.pool, Limits::default()),
            alarm: Alarm::default(),
            unconfirmed: VecDeque::new(),
            commits: 0,
            last_confirm: Micros::ZERO,
        });
        self.parties.push(Party {
            who,
            address,
            place,
            alarm_origin,
            incarnation: 0,
            life: None,
            origins: BTreeMap::new(),
            replies: BTreeMap::new(),
            stubs: BTreeMap::new(),
            in_flight: Vec::new(),
            calls_made: BTreeMap::new(),
            holding: None,
            waiting: VecDeque::new(),
            storage,
        });
        id
    }

    fn see(&self, who: &Text, what: What<'_>, watch: &mut dyn Observer) {
        watch.observe(&Observed {
            step: StepId(self.steps),
            at: self.now,
            who,
            what,
        });
    }

    fn source(&self, origin: OriginId) -> Source {
        Source {
            origin,
            place: self.here,
        }
    }

    fn schedule(&mut self, at: Micros, origin: OriginId, pending: Pending) -> EventKey {
        let source = self.source(origin);
        let tie = self
            .chance
            .choose(Purpose::Order, source, &Text::default(), 1 << 32);
        self.queue.schedule(at, tie, pending)
    }
}
