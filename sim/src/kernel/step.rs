//! Steps: what is to come, taking one event, and what a plan does to the world.

use protocol::host::{Request, SqlErrorKind, Text};

use super::calls::{Leaving, sent};
use super::cause::ResetCause;
use super::choice::{Origin, PlaceId, Purpose};
use super::party::{Delivery, PartyId, ReplyTo};
use super::queue::EventKey;
use super::storage::Store;
use super::storage::guard::Fault;
use super::time::Micros;
use super::trouble::Trouble;
use super::watch::{FaultKind, Observer, StepId, What};
use super::wide::Guest;
use super::{Kernel, Pending, Stepped};

/// Events that only happen in the order in which they were scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Line {
    /// Messages on one stub (`platform.md` section 12, item 1).
    Stub(u64),
    /// Confirmations of one object's commits (section 4, item 2).
    Commits(PartyId),
    /// What the plan does.
    Plan,
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// The events that could be taken next, earliest first: all but those that would overtake another which the
    /// platform keeps before them.
    #[must_use]
    pub fn enabled(&self) -> Vec<EventKey> {
        let mut seen = Vec::new();
        let mut enabled = Vec::new();
        for (key, pending) in self.queue.in_order() {
            let line = line_of(pending);
            if line.is_none_or(|line| !seen.contains(&line)) {
                enabled.push(key);
            }
            seen.extend(line);
        }
        enabled
    }

    /// The earliest of them.
    #[must_use]
    pub fn earliest(&self) -> Option<EventKey> {
        self.queue.first()
    }

    /// Makes a plan item due at an instant.
    pub fn schedule_item(&mut self, item: u32, at: Micros) {
        let origin = self.chance.origin(&Origin::Item(item));
        self.schedule(at, origin, Pending::Item(item));
    }

    /// Sends a client's request to a party, now. A request of a client arrives: what is lost between a client and the
    /// platform is the plan's to say. But a client, or a proxy before it, may send it twice.
    pub fn send(&mut self, item: u32, to: PartyId, request: Request) {
        let origin = self.chance.origin(&Origin::Item(item));
        let leaving = Leaving {
            origin,
            at: self.now,
            step: StepId(self.steps),
            depends: None,
        };
        let label = Text::new_static("client");
        let twice = self.meets(FaultKind::Duplicated, (to, to), origin, &label);
        let (first, second) = self.second_reply(ReplyTo::Client { item }, twice, origin);
        if twice {
            let (after, source) = (self.knobs.duplicate_after, self.source(origin));
            let after = after.draw(&mut self.chance, Purpose::DuplicateAfter, source, &label);
            let repeated = sent(request.clone(), second, leaving, None).again();
            self.schedule(self.now.after(after), origin, Pending::Arrival(to, repeated));
        }
        let first = sent(request, first, leaving, None);
        self.schedule(self.now, origin, Pending::Arrival(to, first));
    }

    /// Takes an object's memory from it, now, together with some of its commits that are not confirmed.
    pub fn reset(&mut self, item: u32, object: PartyId, cause: ResetCause) {
        let origin = self.chance.origin(&Origin::Item(item));
        self.schedule(self.now, origin, Pending::Reset(object, cause, origin));
    }

    /// Takes an object away, now, with all that it stores and its alarm. Who calls it next finds a new one of its name.
    pub fn recreate(&mut self, item: u32, object: PartyId) {
        let origin = self.chance.origin(&Origin::Item(item));
        self.schedule(self.now, origin, Pending::Recreate(object, origin));
    }

    /// Evicts an object, now, if nothing is under way in it.
    pub fn evict(&mut self, item: u32, object: PartyId) {
        let origin = self.chance.origin(&Origin::Item(item));
        self.announce((FaultKind::Evicted, object, object), origin);
        let current = &self.party(object).current;
        let idle = Pending::Idle(object, current.number, current.turns);
        self.schedule(self.now, origin, idle);
    }

    /// Starts an object elsewhere, now, while its incarnation runs on for so long at most.
    pub fn displace(&mut self, item: u32, object: PartyId, overlap: Micros) {
        let origin = self.chance.origin(&Origin::Item(item));
        self.announce((FaultKind::Displaced, object, object), origin);
        self.schedule(self.now, origin, Pending::Displace(object, overlap, origin));
    }

    /// Has a statement of an object meet an error: the one before which `after` others run. None where it has no storage.
    pub fn strike_statement(
        &mut self,
        item: u32,
        object: PartyId,
        after: u64,
        kind: SqlErrorKind,
    ) -> Option<()> {
        let origin = self.chance.origin(&Origin::Item(item));
        self.announce((FaultKind::StorageRefused, object, object), origin);
        self.store(object)?.guard().arm(Fault { after, kind });
        Some(())
    }

    /// Has an object's next commit fail that comes to be confirmed. None where it has no storage.
    pub fn fail_commit(&mut self, item: u32, object: PartyId) -> Option<()> {
        let origin = self.chance.origin(&Origin::Item(item));
        self.announce((FaultKind::CommitFailed, object, object), origin);
        self.party_mut(object).storage.as_mut()?.next_commit_fails = true;
        Some(())
    }

    /// Begins a fault that lasts, now.
    pub fn trouble(&mut self, item: u32, trouble: Trouble, lasts: Micros) {
        let origin = self.chance.origin(&Origin::Item(item));
        self.begin_trouble(trouble, lasts, origin);
    }

    /// Has the client of a plan item go away, now, if it still waits for a front Worker.
    pub fn cancel(&mut self, item: u32, client_of: u32) {
        let origin = self.chance.origin(&Origin::Item(item));
        self.schedule(self.now, origin, Pending::Cancel(client_of, origin));
    }

    /// Takes one event. `None` when it is not there.
    pub fn step(&mut self, key: EventKey, watch: &mut dyn Observer) -> Option<Stepped> {
        let pending = self.queue.take(key)?;
        self.tell_announced(watch);
        // An event that is taken out of its turn happens now; time does not run backwards.
        self.now = self.now.max(key.at);
        self.steps += 1;
        let party = party_of(&pending);
        self.here = party.map_or(PlaceId::NOWHERE, |party| self.party(party).place);
        let stepped = match pending {
            Pending::Item(item) => Stepped::Item(item),
            Pending::Answered { item, outcome, cause } => {
                let what = What::Answered {
                    item,
                    outcome: &outcome,
                    cause,
                };
                self.see(&Text::new_static("client"), what, watch);
                Stepped::Answered {
                    item,
                    outcome: *outcome,
                }
            }
            Pending::Cancel(item, origin) => match self.cancel_now(item, origin, watch) {
                true => Stepped::Left(item),
                false => Stepped::Weather,
            },
            pending => {
                self.happen(pending, watch);
                party.map_or(Stepped::Weather, Stepped::Party)
            }
        };
        self.tell_announced(watch);
        if let Some(party) = party {
            self.audit_alarm(party);
        }
        Some(stepped)
    }

    /// What happens at a party, or between parties.
    fn happen(&mut self, pending: Pending, watch: &mut dyn Observer) {
        match pending {
            Pending::Arrival(party, sent) => self.arrive(party, sent, watch),
            Pending::Free(party, incarnation) => self.next_turn(party, incarnation, watch),
            Pending::Done(party, incarnation) => self.done(party, incarnation, watch),
            Pending::Confirmed(party, incarnation, nth) => self.confirm(party, incarnation, nth, watch),
            Pending::GateTimeout(party, incarnation, nth) => {
                self.gate_timeout(party, incarnation, nth, watch);
            }
            Pending::SectionTimeout(party, incarnation, origin) => {
                self.section_timeout(party, incarnation, origin, watch);
            }
            Pending::AlarmSync(party) => self.manager_hears(party),
            Pending::Reset(party, cause, origin) => self.reset_now(party, cause, origin, watch),
            Pending::Displace(party, overlap, origin) => self.displace_now(party, overlap, origin, watch),
            Pending::Recreate(party, origin) => self.recreate_now(party, origin, watch),
            Pending::Bookmark(item, object) => self.bookmark(item, &object),
            Pending::Rewind(party, item, origin) => self.rewind_now(party, item, origin, watch),
            Pending::Clone(to, from, origin) => self.clone_now(to, from, origin, watch),
            Pending::DeployReaches(party, deploy, origin) => {
                self.deploy_reaches(party, deploy, origin, watch);
            }
            Pending::UpdateDue(party, origin) => self.update_now(party, origin, watch),
            Pending::QueueAges(party, incarnation) => self.queue_ages(party, incarnation, watch),
            Pending::TryAgain(party, incarnation, call, origin) => {
                self.try_again(party, incarnation, call, origin, watch);
            }
            Pending::CpuLimit(party, incarnation, origin) => {
                self.cpu_limit(party, incarnation, origin, watch);
            }
            Pending::Idle(party, incarnation, turns) => self.idle(party, incarnation, turns, watch),
            Pending::StaleEnds(party, incarnation, origin) => {
                self.stale_ends(party, incarnation, origin, watch);
            }
            Pending::TroubleEnds(between, nth) => self.end_trouble(between, nth, watch),
            Pending::EpisodeMayEnd(between, nth, origin) => {
                self.episode_may_end(between, nth, origin, watch);
            }
            Pending::Restart(party, origin) => self.restart_now(party, origin, watch),
            Pending::BrokerRestarts(origin) => self.broker_restarts(origin, watch),
            Pending::Item(_) | Pending::Answered { .. } | Pending::Cancel(..) => {
                unreachable!("these are the world's, and step has told it")
            }
        }
    }
}

