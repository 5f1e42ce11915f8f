//! Deploys under way (`platform.md` section 8).
//!
//! A deploy reaches each party at an instant of its own. From then on the party has two versions: the one that was
//! deployed, and the one that stood there before. Which of them an object runs is settled once, by a share that is drawn
//! for it and for the version: it runs the version where its share is below the deploy's percentage, so that a higher one
//! never moves it back. A front Worker has an isolate for each, and which of them takes a request on is drawn for each
//! request.

use protocol::host::{CallError, Text};

use super::choice::{Origin, OriginId, Purpose, Source};
use super::incarnation::Incarnation;
use super::party::PartyId;
use super::storage::Store;
use super::time::Micros;
use super::unload::{MOST_STALE, moved};
use super::watch::{FaultKind, Observer, What};
use super::wide::Guest;
use super::{Kernel, Pending, ResetCause};

/// That from now on so many of a hundred run a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Deploy {
    /// Counted from 1.
    pub nth: u64,
    /// The version, by its place among those of the deployment.
    pub version: usize,
    pub percent: u32,
}

/// What of the deploys has reached a party.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Reached {
    /// The newest of them.
    pub deploy: Option<Deploy>,
    /// The version of those that it leaves where they are.
    pub before: usize,
    /// The share of an object, from 0 to 99, for each version that was deployed, by the version.
    shares: Vec<Option<u32>>,
}

impl Reached {
    /// Takes a deploy in. Another percentage of the same version leaves alone what stood before it.
    fn take_in(&mut self, deploy: Deploy, stood: usize) {
        if self.deploy.is_none_or(|newest| newest.version != deploy.version) {
            self.before = stood;
        }
        self.deploy = Some(deploy);
    }

    /// The version that most run.
    fn usual(&self) -> Option<usize> {
        let deploy = self.deploy?;
        Some(if deploy.percent >= 50 {
            deploy.version
        } else {
            self.before
        })
    }

    /// Whether a version is deployed at all.
    fn is_deployed(&self, version: usize) -> bool {
        self.deploy.is_none_or(|deploy| {
            let (new, old) = (deploy.percent > 0, deploy.percent < 100);
            (new && deploy.version == version) || (old && self.before == version)
        })
    }
}

/// Why an incarnation goes on without its storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Replaced {
    /// Its object is elsewhere (`platform.md` section 13).
    #[default]
    Moved,
    /// Its object runs other code (section 8, item 2).
    Updated,
}

impl Replaced {
    /// What its callers are told when it ends.
    pub fn error(self) -> CallError {
        match self {
            Replaced::Moved => moved(),
            Replaced::Updated => ResetCause::CodeUpdate.error(),
        }
    }
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// Deploys a version, from now on, to so many of a hundred objects and requests; `None` where no version has this
    /// number. It reaches each party at an instant of its own.
    pub fn deploy(&mut self, item: u32, version: usize, percent: u32) -> Option<()> {
        if version >= self.deployment.versions() {
            return None;
        }
        let origin = self.chance.origin(&Origin::Item(item));
        let nth = self.deploy.map_or(0, |newest| newest.nth) + 1;
        let deploy = Deploy {
            nth,
            version,
            percent,
        };
        self.deploy = Some(deploy);
        for at in 0..self.parties.len() {
            let id = PartyId(u32::try_from(at).expect("parties have numbers of 32 bits"));
            let (takes, place) = (self.knobs.deploy_reach, self.party(id).place);
            let source = Source { origin, place };
            let takes = takes.draw(&mut self.chance, Purpose::DeployReach, source, &Text::default());
            let reaches = Pending::DeployReaches(id, deploy, origin);
            self.schedule(self.now.after(takes), origin, reaches);
        }
        Some(())
    }

    /// A party that is new has the newest deploy from its first event on.
    pub(super) fn begin_deployed(&mut self, id: PartyId) {
        if let Some(deploy) = self.deploy {
            let stood = self.party(id).version;
            self.party_mut(id).reached.take_in(deploy, stood);
            self.party_mut(id).version = self.assigned(id, deploy);
        }
    }

