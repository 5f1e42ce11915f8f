//! A world in mid-run as a value: copied, and hashed.

use std::hash::{Hash, Hasher};

use protocol::task::Program;
use xxhash_rust::xxh3::Xxh3;

use super::party::{Life, Party, Storage};
use super::storage::Store;
use super::time::Micros;
use super::{Kernel, Pending};

impl<P: Program, S: Store> Kernel<P, S> {
    /// A world of its own in the same state: from here on, both can be run.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Kernel {
            program: self.program.clone(),
            pool: self.pool.clone(),
            now: self.now,
            steps: self.steps,
            turns: self.turns,
            queue: self.queue.clone(),
            chance: self.chance.clone(),
            here: self.here,
            knobs: self.knobs.clone(),
            aims: self.aims.clone(),
            parties: self.parties.iter_mut().map(Party::fork).collect(),
            objects: self.objects.clone(),
            fronts: self.fronts.clone(),
            names: self.names.clone(),
            shared: self.shared.clone(),
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
        for (key, pending) in self.queue.iter() {
            key.at.since(self.now).hash(&mut hasher);
            pending.hash_state(&mut hasher);
        }
        self.shared.hash(&mut hasher);
        self.aims.hash(&mut hasher);
        hasher.digest128()
    }
}

impl Pending {
    fn hash_state(&self, hasher: &mut impl Hasher) {
        std::mem::discriminant(self).hash(hasher);
        match self {
            Pending::Item(item) => item.hash(hasher),
            Pending::Arrival(party, sent) => (party, &sent.delivery).hash(hasher),
            Pending::Free(party) | Pending::Reset(party, _) => party.hash(hasher),
            Pending::Done(party, _) | Pending::Confirmed(party, _) => party.hash(hasher),
            Pending::Answered { item, outcome, .. } => (item, outcome).hash(hasher),
        }
    }
}

impl<P: Program, S: Store> Party<P, S> {
    pub(super) fn fork(&mut self) -> Self {
        Party {
            who: self.who.clone(),
            address: self.address.clone(),
            place: self.place,
            alarm_origin: self.alarm_origin,
            incarnation: self.incarnation,
            life: self.life.clone(),
            origins: self.origins.clone(),
            replies: self.replies.clone(),
            stubs: self.stubs.clone(),
            in_flight: self.in_flight.clone(),
            calls_made: self.calls_made.clone(),
            holding: self.holding.clone(),
            waiting: self.waiting.clone(),
            storage: self.storage.as_mut().map(|storage| Storage {
                store: storage.store.fork(),
                alarm: storage.alarm.clone(),
                unconfirmed: storage.unconfirmed.clone(),
                commits: storage.commits,
                last_confirm: storage.last_confirm,
            }),
        }
    }

    /// Hashes what decides what can happen to this party from here on. Times count from now, and what only counts
    /// how much has happened is left out. Times that the protocol keeps in rows or in memory count as they stand.
    pub(super) fn hash_state(&mut self, now: Micros, hasher: &mut impl Hasher) {
        self.who.hash(hasher);
        match &self.life {
            Some(Life::Object(object)) => object.hash(hasher),
            Some(Life::Front(front)) => front.hash(hasher),
            None => 0_u8.hash(hasher),
        }
        self.replies.hash(hasher);
        self.calls_made.hash(hasher);
        self.in_flight.hash(hasher);
        for held in self.holding.iter().flat_map(|turn| &turn.outputs) {
            held.output.hash(hasher);
        }
        for sent in &self.waiting {
            sent.delivery.hash(hasher);
        }
        for (stub, state) in &self.stubs {
            (stub, &state.broken, state.last_arrival.since(now)).hash(hasher);
        }
        if let Some(storage) = &mut self.storage {
            storage.store.digest().hash(hasher);
            let alarm = &storage.alarm;
            let due = alarm.stored.map(|at| Micros::when_shown(at).since(now));
            (due, alarm.running.map(|run| run.set_since), alarm.failed).hash(hasher);
            storage.last_confirm.since(now).hash(hasher);
            for commit in &storage.unconfirmed {
                for held in &commit.held {
                    held.output.hash(hasher);
                }
            }
        }
    }
}
