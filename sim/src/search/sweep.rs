//! Many seeds of a few scenarios, on several threads.
//!
//! Threads take jobs in the order of the schedule and finish them in any; what they have shown is folded in the order of
//! the schedule. So what a sweep says does not depend on how many threads there are, and the violation that it stops at
//! is the first one of the schedule.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use protocol::task::Program;

use super::known::Known;
use super::tally::{Outcome, Repeat, Tally};
use super::{Job, Schedule};
use crate::check::{Identity, Verdict};
use crate::kernel::Deployment;
use crate::run::{OnTwoStores, Pools, StoreKind};
use crate::scenario::Scenario;
use crate::world::World;

/// How many runs a scenario has before a sweep ends whose time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Least {
    /// One: a scenario of which nothing has run has shown nothing.
    One,
    /// So many that its marks are judged.
    Judged,
}

impl Least {
    /// How many that are.
    #[must_use]
    pub const fn of<Own>(self, scenario: &Scenario<Own>) -> u64 {
        match self {
            Least::One => 1,
            Least::Judged => scenario.least_seeds,
        }
    }
}

/// What is swept, and how.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a, Own> {
    /// The scenarios. Each begins with the same seed.
    pub scenarios: &'a [Scenario<Own>],
    /// The first seed of each.
    pub from: u64,
    /// How many runs there are in all, which the scenarios share by their weights.
    pub seeds: u64,
    /// How many of them each scenario has, however little time there is.
    pub least: Least,
    /// How many threads there are.
    pub jobs: NonZeroUsize,
    /// Which store the objects' databases are on.
    pub store: StoreKind,
    /// Whether to go on after something was found.
    pub keep_going: bool,
    /// The failures that are known: a sweep goes on after them.
    pub known: &'a [Known],
}

/// Who waits for a sweep: knows the time, and may end it.
pub trait Watcher: Sync {
    /// The time since some instant. It is only told, and nothing depends on it.
    fn time(&self) -> Duration;

    /// Whether no more runs are to begin, as there is no time left for them.
    fn is_over(&self) -> bool;

    /// Whether somebody has asked for its end.
    fn is_interrupted(&self) -> bool;

    /// A run is done that had so many events.
    fn done(&self, events: u64);
}

/// How a sweep came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All its runs are done.
    Whole,
    /// It stopped at what it found.
    AtFinding,
    /// Its watcher said that it is over.
    Early,
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// In which scenario first.
    pub scenario: usize,
    /// At which seed of it.
    pub seed: u64,
    /// What that run has shown: a violation, or that it differs from its repetition.
    pub verdict: Verdict,
    /// How many runs of all scenarios have shown the same.
    pub count: u64,
    /// Which of the known failures it is.
    pub known: Option<usize>,
}

/// What a sweep has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swept {
    /// The runs of each scenario.
    pub tallies: Vec<Tally>,
    /// What was found, each once, in the order of the schedule.
    pub findings: Vec<Finding>,
    /// How it ended.
    pub ended: Ended,
}

impl Swept {
    /// How many runs there were.
    #[must_use]
    pub fn seeds(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.seeds).sum()
    }
}

/// Sweeps. Each thread has a deployment of its own. What nobody knows is told to `found` when it comes up first, while the
/// sweep goes on: in the order of the schedule too.
pub fn sweep<W: World, P: Program>(
    settings: &Settings<'_, W::Scenario>,
    deployment: impl Fn() -> Deployment<P> + Sync,
    watcher: &impl Watcher,
    found: &mut dyn FnMut(&Finding),
) -> Swept {
    let desk = Desk::new(settings, watcher);
    let (sender, receiver) = mpsc::channel();
    #[expect(
        clippy::disallowed_methods,
        reason = "each run is on one thread, and what they show is folded in an order that no thread can change"
    )]
    std::thread::scope(|threads| {
        for _ in 0..settings.jobs.get() {
            let (sender, desk, deployment) = (sender.clone(), &desk, &deployment);
            threads.spawn(move || {
                let _close = CloseOnPanic(&desk.last);
                let worker = Worker::<W, P> {
                    settings,
                    deployment: deployment(),
                    pools: Pools::default(),
                };
                while let Some(job) = desk.next() {
                    let outcome = worker.run(job, desk);
                    // Whoever folds them is there for as long as anybody sends.
                    let _ = sender.send((job, outcome));
                }
            });
        }
        drop(sender);
        Fold::new(settings, found).all(receiver)
    })
}

/// Where threads fetch their jobs.
struct Desk<'a, T> {
    schedule: Mutex<Schedule>,
    /// How many jobs are begun however little time there is.
    least: u64,
    /// No job after this place is begun any more.
    last: AtomicU64,
    watcher: &'a T,
}

impl<'a, T: Watcher> Desk<'a, T> {
    fn new<Own>(settings: &Settings<'_, Own>, watcher: &'a T) -> Self {
        let scenarios = settings.scenarios.iter();
        let shares = scenarios.map(|scenario| (settings.least.of(scenario), scenario.weight));
        Desk {
            schedule: Mutex::new(Schedule::after(shares.clone())),
            least: shares.map(|(least, _)| least).sum(),
            last: AtomicU64::new(settings.seeds.saturating_sub(1)),
            watcher,
        }
    }

    /// The next job. Whoever has one does it, so that those that are done have no gap but behind a finding.
    fn next(&self) -> Option<Job> {
        if self.watcher.is_interrupted() {
            return None;
        }
        let mut schedule = self.schedule.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = |job: &Job| job.place <= self.last.load(Ordering::Relaxed);
        let in_time = |job: &Job| job.place < self.least || !self.watcher.is_over();
        schedule.next().filter(wanted).filter(in_time)
    }
}

