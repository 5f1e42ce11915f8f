//! Commits and the output gate (`platform.md` sections 3 and 4).

use protocol::host::{CallError, TaskId, Text};

use super::alarm::Interrupted;
use super::audit::Sabotage;
use super::choice::{OriginId, Purpose};
use super::database::Undo;
use super::network::of_reset;
use super::party::{Commit, Held, Output, PartyId};
use super::reset::IncarnationEnd;
use super::section::Crossing;
use super::storage::{Store, Writes};
use super::time::Micros;
use super::watch::{FaultKind, Observer, What};
use super::wide::Guest;
use super::{Changed, Kernel, Pending};

/// How long a message waits for a commit before the object is reset (`platform.md` section 3, item 4).
const GATE_TIMEOUT: Micros = Micros::from_millis(30_000);

/// What a turn leaves.
#[derive(Clone, Debug)]
pub(super) struct TurnEnd {
    /// How things were before its first write, if it wrote.
    pub undo: Option<Undo>,
    /// The tables that it can have written.
    pub writes: Writes,
    /// Whether each statement was a commit of its own at its end.
    pub autocommits: bool,
    /// The tasks that have ended in it.
    pub ended: Vec<TaskId>,
    /// What it asked for, in order.
    pub outputs: Vec<Held>,
    /// The section that it enters or leaves, if it does.
    pub crossing: Option<Crossing>,
    /// Why the incarnation ends with it, if it does.
    pub aborted: Option<CallError>,
    /// Whether the storage has failed, which is nobody's code's doing.
    pub storage_failed: bool,
    /// What its event descends from.
    pub origin: OriginId,
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// A turn's code has done. Takes what it has left out of its end, which is large.
    pub(super) fn end_turn(
        &mut self,
        id: PartyId,
        incarnation: u32,
        turn: &mut TurnEnd,
        watch: &mut dyn Observer,
    ) {
        let origin = turn.origin;
        match turn.aborted.take() {
            None => {
                let crossing = turn.crossing.take();
                self.commit(id, incarnation, turn, watch);
                if let Some(crossing) = crossing {
                    self.cross(id, incarnation, crossing, watch);
                }
            }
            Some(error) => {
                let end = IncarnationEnd {
                    outputs: std::mem::take(&mut turn.outputs),
                    error,
                    origin,
                    run: if turn.storage_failed {
                        Interrupted::DoesNotCount
                    } else {
                        Interrupted::Counts
                    },
                };
                self.abort(id, incarnation, turn.undo, end, watch);
            }
        }
        self.drop_stubs_of(id, incarnation, &turn.ended);
    }

    /// A statement has rolled back what it was part of, and each that followed was committed by itself: where the turn
    /// ends its incarnation, that stays (`workerd.md` T9). They make one commit, for nothing happens between them.
    pub(super) fn autocommit(
        &mut self,
        id: PartyId,
        incarnation: u32,
        turn: &mut TurnEnd,
        watch: &mut dyn Observer,
    ) {
        if self.party(id).current.number != incarnation {
            return;
        }
        // Somebody may have read what is rolled back.
        self.party_mut(id).changed = Changed::Everything;
        if turn.aborted.is_some()
            && let Some(undo) = turn.undo.take()
        {
            self.commit_writes(id, undo, Vec::new(), turn.origin, &turn.writes, watch);
        }
    }

    /// Its writes go to the storage, and its messages leave, each when all writes made before it are durable.
    fn commit(&mut self, id: PartyId, incarnation: u32, turn: &mut TurnEnd, watch: &mut dyn Observer) {
        let is_current = self.party(id).current.number == incarnation;
        let open_gate = self.sabotaged(Sabotage::OpenGate);
        let now = self.now;
        let mut behind = Vec::new();
        let mut first_waits = None;
        let mut outputs = std::mem::take(&mut turn.outputs);
        for held in outputs.drain(..) {
            let storage = self.party_mut(id).storage.as_mut().filter(|_| is_current);
            let earlier = storage.and_then(|storage| storage.unconfirmed.back_mut());
            // A digest, a sleep or a read is not output: the gate does not hold it.
            let gated = !matches!(held.output, Output::Service { .. });
            let gated = gated && !open_gate;
            match earlier {
                _ if gated && held.behind_write => behind.push(held),
                Some(earlier) if gated => {
                    if earlier.waits_since.is_none() {
                        earlier.waits_since = Some(now);
                        first_waits = Some(earlier.nth);
                    }
                    earlier.held.push(held);
                }
                _ => self.release(id, incarnation, held, now, watch),
            }
        }
        self.room = outputs;
        if let Some(nth) = first_waits.filter(|_| self.is_slow(id)) {
            self.time_gate(id, nth);
        }
        if !is_current {
            return;
        }
        self.party_mut(id).changed.add(&turn.writes);
        match turn.undo {
            Some(undo) => self.commit_writes(id, undo, behind, turn.origin, &turn.writes, watch),
            None => assert!(
                behind.is_empty(),
                "a message waits for a write of a turn that wrote nothing"
            ),
        }
        self.sync_alarm(id);
    }

