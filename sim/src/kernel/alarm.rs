//! Alarms: one an object, at least once, retried, and given up (`platform.md` section 6).
//!
//! The time stands twice: in the object's storage, where code sets it, and with a manager, who wakes the object. The
//! manager hears of an earlier time before the commit that sets it, and of a later one, or of none, some time after;
//! so it may wake an object too early, and never too late.

mod manager;

use protocol::host::Millis;

use super::queue::EventKey;
use super::time::Micros;

/// How many retries of a failing alarm there are: seven runs in all.
const RETRIES: u32 = 6;

/// The wait before the first retry; each later one is twice as long, up to 1,024 s.
const FIRST_RETRY: Micros = Micros::from_millis(2_000);
const DOUBLINGS: u32 = 9;

/// An object's one alarm.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Alarm {
    /// When it is due, by the object's clock, as its storage has it.
    pub stored: Option<Millis>,
    /// Whether it was ever set: the platform has a table for it from then on.
    pub has_table: bool,
    /// The run that is under way.
    pub running: Option<Running>,
    /// What the manager knows: its event in the queue, and the time it is for.
    manager: Option<(EventKey, Millis)>,
    /// How many runs in a row have failed and count.
    failed: u32,
    /// How often the wait before the next retry has doubled.
    backoff: u32,
    /// Whether the last run failed without counting.
    uncounted: bool,
    /// Whether the manager's event is a retry.
    retrying: bool,
    /// Whether its own run has set it to now, on a platform where it gets stuck then.
    stuck: bool,
    /// How many times an event of it was put into the queue, or taken out: tells the one that counts.
    armed: u64,
}

/// The part of an alarm that is undone together with writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct AlarmBefore {
    stored: Option<Millis>,
    has_table: bool,
    set_since: bool,
    set_to_now: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Running {
    pub incarnation: u32,
    /// The time it is of.
    pub scheduled: Millis,
    /// Whether the alarm was set or cleared since the run began …
    pub set_since: bool,
    /// … and by the run itself, to a time that had come by then.
    pub set_to_now: bool,
}

/// The manager's waking of an object. Valid while the alarm was not armed again since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct AlarmCall {
    /// How many counted runs have failed before.
    retry: u32,
    /// Whether it is a run after a failed one.
    again: bool,
    /// Whether it is late beyond what is usual.
    late: bool,
    armed: u64,
}

/// What becomes of a run that its incarnation did not survive (`platform.md` section 6, item 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interrupted {
    /// It is a failed run like any other: the code's own doing (`workerd.md` A9).
    Counts,
    /// It is tried again after a wait, however often: the storage's doing.
    DoesNotCount,
    /// Nobody has kept count: the alarm is simply overdue (A10, A11).
    Forgotten,
}

impl Alarm {
    /// What code sees: inside a run, nothing, unless it was set since (`platform.md` section 6, item 3).
    pub fn seen(&self) -> Option<Millis> {
        match self.running {
            Some(Running { set_since: false, .. }) => None,
            _ => self.stored,
        }
    }

    /// What a write can change of it.
    pub fn before(&self) -> AlarmBefore {
        AlarmBefore {
            stored: self.stored,
            has_table: self.has_table,
            set_since: self.running.is_some_and(|run| run.set_since),
            set_to_now: self.running.is_some_and(|run| run.set_to_now),
        }
    }

    /// Undoes what was written since.
    pub fn restore(&mut self, before: AlarmBefore) {
        self.stored = before.stored;
        self.has_table = before.has_table;
        if let Some(run) = &mut self.running {
            run.set_since = before.set_since;
            run.set_to_now = before.set_to_now;
        }
    }

    /// Whether to set it so changes anything. The same time once more does not (`platform.md` section 6, item 1), a
    /// pending retry included.
    pub fn changes(&self, at: Option<Millis>) -> bool {
        self.running.is_some() || self.stored != at
    }

    /// Sets it, or clears it; `to_now` where its own run sets it to a time that has come.
    pub fn set(&mut self, at: Option<Millis>, to_now: bool) {
        self.stored = at;
        self.has_table |= at.is_some();
        if let Some(running) = &mut self.running {
            running.set_since = true;
            running.set_to_now = to_now;
        }
    }

    /// Whether the manager will do something about it.
    pub fn is_awaited(&self) -> bool {
        self.manager.is_some()
    }

    /// What, besides the times, decides what can happen.
    pub fn summary(&self) -> impl std::hash::Hash {
        let run = self.running.map(|run| (run.set_since, run.set_to_now));
        (
            run,
            self.has_table,
            self.failed,
            self.backoff,
            self.uncounted,
            self.retrying,
            self.stuck,
        )
    }

    /// Another alarm counts its runs from the start.
    fn starts_anew(&mut self) {
        (self.failed, self.backoff, self.uncounted, self.retrying) = (0, 0, false, false);
    }

    /// A run has failed. How long until the next one; none where the alarm is given up.
    fn fails(&mut self, counts: bool) -> Option<Micros> {
        if counts {
            if std::mem::take(&mut self.uncounted) {
                self.backoff = 0;
            }
            if self.failed == RETRIES {
                return None;
            }
            self.failed += 1;
        } else {
            self.uncounted = true;
        }
        let wait = Micros(FIRST_RETRY.0 << self.backoff.min(DOUBLINGS));
        self.backoff += 1;
        Some(wait)
    }
}
