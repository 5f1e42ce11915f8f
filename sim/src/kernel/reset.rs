//! Ends of incarnations (`platform.md` sections 7, 9, 13; `workerd.md` T1, T13).

use protocol::host::{CallError, Text};

use super::alarm::Interrupted;
use super::audit::Sabotage;
use super::calls::Leaving;
use super::choice::{OriginId, Purpose, Source};
use super::database::Undo;
use super::incarnation::{Incarnation, Skew};
use super::party::{Connection, Delivery, Held, Output, PartyId, ReplyTo, Sent};
use super::storage::Store;
use super::time::Micros;
use super::watch::{FaultKind, Observer, StepId, What};
use super::wide::Guest;
use super::{Changed, Kernel};

/// How an incarnation ends.
pub(super) struct IncarnationEnd {
    /// What its last turn asked for, which is lost, but for what must be told to those who wait.
    pub outputs: Vec<Held>,
    /// What its callers are told.
    pub error: CallError,
    /// What that descends from.
    pub origin: OriginId,
    /// What becomes of a run of the alarm that ends with it.
    pub run: Interrupted,
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// The code has aborted its object, or a statement has broken it: the turn's writes are lost, those of earlier
    /// turns stay (`workerd.md` T1).
    pub(super) fn abort(
        &mut self,
        id: PartyId,
        incarnation: u32,
        turn: Option<Undo>,
        end: IncarnationEnd,
        watch: &mut dyn Observer,
    ) {
        if self.party(id).current.number != incarnation {
            self.end_stale(id, incarnation, end, watch);
            return;
        }
        self.take_back(id, turn);
        let survivors = self.unconfirmed(id);
        self.end_incarnation(id, survivors, end, watch);
    }

    /// Something outside a turn ends an incarnation.
    pub(super) fn break_incarnation(
        &mut self,
        id: PartyId,
        incarnation: u32,
        mut end: IncarnationEnd,
        watch: &mut dyn Observer,
    ) {
        let Some(of_party) = self.party_mut(id).incarnation_mut(incarnation) else {
            return;
        };
        let unfinished = of_party.holding.take();
        let undo = unfinished.as_ref().and_then(|turn| turn.undo);
        end.outputs
            .extend(unfinished.into_iter().flat_map(|turn| turn.outputs));
        self.abort(id, incarnation, undo, end, watch);
    }

    /// How many of the commits that are not confirmed have become durable all the same: a prefix. Alternative 0 is all.
    pub(super) fn draw_survivors(&mut self, id: PartyId, origin: OriginId) -> usize {
        let unconfirmed = self.unconfirmed(id);
        let source = Source {
            origin,
            place: self.party(id).place,
        };
        let lost = self.chance.choose(
            Purpose::Survivors,
            source,
            &Text::default(),
            unconfirmed as u64 + 1,
        );
        unconfirmed - usize::try_from(lost).expect("no more commits are lost than there are")
    }

    fn unconfirmed(&self, id: PartyId) -> usize {
        let storage = self.party(id).storage.as_ref();
        storage.map_or(0, |storage| storage.unconfirmed.len())
    }

    /// Ends an incarnation with only the first `survivors` of its unconfirmed commits durable.
    pub(super) fn lose(
        &mut self,
        id: PartyId,
        survivors: usize,
        mut end: IncarnationEnd,
        watch: &mut dyn Observer,
    ) {
        // A turn whose code had not done has written nothing.
        let unfinished = self.party_mut(id).current.holding.take();
        let undo = unfinished.as_ref().and_then(|turn| turn.undo);
        end.outputs
            .extend(unfinished.into_iter().flat_map(|turn| turn.outputs));
        self.take_back(id, undo);
        let lost = self.unconfirmed(id) - survivors;
        if lost > 0 {
            self.lose_commits(id, survivors);
            let kind = FaultKind::CommitsLost;
            self.see(&self.party(id).who, What::Fault { kind }, watch);
        }
        self.end_incarnation(id, survivors, end, watch);
    }

    /// Takes back what was not handed to the storage: the turn's writes, and those of an open transaction.
    fn take_back(&mut self, id: PartyId, turn: Option<Undo>) {
        let party = self.party_mut(id);
        let undo = party.current.uncommitted(turn);
        if let (Some(undo), Some(storage)) = (undo, &mut party.storage) {
            storage.store.rollback_to(undo.mark);
            storage.alarm.restore(undo.alarm);
        }
        if undo.is_some() {
            // Somebody may have read them meanwhile.
            party.changed = Changed::Everything;
            let newest = party.audit.contents;
            self.audit_contents(id, newest);
        }
    }

    /// Takes the unconfirmed commits back that are not among the first `survivors`.
    fn lose_commits(&mut self, id: PartyId, survivors: usize) {
        let keeps = self.sabotaged(Sabotage::KeepLostWrites);
        let party = self.party_mut(id);
        party.changed = Changed::Everything;
        let storage = party.storage.as_mut().expect("only an object has commits");
        let first_lost = &storage.unconfirmed[survivors];
        storage.alarm.restore(first_lost.alarm_before);
        if !keeps {
            storage.store.rollback_to(first_lost.mark);
        }
        let left = match survivors.checked_sub(1) {
            Some(last) => storage.unconfirmed[last].leaves,
            None => party.audit.durable_contents,
        };
        party.audit.contents = left;
        self.audit_contents(id, left);
    }

