//! What worlds and checks can look at: names, databases, what has changed, what is waited for.

use protocol::host::{Namespace, ObjectName, Rows, Statement, TaskId, Text};
use protocol::task::Waiting;

use super::incarnation::Life;
use super::party::Party;
use super::storage::{Store, StoreError, Writes};
use super::{Changed, Guest, Kernel, PartyId};

impl<P: Guest, S: Store> Kernel<P, S> {
    /// All objects, by namespace and name.
    pub fn objects(&self) -> impl Iterator<Item = (&Namespace, &ObjectName, PartyId)> {
        self.objects.iter()
    }

    /// The party of this name, if it has been reached.
    #[must_use]
    pub fn named(&self, who: &Text) -> Option<PartyId> {
        self.names.get(who).copied()
    }

    /// The object of this name, if it has been reached.
    #[must_use]
    pub fn object_named(&self, who: &Text) -> Option<PartyId> {
        self.named(who).filter(|id| self.party(*id).is_object())
    }

    /// A party's name, as observers are told it.
    #[must_use]
    pub fn who(&self, party: PartyId) -> &Text {
        &self.party(party).who
    }

    /// An object's database as it stands, confirmed or not: to read.
    pub fn store(&mut self, object: PartyId) -> Option<&mut S> {
        self.party_mut(object)
            .storage
            .as_mut()
            .map(|storage| &mut storage.store)
    }

    /// Reads an object's database as it stands, confirmed or not. A fault that one of its own statements is to meet
    /// stays for that one.
    ///
    /// # Errors
    /// The database refuses the statement.
    pub fn read(&mut self, object: PartyId, statement: &Statement) -> Result<Rows, StoreError> {
        let store = self.store(object).expect("only objects have a database");
        let fault = store.guard().disarm();
        let outcome = store.run(statement).outcome;
        fault.into_iter().for_each(|fault| store.guard().arm(fault));
        outcome
    }

    /// How many commits an object has made.
    #[must_use]
    pub fn commits(&self, object: PartyId) -> u64 {
        self.party(object)
            .storage
            .as_ref()
            .map_or(0, |storage| storage.commits)
    }

    /// What of an object's storage may have changed since this was last asked.
    pub fn changed(&mut self, object: PartyId) -> Changed {
        let nothing = Changed::Tables(Writes::default());
        std::mem::replace(&mut self.party_mut(object).changed, nothing)
    }

    /// Whether an object's alarm will do something by itself: it is set, it runs, or a run of it is to come.
    #[must_use]
    pub fn has_alarm(&self, object: PartyId) -> bool {
        let storage = self.party(object).storage.as_ref();
        storage.is_some_and(|storage| {
            let alarm = &storage.alarm;
            alarm.stored.is_some() || alarm.running.is_some() || alarm.is_awaited()
        })
    }

    /// Whether a party's code holds its thread: what it has written so far is no commit yet, and can be read.
    #[must_use]
    pub fn is_mid_turn(&self, party: PartyId) -> bool {
        self.party(party).current.holding.is_some()
    }

    /// Which life of its memory a party is in, counted from 0.
    #[must_use]
    pub fn incarnation(&self, party: PartyId) -> u32 {
        self.party(party).current.number
    }

    /// What tasks are under way, and what they wait for: who, which task, what.
    #[must_use]
    pub fn waits(&self) -> Vec<(&Text, TaskId, Waiting<'_>)> {
        let parties = self.parties.iter();
        let waits = parties.flat_map(|party| {
            let of_party = self.waits_in(party).into_iter();
            of_party.map(|(task, waiting)| (&party.who, task, waiting))
        });
        waits.collect()
    }

    /// What the tasks of a party wait for that are under way.
    #[must_use]
    pub fn waits_of(&self, party: PartyId) -> Vec<(TaskId, Waiting<'_>)> {
        self.waits_in(self.party(party))
    }

    fn waits_in<'k>(&'k self, party: &'k Party<P, S>) -> Vec<(TaskId, Waiting<'k>)> {
        let code = self.deployment.version(party.current.version);
        match &party.current.life {
            Some(Life::Object(object)) => code.waits(object),
            Some(Life::Front(front)) => code.front_waits(front),
            None => Vec::new(),
        }
    }
}
