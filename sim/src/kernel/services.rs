//! Services that all parties share: KV, the edge caches, and the deployment's configuration (`platform.md` sections 18
//! and 19). They keep texts under keys, and know no protocol.
//!
//! An entry of KV is written in one place, and read from a copy at the reader's location. A copy is gone by until its
//! time is over, whatever has been written meanwhile, and so is a copy that says that there is no such entry. Of two
//! writes the one that lands later is kept; one that follows another of the same key too soon is refused. What an edge
//! cache holds is its data centre's alone.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use protocol::host::{Answer, CallError, CallOutcome, Label, Millis, Shared, Text};

use super::Kernel;
use super::choice::{OriginId, Purpose};
use super::party::PartyId;
use super::storage::Store;
use super::time::Micros;
use super::trouble::Trouble;
use super::watch::{FaultKind, Observer, What};
use super::wide::Guest;

/// Of so many writes one leaves an older copy at its own location: not even there is a reader promised to find what was
/// written (`platform.md` section 18).
const OWN_COPY_STAYS: u64 = 4;

/// What the services hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Services {
    /// KV and the configuration: for each entry the writes that count, in the order in which they land. All but the
    /// first are to land yet.
    entries: BTreeMap<(Shared, Text), Vec<Written>>,
    /// KV's copies, by location and key.
    copies: BTreeMap<(u32, Text), Kept>,
    /// Until when each key of KV that was written is written by nobody else.
    kv_writes: BTreeMap<Text, Micros>,
    /// The edge caches, by location and key.
    edges: BTreeMap<(u32, Text), Kept>,
}

/// A write of an entry.
#[derive(Clone, Debug)]
struct Written {
    lands: Micros,
    kept: Kept,
}

/// A text, or that there is none, and until when that is kept.
#[derive(Clone, Debug)]
struct Kept {
    text: Option<Text>,
    until: Option<Micros>,
}

impl Kept {
    /// What it says at an instant; nothing where its time is over.
    fn at(&self, now: Micros) -> Option<&Kept> {
        self.until.is_none_or(|until| until > now).then_some(self)
    }

    fn hash_state(&self, now: Micros, hasher: &mut impl Hasher) {
        self.text.hash(hasher);
        self.until.map(|until| until.since(now)).hash(hasher);
    }
}

impl Services {
    /// What is written, wherever anybody reads.
    fn written(&self, store: Shared, key: &Text, now: Micros) -> Option<&Text> {
        let writes = self.entries.get(&(store, key.clone()))?;
        let landed = writes.iter().rev().find(|write| write.lands <= now)?;
        landed.kept.at(now)?.text.as_ref()
    }

    /// Writes an entry: what lands later is kept.
    fn write(&mut self, store: Shared, key: Text, now: Micros, write: Written) {
        let writes = self.entries.entry((store, key)).or_default();
        let at = writes.partition_point(|other| other.lands <= write.lands);
        writes.insert(at, write);
        let landed = writes.partition_point(|other| other.lands <= now);
        writes.drain(..landed.saturating_sub(1));
    }

    /// Whether a key of KV may be written: not within so long after another write of it.
    fn admits_write(&mut self, key: &Text, now: Micros, interval: Micros) -> bool {
        if interval == Micros::ZERO {
            return true;
        }
        self.kv_writes.retain(|_, until| *until > now);
        let admitted = !self.kv_writes.contains_key(key);
        if admitted {
            self.kv_writes.insert(key.clone(), now.after(interval));
        }
        admitted
    }

    /// How many texts are held, to see that they do not pile up.
    #[cfg(test)]
    pub fn held(&self) -> usize {
        self.entries.len() + self.kv_writes.len() + self.copies.len() + self.edges.len()
    }

