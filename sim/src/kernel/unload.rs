//! Eviction, and an object that is started elsewhere while it runs (`platform.md` sections 7 and 13).

use std::collections::VecDeque;

use protocol::host::{CallError, Text};
use strum::VariantArray as _;

use super::alarm::Interrupted;
use super::choice::{OriginId, Purpose, Source};
use super::incarnation::Incarnation;
use super::network::{connection_lost, of_reset};
use super::party::{Connection, Delivery, PartyId};
use super::reset::IncarnationEnd;
use super::rollout::Replaced;
use super::storage::Store;
use super::time::Micros;
use super::watch::{FaultKind, Observer, What};
use super::wide::Guest;
use super::{Changed, Kernel, Pending, ResetCause};

/// How many stale incarnations of an object there are at most: a platform that moves it again waits for one to end.
pub(super) const MOST_STALE: usize = 4;

impl<P: Guest, S: Store> Kernel<P, S> {
    /// After a turn of an object: whether something befalls it that no plan item says.
    pub(super) fn befall(&mut self, id: PartyId, origin: OriginId, watch: &mut dyn Observer) {
        let label = Text::default();
        let source = self.source(origin);
        if !self.party(id).is_object() {
            if self.meets(FaultKind::FrontRestarted, (id, id), origin, &label) {
                let after = self.knobs.reset_after;
                let after = after.draw(&mut self.chance, Purpose::ResetAfter, source, &label);
                self.schedule(self.now.after(after), origin, Pending::Restart(id, origin));
            }
            return;
        }
        if self.meets(FaultKind::Reset, (id, id), origin, &label) {
            let causes = ResetCause::VARIANTS;
            let cause = self
                .chance
                .choose(Purpose::ResetCause, source, &label, causes.len() as u64);
            let cause = causes[usize::try_from(cause).expect("one of a few")];
            let after = self
                .knobs
                .reset_after
                .draw(&mut self.chance, Purpose::ResetAfter, source, &label);
            let pending = Pending::Reset(id, cause, origin);
            self.schedule(self.now.after(after), origin, pending);
        }
        if self.meets(FaultKind::Displaced, (id, id), origin, &label) {
            let overlap = self
                .knobs
                .overlap
                .draw(&mut self.chance, Purpose::Overlap, source, &label);
            self.displace_now(id, overlap, origin, watch);
        }
    }

    /// The code of an object has done: where it leaves nothing under way, whether it is evicted in a while. What it
    /// has written is confirmed by then.
    pub(super) fn rest(&mut self, id: PartyId, origin: OriginId) {
        let current = &self.party(id).current;
        let rests = if self.knobs.evicts_at_work {
            current.is_idle()
        } else {
            current.is_quiescent()
        };
        if !self.party(id).is_object() || current.life.is_none() || !rests {
            return;
        }
        let label = Text::default();
        let source = self.source(origin);
        if self.meets(FaultKind::Evicted, (id, id), origin, &label) {
            let idle = self
                .knobs
                .idle
                .draw(&mut self.chance, Purpose::Idle, source, &label);
            let current = &self.party(id).current;
            let pending = Pending::Idle(id, current.number, current.turns);
            self.schedule(self.now.after(idle), origin, pending);
        }
    }

    /// Nothing is under way in an object, and nothing that it has written waits to be confirmed.
    pub(super) fn is_quiescent(&self, id: PartyId) -> bool {
        self.is_idle(id) && self.party(id).current.is_quiescent()
    }

    /// No event is in progress in an object, and nothing that it has written waits to be confirmed.
    fn is_idle(&self, id: PartyId) -> bool {
        let party = self.party(id);
        let unconfirmed = party
            .storage
            .as_ref()
            .is_some_and(|storage| !storage.unconfirmed.is_empty());
        party.current.life.is_some() && party.current.is_idle() && !unconfirmed
    }

    /// An object that had nothing to do has had nothing to do since.
    pub(super) fn idle(&mut self, id: PartyId, incarnation: u32, turns: u64, watch: &mut dyn Observer) {
        let current = &self.party(id).current;
        if (current.number, current.turns) == (incarnation, turns) {
            self.evict_now(id, watch);
        }
    }

    /// Evicts an object if nothing is under way in it, or nothing that keeps it: its memory is gone, and no code is run for
    /// it.
    pub(super) fn evict_now(&mut self, id: PartyId, watch: &mut dyn Observer) {
        let works = !self.is_quiescent(id);
        if works && !(self.knobs.evicts_at_work && self.is_idle(id)) {
            return;
        }
        let origin = self.party(id).alarm_origin;
        let skew = self.draw_skew(id, origin);
        let party = self.party_mut(id);
        let next = Incarnation::new(party.next_number(), skew);
        let durable = party.audit.durable;
        party.audit.incarnation_ends(party.current.number, durable);
        let ended = std::mem::replace(&mut party.current, next);
        let who = party.who.clone();
        self.broker.forget(id, ended.number);
        let kind = FaultKind::Evicted;
        self.see(&who, What::Fault { kind }, watch);
        if works {
            let kind = FaultKind::EvictedAtWork;
            self.see(&who, What::Fault { kind }, watch);
        }
    }

