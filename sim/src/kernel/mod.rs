//! The simulated platform: time, order, choices, objects, storage, calls, alarms, faults. Knows no protocol.
//!
//! The specification is `platform.md`; `workerd.md` says what the real runtime was seen to do. The kernel holds the
//! events that are still to come ([`Kernel::enabled`]) and takes one of them at a time ([`Kernel::step`]); which one is
//! the caller's strategy, and the earliest is the usual. A step delivers at most one event to one party: a *turn* of
//! the protocol's code, whose writes are one commit, and whose messages leave when what they depend on is durable.

mod again;
mod alarm;
mod audit;
mod broker;
mod calls;
mod cancel;
mod cause;
mod chain;
mod choice;
mod commit;
mod database;
mod delivery;
mod deployment;
mod directory;
mod episode;
mod fate;
mod incarnation;
mod isolate;
mod knobs;
mod look;
mod network;
mod overload;
mod parties;
mod party;
mod queue;
mod rates;
mod ratio;
mod recreate;
mod reset;
mod rewind;
mod rollout;
mod section;
mod services;
mod span;
mod state;
mod step;
pub mod storage;
mod stubs;
mod time;
mod trouble;
mod turn;
mod unload;
mod waits;
mod watch;
mod wide;
mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use protocol::host::{CallId, Outcome, Text};

pub use again::AutoRetry;
pub use cause::ResetCause;
pub use chain::{BehaviourChain, Chain, FullChain, Link, RunHash};
pub(crate) use chain::{Gathered, digest_of};
pub use choice::{Chance, ChoiceKey, FixedChoice, Origin, OriginId, PlaceId, Purpose, Source};
pub use deployment::{Deployment, Placement};
pub use episode::Episode;
pub use knobs::{DigestAwait, Knobs};
pub use network::{Aim, CallFault};
pub use party::PartyId;
pub use queue::EventKey;
pub use rates::Switch;
pub use ratio::Ratio;
pub use span::Span;
pub use time::{EPOCH, Micros};
pub use trouble::{STORAGE_ERRORS, Trouble, Way};
pub use turn::UnsupportedStatement;
pub use waits::{Link as WaitLink, Wait};
pub use watch::{FaultKind, Observed, Observer, Service, StepId, What};
pub use wide::{Guest, SectionEnd, SectionKind, Wide};

use audit::StubAudit;
use broker::Broker;
use directory::Directory;
use party::{Held, Party, Sent};
use queue::Queue;
use rates::SwitchedOn;
use rewind::Bookmark;
use rollout::Deploy;
use services::Services;
use storage::{Store, Writes};
use trouble::{Between, Standing};

/// What is still to come.
#[derive(Clone, Debug)]
enum Pending {
    /// A plan item is due: the world acts.
    Item(u32),
    /// Something arrives at a party.
    Arrival(PartyId, Box<Sent>),
    /// The code that holds the thread of an incarnation has done.
    Done(PartyId, u32),
    /// The thread of an incarnation is free, and something waits for it.
    Free(PartyId, u32),
    /// The commit of this number is durable, and all before it.
    Confirmed(PartyId, u32, u64),
    /// The commit of this number has waited for as long as the output gate does.
    GateTimeout(PartyId, u32, u64),
    /// A critical section has lasted as long as it may.
    SectionTimeout(PartyId, u32, OriginId),
    /// The manager of an object's alarm hears what the object has stored.
    AlarmSync(PartyId),
    /// A client is answered.
    Answered {
        item: u32,
        outcome: Box<Outcome>,
        cause: StepId,
    },
    /// The client of a plan item goes away.
    Cancel(u32, OriginId),
    /// An object loses its memory.
    Reset(PartyId, ResetCause, OriginId),
    /// An object is started elsewhere, while its incarnation runs on for so long at most.
    Displace(PartyId, Micros, OriginId),
    /// An object is taken away with all that it stores.
    Recreate(PartyId, OriginId),
    /// What is durable of the object of this name is remembered for a plan item.
    Bookmark(u32, Text),
    /// An object goes back to what was remembered for a plan item.
    Rewind(PartyId, u32, OriginId),
    /// What an object stores is put in the place of what the first one does.
    Clone(PartyId, PartyId, OriginId),
    /// A deploy reaches a party.
    DeployReaches(PartyId, Deploy, OriginId),
    /// An object has gone on with its old code for as long as it may.
    UpdateDue(PartyId, OriginId),
    /// A request has waited for an incarnation for as long as any may.
    QueueAges(PartyId, u32),
    /// A call of an incarnation whose connection was lost is tried again.
    TryAgain(PartyId, u32, CallId, OriginId),
    /// The code that holds the thread of an incarnation has done so for as long as it may.
    CpuLimit(PartyId, u32, OriginId),
    /// An object that had nothing to do is evicted, if its incarnation has had no turn since.
    Idle(PartyId, u32, u64),
    /// A stale incarnation notices that it is one.
    StaleEnds(PartyId, u32, OriginId),
    /// A trouble that a plan has begun ends.
    TroubleEnds(Between, u64),
    /// The least duration of an episode is over.
    EpisodeMayEnd(Between, u64, OriginId),
    /// An isolate of the front Worker ends.
    Restart(PartyId, OriginId),
    /// The broker restarts.
    BrokerRestarts(OriginId),
}