    /// Hashes what decides what can happen from here on.
    pub fn hash_state(&self, now: Micros, hasher: &mut impl Hasher) {
        for (at, writes) in &self.entries {
            at.hash(hasher);
            for write in writes {
                write.lands.since(now).hash(hasher);
                write.kept.hash_state(now, hasher);
            }
        }
        for (key, until) in self.kv_writes.iter().filter(|(_, until)| **until > now) {
            (key, until.since(now)).hash(hasher);
        }
        for (at, kept) in self.copies.iter().chain(&self.edges) {
            at.hash(hasher);
            kept.hash_state(now, hasher);
        }
    }
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// Has what is deployed know a variable, before anything has run.
    pub fn deploy_with(&mut self, variable: &str, value: &str) {
        self.deployment = self.deployment.map(|code| code.deployed_with(variable, value));
    }

    /// Writes an entry of a shared service, now, as a deployment or an operator does; or takes it away. Copies stay as
    /// they are, for as long as they are kept.
    pub fn configure(&mut self, store: Shared, key: &str, value: Option<&str>) {
        let (key, now) = (Text::new(key), self.now);
        let kept = Kept {
            text: value.map(Text::new),
            until: None,
        };
        if store == Shared::EdgeCache {
            self.services.edges.insert((0, key), kept);
            return;
        }
        self.services.write(store, key, now, Written { lands: now, kept });
    }

    /// Has every read and write of KV fail, now, for so long.
    pub fn kv_outage(&mut self, item: u32, lasts: Micros) {
        for party in 0..self.parties.len() {
            let party = PartyId(u32::try_from(party).expect("a run has fewer than 2^32 parties"));
            self.trouble(item, Trouble::KvOutage(party), lasts);
        }
    }

    /// In which location a party is.
    pub(super) fn location(&self, party: PartyId) -> u32 {
        self.party(party).location % self.knobs.locations.max(1)
    }

    /// Reads an entry.
    pub(super) fn read_entry(
        &mut self,
        reader: PartyId,
        (store, key): (Shared, &Text),
        origin: OriginId,
        label: Label,
        watch: &mut dyn Observer,
    ) -> CallOutcome {
        let label = Text::new_static(label.0);
        let location = self.location(reader);
        let found = match store {
            Shared::Kv => {
                if self.strikes(FaultKind::KvFailed, reader, reader, origin, &label, watch) {
                    return Err(CallError::thrown("KV GET failed: 503 Service Unavailable"));
                }
                self.read_copy(reader, (location, key), origin, &label, watch)
            }
            Shared::EdgeCache => self.read_edge(reader, (location, key), origin, &label, watch),
            Shared::Configuration | Shared::Broker => self.services.written(store, key, self.now).cloned(),
        };
        Ok(Answer::Entry(found))
    }

    /// Reads the copy of a location, which is made where there is none.
    fn read_copy(
        &mut self,
        reader: PartyId,
        (location, key): (u32, &Text),
        origin: OriginId,
        label: &Text,
        watch: &mut dyn Observer,
    ) -> Option<Text> {
        let now = self.now;
        let written = self.services.written(Shared::Kv, key, now).cloned();
        if self.knobs.kv_copy.most == Micros::ZERO {
            return written;
        }
        let at = (location, key.clone());
        if let Some(copy) = self.services.copies.get(&at).and_then(|copy| copy.at(now)) {
            let found = copy.text.clone();
            if found != written {
                let kind = FaultKind::KvStale;
                self.see(&self.party(reader).who, What::Fault { kind }, watch);
            }
            return found;
        }
        self.keep_copy(at, written.clone(), now, origin, label);
        written
    }

    fn keep_copy(
        &mut self,
        at: (u32, Text),
        text: Option<Text>,
        from: Micros,
        origin: OriginId,
        label: &Text,
    ) {
        let (lasts, source) = (self.knobs.kv_copy, self.source(origin));
        let lasts = lasts.draw(&mut self.chance, Purpose::KvCopy, source, label);
        let until = Some(from.after(lasts));
        self.services.copies.insert(at, Kept { text, until });
    }

