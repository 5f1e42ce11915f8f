//! The clock of a sweep, and what may end it.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "for people, and to end a sweep between two runs: no run sees it"
)]

use std::time::{Duration, Instant};

use sim::search::{Watcher, shrink};

use super::interrupt::Interrupt;
use super::progress::Progress;

/// Waits for a sweep.
#[derive(Debug)]
pub struct Clock {
    began: Instant,
    most: Option<Duration>,
    interrupt: Interrupt,
    progress: Progress,
}

impl Clock {
    /// The sweep begins now, and lasts so long at most.
    pub fn start(most: Option<Duration>, interrupt: Interrupt, progress: Progress) -> Self {
        Clock {
            began: Instant::now(),
            most,
            interrupt,
            progress,
        }
    }

    /// The sweep is over: how long it took.
    pub fn stop(&self) -> Duration {
        self.progress.clear();
        self.began.elapsed()
    }

    /// What may end it, for what comes after it.
    pub fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }
}

impl Watcher for Clock {
    fn time(&self) -> Duration {
        self.began.elapsed()
    }

    fn is_over(&self) -> bool {
        self.is_interrupted() || self.most.is_some_and(|most| self.began.elapsed() >= most)
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.asked()
    }

    fn done(&self, events: u64) {
        self.progress.run_done(events);
    }
}

impl shrink::Watcher for Clock {
    fn is_over(&self) -> bool {
        self.interrupt.asked()
    }

    fn ran(&self, events: u64) {
        self.progress.run_done(events);
    }

    fn shrunk(&self, items: usize) {
        self.progress.items_left(items);
    }
}
