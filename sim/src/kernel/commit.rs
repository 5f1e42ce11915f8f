//! Commits, the output gate, and the end of an incarnation (`platform.md` sections 3, 4, 9).

use protocol::host::{CallError, Text};
use protocol::task::Program;

use super::choice::{OriginId, Purpose};
use super::party::{Commit, Connection, Delivery, Held, Output, PartyId, ReplyTo};
use super::storage::Store;
use super::turn::Undo;
use super::watch::{FaultKind, Observer, What};
use super::{Kernel, Pending};

/// What a turn leaves.
#[derive(Clone, Debug)]
pub(super) struct TurnEnd {
    /// How things were before its first write, if it wrote.
    pub undo: Option<Undo>,
    /// What it asked for, in order.
    pub outputs: Vec<Held>,
    /// Why the incarnation ends with it, if it does.
    pub aborted: Option<Text>,
    /// What its event descends from.
    pub origin: OriginId,
}

/// How an incarnation ends.
pub(super) struct IncarnationEnd<'a> {
    /// What its last turn asked for, which is lost, but for what must be told to those who wait.
    pub outputs: Vec<Held>,
    /// Why, as its callers are told.
    pub why: &'a Text,
    /// What that descends from.
    pub origin: OriginId,
}

impl<P: Program, S: Store> Kernel<P, S> {
    /// A turn's code has done.
    pub(super) fn end_turn(&mut self, id: PartyId, turn: TurnEnd, watch: &mut dyn Observer) {
        match &turn.aborted {
            None => self.commit(id, turn, watch),
            Some(why) => {
                let (
                    why,
                    TurnEnd {
                        undo,
                        outputs,
                        origin,
                        ..
                    },
                ) = (why.clone(), turn);
                self.abort(
                    id,
                    undo,
                    IncarnationEnd {
                        outputs,
                        why: &why,
                        origin,
                    },
                    watch,
                );
            }
        }
    }

    /// Its writes go to the storage, and its messages leave, each when all writes made before it are durable.
    fn commit(&mut self, id: PartyId, turn: TurnEnd, watch: &mut dyn Observer) {
        let mut behind = Vec::new();
        for held in turn.outputs {
            let storage = self.party_mut(id).storage.as_mut();
            let earlier = storage.and_then(|storage| storage.unconfirmed.back_mut());
            // A digest, a sleep or a read is not output: the gate does not hold it.
            let gated = !matches!(held.output, Output::Service { .. });
            match earlier {
                _ if gated && held.behind_write => behind.push(held),
                Some(earlier) if gated => earlier.held.push(held),
                _ => self.release(id, held, self.now, watch),
            }
        }
        if let Some(undo) = turn.undo {
            self.commit_writes(id, undo, behind, turn.origin, watch);
        } else {
            assert!(
                behind.is_empty(),
                "a message waits for a write of a turn that wrote nothing"
            );
        }
        self.sync_alarm(id);
    }

    fn commit_writes(
        &mut self,
        id: PartyId,
        undo: Undo,
        held: Vec<Held>,
        origin: OriginId,
        watch: &mut dyn Observer,
    ) {
        let (takes, source) = (self.knobs.confirm, self.source(origin));
        let takes = takes.draw(&mut self.chance, Purpose::Confirm, source, &Text::default());
        let now = self.now;
        let party = self.party_mut(id);
        let (who, incarnation) = (party.who.clone(), party.incarnation);
        let storage = party.storage.as_mut().expect("only an object writes");
        let nth = storage.commits;
        storage.commits += 1;
        // Commits are confirmed in the order they were made.
        let due = now.after(takes).max(storage.last_confirm);
        storage.last_confirm = due;
        storage.unconfirmed.push_back(Commit {
            nth,
            mark: undo.mark,
            alarm_before: undo.alarm,
            held,
        });
        self.see(&who, What::Committed { nth }, watch);
        self.schedule(due, origin, Pending::Confirmed(id, incarnation));
    }

    /// The oldest unconfirmed commit is durable.
    pub(super) fn confirm(&mut self, id: PartyId, incarnation: u32, watch: &mut dyn Observer) {
        let party = self.party_mut(id);
        if party.incarnation != incarnation {
            return;
        }
        let storage = party.storage.as_mut().expect("only an object commits");
        let commit = storage
            .unconfirmed
            .pop_front()
            .expect("a confirmation is of a commit that waits for it");
        // A turn that holds the thread and has written can still be lost: it needs its mark.
        let may_be_lost = party.holding.as_ref().is_some_and(|turn| turn.undo.is_some());
        if storage.unconfirmed.is_empty() && !may_be_lost {
            storage.store.forget_all();
        }
        let who = party.who.clone();
        self.see(&who, What::Confirmed { nth: commit.nth }, watch);
        for held in commit.held {
            self.release(id, held, self.now, watch);
        }
    }

