//! Critical sections: `blockConcurrencyWhile` and asynchronous transactions (`platform.md` 2.5 and 4.5, `workerd.md`
//! T6, I5 to I7, I10).

use std::collections::BTreeSet;

use protocol::host::{Answer, CallError, CallId, Label, TaskId, Text};

use super::alarm::Interrupted;
use super::calls::{Leaving, answered, caller};
use super::choice::OriginId;
use super::database::{Access, TransactionEnd, Undo, Unit};
use super::incarnation::Incarnation;
use super::network::{internal_error, of_reset};
use super::party::{Connection, Delivery, PartyId, Sent};
use super::queue::EventKey;
use super::reset::IncarnationEnd;
use super::storage::{Store, Writes};
use super::time::Micros;
use super::turn::Turn;
use super::unload::moved;
use super::watch::{Observer, StepId};
use super::wide::{Guest, SectionEnd, SectionKind, Wide};
use super::{Kernel, Pending};

/// How long a section may last: after that the object is reset.
const LONGEST: Micros = Micros::from_millis(30_000);

/// How many sections can be within one another.
const DEEPEST: usize = 64;

/// A critical section that is under way.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub kind: SectionKind,
    pub task: TaskId,
    /// What was begun within it and not yet answered.
    pub begun: BTreeSet<CallId>,
    /// Where a transaction goes back to.
    pub undo: Option<Undo>,
    /// The tables that a transaction can have written, and whether it has written at all.
    pub writes: Writes,
    pub wrote: bool,
    /// Whether a statement has rolled the transaction back: there is nothing to end any more.
    pub rolled_back: bool,
    /// Its timeout in the queue.
    pub timeout: EventKey,
}

/// The await with which a turn ends that enters a critical section or leaves one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    call: CallId,
    /// What is entered, unless one is left.
    enters: Option<SectionKind>,
    origin: OriginId,
}

impl<P: Guest> Incarnation<P> {
    /// Whether a delivery may have its turn now, as far as critical sections have a say.
    pub fn admits(&self, delivery: &Delivery) -> bool {
        match (self.sections.last(), delivery) {
            (None, _) => true,
            (Some(section), Delivery::Answer { to, .. }) => section.begun.contains(&to.call),
            (Some(_), Delivery::Request { .. } | Delivery::Alarm(_) | Delivery::Cancel { .. }) => false,
        }
    }

    /// The place of the first delivery that may have its turn among those that wait: children of a critical section
    /// come before all others (`platform.md` 2.4).
    pub fn first_waiting(&self) -> Option<usize> {
        self.waiting.iter().position(|sent| self.admits(&sent.delivery))
    }

    /// Takes it out.
    pub fn next_waiting(&mut self) -> Option<Box<Sent>> {
        let at = self.first_waiting()?;
        self.waiting.remove(at)
    }

    /// Where it goes back to if what it has not handed to the storage is lost: the writes of a turn that has not ended,
    /// and those of a transaction.
    pub fn uncommitted(&self, turn: Option<Undo>) -> Option<Undo> {
        // While a transaction is open, all that a turn writes is its.
        let outermost = self.sections.iter().find_map(|section| section.undo);
        outermost.or(turn)
    }

    /// What a write is part of.
    pub fn unit(&self) -> Unit {
        let mut sections = self.sections.iter();
        match sections.rfind(|section| section.kind == SectionKind::Transaction) {
            None => Unit::Turn,
            Some(section) if section.rolled_back => Unit::Statement,
            Some(_) => Unit::Transaction,
        }
    }

    /// Whether a transaction is open.
    pub fn in_transaction(&self) -> bool {
        self.sections.iter().any(|section| section.undo.is_some())
    }
}

impl<S: Store> Wide for Turn<'_, S> {
    fn enter(&mut self, call: CallId, kind: SectionKind) {
        if self.sections.len() >= DEEPEST {
            let why = "too many critical sections within one another";
            self.aborted
                .get_or_insert_with(|| of_reset(CallError::thrown(why)));
        }
        if kind == SectionKind::Transaction {
            // Only to see whether the storage is this incarnation's: the transaction begins when the turn has ended.
            self.database();
        }
        self.cross(call, Some(kind));
    }

    fn leave(&mut self, call: CallId, end: SectionEnd) {
        if self.aborted.is_some() {
            // It ends with its sections open, and what they have written is taken back.
            return;
        }
        let ended = self.sections.pop().expect("a section that is left was entered");
        assert_eq!(
            ended.task, call.task,
            "a task leaves the section that it has entered"
        );
        self.timeout = Some(ended.timeout);
        if let Some(outer) = self.sections.last_mut() {
            outer.begun.extend(ended.begun);
        }
        self.cross(call, None);
        if let (SectionKind::Block, SectionEnd::Threw(error)) = (ended.kind, &end) {
            self.aborted.get_or_insert_with(|| of_reset(error.clone()));
        }
        if ended.rolled_back {
            // The platform fails to end it, within what is a block to it (`workerd.md` T9).
            self.aborted.get_or_insert_with(|| of_reset(internal_error()));
        }
        let Some(undo) = ended.undo else { return };
        let mut transaction_end = TransactionEnd {
            keeps: end == SectionEnd::Done,
            wrote: ended.wrote,
            is_outermost: true,
        };
        if let Some(outer) = self.transaction() {
            transaction_end.is_outermost = false;
            if transaction_end.keeps {
                outer.wrote |= ended.wrote;
                outer.writes.add(&ended.writes);
            }
        }
        if let Access::Own(database) = &mut self.access {
            database.writes.add(&ended.writes);
            database.end_transaction(undo, transaction_end);
        }
    }
}

