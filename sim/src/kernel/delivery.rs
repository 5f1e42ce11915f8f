//! Deliveries: what reaches a party has its turn, at once or when the thread is free (`platform.md` section 2).

use std::cell::Cell;

use protocol::host::{Answer, Entry, Event, SqlErrorKind, Text};

use super::audit::{self, Depends, Sabotage};
use super::choice::{OriginId, Purpose, Source};
use super::commit::TurnEnd;
use super::database::{Access, Database};
use super::incarnation::Life;
use super::party::{CallerRef, Delivery, PartyId, ReplyTo, Sent};
use super::ratio::Ratio;
use super::storage::{Store, Surroundings};
use super::time::Micros;
use super::turn::Turn;
use super::watch::{FaultKind, Observed, Observer, StepId, What};
use super::wide::Guest;
use super::{Kernel, Pending};

/// The bytes of the longest name that an object is told (`workerd.md`, identity).
const LONGEST_NAME: usize = 1_024;

/// What a turn begins with.
struct Beginning {
    /// Who is told of the end of the task that it begins, if it begins one.
    reply_to: Option<ReplyTo>,
    /// What it descends from, and the step in which it left.
    origin: OriginId,
    cause: Option<StepId>,
    by_alarm: bool,
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// Something has reached a party: it has its turn, or waits until the thread is free and the gate open.
    pub(super) fn arrive(&mut self, id: PartyId, sent: Box<Sent>, watch: &mut dyn Observer) {
        if let Delivery::Request { .. } = sent.delivery {
            self.choose_isolate(id, sent.origin);
        }
        let incarnation = match &sent.delivery {
            Delivery::Answer { to, .. } => to.incarnation,
            Delivery::Request { .. } | Delivery::Alarm(_) | Delivery::Cancel { .. } => {
                self.party(id).current.number
            }
        };
        if self.party(id).incarnation(incarnation).is_none() {
            return;
        }
        let Some(sent) = self.past_window(id, incarnation, sent, watch) else {
            return;
        };
        let of_party = self.party_mut(id).incarnation_mut(incarnation);
        let of_party = of_party.expect("it is there still");
        let admitted = of_party.holding.is_none() && of_party.admits(&sent.delivery);
        // Children of a critical section need not wait behind what it holds back, only behind one another.
        let first = of_party.first_waiting().is_none();
        if admitted && first {
            self.turn(id, incarnation, sent, watch);
            self.free(id, incarnation);
        } else {
            self.enqueue(id, incarnation, sent, watch);
        }
    }

    /// The code that held a party's thread has done.
    pub(super) fn done(&mut self, id: PartyId, incarnation: u32, watch: &mut dyn Observer) {
        let of_party = self.party_mut(id).incarnation_mut(incarnation);
        if let Some(mut turn) = of_party.and_then(|of_party| of_party.holding.take()) {
            let origin = turn.origin;
            self.end_turn(id, incarnation, &mut turn, watch);
            self.rest(id, origin);
            // The next turn is a step of its own: whoever looks at the world between two steps sees no half of one.
            self.free(id, incarnation);
        }
    }

    /// A party's thread is free: the first that waits for it, and that the gate admits, has its turn.
    pub(super) fn next_turn(&mut self, id: PartyId, incarnation: u32, watch: &mut dyn Observer) {
        let Some(of_party) = self.party_mut(id).incarnation_mut(incarnation) else {
            return;
        };
        if of_party.holding.is_some() {
            return;
        }
        if let Some(sent) = of_party.next_waiting() {
            self.turn(id, incarnation, sent, watch);
        }
        self.free(id, incarnation);
    }

    /// Makes the next turn of a party due, where something waits that could have it.
    fn free(&mut self, id: PartyId, incarnation: u32) {
        let Some(of_party) = self.party(id).incarnation(incarnation) else {
            return;
        };
        if of_party.waiting.is_empty() || of_party.holding.is_some() {
            return;
        }
        let next = of_party.first_waiting().and_then(|at| of_party.waiting.get(at));
        if let Some(origin) = next.map(|sent| sent.origin) {
            self.schedule(self.now, origin, Pending::Free(id, incarnation));
        }
    }

