//! Critical sections: `blockConcurrencyWhile` and asynchronous transactions (`platform.md` 2.5 and 4.5, `workerd.md`
//! T6, I5 to I7, I10).

use std::collections::BTreeSet;

use protocol::host::{CallError, CallId, TaskId, Text};

use super::alarm::Interrupted;
use super::choice::OriginId;
use super::database::{Access, TransactionEnd, Undo};
use super::incarnation::Incarnation;
use super::network::of_reset;
use super::party::{Delivery, PartyId, Sent};
use super::queue::EventKey;
use super::reset::IncarnationEnd;
use super::storage::{Store, Writes};
use super::time::Micros;
use super::turn::Turn;
use super::watch::Observer;
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
    /// Its timeout in the queue; none before the turn in which it was entered has ended.
    pub timeout: Option<EventKey>,
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
    pub fn next_waiting(&mut self) -> Option<Sent> {
        let at = self.first_waiting()?;
        self.waiting.remove(at)
    }

    /// Where it goes back to if what it has not handed to the storage is lost: the writes of a turn that has not ended,
    /// and those of a transaction.
    pub fn uncommitted(&self, turn: Option<Undo>) -> Option<Undo> {
        let of_sections = self.sections.iter().filter_map(|section| section.undo);
        of_sections.chain(turn).min_by_key(|undo| undo.mark)
    }

    /// Whether a transaction is open.
    pub fn in_transaction(&self) -> bool {
        self.sections.iter().any(|section| section.undo.is_some())
    }
}

impl<S: Store> Wide for Turn<'_, S> {
    fn enter(&mut self, task: TaskId, kind: SectionKind) {
        if self.aborted.is_some() {
            return;
        }
        if self.sections.len() >= DEEPEST {
            let why = "too many critical sections within one another";
            self.aborted
                .get_or_insert_with(|| of_reset(CallError::thrown(why)));
            return;
        }
        let undo = match kind {
            SectionKind::Transaction => self.database().map(|database| database.begin_transaction()),
            SectionKind::Block => None,
        };
        self.sections.push(Section {
            kind,
            task,
            begun: Default::default(),
            undo,
            writes: Default::default(),
            wrote: false,
            timeout: None,
        });
    }

    fn leave(&mut self, task: TaskId, end: SectionEnd) {
        if self.aborted.is_some() {
            // It ends with its sections open, and what they have written is taken back.
            return;
        }
        let ended = self.sections.pop().expect("a section that is left was entered");
        assert_eq!(ended.task, task, "a task leaves the section that it has entered");
        self.timeouts.extend(ended.timeout);
        if let Some(outer) = self.sections.last_mut() {
            outer.begun.extend(ended.begun);
        }
        if let (SectionKind::Block, SectionEnd::Threw(error)) = (ended.kind, &end) {
            self.aborted.get_or_insert_with(|| of_reset(error.clone()));
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

impl<P: Guest, S: Store> Kernel<P, S> {
    /// Puts the timeouts of sections that a turn has entered into the queue.
    pub(super) fn time_sections(&mut self, id: PartyId, incarnation: u32, origin: OriginId) {
        let due = self.now.after(LONGEST);
        for depth in 0.. {
            let of_party = self.party(id).incarnation(incarnation);
            let Some(section) = of_party.and_then(|of_party| of_party.sections.get(depth)) else {
                return;
            };
            if section.timeout.is_none() {
                let key = self.schedule(due, origin, Pending::SectionTimeout(id, incarnation, origin));
                let of_party = self.party_mut(id).incarnation_mut(incarnation);
                let section = of_party.and_then(|of_party| of_party.sections.get_mut(depth));
                section.expect("it was there a moment ago").timeout = Some(key);
            }
        }
    }

    /// Takes the timeouts of sections that have ended out of the queue.
    pub(super) fn forget_timeouts(&mut self, ended: Vec<EventKey>) {
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
