//! The planted defects of a gate: a checker that finds none of them is broken.

use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use sim::report::figures::Of;
use sim::report::gate::Stands;
use sim::search::sample::{self, Witnessed, without_witness};
use sim::world::{World, load};

use super::{Gate, sources};
use crate::command::jobs;

/// The part of a gate that they are.
const SUITE: &str = "planted defects";

impl<W: World> Gate<'_, W> {
    /// Each invariant finds the defect that it was measured to find soonest.
    pub(super) fn planted(&mut self, out: &mut dyn Write) -> Result<()> {
        let loaded = sources::<W>()
            .iter()
            .map(load::<W>)
            .collect::<Result<Vec<_>, _>>()?;
        let settings = sample::Settings {
            one_in: self.arguments.one_in,
            most: usize::MAX,
            jobs: jobs(self.arguments.jobs),
        };
        let sampled = sample::sample::<W>(&self.measured, &loaded, settings, &self.whole, &|_| {});
        let mut found = 0;
        for witnessed in sampled {
            let stands = stands(&witnessed);
            found += u64::from(stands == Stands::Holds);
            self.add(
                SUITE,
                witnessed.invariant.to_string(),
                stands,
                witnessed.took,
                out,
            )?;
        }
        if self.interrupt.asked() {
            return Ok(());
        }
        let without = without_witness::<W>(&self.measured, self.arguments.one_in);
        for invariant in &without {
            let name = (*invariant).to_owned();
            self.add(SUITE, name, Stands::NotAsked, Duration::ZERO, out)?;
        }
        if found == 0 {
            let void = Stands::Void("no planted defect was found".to_owned());
            self.add(SUITE, "any".to_owned(), void, Duration::ZERO, out)?;
        }
        writeln!(
            out,
            "planted defects: found by {}; no defect asks {}",
            Of(found, "invariant"),
            if without.is_empty() {
                "none".to_owned()
            } else {
                without.join(", ")
            }
        )?;
        Ok(out.flush()?)
    }
}

fn stands(witnessed: &Witnessed) -> Stands {
    if witnessed.found.is_some() {
        return Stands::Holds;
    }
    Stands::Fails {
        code: 1,
        why: format!(
            "it does not find `{}` in {} of {}: its check, its oracle or the generator is broken, or what was measured is too old (`drydock defects {} --write`)",
            witnessed.defect,
            Of(witnessed.seeds, "seed"),
            witnessed.scenario,
            witnessed.defect
        ),
    }
}