    /// One turn of a party's code.
    pub(super) fn turn(&mut self, id: PartyId, incarnation: u32, sent: Box<Sent>, watch: &mut dyn Observer) {
        if self.sabotaged(Sabotage::ClockBack)
            && let Some(of_party) = self.party_mut(id).incarnation_mut(incarnation)
        {
            of_party.skew.by = of_party.skew.by.after(Micros::from_millis(10));
        }
        let Some(sent) = self.claimed(id, sent, watch) else {
            return;
        };
        self.audit_delivery(id, incarnation, &sent);
        let Sent {
            origin,
            cause,
            repeated,
            ..
        } = *sent;
        self.see_skew(id, incarnation, &sent.delivery, watch);
        let by_alarm = matches!(sent.delivery, Delivery::Alarm(_));
        let Some((event, reply_to)) = self.admit(id, incarnation, sent, watch) else {
            return;
        };
        if repeated {
            let kind = FaultKind::Duplicated;
            self.see(&self.party(id).who, What::Fault { kind }, watch);
        }
        let is_current = self.party(id).current.number == incarnation;
        let begins = Beginning {
            reply_to,
            origin,
            cause,
            by_alarm,
        };
        self.run_turn(id, incarnation, event, begins, watch);
        if is_current {
            self.befall(id, origin, watch);
            self.rest(id, origin);
        }
    }

    fn run_turn(
        &mut self,
        id: PartyId,
        incarnation: u32,
        event: Event,
        begins: Beginning,
        watch: &mut dyn Observer,
    ) {
        let Beginning {
            reply_to,
            origin,
            cause,
            by_alarm,
        } = begins;
        self.turns += 1;
        self.wake(id, incarnation, by_alarm, watch);
        let is_current = self.party(id).current.number == incarnation;
        let (storage_error, refusing) = self.storage_troubles(id, origin);
        let no_fence = self.sabotaged(Sabotage::NoFence);
        let step = StepId(self.steps);
        let party = &mut self.parties[id.0 as usize];
        let who = party.who.clone();
        let source = Source {
            origin,
            place: party.place,
        };
        let surroundings = Surroundings {
            now: party.current.skew.shown(self.now),
            entropy: self
                .chance
                .choose(Purpose::Entropy, source, &Text::new_static("sql"), u64::MAX),
        };
        let depends = party.storage.as_ref().map(|storage| Depends {
            party: id,
            incarnation,
            commits: storage.commits,
        });
        let is_current = is_current || no_fence;
        let owner = party.current.number;
        let of_party = if party.current.number == incarnation {
            &mut party.current
        } else {
            let mut stale = party.stale.iter_mut();
            let stale = stale.find(|stale| stale.number == incarnation);
            stale.expect("a turn is of an incarnation that is there")
        };
        of_party.turns += 1;
        of_party.shown = of_party.skew.shown(self.now);
        watch.observe(&Observed {
            step,
            at: self.now,
            who: &who,
            what: What::Delivered {
                incarnation,
                event: &event,
                cause,
                origin: self.chance.origin_of(origin),
            },
        });
        if is_current && party.storage.is_some() {
            audit::storage(&who, incarnation, owner);
        }
        let access = match &mut party.storage {
            None => Access::Nothing,
            Some(storage) if is_current => Access::Own(Database::new(storage, surroundings, of_party.unit())),
            Some(_) => Access::Fenced,
        };
        let mut turn = Turn {
            step,
            started: self.now,
            skew: of_party.skew,
            replaced: of_party.replaced,
            worked: Micros::ZERO,
            who: &who,
            name: party
                .address
                .as_ref()
                .map(|(_, name)| name)
                .filter(|_| of_party.named),
            depends: depends.filter(|_| matches!(access, Access::Own(_))),
            access,
            chance: &mut self.chance,
            origin,
            tasks: &mut of_party.tasks,
            outstanding: &mut of_party.outstanding,
            sections: &mut of_party.sections,
            timeout: None,
            crossing: None,
            digest: self.knobs.digest,
            digests: Vec::new(),
            storage_error,
            refusing,
            reply_to,
            place: party.place,
            running: None,
            ended: Vec::new(),
            outputs: std::mem::take(&mut self.room),
            aborted: None,
            storage_failed: false,
            commit_fails: false,
            read_fenced: Cell::new(false),
            watch: &mut *watch,
        };
        let code = self.deployment.version(of_party.version);
        let mut event = event;
        loop {
            match of_party.life.as_mut().expect("it was woken") {
                Life::Object(object) => code.deliver(object, event, &mut turn),
                Life::Front(front) => code.deliver_front(front, event, &mut turn),
            }
            // A digest that does not suspend: the code goes on within the turn.
            let goes_on = turn.aborted.is_none() && !turn.digests.is_empty();
            if !goes_on {
                break;
            }
            let (call, digest) = turn.digests.remove(0);
            event = Event::Answer {
                call,
                outcome: Ok(Answer::Digest(digest)),
            };
        }
        let (worked, timeout) = (turn.worked, turn.timeout);
        let end = turn.end();
        self.forget_timeouts(timeout);
        self.finish_turn(id, incarnation, end, worked, watch);
    }

