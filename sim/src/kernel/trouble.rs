//! Faults that last: partitions, clogs, and whatever a knob lets go on for a while.
//!
//! A trouble stands between two parties, or at one. While it stands, everything that it can strike is struck; knobs
//! say how often one begins and ends by itself ([`Episode`](super::Episode)), plans when one begins and for how long.

use std::hash::{Hash, Hasher};

use protocol::host::{SqlErrorKind, Text};
use serde::{Deserialize, Serialize};

use super::choice::{Chance, OriginId, Purpose, Source};
use super::party::{PartyId, Sent};
use super::storage::Store;
use super::stubs::StubKey;
use super::time::Micros;
use super::watch::{FaultKind, Observer, What};
use super::wide::Guest;
use super::{Kernel, Pending};

/// A kind of trouble, and between whom: messages from the first to the second, or all that one does where both are
/// the same.
pub(super) type Between = (FaultKind, PartyId, PartyId);

/// A trouble that stands.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    /// Tells it from one that stood there before.
    nth: u64,
    /// Where it is of a statement's errors: which.
    error: Option<SqlErrorKind>,
    /// What waits until it ends.
    parked: Vec<Parked>,
}

/// A message that does not move.
#[derive(Clone, Debug)]
pub(super) struct Parked {
    pub to: PartyId,
    pub sent: Box<Sent>,
    /// When it would have arrived: it does not before, so that it overtakes nothing that left before it.
    pub arrival: Micros,
    /// The caller's stub, whose later calls stay behind it.
    pub stub: Option<(PartyId, u32, StubKey)>,
}

impl Standing {
    /// What waits until it ends.
    pub fn parked(&self) -> &[Parked] {
        &self.parked
    }

    /// Hashes what decides what can happen from here on.
    pub fn hash_state(&self, hasher: &mut impl Hasher) {
        self.error.hash(hasher);
        for parked in &self.parked {
            (parked.to, &parked.sent.delivery).hash(hasher);
        }
    }
}

/// Which way a partition cuts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Neither reaches the other.
    #[default]
    Both,
    /// Only the first does not reach the second.
    There,
}

/// A trouble that a plan begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Messages from one party to another are lost.
    Partition(PartyId, PartyId, Way),
    /// Messages from one party to another do not move, and all arrive when it ends.
    Clog(PartyId, PartyId),
    /// No commit of an object is confirmed. What waits longer than the gate does resets the object.
    CommitStall(PartyId),
    /// Every statement of an object that writes meets this error.
    StorageError(PartyId, SqlErrorKind),
    /// Every read and write of KV fails at a party.
    KvOutage(PartyId),
}

impl Trouble {
    fn between(self) -> Vec<Between> {
        match self {
            Trouble::Partition(from, to, Way::There) => vec![(FaultKind::Partitioned, from, to)],
            Trouble::Partition(from, to, Way::Both) => {
                vec![
                    (FaultKind::Partitioned, from, to),
                    (FaultKind::Partitioned, to, from),
                ]
            }
            Trouble::Clog(from, to) => vec![(FaultKind::Clogged, from, to)],
            Trouble::CommitStall(object) => vec![(FaultKind::CommitStalled, object, object)],
            Trouble::StorageError(object, _) => vec![(FaultKind::StorageRefused, object, object)],
            Trouble::KvOutage(party) => vec![(FaultKind::KvFailed, party, party)],
        }
    }
}

/// The errors that the storage has without any fault of a statement: those that break the object.
pub const STORAGE_ERRORS: [SqlErrorKind; 4] = [
    SqlErrorKind::Full,
    SqlErrorKind::Io,
    SqlErrorKind::NoMemory,
    SqlErrorKind::Interrupted,
];

