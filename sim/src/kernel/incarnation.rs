//! One life of an object's memory, or of an isolate's.

use std::collections::{BTreeMap, VecDeque};

use protocol::host::{CallId, Millis, TaskId};

use super::again::Attempts;
use super::choice::OriginId;
use super::commit::TurnEnd;
use super::party::{ReplyTo, Sent};
use super::rollout::Replaced;
use super::section::Section;
use super::stubs::{InFlight, Stubs};
use super::time::{EPOCH, Micros};
use super::wide::Guest;

/// The memory that code has made.
#[derive(Clone, Debug)]
pub(super) enum Life<P: Guest> {
    Object(P::Object),
    Front(P::Front),
}

/// How far a clock is from the true one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Skew {
    pub by: Micros,
    pub ahead: bool,
}

impl Skew {
    /// What the clock shows at an instant.
    #[inline]
    pub fn shown(self, at: Micros) -> Millis {
        if self.by == Micros::ZERO {
            return at.shown();
        }
        let since = i128::from(at.0) + self.signed();
        let millis = since.div_euclid(1_000);
        let shown = i128::from(EPOCH.0).saturating_add(millis).max(0);
        Millis(u64::try_from(shown).unwrap_or(u64::MAX))
    }

    /// The first instant at which the clock shows `millis`; the beginning where that was before.
    pub fn when_shown(self, millis: Millis) -> Micros {
        let true_one = i128::from(Micros::when_shown(millis).0) - self.signed();
        Micros(u64::try_from(true_one.max(0)).unwrap_or(u64::MAX))
    }

    fn signed(self) -> i128 {
        let by = i128::from(self.by.0);
        if self.ahead { by } else { -by }
    }
}

/// What the kernel knows of a task, by its number. A number that is used again has another task's.
#[derive(Clone, Debug)]
pub(super) struct TaskEntry {
    /// What it descends from.
    pub origin: OriginId,
    /// Who is told of its end, where an event began it and it has not ended.
    pub reply_to: Option<ReplyTo>,
}

/// One life of a party's memory: what dies with it.
#[derive(Clone, Debug)]
pub(super) struct Incarnation<P: Guest> {
    /// Counted from 0; the next one's is higher.
    pub number: u32,
    /// The version of the code that it runs, from its first event on.
    pub version: usize,
    /// Why it goes on without its storage, where it does.
    pub replaced: Replaced,
    /// Made by the first event.
    pub life: Option<Life<P>>,
    pub skew: Skew,
    /// Whether the code can ask for its name.
    pub named: bool,
    /// By number of task.
    pub tasks: Vec<Option<TaskEntry>>,
    /// What it knows of its stubs. An object's live as long as its incarnation; a front Worker's as long as the task
    /// that used them, since the runtime lets nothing that was opened for one request be used for another.
    pub stubs: Stubs,
    /// Its calls on these stubs whose answers are still to come, by number.
    pub in_flight: Vec<InFlight>,
    /// Its calls that the runtime may try again.
    pub attempts: BTreeMap<CallId, Attempts>,
    /// How many operations it has begun whose answers are still to come.
    pub outstanding: u64,
    /// A turn whose code has declared work and holds the thread: what it leaves when it has done.
    pub holding: Option<TurnEnd>,
    /// What has arrived while the thread was held, in the order it came.
    pub waiting: VecDeque<Box<Sent>>,
    /// The critical sections that it is in, outermost first.
    pub sections: Vec<Section>,
    /// How many turns it has had.
    pub turns: u64,
    /// In which incarnation its memory was made: in this one (PL-6).
    pub born: u32,
    /// What its clock showed last (PL-7).
    pub shown: Millis,
}

impl<P: Guest> Incarnation<P> {
    /// One that no event has reached yet.
    pub fn new(number: u32, skew: Skew) -> Self {
        Incarnation {
            number,
            version: 0,
            replaced: Replaced::default(),
            life: None,
            skew,
            named: true,
            tasks: Vec::new(),
            stubs: Stubs::default(),
            in_flight: Vec::new(),
            attempts: BTreeMap::new(),
            outstanding: 0,
            holding: None,
            waiting: VecDeque::new(),
            sections: Vec::new(),
            turns: 0,
            born: number,
            shown: Millis::ZERO,
        }
    }

    /// What a task descends from.
    pub fn origin_of(&self, task: TaskId) -> Option<OriginId> {
        Some(self.tasks.get(task.0 as usize)?.as_ref()?.origin)
    }

    /// Whether nothing is under way in it: it could be evicted (`platform.md` section 7, item 1).
    pub fn is_quiescent(&self) -> bool {
        self.outstanding == 0 && self.is_idle()
    }

    /// Whether no event is in progress in it. What it has begun, and nobody waits for, may be under way (section 7, item 4).
    pub fn is_idle(&self) -> bool {
        self.holding.is_none()
            && self.waiting.is_empty()
            && self.sections.is_empty()
            && self.tasks.iter().flatten().all(|task| task.reply_to.is_none())
    }
}

/// The entry of a task, made where there is none.
pub(super) fn set_task(tasks: &mut Vec<Option<TaskEntry>>, task: TaskId, entry: TaskEntry) {
    let at = task.0 as usize;
    if tasks.len() <= at {
        tasks.resize(at + 1, None);
    }
    tasks[at] = Some(entry);
}
