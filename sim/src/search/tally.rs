//! What the runs of one scenario have shown, taken together.

use std::collections::BTreeMap;
use std::time::Duration;

use protocol::host::Text;

use crate::check::{Marks, Measures, Verdict};
use crate::kernel::Micros;
use crate::run::{OnTwoStores, Report};

/// One in so many runs of a scenario is repeated on the other store, and another one on the same store.
pub const SHARE: u64 = 20;

/// What a run of a sweep is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Itself on the other store.
    OtherStore,
    /// Itself.
    Twice,
    /// Nothing, unless it finds something.
    No,
}

impl Repeat {
    /// Of the `nth` run of a scenario. Even a sweep of one run has one that is repeated.
    #[must_use]
    pub const fn of(nth: u64) -> Self {
        match nth % SHARE {
            0 => Repeat::OtherStore,
            10 => Repeat::Twice,
            _ => Repeat::No,
        }
    }
}

/// What one run has shown, and what it took.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) repeat: Repeat,
    pub(super) ran: OnTwoStores,
    pub(super) took: Duration,
}

/// The runs of one scenario in a sweep. All but `took` is the same however many threads there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many runs.
    pub seeds: u64,
    /// How many events, those of repeated runs counted once.
    pub events: u64,
    /// How much time passed in their worlds.
    pub simulated: Micros,
    /// For how long threads were at work on them.
    pub took: Duration,
    /// The marks that they passed.
    pub marks: Marks,
    /// How near they came to bounds.
    pub measures: Measures,
    /// How many violated which invariant.
    pub violated: BTreeMap<Text, u64>,
    /// How many differed from their repetition.
    pub differed: u64,
    /// How many have shown nothing, by the reason.
    pub void: BTreeMap<Text, u64>,
    /// How many were repeated on the other store …
    pub on_other_store: u64,
    /// … how many of those showed nothing there, by the reason …
    pub void_there: BTreeMap<Text, u64>,
    /// … and how many were run twice on the same store.
    pub twice: u64,
}

impl Tally {
    pub(super) fn add(&mut self, outcome: &Outcome) {
        let OnTwoStores { report, void } = &outcome.ran;
        self.seeds += 1;
        self.took += outcome.took;
        self.on_other_store += u64::from(outcome.repeat == Repeat::OtherStore);
        self.twice += u64::from(outcome.repeat == Repeat::Twice);
        if let Some(why) = void {
            *self.void_there.entry(why.clone()).or_default() += 1;
        }
        self.add_report(report);
    }

    fn add_report(&mut self, report: &Report) {
        self.events += report.events;
        self.simulated = self.simulated.after(report.simulated);
        self.marks.add(&report.marks);
        self.measures.add(&report.measures);
        match &report.verdict {
            Verdict::Passed => {}
            Verdict::Violated(violation) => {
                *self.violated.entry(violation.invariant.clone()).or_default() += 1;
            }
            Verdict::NotDeterministic(_) => self.differed += 1,
            Verdict::Void(why) => *self.void.entry(why.clone()).or_default() += 1,
        }
    }
}
