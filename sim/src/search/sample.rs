//! A sample of defects that must still be found: without it a gate passes whose checker is broken.
//!
//! For each invariant the defect is planted that it finds soonest, and nothing else is judged. So a check that says `true`
//! whatever happens, and an oracle that is told nothing any more, do not pass.

use std::collections::BTreeSet;

use protocol::host::Text;

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
}

/// The most seeds that one invariant takes: what is found more seldom is no sample.
const SEEDS_MOST: u64 = 500;

/// Has each invariant find the defect that it was measured to find soonest, on the seeds from the first on. Each is told as
/// soon as it is known; the world is handed over before each run.
pub fn sample<'a, W: World>(
    measured: &'a Measured,
    scenarios: &'a [Scenario<W::Scenario>],
    one_in: u32,
    hand_over: &'a dyn Fn(&mut W),
) -> impl Iterator<Item = Witnessed> + 'a {
    measured
        .witnesses()
        .into_iter()
        .filter_map(move |(invariant, (defect, rate))| {
            let invariant = W::invariants().iter().find(|known| known.id == invariant)?;
            let scenario = scenarios
                .iter()
                .find(|scenario| scenario.name == defect.scenario)?;
            let deployment = W::deployment(&defect.name)?;
            let seeds = seeds_for(rate, one_in)?;
            let judged = BTreeSet::from([invariant.id]);
            let found = (seeds <= SEEDS_MOST)
                .then(|| first_by::<W>(scenario, 1..=seeds, &deployment, &judged, hand_over))?;
            Some(Witnessed {
                invariant: Text::new_static(invariant.id),
                defect: defect.name.clone(),
                scenario: scenario.name.clone(),
                seeds,
                found,
            })
        })
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
