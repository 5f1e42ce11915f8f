//! An object that is taken away with its storage, and made anew (`platform.md` section 14, item 5: "data of a deleted
//! class is gone").

use protocol::host::{CallError, Text};

use super::alarm::Interrupted;
use super::choice::OriginId;
use super::party::PartyId;
use super::reset::IncarnationEnd;
use super::storage::Store;
use super::watch::{FaultKind, Observer, What};
use super::wide::Guest;
use super::{Changed, Kernel};

impl<P: Guest, S: Store> Kernel<P, S> {
    /// Ends the incarnation of an object, and leaves it with nothing: no memory, no rows, no alarm. Commits that were
    /// confirmed are gone too, which is the point of it; nobody is told of one that was not.
    pub(super) fn recreate_now(&mut self, id: PartyId, origin: OriginId, watch: &mut dyn Observer) {
        let party = self.party(id);
        let stored = party.storage.as_ref().is_some_and(|storage| storage.commits > 0);
        if party.current.life.is_none() && !stored {
            return;
        }
        let kind = FaultKind::Recreated;
        self.see(&self.party(id).who, What::Fault { kind }, watch);
        let stale: Vec<u32> = self.party(id).stale.iter().map(|stale| stale.number).collect();
        for incarnation in stale {
            self.break_incarnation(id, incarnation, deleted(origin), watch);
        }
        self.lose(id, 0, deleted(origin), watch);
        self.take_alarm_away(id);
        let store = S::open(&self.pool, self.limits());
        let party = self.party_mut(id);
        let storage = party.storage.as_mut().expect("an object has storage");
        storage.store = store;
        storage.next_commit_fails = false;
        party.audit.storage_is_new();
        party.changed = Changed::Everything;
    }
}

fn deleted(origin: OriginId) -> IncarnationEnd {
    IncarnationEnd {
        outputs: Vec::new(),
        error: CallError {
            remote: true,
            reset: true,
            ..CallError::thrown(Text::new_static("Durable Object was deleted."))
        },
        origin,
        run: Interrupted::Forgotten,
    }
}