    /// A turn's code has run: it has done, or holds the thread for as long as its work takes.
    fn finish_turn(
        &mut self,
        id: PartyId,
        incarnation: u32,
        mut end: TurnEnd,
        worked: Micros,
        watch: &mut dyn Observer,
    ) {
        if end.autocommits {
            self.autocommit(id, incarnation, &mut end, watch);
        }
        if worked == Micros::ZERO {
            self.end_turn(id, incarnation, &mut end, watch);
            return;
        }
        let origin = end.origin;
        let of_party = self.party_mut(id).incarnation_mut(incarnation);
        of_party.expect("its turn has just run").holding = Some(end);
        if worked > self.knobs.cpu_limit && self.party(id).is_object() {
            let stopped = self.now.after(self.knobs.cpu_limit);
            self.schedule(stopped, origin, Pending::CpuLimit(id, incarnation, origin));
        }
        self.schedule(self.now.after(worked), origin, Pending::Done(id, incarnation));
    }

    /// Makes the memory of an incarnation, if this is its first event.
    pub(super) fn wake(&mut self, id: PartyId, incarnation: u32, by_alarm: bool, watch: &mut dyn Observer) {
        let misses_name = by_alarm && self.knobs.name_missing;
        let party = &mut self.parties[id.0 as usize];
        if party.current.number != incarnation {
            if !party.is_object() {
                return;
            }
            let kind = FaultKind::StaleRan;
            self.see(&self.party(id).who, What::Fault { kind }, watch);
            return;
        }
        if party.current.life.is_some() {
            return;
        }
        let code = self.deployment.version(party.version);
        let version = party.version;
        party.current.version = version;
        let other = |before: Option<usize>| before.is_some_and(|before| before != version);
        let front_updated = !party.is_object() && other(party.ran);
        let inherited = other(party.storage.as_ref().and_then(|storage| storage.written_by));
        party.ran = Some(version);
        let life = match &party.address {
            Some((namespace, _)) => {
                let object = code.object(namespace);
                Life::Object(object.expect("an object was made in a namespace that it has"))
            }
            None => Life::Front(code.front()),
        };
        party.current.life = Some(life);
        party.current.born = incarnation;
        let skewed = party.current.skew.by > Micros::ZERO;
        let misses_name = misses_name && party.is_object();
        let name = party.address.as_ref().map(|(_, name)| &name.0);
        party.current.named = !misses_name && name.is_none_or(|name| name.len() <= LONGEST_NAME);
        for (struck, kind) in [
            (skewed, FaultKind::ClockSkewed),
            (misses_name, FaultKind::NameMissing),
            (front_updated, FaultKind::FrontUpdated),
            (inherited, FaultKind::StorageInherited),
        ] {
            if struck {
                self.see(&self.party(id).who, What::Fault { kind }, watch);
            }
        }
    }