    /// Ends an object's incarnation. Everybody who still waits for an answer of it, held back ones included, gets an
    /// error; and the next one begins, without memory.
    fn end_incarnation(
        &mut self,
        id: PartyId,
        survivors: usize,
        end: IncarnationEnd,
        watch: &mut dyn Observer,
    ) {
        let who = self.party(id).who.clone();
        let origin = self.chance.origin_of(end.origin).clone();
        let what = What::Reset {
            incarnation: self.party(id).current.number,
            reason: &end.error.message,
            survivors: survivors as u64,
            origin: &origin,
        };
        self.see(&who, what, watch);
        let ended = self.replace(id, end.origin);
        let party = self.party_mut(id);
        let mut held = end.outputs;
        if let Some(storage) = &mut party.storage {
            let confirmed = storage.unconfirmed.front().map(|commit| commit.nth);
            let durable = confirmed.unwrap_or(storage.commits) + survivors as u64;
            party.audit.incarnation_ends(ended.number, durable);
            party.audit.durable = storage.commits;
            party.audit.durable_contents = party.audit.contents;
            held.splice(0..0, storage.unconfirmed.drain(..).flat_map(|commit| commit.held));
            storage.store.forget_all();
        }
        self.tell_of_end(id, ended, held, &end.error, watch);
        self.interrupt_alarm_run(id, end.run, watch);
    }

    /// Puts a new incarnation in the place of the current one, and answers that.
    fn replace(&mut self, id: PartyId, origin: OriginId) -> Incarnation<P> {
        let skew = self.draw_skew(id, origin);
        let party = self.party_mut(id);
        let next = Incarnation::new(party.next_number(), skew);
        let mut ended = std::mem::replace(&mut party.current, next);
        if self.sabotaged(Sabotage::KeepMemory) {
            let (life, born) = (ended.life.take(), ended.born);
            let current = &mut self.party_mut(id).current;
            (current.life, current.born) = (life, born);
        }
        self.forget_timeouts(ended.sections.iter().map(|section| section.timeout));
        ended
    }

    /// How far the clock of a party's next incarnation is from the true one.
    pub(super) fn draw_skew(&mut self, id: PartyId, origin: OriginId) -> Skew {
        let most = self.knobs.clock_skew;
        if most == Micros::ZERO {
            return Skew::default();
        }
        let source = Source {
            origin,
            place: self.party(id).place,
        };
        // Alternative 0 is none; then 1 ahead, 1 behind, 2 ahead …
        let drawn = self
            .chance
            .choose(Purpose::ClockSkew, source, &Text::default(), 2 * most.0 + 1);
        Skew {
            by: Micros(drawn.div_ceil(2)),
            ahead: drawn % 2 == 1,
        }
    }

    /// Tells all who wait for an incarnation that it has ended.
    fn tell_of_end(
        &mut self,
        id: PartyId,
        ended: Incarnation<P>,
        held: Vec<Held>,
        error: &CallError,
        watch: &mut dyn Observer,
    ) {
        self.broker.forget(id, ended.number);
        let open = ended.tasks.into_iter().flatten();
        // What had arrived while the code held the thread is told of the end too.
        let mut told: Vec<_> = open
            .filter_map(|task| Some((task.reply_to?, task.origin)))
            .collect();
        let not_begun = self.turn_away(id, ended.waiting);
        told.extend(held.into_iter().filter_map(|held| match held.output {
            Output::Reply { to, .. } => Some((to, held.origin)),
            _ => None,
        }));
        self.tell_error(id, not_begun, error, Connection::NotDelivered, watch);
        self.tell_error(id, told, error, Connection::Delivered, watch);
    }

    /// What waited for the thread of an incarnation does not begin there. Who is to be told of it; the alarm's manager
    /// tries again.
    pub(super) fn turn_away(
        &mut self,
        id: PartyId,
        waiting: impl IntoIterator<Item = Box<Sent>>,
    ) -> Vec<(ReplyTo, OriginId)> {
        let mut told = Vec::new();
        for sent in waiting {
            if let Some(serial) = sent.serial {
                self.stub_audit.gone(serial);
            }
            match sent.delivery {
                Delivery::Request { reply_to, .. } => told.push((reply_to, sent.origin)),
                Delivery::Alarm(_) => self.deliver_alarm_again(id, sent),
                Delivery::Answer { .. } | Delivery::Cancel { .. } => {}
            }
        }
        told
    }

    /// Tells callers of an object of an error that has cost them their connection.
    pub(super) fn tell_error(
        &mut self,
        id: PartyId,
        told: Vec<(ReplyTo, OriginId)>,
        error: &CallError,
        connection: Connection,
        watch: &mut dyn Observer,
    ) {
        for (to, of) in told {
            if !matches!(to, ReplyTo::Alarm | ReplyTo::Nobody) {
                let leaving = Leaving {
                    origin: of,
                    at: self.now,
                    step: StepId(self.steps),
                    depends: None,
                };
                let connection = self.marked(connection, of, &Text::default());
                self.tell(id, to, Err(error.clone()), connection, leaving, watch);
            }
        }
    }

    /// A stale incarnation ends: it has touched the storage, or its time is over. Its storage is another's, so nothing
    /// is lost but its memory and what it has not sent.
    pub(super) fn end_stale(
        &mut self,
        id: PartyId,
        incarnation: u32,
        end: IncarnationEnd,
        watch: &mut dyn Observer,
    ) {
        let party = self.party_mut(id);
        let at = party.stale.iter().position(|stale| stale.number == incarnation);
        let Some(at) = at else { return };
        let ended = party.stale.remove(at);
        let who = self.party(id).who.clone();
        let origin = self.chance.origin_of(end.origin).clone();
        let what = What::Reset {
            incarnation,
            reason: &end.error.message,
            survivors: 0,
            origin: &origin,
        };
        self.see(&who, what, watch);
        let kind = FaultKind::StaleEnded;
        self.see(&who, What::Fault { kind }, watch);
        self.tell_of_end(id, ended, end.outputs, &end.error, watch);
    }
}