/// The party at which something happens.
fn party_of(pending: &Pending) -> Option<PartyId> {
    match pending {
        Pending::Item(_)
        | Pending::Bookmark(..)
        | Pending::Answered { .. }
        | Pending::Cancel(..)
        | Pending::BrokerRestarts(_) => None,
        Pending::Arrival(party, _)
        | Pending::Free(party, _)
        | Pending::Done(party, _)
        | Pending::Confirmed(party, ..)
        | Pending::GateTimeout(party, ..)
        | Pending::SectionTimeout(party, ..)
        | Pending::AlarmSync(party)
        | Pending::Reset(party, ..)
        | Pending::Recreate(party, _)
        | Pending::Rewind(party, ..)
        | Pending::Clone(party, ..)
        | Pending::DeployReaches(party, ..)
        | Pending::UpdateDue(party, _)
        | Pending::QueueAges(party, _)
        | Pending::TryAgain(party, ..)
        | Pending::Displace(party, ..)
        | Pending::CpuLimit(party, ..)
        | Pending::Idle(party, ..)
        | Pending::StaleEnds(party, ..)
        | Pending::Restart(party, _)
        | Pending::TroubleEnds((_, party, _), _)
        | Pending::EpisodeMayEnd((_, party, _), ..) => Some(*party),
    }
}

fn line_of(pending: &Pending) -> Option<Line> {
    match pending {
        Pending::Arrival(_, sent) => match (&sent.delivery, sent.serial) {
            (Delivery::Request { .. }, Some(serial)) => Some(Line::Stub(serial.stub)),
            _ => None,
        },
        Pending::Confirmed(party, ..) => Some(Line::Commits(*party)),
        Pending::Item(_) => Some(Line::Plan),
        _ => None,
    }
}