    fn commit_writes(
        &mut self,
        id: PartyId,
        undo: Undo,
        held: Vec<Held>,
        origin: OriginId,
        writes: &Writes,
        watch: &mut dyn Observer,
    ) {
        let (takes, source) = (self.knobs.confirm, self.source(origin));
        let takes = takes.draw(&mut self.chance, Purpose::Confirm, source, &Text::default());
        let stalled = self.strikes(FaultKind::CommitStalled, id, id, origin, &Text::default(), watch);
        // A time that is earlier than the alarm's manager knows is told to it first, and the commit waits.
        let synced = self.tell_manager_of_earlier(id, origin);
        let now = self.now;
        let party = self.party_mut(id);
        let (who, incarnation) = (party.who.clone(), party.current.number);
        let storage = party.storage.as_mut().expect("only an object writes");
        let nth = storage.commits;
        storage.commits += 1;
        storage.written_by = Some(party.current.version);
        // What an open transaction has written is in the store, and not in the commit.
        let sums_up = S::DIGEST_IS_CHEAP || nth.is_multiple_of(CONTENTS_EVERY);
        let sums_up = sums_up && !party.current.in_transaction();
        let leaves = sums_up.then(|| storage.store.digest());
        party.audit.contents = leaves;
        // Commits are confirmed in the order they were made.
        let due = now.after(synced).after(takes).max(storage.last_confirm);
        storage.last_confirm = due;
        storage.unconfirmed.push_back(Commit {
            nth,
            mark: undo.mark,
            alarm_before: undo.alarm,
            waits_since: (!held.is_empty()).then_some(now),
            held,
            origin,
            leaves,
        });
        let what = What::Committed {
            nth,
            tables: writes.tables(),
        };
        self.see(&who, what, watch);
        if stalled || due.since(now) > GATE_TIMEOUT {
            self.time_gate(id, nth);
        }
        if !stalled {
            self.schedule(due, origin, Pending::Confirmed(id, incarnation, nth));
        }
    }

    /// Whether a commit that was made may not be confirmed for as long as the gate waits.
    fn is_slow(&self, id: PartyId) -> bool {
        let storage = self.party(id).storage.as_ref();
        let due = storage.map_or(Micros::ZERO, |storage| storage.last_confirm);
        due.since(self.now) > GATE_TIMEOUT || self.is_struck(FaultKind::CommitStalled, id, id)
    }

    /// A commit is stalled: the gate waits for it from when the first message began to wait.
    fn time_gate(&mut self, id: PartyId, nth: u64) {
        let party = self.party(id);
        let Some(commit) = party.unconfirmed_commit(nth) else {
            return;
        };
        let (origin, incarnation) = (commit.origin, party.current.number);
        if let Some(since) = commit.waits_since {
            let pending = Pending::GateTimeout(id, incarnation, nth);
            self.schedule(since.after(GATE_TIMEOUT), origin, pending);
        }
    }

    /// A commit is durable, or has failed; or it is stalled. Confirmations that come late, behind a stall, come with
    /// those before them.
    pub(super) fn confirm(&mut self, id: PartyId, incarnation: u32, nth: u64, watch: &mut dyn Observer) {
        if self.party(id).current.number != incarnation {
            return;
        }
        let kind = FaultKind::CommitStalled;
        if self.is_struck(kind, id, id) {
            self.see(&self.party(id).who, What::Fault { kind }, watch);
            self.time_gate(id, nth);
            return;
        }
        while let Some(first) = self.oldest_unconfirmed(id).filter(|(first, _)| *first <= nth) {
            if !self.confirm_oldest(id, first.1, watch) {
                return;
            }
        }
    }

