//! Which parties there are, and how they come to be: isolates of the front Worker, and objects on first reach.

use std::collections::VecDeque;

use protocol::host::{Namespace, ObjectName, Text};

use super::audit::{self, PartyAudit};
use super::choice::Origin;
use super::incarnation::{Incarnation, Skew};
use super::party::{Party, PartyId, Storage};
use super::rollout::Reached;
use super::storage::Store;
use super::storage::limits::Limits;
use super::time::Micros;
use super::{Changed, Guest, Kernel};

impl<P: Guest, S: Store> Kernel<P, S> {
    /// Adds an isolate of the front Worker.
    pub fn add_front(&mut self) -> PartyId {
        let who = Text::from(format!("front {}", self.fronts.len()));
        let location = u32::try_from(self.fronts.len()).expect("a run has fewer than 2^32 parties");
        let id = self.add_party(who, None, location);
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
        self.object_near(0, namespace, name)
    }

    /// The same, reached from a location: there it is placed when it is made (`platform.md` section 1, item 3).
    pub(super) fn object_near(
        &mut self,
        location: u32,
        namespace: &Namespace,
        name: &ObjectName,
    ) -> Option<PartyId> {
        let known = self.objects.find(namespace, name, |id| {
            let address = self.parties[id.0 as usize].address.as_ref();
            address.is_some_and(|(of, named)| of == namespace && named == name)
        });
        if known.is_some() {
            return known;
        }
        self.deployment.first().object(namespace)?;
        let address = (namespace.clone(), name.clone());
        let who = Text::from(format!("{namespace}/{name}"));
        let id = self.add_party(who, Some(address.clone()), location);
        self.objects.insert(address, id);
        Some(id)
    }

    pub(super) fn party(&self, id: PartyId) -> &Party<P, S> {
        &self.parties[id.0 as usize]
    }

    pub(super) fn party_mut(&mut self, id: PartyId) -> &mut Party<P, S> {
        &mut self.parties[id.0 as usize]
    }

    fn add_party(&mut self, who: Text, address: Option<(Namespace, ObjectName)>, location: u32) -> PartyId {
        let id = PartyId(u32::try_from(self.parties.len()).expect("a run has fewer than 2^32 parties"));
        let alarm_origin = self.chance.origin(&Origin::Alarm(who.clone()));
        let place = self.chance.place(&who);
        self.names.insert(who.clone(), id);
        let storage = address.is_some().then(|| Storage {
            store: S::open(&self.pool, self.limits()),
            alarm: Default::default(),
            unconfirmed: VecDeque::new(),
            commits: 0,
            last_confirm: Micros::ZERO,
            next_commit_fails: false,
            written_by: None,
        });
        let name = address.as_ref().map(|(_, name)| name);
        let version = self.deployment.starts_with(name);
        self.parties.push(Party {
            who,
            version,
            ran: None,
            reached: Reached::default(),
            claims: Default::default(),
            window: Default::default(),
            address,
            location,
            place,
            alarm_origin,
            current: Incarnation::new(0, Skew::default()),
            newest: 0,
            stale: Vec::new(),
            calls_made: Vec::new(),
            storage,
            changed: Changed::Everything,
            audit: PartyAudit::default(),
        });
        self.parties[id.0 as usize].current.skew = self.draw_skew(id, alarm_origin);
        self.begin_deployed(id);
        id
    }

    pub(super) fn limits(&self) -> Limits {
        if self.sabotaged(audit::Sabotage::NoLimits) {
            return Limits {
                parameters: 1_000,
                statement_bytes: 1_000_000,
                ..Limits::default()
            };
        }
        Limits::default()
    }
}