    /// Whether a request has come from code of another version. Before the first deploy none that is mixed counts: there
    /// nothing is under way.
    fn see_skew(&self, id: PartyId, incarnation: u32, delivery: &Delivery, watch: &mut dyn Observer) {
        let Delivery::Request {
            reply_to: ReplyTo::Caller { caller, .. },
            ..
        } = delivery
        else {
            return;
        };
        if self.deploy.is_none() {
            return;
        }
        let party = self.party(id);
        let loaded = party
            .incarnation(incarnation)
            .filter(|of_it| of_it.life.is_some());
        let version = loaded.map_or(party.version, |of_it| of_it.version);
        let sender = self.party(caller.party).incarnation(caller.incarnation);
        if sender.is_some_and(|sender| sender.version != version) {
            let kind = FaultKind::VersionSkew;
            self.see(&party.who, What::Fault { kind }, watch);
        }
    }

    /// How often a statement of this turn meets an error of the storage, and the error that all that write meet.
    fn storage_troubles(&mut self, id: PartyId, origin: OriginId) -> (Ratio, Option<SqlErrorKind>) {
        let episode = self.knobs.storage_error;
        if !self.party(id).is_object() {
            return (Ratio::NEVER, None);
        }
        if episode.least == Micros::ZERO {
            return (episode.begins, self.refusing(id));
        }
        self.meets(FaultKind::StorageRefused, (id, id), origin, &Text::default());
        (Ratio::NEVER, self.refusing(id))
    }

    /// The event that a delivery is to an incarnation; none where it was meant for nobody that is there.
    fn admit(
        &mut self,
        id: PartyId,
        incarnation: u32,
        sent: Box<Sent>,
        watch: &mut dyn Observer,
    ) -> Option<(Event, Option<ReplyTo>)> {
        let origin = sent.origin;
        // Out of the box and into the event: it is large.
        match sent.delivery {
            Delivery::Answer {
                to,
                outcome,
                connection,
            } => {
                let of_party = self.party_mut(id).incarnation_mut(incarnation)?;
                of_party.life.as_ref()?;
                if self.is_given_up(&to) {
                    // Its caller was told long ago, and may have another call of that number by now.
                    self.land(&to, None, connection);
                    return None;
                }
                if self.tries_again(&to, &outcome, connection, origin) {
                    return None;
                }
                let (outcome, connection) = self.end_attempts(&to, outcome, connection);
                let waited_for = self.land(&to, outcome.as_ref().err(), connection);
                waited_for.then(|| {
                    self.answered(&to);
                    let event = Event::Answer {
                        call: to.call,
                        outcome,
                    };
                    (event, None)
                })
            }
            Delivery::Alarm(call) => {
                let event = self.begin_alarm_run(id, call, watch)?;
                Some((event, Some(ReplyTo::Alarm)))
            }
            Delivery::Cancel { task } => {
                self.drop_stubs_of(id, incarnation, &[task]);
                Some((Event::Cancel { task }, None))
            }
            Delivery::Request { request, reply_to } => {
                let event = Event::Begin(Entry::Request(request));
                Some((event, Some(reply_to)))
            }
        }
    }

    /// What was begun has its answer.
    fn answered(&mut self, to: &CallerRef) {
        let of_party = self.party_mut(to.party).incarnation_mut(to.incarnation);
        let of_party = of_party.expect("an answer is told to an incarnation that is there");
        of_party.outstanding -= 1;
        for section in &mut of_party.sections {
            section.begun.remove(&to.call);
        }
    }
}