    /// Commits are confirmed again: all that were made.
    pub(super) fn end_stall(&mut self, id: PartyId, watch: &mut dyn Observer) {
        let incarnation = self.party(id).current.number;
        self.confirm(id, incarnation, u64::MAX, watch);
    }

    fn oldest_unconfirmed(&self, id: PartyId) -> Option<(u64, OriginId)> {
        let storage = self.party(id).storage.as_ref()?;
        let commit = storage.unconfirmed.front()?;
        Some((commit.nth, commit.origin))
    }

    /// The oldest unconfirmed commit is durable; false where it fails, and the incarnation with it.
    fn confirm_oldest(&mut self, id: PartyId, origin: OriginId, watch: &mut dyn Observer) -> bool {
        let storage = self.party_mut(id).storage.as_mut();
        let aimed = storage.is_some_and(|storage| std::mem::take(&mut storage.next_commit_fails));
        let kind = FaultKind::CommitFailed;
        if aimed {
            self.see(&self.party(id).who, What::Fault { kind }, watch);
        }
        if aimed || self.strikes(kind, id, id, origin, &Text::default(), watch) {
            self.commit_fails(id, origin, watch);
            return false;
        }
        let commit = self.pop_unconfirmed(id);
        let commit = commit.expect("a confirmation is of a commit that waits for it");
        let party = self.party_mut(id);
        // A turn that holds the thread and has written can still be lost, and so can a transaction: they need their
        // marks.
        let turn = party.current.holding.as_ref().and_then(|turn| turn.undo);
        let storage = party.storage.as_mut().expect("only an object commits");
        if storage.unconfirmed.is_empty() && party.current.uncommitted(turn).is_none() {
            storage.store.forget_all();
        }
        let (who, incarnation) = (party.who.clone(), party.current.number);
        self.see(&who, What::Confirmed { nth: commit.nth }, watch);
        for held in commit.held {
            self.release(id, incarnation, held, self.now, watch);
        }
        self.tell_manager_of_later(id, commit.origin, watch);
        true
    }

    /// The oldest commit that was not confirmed is durable.
    pub(super) fn pop_unconfirmed(&mut self, id: PartyId) -> Option<Commit> {
        let party = self.party_mut(id);
        let commit = party.storage.as_mut()?.unconfirmed.pop_front()?;
        party.audit.durable = commit.nth + 1;
        party.audit.durable_contents = commit.leaves;
        Some(commit)
    }

    /// The oldest unconfirmed commit, and so all later ones, cannot be made durable: what waits for them is never
    /// sent, and the object is reset (`platform.md` section 3, item 1; `workerd.md` T11).
    fn commit_fails(&mut self, id: PartyId, origin: OriginId, watch: &mut dyn Observer) {
        let error = of_reset(CallError::thrown("database or disk is full: SQLITE_FULL"));
        let end = IncarnationEnd {
            outputs: Vec::new(),
            error,
            origin,
            // Nobody's code has failed (`platform.md` section 6, item 6).
            run: Interrupted::DoesNotCount,
        };
        self.lose(id, 0, end, watch);
    }

    /// A message has waited for a commit for as long as the gate waits: the object is reset.
    pub(super) fn gate_timeout(&mut self, id: PartyId, incarnation: u32, nth: u64, watch: &mut dyn Observer) {
        let party = self.party(id);
        let waits = party.unconfirmed_commit(nth);
        let Some(commit) = waits.filter(|_| party.current.number == incarnation) else {
            return;
        };
        let origin = commit.origin;
        let error = CallError {
            remote: true,
            overloaded: true,
            reset: true,
            ..CallError::thrown(
                "Durable Object storage operation exceeded timeout which caused object to be reset.",
            )
        };
        let end = IncarnationEnd {
            outputs: Vec::new(),
            error,
            origin,
            run: Interrupted::DoesNotCount,
        };
        let kind = FaultKind::GateTimeout;
        self.see(&self.party(id).who, What::Fault { kind }, watch);
        let survivors = self.draw_survivors(id, origin);
        self.lose(id, survivors, end, watch);
    }
}

/// Of which commits the contents are summed up for PL-3, in a store where that costs as much as there are rows.
const CONTENTS_EVERY: u64 = 256;

/// What of an object's storage may have changed since somebody last asked.
impl Changed {
    pub(super) fn add(&mut self, writes: &Writes) {
        match self {
            Changed::Everything => {}
            Changed::Tables(tables) => tables.add(writes),
        }
    }
}
