//! A sample of defects that must still be found: without it a gate passes whose checker is broken.
//!
//! For each invariant the defect is planted that it finds soonest, and nothing else is judged. So a check that says `true`
//! whatever happens, and an oracle that is told nothing any more, do not pass.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use protocol::host::Text;

use super::Watcher;
use super::detect::first_by;
use super::measured::Measured;
use super::power::seeds_for;
use crate::scenario::Scenario;
use crate::world::World;

/// An invariant, and whether it still finds what it has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witnessed {
    /// The invariant.
    pub invariant: Text,
    /// The defect that was planted.
    pub defect: Text,
    /// In which scenario.
    pub scenario: Text,
    /// How many seeds it could take, but for a chance of one in so many.
    pub seeds: u64,
    /// The first one that has found it.
    pub found: Option<u64>,
    /// How long that took. It is only told.
    pub took: Duration,
}

/// The most seeds that one invariant takes: what is found more seldom is no sample.
const SEEDS_MOST: u64 = 500;

/// How a sample is taken.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// With a chance of one in so many at most an invariant misses its defect that finds it as often as was measured.
    pub one_in: u32,
    /// How many invariants are asked at most.
    pub most: usize,
    /// How many of them at once. It makes no difference to what they find.
    pub jobs: NonZeroUsize,
}

/// An invariant that is to find a defect.
struct Asked<'a, W: World> {
    invariant: &'static str,
    defect: &'a Text,
    scenario: &'a Scenario<W::Scenario>,
    seeds: u64,
}

/// Has each invariant find the defect that it was measured to find soonest, on the seeds from the first on; in the order
/// of the invariants, and without those that were not asked any more when the watcher ended it. The world is handed over
/// before each run.
pub fn sample<W: World>(
    measured: &Measured,
    scenarios: &[Scenario<W::Scenario>],
    settings: Settings,
    watcher: &impl Watcher,
    hand_over: &(impl Fn(&mut W) + Sync),
) -> Vec<Witnessed> {
    let asked: Vec<_> = asked::<W>(measured, scenarios, settings.one_in)
        .take(settings.most)
        .collect();
    let next = AtomicUsize::new(0);
    let answers: Vec<OnceLock<Witnessed>> = asked.iter().map(|_| OnceLock::new()).collect();
    #[expect(
        clippy::disallowed_methods,
        reason = "each run is on one thread, and what they find is told in an order that no thread can change"
    )]
    std::thread::scope(|threads| {
        for _ in 0..settings.jobs.get() {
            threads.spawn(|| {
                while !watcher.is_interrupted() {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let (Some(asked), Some(answer)) = (asked.get(at), answers.get(at)) else {
                        return;
                    };
                    answer.get_or_init(|| asked.find(watcher, hand_over));
                }
            });
        }
    });
    answers.into_iter().filter_map(OnceLock::into_inner).collect()
}

fn asked<'a, W: World>(
    measured: &'a Measured,
    scenarios: &'a [Scenario<W::Scenario>],
    one_in: u32,
) -> impl Iterator<Item = Asked<'a, W>> {
    let witnesses = measured.witnesses().into_iter();
    witnesses.filter_map(move |(invariant, (defect, rate))| {
        let invariant = W::invariants().iter().find(|known| known.id == invariant)?.id;
        let scenario = scenarios
            .iter()
            .find(|scenario| scenario.name == defect.scenario)?;
        W::deployment(&defect.name)?;
        let seeds = seeds_for(rate, one_in).filter(|seeds| *seeds <= SEEDS_MOST)?;
        Some(Asked {
            invariant,
            defect: &defect.name,
            scenario,
            seeds,
        })
    })
}

impl<W: World> Asked<'_, W> {
    fn find(&self, watcher: &impl Watcher, hand_over: &impl Fn(&mut W)) -> Witnessed {
        let before = watcher.time();
        let deployment = W::deployment(self.defect).expect("the variant was there before");
        let judged = BTreeSet::from([self.invariant]);
        let found = first_by::<W>(self.scenario, 1..=self.seeds, &deployment, &judged, hand_over);
        Witnessed {
            invariant: Text::new_static(self.invariant),
            defect: self.defect.clone(),
            scenario: self.scenario.name.clone(),
            seeds: self.seeds,
            found,
            took: watcher.time().saturating_sub(before),
        }
    }
}

/// The invariants that the sample leaves out: no planted defect was found by them, or too seldom.
#[must_use]
pub fn without_witness<W: World>(measured: &Measured, one_in: u32) -> Vec<&'static str> {
    let witnesses = measured.witnesses();
    let is_there = |id: &str| {
        let rate = witnesses.get(id).map(|(_, rate)| *rate);
        rate.and_then(|rate| seeds_for(rate, one_in))
            .is_some_and(|seeds| seeds <= SEEDS_MOST)
    };
    W::invariants()
        .iter()
        .map(|invariant| invariant.id)
        .filter(|id| !is_there(id))
        .collect()
}