    /// An object is started elsewhere while its incarnation runs on, for `overlap` at most.
    pub(super) fn displace_now(
        &mut self,
        id: PartyId,
        overlap: Micros,
        origin: OriginId,
        watch: &mut dyn Observer,
    ) {
        let party = self.party(id);
        let has_stale = party.stale.len() >= MOST_STALE;
        if party.current.life.is_none() || party.current.in_transaction() || has_stale {
            return;
        }
        let kind = FaultKind::Displaced;
        self.see(&self.party(id).who, What::Fault { kind }, watch);
        self.start_anew(id, Replaced::Moved, overlap, origin, watch);
    }

    /// Starts the next incarnation of an object while the current one runs on, for `overlap` at most. From now on the
    /// storage is the new one's; the stale one may go on from memory until it touches it.
    ///
    /// What was on its way to the storage is decided there: a prefix of the commits is durable. Where that is all of
    /// them, the stale incarnation may hear of it, and its messages leave; else its gate is broken, and it ends.
    pub(super) fn start_anew(
        &mut self,
        id: PartyId,
        why: Replaced,
        overlap: Micros,
        origin: OriginId,
        watch: &mut dyn Observer,
    ) {
        let storage = self.party(id).storage.as_ref();
        let unconfirmed = storage.map_or(0, |storage| storage.unconfirmed.len());
        let survivors = self.draw_survivors(id, origin);
        let source = Source {
            origin,
            place: self.party(id).place,
        };
        // Alternative 0: it hears of it.
        let hears = self.chance.choose(Purpose::Learns, source, &Text::default(), 2) == 0;
        if survivors < unconfirmed || (unconfirmed > 0 && !hears) {
            let end = IncarnationEnd {
                outputs: Vec::new(),
                error: why.error(),
                origin,
                run: Interrupted::Forgotten,
            };
            self.lose(id, survivors, end, watch);
            return;
        }
        while let Some(commit) = self.pop_unconfirmed(id) {
            let (who, number) = (self.party(id).who.clone(), self.party(id).current.number);
            self.see(&who, What::Confirmed { nth: commit.nth }, watch);
            for held in commit.held {
                self.release(id, number, held, self.now, watch);
            }
        }
        self.party_mut(id).current.replaced = why;
        self.make_stale(id, overlap, origin, watch);
        self.interrupt_alarm_run(id, Interrupted::Forgotten, watch);
    }

    fn make_stale(&mut self, id: PartyId, overlap: Micros, origin: OriginId, watch: &mut dyn Observer) {
        let skew = self.draw_skew(id, origin);
        let party = self.party_mut(id);
        let next = Incarnation::new(party.next_number(), skew);
        let mut stale = std::mem::replace(&mut party.current, next);
        let (number, error) = (stale.number, stale.replaced.error());
        let storage = party
            .storage
            .as_mut()
            .expect("only an object is started elsewhere");
        if let Some(turn) = &mut stale.holding {
            // What the code that holds the thread has written is refused when it hands it over.
            if let Some(undo) = turn.undo.take() {
                storage.store.rollback_to(undo.mark);
                storage.alarm.restore(undo.alarm);
                party.changed = Changed::Everything;
                turn.aborted.get_or_insert_with(|| error.clone());
            }
        }
        storage.store.forget_all();
        party.audit.incarnation_ends(number, party.audit.durable);
        // What is under way goes on; what has not begun does not begin there any more.
        let waiting = std::mem::take(&mut stale.waiting);
        let (answers, not_begun): (VecDeque<_>, VecDeque<_>) = waiting
            .into_iter()
            .partition(|sent| matches!(sent.delivery, Delivery::Answer { .. }));
        stale.waiting = answers;
        party.stale.push(stale);
        let told = self.turn_away(id, not_begun);
        self.tell_error(id, told, &error, Connection::NotDelivered, watch);
        self.schedule(
            self.now.after(overlap),
            origin,
            Pending::StaleEnds(id, number, origin),
        );
    }

    /// The time of a stale incarnation is over.
    pub(super) fn stale_ends(
        &mut self,
        id: PartyId,
        number: u32,
        origin: OriginId,
        watch: &mut dyn Observer,
    ) {
        let Some(stale) = self.party_mut(id).incarnation_mut(number) else {
            return;
        };
        let unfinished = stale.holding.take();
        let end = IncarnationEnd {
            outputs: unfinished.map_or_else(Vec::new, |turn| turn.outputs),
            error: stale.replaced.error(),
            origin,
            run: Interrupted::Forgotten,
        };
        self.end_stale(id, number, end, watch);
    }
}

/// What callers of an incarnation are told whose object is elsewhere by now.
pub(super) fn moved() -> CallError {
    of_reset(connection_lost())
}