    /// The code has aborted its object, or a statement has broken it: the turn's writes are lost, those of earlier
    /// turns stay (`workerd.md` T1).
    pub(super) fn abort(
        &mut self,
        id: PartyId,
        undo: Option<Undo>,
        end: IncarnationEnd<'_>,
        watch: &mut dyn Observer,
    ) {
        let storage = self
            .party_mut(id)
            .storage
            .as_mut()
            .expect("only an object can be aborted");
        if let Some(undo) = undo {
            storage.store.rollback_to(undo.mark);
            storage.alarm.restore(undo.alarm);
        }
        let survivors = storage.unconfirmed.len();
        self.end_incarnation(id, survivors, end, watch);
        self.interrupt_alarm_run(id, true);
    }

    /// A machine fails, code is updated, memory runs out: an object loses its memory, and a suffix of the commits that
    /// nobody was told of yet (`platform.md` section 14, item 2). An object that is not loaded has nothing to lose.
    pub(super) fn reset_now(&mut self, id: PartyId, origin: OriginId, watch: &mut dyn Observer) {
        if self.party(id).life.is_none() {
            return;
        }
        let party = self.party_mut(id);
        // A turn whose code had not done has written nothing.
        let unfinished = party.holding.take();
        let undo = unfinished.as_ref().and_then(|turn| turn.undo);
        if let (Some(undo), Some(storage)) = (undo, &mut party.storage) {
            storage.store.rollback_to(undo.mark);
            storage.alarm.restore(undo.alarm);
        }
        let unconfirmed = party
            .storage
            .as_ref()
            .map_or(0, |storage| storage.unconfirmed.len());
        let source = self.source(origin);
        let lost = self.chance.choose(
            Purpose::Survivors,
            source,
            &Text::default(),
            unconfirmed as u64 + 1,
        );
        let survivors = unconfirmed - usize::try_from(lost).expect("no more commits are lost than there are");
        if lost > 0 {
            let storage = self
                .party_mut(id)
                .storage
                .as_mut()
                .expect("only an object has commits");
            let first_lost = &storage.unconfirmed[survivors];
            storage.alarm.restore(first_lost.alarm_before);
            storage.store.rollback_to(first_lost.mark);
        }
        let why = Text::new_static("Durable Object reset because its machine failed.");
        self.end_incarnation(
            id,
            survivors,
            IncarnationEnd {
                outputs: unfinished.map_or_else(Vec::new, |turn| turn.outputs),
                why: &why,
                origin,
            },
            watch,
        );
        self.interrupt_alarm_run(id, false);
        let who = self.party(id).who.clone();
        self.see(
            &who,
            What::Fault {
                kind: FaultKind::Reset,
            },
            watch,
        );
        if lost > 0 {
            self.see(
                &who,
                What::Fault {
                    kind: FaultKind::CommitsLost,
                },
                watch,
            );
        }
    }

    /// Ends an incarnation. Everybody who still waits for an answer of it, held back ones included, gets an error.
    fn end_incarnation(
        &mut self,
        id: PartyId,
        survivors: usize,
        end: IncarnationEnd<'_>,
        watch: &mut dyn Observer,
    ) {
        let who = self.party(id).who.clone();
        let origin = self.chance.origin_of(end.origin).clone();
        let what = What::Reset {
            reason: end.why,
            survivors: survivors as u64,
            origin: &origin,
        };
        self.see(&who, what, watch);
        let party = self.party_mut(id);
        party.life = None;
        party.incarnation += 1;
        party.stubs.clear();
        party.in_flight.clear();
        let origins = std::mem::take(&mut party.origins);
        let open = std::mem::take(&mut party.replies).into_iter();
        let mut told: Vec<_> = open
            .map(|(task, to)| (to, origins.get(&task).copied().unwrap_or(end.origin)))
            .collect();
        // What had arrived while the code held the thread is told of the end too.
        let mut alarm = None;
        for sent in std::mem::take(&mut party.waiting) {
            match sent.delivery {
                Delivery::Request { reply_to, .. } => told.push((reply_to, sent.origin)),
                Delivery::Alarm { .. } => alarm = Some(sent),
                Delivery::Answer { .. } => {}
            }
        }
        let mut held = Vec::new();
        if let Some(storage) = &mut party.storage {
            held.extend(storage.unconfirmed.drain(..).flat_map(|commit| commit.held));
            storage.store.forget_all();
        }
        told.extend(
            held.into_iter()
                .chain(end.outputs)
                .filter_map(|held| match held.output {
                    Output::Reply { to, .. } => Some((to, held.origin)),
                    _ => None,
                }),
        );
        if let Some(sent) = alarm {
            self.deliver_alarm_again(id, sent);
        }
        let error = CallError {
            remote: true,
            reset: true,
            ..CallError::thrown(end.why.clone())
        };
        for (to, origin) in told.into_iter().filter(|(to, _)| *to != ReplyTo::Alarm) {
            self.tell(to, Err(error.clone()), Connection::Lost, origin, self.now, watch);
        }
    }
}
