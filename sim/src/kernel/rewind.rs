//! Storage that goes back, and storage that is copied to another object (`platform.md` section 14, items 3 and 4).
//!
//! Both are acts of an operator, who ends the object's incarnation with them. What the storage then holds is what was
//! durable, of this object or of another one, at an instant: nothing that was not confirmed by then. The other objects keep
//! what they have.

use protocol::host::{CallError, Millis, Text};

use super::alarm::Interrupted;
use super::choice::{Origin, OriginId};
use super::network::of_reset;
use super::party::PartyId;
use super::reset::IncarnationEnd;
use super::storage::Store;
use super::time::Micros;
use super::watch::{FaultKind, Observer, What};
use super::wide::Guest;
use super::{Changed, Kernel, Pending};

/// What was durable of an object at an instant.
#[derive(Debug)]
pub(super) struct Bookmark<S> {
    store: S,
    alarm: Option<Millis>,
    written_by: Option<usize>,
}

impl<S: Store> Bookmark<S> {
    /// A digest of it.
    pub fn digest(&mut self) -> (u128, Option<Millis>) {
        (self.store.digest(), self.alarm)
    }

    pub fn fork(&mut self) -> Self {
        Bookmark {
            store: self.store.fork(),
            ..*self
        }
    }
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// Remembers, at an instant, what is durable of the object of this name: what a plan item goes back to later. Where
    /// nobody has reached it by then there is nothing to go back to.
    pub fn schedule_bookmark(&mut self, item: u32, object: &Text, at: Micros) {
        let origin = self.chance.origin(&Origin::Item(item));
        self.schedule(at, origin, Pending::Bookmark(item, object.clone()));
    }

    /// Takes an object back, now, to what this item has remembered of it; `None` where that is nothing.
    pub fn rewind(&mut self, item: u32, object: PartyId) -> Option<()> {
        self.bookmarks.get(&item)?;
        let origin = self.chance.origin(&Origin::Item(item));
        self.schedule(self.now, origin, Pending::Rewind(object, item, origin));
        Some(())
    }

    /// Puts what is durable of an object, now, in the place of what another one stores.
    pub fn clone_storage(&mut self, item: u32, from: PartyId, to: PartyId) {
        let origin = self.chance.origin(&Origin::Item(item));
        self.schedule(self.now, origin, Pending::Clone(to, from, origin));
    }

    pub(super) fn bookmark(&mut self, item: u32, object: &Text) {
        let object = self.object_named(object);
        let bookmark = object.and_then(|object| self.durable(object));
        if let Some(bookmark) = bookmark {
            self.bookmarks.insert(item, bookmark);
        }
    }

    /// What of an object is durable.
    fn durable(&mut self, id: PartyId) -> Option<Bookmark<S>> {
        let party = self.party_mut(id);
        // A turn that holds the thread, and a transaction, have written what is no commit yet.
        let turn = party.current.holding.as_ref().and_then(|turn| turn.undo);
        let uncommitted = party.current.uncommitted(turn);
        let storage = party.storage.as_mut()?;
        let mut store = storage.store.fork();
        let mut alarm = storage.alarm.clone();
        let first = storage.unconfirmed.front();
        let first = first.map(|commit| (commit.mark, commit.alarm_before));
        let before = first.or_else(|| uncommitted.map(|undo| (undo.mark, undo.alarm)));
        if let Some((mark, alarm_before)) = before {
            store.rollback_to(mark);
            alarm.restore(alarm_before);
        }
        store.forget_all();
        Some(Bookmark {
            store,
            alarm: alarm.stored,
            written_by: storage.written_by,
        })
    }

    pub(super) fn rewind_now(&mut self, id: PartyId, item: u32, origin: OriginId, watch: &mut dyn Observer) {
        if let Some(bookmark) = self.bookmarks.remove(&item) {
            let kind = FaultKind::Rewound;
            self.see(&self.party(id).who, What::Fault { kind }, watch);
            let why = "Durable Object was reset as its storage was restored.";
            self.put_storage(id, bookmark, why, origin, watch);
        }
    }

    pub(super) fn clone_now(
        &mut self,
        to: PartyId,
        from: PartyId,
        origin: OriginId,
        watch: &mut dyn Observer,
    ) {
        if to == from {
            return;
        }
        let Some(mut bookmark) = self.durable(from) else {
            return;
        };
        if self.knobs.alarm_not_cloned {
            bookmark.alarm = None;
        }
        let kind = FaultKind::Cloned;
        self.see(&self.party(to).who, What::Fault { kind }, watch);
        let why = "Durable Object was reset as its storage was replaced.";
        self.put_storage(to, bookmark, why, origin, watch);
    }

    /// Ends an object's incarnation, and has the next one begin on other contents, with the alarm that they have.
    fn put_storage(
        &mut self,
        id: PartyId,
        bookmark: Bookmark<S>,
        why: &'static str,
        origin: OriginId,
        watch: &mut dyn Observer,
    ) {
        let end = IncarnationEnd {
            outputs: Vec::new(),
            error: of_reset(CallError::thrown(Text::new_static(why))),
            origin,
            run: Interrupted::Forgotten,
        };
        self.lose(id, 0, end, watch);
        self.take_alarm_away(id);
        let party = self.party_mut(id);
        let storage = party.storage.as_mut().expect("only an object is restored");
        storage.store = bookmark.store;
        storage.alarm.stored = bookmark.alarm;
        storage.alarm.has_table = bookmark.alarm.is_some();
        storage.next_commit_fails = false;
        storage.written_by = bookmark.written_by;
        party.audit.storage_is_new();
        party.changed = Changed::Everything;
        self.sync_alarm(id);
    }
}