/// What of an object's storage may have changed since somebody last asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// These tables: commits have written them.
    Tables(Writes),
    /// Anything: commits were lost.
    Everything,
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
    /// The client of a plan item may have gone away: it will not be answered if it has.
    Left(u32),
    /// The way between parties, or what befalls one, has changed.
    Weather,
    /// A party has had a turn, or something has happened to it.
    Party(PartyId),
}

/// A world in mid-run: all parties and all that is on its way.
#[derive(Debug)]
pub struct Kernel<P: Guest, S: Store> {
    deployment: Deployment<P>,
    /// The newest deploy that was begun.
    deploy: Option<Deploy>,
    pool: S::Pool,
    now: Micros,
    steps: u64,
    turns: u64,
    queue: Queue<Pending>,
    chance: Chance,
    /// The party whose step is being taken.
    here: PlaceId,
    knobs: Knobs,
    /// What these say, for a quick no.
    switched_on: SwitchedOn,
    aims: BTreeMap<Aim, Vec<CallFault>>,
    /// The calls that something was aimed at, each with the step in which it left.
    aimed: BTreeMap<Aim, StepId>,
    parties: Vec<Party<P, S>>,
    objects: Directory,
    fronts: Vec<PartyId>,
    names: BTreeMap<Text, PartyId>,
    services: Services,
    broker: Broker,
    /// What plan items go back to.
    bookmarks: BTreeMap<u32, Bookmark<S>>,
    troubles: BTreeMap<Between, Standing>,
    troubles_begun: u64,
    /// What has come to stand and was not told of yet.
    announced: Vec<(Between, OriginId)>,
    /// How many stubs were made: each has a number of its own.
    stubs_made: u64,
    /// How many tokens calls have borne, and how many requests have waited where queues are bounded, likewise.
    tokens: u64,
    queued: u64,
    stub_audit: StubAudit,
    /// Room for what a turn asks for, so that it need not be allocated for each.
    room: Vec<Held>,
    #[cfg(test)]
    sabotage: Option<audit::Sabotage>,
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// An empty world. Aimed faults are armed from the beginning. The pool is this world's as long as it lives, and the
    /// next one's after it.
    #[must_use]
    pub fn new(
        deployment: Deployment<P>,
        pool: &S::Pool,
        chance: Chance,
        knobs: Knobs,
        aims: BTreeMap<Aim, Vec<CallFault>>,
    ) -> Self {
        Kernel {
            deployment,
            deploy: None,
            pool: pool.clone(),
            now: Micros::ZERO,
            steps: 0,
            turns: 0,
            queue: Queue::new(),
            chance,
            here: PlaceId::NOWHERE,
            switched_on: SwitchedOn::by(&knobs),
            knobs,
            aims,
            aimed: BTreeMap::new(),
            parties: Vec::new(),
            objects: Directory::default(),
            fronts: Vec::new(),
            names: BTreeMap::new(),
            services: Services::default(),
            broker: Broker::default(),
            bookmarks: BTreeMap::new(),
            troubles: BTreeMap::new(),
            troubles_begun: 0,
            announced: Vec::new(),
            stubs_made: 0,
            tokens: 0,
            queued: 0,
            stub_audit: StubAudit::default(),
            room: Vec::new(),
            #[cfg(test)]
            sabotage: None,
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

    /// Lets time pass in which nothing happens: up to this instant, if it is to come.
    ///
    /// # Panics
    /// When something would have happened by then: a bug in whoever runs the world.
    pub fn pass_until(&mut self, at: Micros) {
        let idle = self.earliest().is_none_or(|key| key.at >= at);
        assert!(idle || at <= self.now, "something happens before {at}");
        self.now = self.now.max(at);
    }

    /// Keeps all choices from now on: see [`Chance::keep`].
    pub fn keep_choices(&mut self) {
        self.chance.keep();
    }

    /// Fixes choices, of those that are made from now on: see [`Chance::fix`].
    pub fn fix_choices(&mut self, fixed: &[FixedChoice]) {
        self.chance.fix(fixed);
    }

    /// Draws all choices anew that are made from now on: see [`Chance::reseed`].
    pub fn reseed(&mut self, salt: u64) {
        self.chance.reseed(salt);
    }

    /// The step in which a call has left that a fault is aimed at.
    #[must_use]
    pub fn aimed(&self, at: &Aim) -> Option<StepId> {
        self.aimed.get(at).copied()
    }

    /// Where the choices come from.
    #[must_use]
    pub fn chance(&self) -> &Chance {
        &self.chance
    }

    /// Puts another platform in place of this one: how the healing phase begins.
    pub fn set_knobs(&mut self, knobs: Knobs) {
        self.switched_on = SwitchedOn::by(&knobs);
        self.knobs = knobs;
    }

    /// Arms faults that are aimed at calls. They are counted from now on.
    pub fn arm_aims(&mut self, aims: BTreeMap<Aim, Vec<CallFault>>) {
        self.aims = aims;
        for party in &mut self.parties {
            party.calls_made.clear();
        }
    }

    /// Disarms the faults that have not struck, whether they are aimed at a call, a statement or a commit.
    pub fn disarm_aims(&mut self) {
        self.aims.clear();
        for storage in self.parties.iter_mut().filter_map(|party| party.storage.as_mut()) {
            storage.next_commit_fails = false;
            storage.store.guard().disarm();
        }
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
