//! How soon a defect that was planted is found: independent seeds of one scenario, until it was found often enough.
//!
//! How many seeds it takes is geometric, so one pass tells all of it: runs and detections give the rate, and the rate the
//! median and every other quantile.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

use protocol::host::Text;

use super::Watcher;
use crate::check::{Verdict, Violation};
use crate::kernel::Deployment;
use crate::kernel::storage::model::ModelStore;
use crate::run::{Pools, Simulation, StoreKind};
use crate::scenario::Scenario;
use crate::world::World;

/// How a pass is made.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The first seed.
    pub from: u64,
    /// How many seeds at most.
    pub seeds: u64,
    /// After how many detections it ends.
    pub enough: u64,
    /// Which store the objects' databases are on.
    pub store: StoreKind,
    /// How many runs go on at once. It makes no difference to what comes of it.
    pub jobs: NonZeroUsize,
}

/// What a pass has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detection {
    /// How many runs there were.
    pub runs: u64,
    /// How many of them violated something.
    pub found: u64,
    /// How many have shown nothing, which counts as not found.
    pub void: u64,
    /// By which invariant first, and how often.
    pub by: BTreeMap<Text, u64>,
    /// The seeds that have found it, with what was violated, in their order.
    pub seeds: Vec<(u64, Violation)>,
}

/// Runs seeds of a scenario under a deployment, in their order, until enough of them violate something.
///
/// Threads take seeds in their order and finish them in any; what they have shown is counted in the order of the seeds, up
/// to the one with which it is enough.
pub fn detect<W: World>(
    scenario: &Scenario<W::Scenario>,
    deployment: impl Fn() -> Deployment<W::Program> + Sync,
    settings: Settings,
    watcher: &impl Watcher,
) -> Detection {
    let (next, over) = (AtomicU64::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let mut detection = Detection::default();
    #[expect(
        clippy::disallowed_methods,
        reason = "each run is on one thread, and what they show is counted in an order that no thread can change"
    )]
    std::thread::scope(|threads| {
        for _ in 0..settings.jobs.get() {
            let (sender, next, over, deployment) = (sender.clone(), &next, &over, &deployment);
            threads.spawn(move || {
                let (deployment, pools) = (deployment(), Pools::default());
                loop {
                    let nth = next.fetch_add(1, Ordering::Relaxed);
                    if nth >= settings.seeds || over.load(Ordering::Relaxed) || watcher.is_over() {
                        return;
                    }
                    let plan = W::generate(scenario, settings.from.wrapping_add(nth));
                    let report = pools.run::<W>(settings.store, &plan, deployment.clone(), ());
                    watcher.done(report.events);
                    // Whoever counts them is there for as long as anybody sends.
                    let _ = sender.send((nth, report.verdict));
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        for (nth, verdict) in receiver {
            early.insert(nth, verdict);
            while detection.found < settings.enough
                && let Some(verdict) = early.remove(&detection.runs)
            {
                detection.add(settings.from, verdict);
            }
            if detection.found >= settings.enough {
                over.store(true, Ordering::Relaxed);
            }
        }
    });
    detection
}

impl Detection {
    fn add(&mut self, from: u64, verdict: Verdict) {
        let seed = from.wrapping_add(self.runs);
        self.runs += 1;
        match verdict {
            Verdict::Violated(violation) => {
                self.found += 1;
                *self.by.entry(violation.invariant.clone()).or_default() += 1;
                self.seeds.push((seed, violation));
            }
            Verdict::Void(_) => self.void += 1,
            Verdict::Passed | Verdict::NotDeterministic(_) => {}
        }
    }
}

/// All that a run violates which goes on after its first violation. One that the run itself makes, as a panic, ends it.
pub fn violated<W: World>(
    scenario: &Scenario<W::Scenario>,
    seed: u64,
    deployment: Deployment<W::Program>,
) -> BTreeSet<Text> {
    let (plan, pool) = (W::generate(scenario, seed), Default::default());
    let mut simulation = Simulation::<W, _, ModelStore, ()>::new(&plan, deployment, &pool, ());
    simulation.world().go_on();
    let verdict = simulation.conclude();
    let kept = simulation.world().violated().into_iter().map(Text::new_static);
    let last = match verdict {
        Verdict::Violated(violation) => Some(violation.invariant),
        _ => None,
    };
    kept.chain(last).collect()
}

/// The first of some seeds in which one of these invariants is violated when no other is judged. The world is handed over
/// before each run, for whoever wants to see what comes of one that is impaired.
pub fn first_by<W: World>(
    scenario: &Scenario<W::Scenario>,
    seeds: impl IntoIterator<Item = u64>,
    deployment: &Deployment<W::Program>,
    judged: &BTreeSet<&str>,
    hand_over: &dyn Fn(&mut W),
) -> Option<u64> {
    let pool = Default::default();
    seeds.into_iter().find(|seed| {
        let plan = W::generate(scenario, *seed);
        let mut simulation = Simulation::<W, _, ModelStore, ()>::new(&plan, deployment.clone(), &pool, ());
        simulation.world().judge_only(judged);
        hand_over(simulation.world());
        matches!(simulation.conclude(), Verdict::Violated(_))
    })
}
