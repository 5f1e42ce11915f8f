//! A world in mid-run as a value: copied, and hashed.

use std::hash::{Hash, Hasher};

use xxhash_rust::xxh3::Xxh3;

use super::incarnation::{Incarnation, Life};
use super::party::{Party, Storage};
use super::storage::Store;
use super::time::Micros;
use super::wide::Guest;
use super::{Kernel, Pending};

impl<P: Guest, S: Store> Kernel<P, S> {
    /// A world of its own in the same state: from here on, both can be run.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Kernel {
            deployment: self.deployment.clone(),
            deploy: self.deploy,
            pool: self.pool.clone(),
            now: self.now,
            steps: self.steps,
            turns: self.turns,
            queue: self.queue.clone(),
            chance: self.chance.clone(),
            here: self.here,
            knobs: self.knobs.clone(),
            switched_on: self.switched_on,
            aims: self.aims.clone(),
            aimed: self.aimed.clone(),
            parties: self.parties.iter_mut().map(Party::fork).collect(),
            objects: self.objects.clone(),
            fronts: self.fronts.clone(),
            names: self.names.clone(),
            services: self.services.clone(),
            broker: self.broker.clone(),
            bookmarks: (self.bookmarks.iter_mut())
                .map(|(item, bookmark)| (*item, bookmark.fork()))
                .collect(),
            troubles: self.troubles.clone(),
            troubles_begun: self.troubles_begun,
            announced: self.announced.clone(),
            stubs_made: self.stubs_made,
            tokens: self.tokens,
            queued: self.queued,
            stub_audit: self.stub_audit.clone(),
            room: Vec::new(),
            #[cfg(test)]
            sabotage: self.sabotage,
        }
    }

    /// A digest of the state that decides what can happen from here on: times count from now, and the numbers that
    /// only tell how much has happened are left out.
    #[must_use]
    pub fn state_digest(&mut self) -> u128 {
        let mut hasher = Xxh3::new();
        for party in &mut self.parties {
            party.hash_state(self.now, &mut hasher);
        }
        for (key, pending) in self.queue.in_order() {
            key.at.since(self.now).hash(&mut hasher);
            pending.hash_state(&mut hasher);
        }
        self.services.hash_state(self.now, &mut hasher);
        self.broker.hash_state(self.now, &mut hasher);
        for (item, bookmark) in &mut self.bookmarks {
            (item, bookmark.digest()).hash(&mut hasher);
        }
        self.aims.hash(&mut hasher);
        for (between, standing) in &self.troubles {
            between.hash(&mut hasher);
            standing.hash_state(&mut hasher);
        }
        hasher.digest128()
    }
}

impl Pending {
    fn hash_state(&self, hasher: &mut impl Hasher) {
        std::mem::discriminant(self).hash(hasher);
        match self {
            Pending::Item(item) | Pending::Cancel(item, _) => item.hash(hasher),
            Pending::Arrival(party, sent) => (party, &sent.delivery).hash(hasher),
            Pending::Reset(party, cause, _) => (party, cause).hash(hasher),
            Pending::Bookmark(item, object) => (item, object).hash(hasher),
            Pending::Rewind(party, item, _) => (party, item).hash(hasher),
            Pending::Clone(to, from, _) => (to, from).hash(hasher),
            Pending::TryAgain(party, _, call, _) => (party, call).hash(hasher),
            Pending::DeployReaches(party, deploy, _) => (party, deploy).hash(hasher),
            Pending::AlarmSync(party)
            | Pending::Recreate(party, _)
            | Pending::UpdateDue(party, _)
            | Pending::QueueAges(party, _)
            | Pending::Displace(party, ..)
            | Pending::Free(party, _)
            | Pending::Done(party, _)
            | Pending::Confirmed(party, ..)
            | Pending::GateTimeout(party, ..)
            | Pending::SectionTimeout(party, ..)
            | Pending::CpuLimit(party, ..)
            | Pending::Idle(party, ..)
            | Pending::StaleEnds(party, ..)
            | Pending::Restart(party, _) => party.hash(hasher),
            Pending::BrokerRestarts(_) => {}
            Pending::TroubleEnds(between, _) | Pending::EpisodeMayEnd(between, ..) => between.hash(hasher),
            Pending::Answered { item, outcome, .. } => (item, outcome).hash(hasher),
        }
    }
}

impl<P: Guest, S: Store> Party<P, S> {
    pub(super) fn fork(&mut self) -> Self {
        Party {
            who: self.who.clone(),
            version: self.version,
            ran: self.ran,
            reached: self.reached.clone(),
            address: self.address.clone(),
            location: self.location,
            place: self.place,
            alarm_origin: self.alarm_origin,
            current: self.current.clone(),
            newest: self.newest,
            stale: self.stale.clone(),
            calls_made: self.calls_made.clone(),
            storage: self.storage.as_mut().map(|storage| Storage {
                store: storage.store.fork(),
                alarm: storage.alarm.clone(),
                unconfirmed: storage.unconfirmed.clone(),
                commits: storage.commits,
                last_confirm: storage.last_confirm,
                next_commit_fails: storage.next_commit_fails,
                written_by: storage.written_by,
            }),
            changed: self.changed.clone(),
            claims: self.claims.clone(),
            window: self.window.clone(),
            audit: self.audit.clone(),
        }
    }

    /// Hashes what decides what can happen to this party from here on. Times count from now, and what only counts
    /// how much has happened is left out. Times that the protocol keeps in rows or in memory count as they stand.
    pub(super) fn hash_state(&mut self, now: Micros, hasher: &mut impl Hasher) {
        self.who.hash(hasher);
        self.calls_made.hash(hasher);
        (self.version, self.ran, &self.reached, &self.claims).hash(hasher);
        self.window.hash_state(now, hasher);
        self.current.hash_state(now, hasher);
        for stale in &self.stale {
            stale.hash_state(now, hasher);
        }
        if let Some(storage) = &mut self.storage {
            storage.store.digest().hash(hasher);
            let alarm = &storage.alarm;
            let due = alarm.stored.map(|at| self.current.skew.when_shown(at).since(now));
            due.hash(hasher);
            alarm.summary().hash(hasher);
            storage.last_confirm.since(now).hash(hasher);
            (storage.next_commit_fails, storage.written_by).hash(hasher);
            for commit in &storage.unconfirmed {
                for held in &commit.held {
                    held.output.hash(hasher);
                }
            }
        }
    }
}

impl<P: Guest> Incarnation<P> {
    fn hash_state(&self, now: Micros, hasher: &mut impl Hasher) {
        match &self.life {
            Some(Life::Object(object)) => object.hash(hasher),
            Some(Life::Front(front)) => front.hash(hasher),
            None => 0_u8.hash(hasher),
        }
        (
            self.version,
            self.replaced,
            self.skew,
            self.named,
            self.outstanding,
        )
            .hash(hasher);
        for task in &self.tasks {
            task.as_ref().and_then(|task| task.reply_to.as_ref()).hash(hasher);
        }
        (&self.in_flight, &self.attempts).hash(hasher);
        for held in self.holding.iter().flat_map(|turn| &turn.outputs) {
            held.output.hash(hasher);
        }
        for sent in &self.waiting {
            sent.delivery.hash(hasher);
        }
        for section in &self.sections {
            (section.kind, section.task, &section.begun).hash(hasher);
            (section.wrote, section.rolled_back).hash(hasher);
        }
        for (stub, state) in self.stubs.iter() {
            (stub, &state.broken, state.last_arrival.since(now)).hash(hasher);
        }
    }
}
