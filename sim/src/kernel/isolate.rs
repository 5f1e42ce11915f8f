//! Isolates of the front Worker that end: what one has learned is gone, and who waited for it is told (`platform.md`
//! section 19).

use super::alarm::Interrupted;
use super::choice::{Origin, OriginId};
use super::network::connection_lost;
use super::party::PartyId;
use super::reset::IncarnationEnd;
use super::storage::Store;
use super::watch::{FaultKind, Observer, What};
use super::wide::Guest;
use super::{Kernel, Pending};

impl<P: Guest, S: Store> Kernel<P, S> {
    /// Ends an isolate of the front Worker, now. The next request finds a new one.
    pub fn restart(&mut self, item: u32, front: PartyId) {
        let origin = self.chance.origin(&Origin::Item(item));
        self.schedule(self.now, origin, Pending::Restart(front, origin));
    }

    /// The front Worker of this name, if there is one.
    #[must_use]
    pub fn front_named(&self, who: &protocol::host::Text) -> Option<PartyId> {
        self.named(who).filter(|id| !self.party(*id).is_object())
    }

    /// An isolate that has not begun, or has ended before, has nothing to lose.
    pub(super) fn restart_now(&mut self, front: PartyId, origin: OriginId, watch: &mut dyn Observer) {
        if self.party(front).current.life.is_none() {
            return;
        }
        let kind = FaultKind::FrontRestarted;
        self.see(&self.party(front).who, What::Fault { kind }, watch);
        let end = IncarnationEnd {
            outputs: Vec::new(),
            error: connection_lost(),
            origin,
            run: Interrupted::Forgotten,
        };
        self.lose(front, 0, end, watch);
    }
}