/// Which error of the storage a fault is.
pub(super) fn draw_storage_error(chance: &mut Chance, source: Source) -> SqlErrorKind {
    let kinds = STORAGE_ERRORS.len() as u64;
    let which = chance.choose(Purpose::StorageErrorKind, source, &Text::default(), kinds);
    STORAGE_ERRORS[usize::try_from(which).expect("one of a few")]
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// Begins a trouble, now, for so long.
    pub(super) fn begin_trouble(&mut self, trouble: Trouble, lasts: Micros, origin: OriginId) {
        let error = match trouble {
            Trouble::StorageError(_, kind) => Some(kind),
            _ => None,
        };
        for between in trouble.between() {
            let nth = self.stand(between, error, origin);
            let ends = Pending::TroubleEnds(between, nth);
            self.schedule(self.now.after(lasts), origin, ends);
        }
    }

    /// Puts a trouble there; what is parked at one that stands there already stays parked.
    fn stand(&mut self, between: Between, error: Option<SqlErrorKind>, origin: OriginId) -> u64 {
        self.announce(between, origin);
        self.troubles_begun += 1;
        let nth = self.troubles_begun;
        let standing = self.troubles.entry(between).or_insert_with(|| Standing {
            nth,
            error,
            parked: Vec::new(),
        });
        standing.nth = nth;
        standing.error = error;
        nth
    }

    /// Has it told, when the step ends, that from now on a fault can strike there.
    pub(super) fn announce(&mut self, between: Between, origin: OriginId) {
        self.announced.push((between, origin));
    }

    /// Tells what was announced since this was last done.
    pub(super) fn tell_announced(&mut self, watch: &mut dyn Observer) {
        if self.announced.is_empty() {
            return;
        }
        for ((kind, from, to), origin) in std::mem::take(&mut self.announced) {
            let what = What::Trouble {
                kind,
                to: &self.party(to).who,
                origin: self.chance.origin_of(origin),
            };
            self.see(&self.party(from).who, what, watch);
        }
    }

    /// Whether a trouble stands there.
    #[inline]
    pub(super) fn is_struck(&self, kind: FaultKind, from: PartyId, to: PartyId) -> bool {
        !self.troubles.is_empty() && self.troubles.contains_key(&(kind, from, to))
    }

    /// The error that the writing statements of an object meet.
    pub(super) fn refusing(&self, object: PartyId) -> Option<SqlErrorKind> {
        if self.troubles.is_empty() {
            return None;
        }
        let standing = self.troubles.get(&(FaultKind::StorageRefused, object, object))?;
        standing.error
    }

    /// Whether a fault of this kind strikes here: because one stands, or because one begins. Tells of it if so.
    pub(super) fn strikes(
        &mut self,
        kind: FaultKind,
        from: PartyId,
        to: PartyId,
        origin: OriginId,
        label: &Text,
        watch: &mut dyn Observer,
    ) -> bool {
        let struck = self.meets(kind, (from, to), origin, label);
        if struck {
            self.see(&self.party(from).who, What::Fault { kind }, watch);
        }
        struck
    }

    /// Whether a fault of this kind strikes here, for one who tells of it only once it has taken effect.
    #[inline]
    pub(super) fn meets(
        &mut self,
        kind: FaultKind,
        (from, to): (PartyId, PartyId),
        origin: OriginId,
        label: &Text,
    ) -> bool {
        if self.is_struck(kind, from, to) {
            return true;
        }
        // Nearly every time: the fault is off, and nobody fixes or keeps choices.
        let off = !self.switched_on.has(kind) && self.chance.is_plain();
        !off && self.begins(kind, (from, to), origin, label)
    }

    fn begins(
        &mut self,
        kind: FaultKind,
        (from, to): (PartyId, PartyId),
        origin: OriginId,
        label: &Text,
    ) -> bool {
        let (episode, purpose) = self.knobs.episode(kind);
        let source = self.source(origin);
        // What only holds things up until it ends does nothing where it has no length.
        let holds_up = matches!(kind, FaultKind::Clogged | FaultKind::CommitStalled);
        if holds_up && episode.least == Micros::ZERO {
            return false;
        }
        if !self.chance.happens(purpose, source, label, episode.begins) {
            return false;
        }
        if episode.least > Micros::ZERO {
            let mut where_ = vec![(kind, from, to)];
            if kind == FaultKind::Partitioned
                && self.chance.choose(Purpose::PartitionWay, source, label, 2) == 0
            {
                where_.push((kind, to, from));
            }
            let error = (kind == FaultKind::StorageRefused).then(|| {
                let source = self.source(origin);
                draw_storage_error(&mut self.chance, source)
            });
            for between in where_ {
                let nth = self.stand(between, error, origin);
                let ends = Pending::EpisodeMayEnd(between, nth, origin);
                self.schedule(self.now.after(episode.least), origin, ends);
            }
        }
        true
    }

    /// The least duration of an episode is over.
    pub(super) fn episode_may_end(
        &mut self,
        between: Between,
        nth: u64,
        origin: OriginId,
        watch: &mut dyn Observer,
    ) {
        let (episode, _) = self.knobs.episode(between.0);
        let source = Source {
            origin,
            place: self.party(between.1).place,
        };
        let label = Text::new_static(between.0.name());
        let ends = self
            .chance
            .happens(Purpose::EpisodeEnds, source, &label, episode.ends);
        if ends || episode.least == Micros::ZERO {
            self.end_trouble(between, nth, watch);
        } else if self
            .troubles
            .get(&between)
            .is_some_and(|standing| standing.nth == nth)
        {
            let pending = Pending::EpisodeMayEnd(between, nth, origin);
            self.schedule(self.now.after(episode.least), origin, pending);
        }
    }

    /// Ends a trouble, if it is still the one that stands there.
    pub(super) fn end_trouble(&mut self, between: Between, nth: u64, watch: &mut dyn Observer) {
        if self
            .troubles
            .get(&between)
            .is_some_and(|standing| standing.nth == nth)
        {
            self.clear(between, watch);
        }
    }

    /// Ends all troubles: how the healing phase begins.
    pub fn clear_troubles(&mut self, watch: &mut dyn Observer) {
        let all: Vec<_> = self.troubles.keys().copied().collect();
        for between in all {
            self.clear(between, watch);
        }
    }

    fn clear(&mut self, between: Between, watch: &mut dyn Observer) {
        let Some(standing) = self.troubles.remove(&between) else {
            return;
        };
        // In the order in which they came, a moment apart.
        for (nth, parked) in (0..).zip(standing.parked) {
            let arrival = self.now.after(Micros(nth)).max(parked.arrival);
            let stub = parked.stub.and_then(|(caller, incarnation, key)| {
                let incarnation = self.party_mut(caller).incarnation_mut(incarnation)?;
                incarnation.stubs.get_mut(&key)
            });
            if let Some(state) = stub {
                state.last_arrival = state.last_arrival.max(arrival);
            }
            let origin = parked.sent.origin;
            self.schedule(arrival, origin, Pending::Arrival(parked.to, parked.sent));
        }
        if between.0 == FaultKind::CommitStalled {
            self.end_stall(between.1, watch);
        }
    }

    /// Parks a message where a clog stands; gives it back where none does.
    pub(super) fn park(&mut self, from: PartyId, parked: Parked) -> Option<Parked> {
        if self.troubles.is_empty() {
            return Some(parked);
        }
        match self.troubles.get_mut(&(FaultKind::Clogged, from, parked.to)) {
            Some(standing) => {
                standing.parked.push(parked);
                None
            }
            None => Some(parked),
        }
    }
}