    /// Reads the cache of a data centre, which may have dropped the entry.
    fn read_edge(
        &mut self,
        reader: PartyId,
        (location, key): (u32, &Text),
        origin: OriginId,
        label: &Text,
        watch: &mut dyn Observer,
    ) -> Option<Text> {
        let at = (location, key.clone());
        let found = self.services.edges.get(&at)?.at(self.now);
        let Some(found) = found.and_then(|kept| kept.text.clone()) else {
            self.services.edges.remove(&at);
            return None;
        };
        if self.strikes(FaultKind::EdgeDropped, reader, reader, origin, label, watch) {
            self.services.edges.remove(&at);
            return None;
        }
        Some(found)
    }

    /// Writes an entry that lands after a while, to be kept from then on for so long at most.
    pub(super) fn write_entry(
        &mut self,
        writer: PartyId,
        (store, key): (Shared, Text),
        (text, keep): (Text, Option<Millis>),
        takes: Micros,
        (origin, label): (OriginId, Label),
        watch: &mut dyn Observer,
    ) -> CallOutcome {
        let label = Text::new_static(label.0);
        let (now, location) = (self.now, self.location(writer));
        let lands = now.after(takes);
        let kept = Kept {
            text: Some(text),
            until: keep.map(|keep| lands.after(Micros::from_millis(keep.0))),
        };
        if store == Shared::EdgeCache {
            self.services.edges.insert((location, key), kept);
            return Ok(Answer::Done);
        }
        if store == Shared::Kv {
            if self.strikes(FaultKind::KvFailed, writer, writer, origin, &label, watch) {
                return Err(CallError::thrown("KV PUT failed: 503 Service Unavailable"));
            }
            if !self
                .services
                .admits_write(&key, now, self.knobs.kv_write_interval)
            {
                let kind = FaultKind::KvTooOften;
                self.see(&self.party(writer).who, What::Fault { kind }, watch);
                return Err(CallError::thrown("KV PUT failed: 429 Too Many Requests"));
            }
            self.show_own(writer, &key, &kept, lands, (origin, &label));
        }
        self.services.write(store, key, now, Written { lands, kept });
        Ok(Answer::Done)
    }

    /// What is written is seen at once at the writer's location, as a rule.
    fn show_own(
        &mut self,
        writer: PartyId,
        key: &Text,
        kept: &Kept,
        lands: Micros,
        (origin, label): (OriginId, &Text),
    ) {
        if self.knobs.kv_copy.most == Micros::ZERO {
            return;
        }
        let at = (self.location(writer), key.clone());
        let source = self.source(origin);
        // Alternative 0: it is seen.
        let stays = self
            .chance
            .choose(Purpose::KvOwnCopy, source, label, OWN_COPY_STAYS);
        if stays + 1 < OWN_COPY_STAYS || !self.services.copies.contains_key(&at) {
            self.keep_copy(at, kept.text.clone(), lands, origin, label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(services: &mut Services, now: u64, lands: u64, text: &str) {
        let kept = Kept {
            text: Some(Text::new(text)),
            until: None,
        };
        let write = Written {
            lands: Micros(lands),
            kept,
        };
        services.write(Shared::Kv, Text::new_static("k"), Micros(now), write);
    }

    #[test]
    fn of_two_writes_the_one_that_lands_later_is_kept() {
        let mut services = Services::default();
        let key = Text::new_static("k");
        write(&mut services, 0, 9, "first, and slow");
        write(&mut services, 1, 5, "second, and quick");
        let at = |now| services.written(Shared::Kv, &key, Micros(now)).map(Text::as_str);
        assert_eq!(at(4), None, "neither has landed");
        assert_eq!(at(5), Some("second, and quick"));
        assert_eq!(at(9), Some("first, and slow"));
    }

    #[test]
    fn writes_that_have_been_written_over_are_not_held() {
        let mut services = Services::default();
        (0..100).for_each(|now| write(&mut services, now, now + 5, "text"));
        let writes = &services.entries[&(Shared::Kv, Text::new_static("k"))];
        assert!(writes.len() <= 7, "{} writes are held", writes.len());
    }
}
