//! What was measured of each planted defect: a committed file, from which a gate knows how many seeds it takes.
//!
//! `drydock defects --write` makes it. The file holds counts only; rates, intervals and numbers of seeds are computed from
//! them when they are asked for.
//!
//! # Assumptions
//! Seeds are independent, so that a defect which is found in one of them with the rate p is missed by n with (1 - p)^n.
//! The rate is taken to be the lower end of its 95 % interval. It was measured in one scenario and is valid as long as
//! neither that nor the protocol changes much: what is measured of a defect that the code makes rarer is too high until it
//! is measured anew. A defect that nobody thought of may be rarer than all of them.

use std::collections::BTreeMap;

use protocol::host::Text;
use serde::{Deserialize, Serialize};

use super::power::{Rate, seeds_for};
use crate::world::World;

/// What was measured of all defects of a world.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Measured {
    /// Each defect.
    #[serde(default, rename = "defect")]
    pub defects: Vec<MeasuredDefect>,
}

/// What was measured of a defect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MeasuredDefect {
    /// The variant.
    pub name: Text,
    /// The scenario in which it is found soonest.
    pub scenario: Text,
    /// How many seeds of it were run.
    pub runs: u64,
    /// How many of them have found it.
    pub found: u64,
    /// How many of those were run on after the first violation …
    pub run_on: u64,
    /// … and how many of these violated each invariant, at any time.
    #[serde(default)]
    pub violated: BTreeMap<Text, u64>,
    /// How many items the smallest plan has that shows it; none where none was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest: Option<u64>,
}

impl MeasuredDefect {
    /// How often it is found.
    #[must_use]
    pub fn rate(&self) -> Rate {
        Rate {
            found: self.found,
            runs: self.runs,
        }
    }

    /// How often one invariant finds it, when nothing else is judged: of the runs that were run on, those in which it was
    /// violated, as a share of all that it took to come by so many.
    #[must_use]
    pub fn rate_by(&self, invariant: &str) -> Rate {
        let by = self.violated.get(invariant).copied().unwrap_or(0);
        if self.run_on == 0 {
            return Rate::default();
        }
        Rate {
            found: by,
            runs: self.runs * self.run_on / self.found.max(1),
        }
    }
}

/// The files, by world.
const FILES: [(&str, &str); 1] = [("lanes", include_str!("../../measured/lanes.toml"))];

/// Where the file of a world stands, in the repository.
#[must_use]
pub fn file_of(world: &str) -> String {
    format!("sim/measured/{world}.toml")
}

impl Measured {
    /// What was measured of a world; nothing where it has no file.
    ///
    /// # Errors
    /// The file is not what the tool writes.
    pub fn of<W: World>() -> Result<Self, toml::de::Error> {
        let file = FILES.iter().find(|(world, _)| *world == W::NAME);
        file.map_or_else(|| Ok(Measured::default()), |(_, text)| toml::from_str(text))
    }

    /// What was measured of a defect.
    #[must_use]
    pub fn get(&self, variant: &str) -> Option<&MeasuredDefect> {
        self.defects.iter().find(|defect| defect.name == variant)
    }

    /// Puts a defect in, in place of what was there of it.
    pub fn put(&mut self, defect: MeasuredDefect) {
        match self.defects.iter_mut().find(|known| known.name == defect.name) {
            Some(known) => *known = defect,
            None => self.defects.push(defect),
        }
        self.defects.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// Of the defects that are found in a scenario, the one that is found most seldom.
    #[must_use]
    pub fn hardest_in(&self, scenario: &str) -> Option<&MeasuredDefect> {
        let here = self
            .defects
            .iter()
            .filter(|defect| defect.scenario == scenario && defect.found > 0);
        here.min_by(|a, b| a.rate().at_least().total_cmp(&b.rate().at_least()))
    }

    /// How many seeds of a scenario find each defect that is found there, but for a chance of one in so many.
    #[must_use]
    pub fn seeds_for(&self, scenario: &str, one_in: u32) -> Option<u64> {
        seeds_for(self.hardest_in(scenario)?.rate(), one_in)
    }

    /// For each invariant the defect that it finds soonest, with how soon.
    #[must_use]
    pub fn witnesses(&self) -> BTreeMap<Text, (&MeasuredDefect, Rate)> {
        let mut witnesses: BTreeMap<Text, (&MeasuredDefect, Rate)> = BTreeMap::new();
        for defect in &self.defects {
            for invariant in defect.violated.keys() {
                let rate = defect.rate_by(invariant);
                let better = witnesses
                    .get(invariant)
                    .is_none_or(|(_, known)| rate.at_least() > known.at_least());
                if rate.found > 0 && better {
                    witnesses.insert(invariant.clone(), (defect, rate));
                }
            }
        }
        witnesses
    }
}