    /// A deploy reaches a party, unless a newer one has come first.
    pub(super) fn deploy_reaches(
        &mut self,
        id: PartyId,
        deploy: Deploy,
        origin: OriginId,
        watch: &mut dyn Observer,
    ) {
        let party = self.party_mut(id);
        if party
            .reached
            .deploy
            .is_some_and(|newest| newest.nth >= deploy.nth)
        {
            return;
        }
        let usual = party.reached.usual().filter(|_| party.address.is_none());
        let stood = usual.unwrap_or(party.version);
        party.reached.take_in(deploy, stood);
        if party.address.is_none() {
            // Its isolates go on; each request that comes finds the one that is meant for it.
            return;
        }
        self.party_mut(id).version = self.assigned(id, deploy);
        let party = self.party(id);
        if party.current.life.is_none() || party.current.version == party.version {
            return;
        }
        if self.knobs.update_delay == Micros::ZERO {
            self.update_now(id, origin, watch);
            return;
        }
        let kind = FaultKind::UpdateDeferred;
        self.see(&self.party(id).who, What::Fault { kind }, watch);
        let due = self.now.after(self.knobs.update_delay);
        self.schedule(due, origin, Pending::UpdateDue(id, origin));
    }

    /// The version of an object, by its share; of a front Worker the one that most run.
    fn assigned(&mut self, id: PartyId, deploy: Deploy) -> usize {
        if self.party(id).address.is_none() {
            let usual = self.party(id).reached.usual();
            return usual.unwrap_or(deploy.version);
        }
        let share = self.share(id, deploy.version);
        if share < deploy.percent {
            deploy.version
        } else {
            self.party(id).reached.before
        }
    }

    /// The share of an object for a version: drawn once.
    fn share(&mut self, id: PartyId, version: usize) -> u32 {
        let party = &mut self.parties[id.0 as usize];
        let shares = &mut party.reached.shares;
        if shares.len() <= version {
            shares.resize(version + 1, None);
        }
        let source = Source {
            origin: party.alarm_origin,
            place: party.place,
        };
        *shares[version].get_or_insert_with(|| {
            let label = Text::from(format!("version {version}"));
            let share = self.chance.choose(Purpose::DeployShare, source, &label, 100);
            u32::try_from(share).expect("below a hundred")
        })
    }

    /// An object that runs has other code: it is stopped, and what is under way in it may go on for a while as long as it
    /// does not touch the storage, which is the next incarnation's.
    pub(super) fn update_now(&mut self, id: PartyId, origin: OriginId, watch: &mut dyn Observer) {
        let party = self.party(id);
        if party.current.life.is_none() || party.current.version == party.version {
            return;
        }
        let kind = FaultKind::CodeUpdated;
        let grace = self.knobs.update_grace;
        let stops = grace == Micros::ZERO
            || party.current.in_transaction()
            || party.stale.len() >= MOST_STALE
            || self.is_quiescent(id);
        self.see(&self.party(id).who, What::Fault { kind }, watch);
        if stops {
            let survivors = self.draw_survivors(id, origin);
            self.lose(id, survivors, ResetCause::CodeUpdate.end(origin), watch);
        } else {
            self.start_anew(id, Replaced::Updated, grace, origin, watch);
        }
    }

    /// A request has come to a front Worker: the isolate of the version that is chosen for it is the one that takes it
    /// on. The other ones stay for as long as they have something to do, or their version is deployed.
    pub(super) fn choose_isolate(&mut self, id: PartyId, origin: OriginId) {
        let party = self.party(id);
        let Some(deploy) = party.reached.deploy.filter(|_| party.address.is_none()) else {
            return;
        };
        let (before, place) = (party.reached.before, party.place);
        let source = Source { origin, place };
        let drawn = match deploy.percent {
            0 | 100 => 0,
            _ => self
                .chance
                .choose(Purpose::FrontVersion, source, &Text::default(), 100),
        };
        let version = if drawn < u64::from(deploy.percent) {
            deploy.version
        } else {
            before
        };
        self.party_mut(id).version = version;
        self.drop_idle_isolates(id);
        let party = self.party_mut(id);
        if party.current.life.is_none() || party.current.version == version {
            return;
        }
        if let Some(isolate) = party.stale.iter_mut().find(|isolate| isolate.version == version) {
            std::mem::swap(isolate, &mut party.current);
            return;
        }
        let skew = self.draw_skew(id, origin);
        let party = self.party_mut(id);
        let isolate = Incarnation::new(party.next_number(), skew);
        let other = std::mem::replace(&mut party.current, isolate);
        party.stale.push(other);
    }

    /// Isolates of versions that are not deployed any more are gone when they have nothing to do.
    fn drop_idle_isolates(&mut self, id: PartyId) {
        let party = self.party_mut(id);
        let reached = &party.reached;
        party
            .stale
            .retain(|isolate| !isolate.is_quiescent() || reached.is_deployed(isolate.version));
    }
}