impl<S: Store> Turn<'_, S> {
    /// The code goes on behind the border of a section, in a turn of its own.
    fn cross(&mut self, call: CallId, enters: Option<SectionKind>) {
        assert!(
            self.crossing.is_none(),
            "a turn enters a critical section, or leaves one, once at most"
        );
        // Whoever enters one is answered within it.
        *self.outstanding += 1;
        if enters.is_none()
            && let Some(outer) = self.sections.last_mut()
        {
            outer.begun.insert(call);
        }
        self.crossing = Some(Crossing {
            call,
            enters,
            origin: self.origin_of(call.task),
        });
    }
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// A turn that enters a critical section, or leaves one, has ended, and its writes are committed: its code goes on
    /// before anything else happens to the object (`workerd.md` I5, I6).
    pub(super) fn cross(
        &mut self,
        id: PartyId,
        incarnation: u32,
        crossing: Crossing,
        watch: &mut dyn Observer,
    ) {
        let Crossing { call, enters, origin } = crossing;
        let is_current = self.party(id).current.number == incarnation;
        if enters == Some(SectionKind::Transaction) && !is_current {
            // The storage was given to another incarnation while the code held the thread.
            let of_party = self.party(id).incarnation(incarnation);
            let end = IncarnationEnd {
                outputs: Vec::new(),
                error: of_party.map_or_else(moved, |of_party| of_party.replaced.error()),
                origin,
                run: Interrupted::Forgotten,
            };
            self.end_stale(id, incarnation, end, watch);
            return;
        }
        if let Some(kind) = enters {
            let due = self.now.after(LONGEST);
            let timeout = self.schedule(due, origin, Pending::SectionTimeout(id, incarnation, origin));
            let party = self.party_mut(id);
            let storage = party.storage.as_mut();
            let undo = storage
                .filter(|_| kind == SectionKind::Transaction)
                .map(|storage| Undo::here(&mut storage.store, &storage.alarm));
            if let Some(of_party) = party.incarnation_mut(incarnation) {
                of_party.sections.push(Section {
                    kind,
                    task: call.task,
                    begun: BTreeSet::from([call]),
                    undo,
                    writes: Default::default(),
                    wrote: false,
                    rolled_back: false,
                    timeout,
                });
            }
        }
        let leaving = Leaving {
            origin,
            at: self.now,
            step: StepId(self.steps),
            depends: None,
        };
        let to = caller(id, incarnation, call, Label("section"));
        let goes_on = answered(to, Ok(Answer::Done), Connection::Stands, leaving);
        if let Some(of_party) = self.party_mut(id).incarnation_mut(incarnation) {
            of_party.waiting.push_front(goes_on);
        }
    }

    /// Takes the timeouts of sections that have ended out of the queue.
    pub(super) fn forget_timeouts(&mut self, ended: impl IntoIterator<Item = EventKey>) {
        for key in ended {
            self.queue.take(key);
        }
    }

    /// A section has lasted too long: it is cancelled, and the object reset (`workerd.md` I10).
    pub(super) fn section_timeout(
        &mut self,
        id: PartyId,
        incarnation: u32,
        origin: OriginId,
        watch: &mut dyn Observer,
    ) {
        if self.party(id).incarnation(incarnation).is_none() {
            return;
        }
        let why = Text::new_static(
            "A call to blockConcurrencyWhile() in a Durable Object waited for too long. The call was canceled and the \
             Durable Object was reset.",
        );
        let error = CallError {
            remote: true,
            overloaded: true,
            reset: true,
            ..CallError::thrown(why)
        };
        let end = IncarnationEnd {
            outputs: Vec::new(),
            error,
            origin,
            run: Interrupted::Counts,
        };
        self.break_incarnation(id, incarnation, end, watch);
    }
}