/// A panic of the simulator ends the sweep, and not only its thread.
struct CloseOnPanic<'a>(&'a AtomicU64);

impl Drop for CloseOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(0, Ordering::Relaxed);
        }
    }
}

/// What a thread runs with.
struct Worker<'a, W: World, P> {
    settings: &'a Settings<'a, W::Scenario>,
    deployment: Deployment<P>,
    pools: Pools,
}

impl<W: World, P: Program> Worker<'_, W, P> {
    fn run(&self, job: Job, desk: &Desk<'_, impl Watcher>) -> Outcome {
        let before = desk.watcher.time();
        let repeat = Repeat::of(job.nth);
        let ran = self.run_repeated(job, repeat);
        if !self.settings.keep_going && is_new(&ran.report.verdict, self.settings.known) {
            desk.last.fetch_min(job.place, Ordering::Relaxed);
        }
        desk.watcher.done(ran.report.events);
        let took = desk.watcher.time().saturating_sub(before);
        Outcome { repeat, ran, took }
    }

    fn run_repeated(&self, job: Job, repeat: Repeat) -> OnTwoStores {
        let Worker {
            settings,
            deployment,
            pools,
        } = self;
        let plan = W::generate(&settings.scenarios[job.scenario], settings.seed(job.nth));
        let report = match repeat {
            Repeat::OtherStore => return pools.run_on_both::<W, P>(settings.store, &plan, deployment),
            Repeat::Twice => pools.run_twice::<W>(settings.store, &plan, deployment),
            Repeat::No => {
                let report = pools.run::<W>(settings.store, &plan, deployment.clone(), ());
                if matches!(report.verdict, Verdict::Violated(_)) {
                    // What is told to anybody is compared with itself.
                    pools.run_twice::<W>(settings.store, &plan, deployment)
                } else {
                    report
                }
            }
        };
        OnTwoStores { report, void: None }
    }
}

impl<Own> Settings<'_, Own> {
    /// The seed of the `nth` run of a scenario.
    const fn seed(&self, nth: u64) -> u64 {
        self.from.wrapping_add(nth)
    }
}

/// Whether a run has shown something that nobody knows.
fn is_new(verdict: &Verdict, known: &[Known]) -> bool {
    match verdict {
        Verdict::Violated(violation) => known_as(&Identity::of(violation), known).is_none(),
        Verdict::NotDeterministic(_) => true,
        Verdict::Void(_) | Verdict::Passed => false,
    }
}

/// Which of the known failures one is.
fn known_as(identity: &Identity, known: &[Known]) -> Option<usize> {
    known.iter().position(|known| known.covers(identity))
}

/// What makes two runs show the same.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    Difference { scenario: usize },
    Violation(Identity),
}

/// Puts together what runs have shown, in the order of the schedule.
struct Fold<'a, Own> {
    settings: &'a Settings<'a, Own>,
    /// What is done before its turn, by its place.
    early: BTreeMap<u64, (Job, Outcome)>,
    /// Whose turn it is.
    place: u64,
    /// Where each finding stands.
    places: BTreeMap<Shown, usize>,
    /// Who is told of those that nobody knows.
    found: &'a mut dyn FnMut(&Finding),
    swept: Swept,
}

impl<'a, Own> Fold<'a, Own> {
    fn new(settings: &'a Settings<'a, Own>, found: &'a mut dyn FnMut(&Finding)) -> Self {
        Fold {
            settings,
            early: BTreeMap::new(),
            place: 0,
            places: BTreeMap::new(),
            found,
            swept: Swept {
                tallies: vec![Tally::default(); settings.scenarios.len()],
                findings: Vec::new(),
                ended: Ended::Early,
            },
        }
    }

    fn all(mut self, outcomes: impl IntoIterator<Item = (Job, Outcome)>) -> Swept {
        for (job, outcome) in outcomes {
            self.early.insert(job.place, (job, outcome));
            while self.swept.ended != Ended::AtFinding
                && let Some((job, outcome)) = self.early.remove(&self.place)
            {
                self.add(job, &outcome);
            }
        }
        self.swept
    }

    fn add(&mut self, job: Job, outcome: &Outcome) {
        self.place += 1;
        self.swept.tallies[job.scenario].add(outcome);
        self.find(job, &outcome.ran.report.verdict);
        if !self.settings.keep_going && self.swept.findings.iter().any(|finding| finding.known.is_none()) {
            self.swept.ended = Ended::AtFinding;
        } else if self.place == self.settings.seeds {
            self.swept.ended = Ended::Whole;
        }
    }

    fn find(&mut self, job: Job, verdict: &Verdict) {
        let shown = match verdict {
            Verdict::NotDeterministic(_) => Shown::Difference {
                scenario: job.scenario,
            },
            Verdict::Violated(violation) => Shown::Violation(Identity::of(violation)),
            Verdict::Void(_) | Verdict::Passed => return,
        };
        let known = match &shown {
            Shown::Violation(identity) => known_as(identity, self.settings.known),
            Shown::Difference { .. } => None,
        };
        let findings = &mut self.swept.findings;
        let at = *self.places.entry(shown).or_insert(findings.len());
        if at == findings.len() {
            findings.push(Finding {
                scenario: job.scenario,
                seed: self.settings.seed(job.nth),
                verdict: verdict.clone(),
                count: 0,
                known,
            });
            if known.is_none() {
                (self.found)(&findings[at]);
            }
        }
        findings[at].count += 1;
    }
}
