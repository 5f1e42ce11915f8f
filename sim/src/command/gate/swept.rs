//! The sweep of a gate: every scenario, with as many seeds as its hardest planted defect takes.

use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use sim::check::Verdict;
use sim::report::figures::{Of, Took};
use sim::report::gate::Stands;
use sim::report::sweep::{Row, table, write_measures, write_unreached, write_void_runs};
use sim::run::StoreKind;
use sim::scenario::{Scenario, Source};
use sim::search::known::Known;
use sim::search::power::chance_to_miss;
use sim::search::{self, Ended, Finding, Settings, Swept, Tally, Unreached, Watcher as _};
use sim::world::{World, load};

use super::{Gate, sources};
use crate::command::progress::Progress;
use crate::command::shrinking::target;
use crate::command::watch::Clock;
use crate::command::{default_variant, deployment, jobs};

impl<W: World> Gate<'_, W> {
    /// Sweeps every scenario with as many seeds as its hardest defect takes. What chance is left to miss one, in words.
    pub(super) fn sweep(&mut self, known: &[Known], out: &mut dyn Write) -> Result<String> {
        let sources = sources::<W>();
        let mut scenarios = sources.iter().map(load::<W>).collect::<Result<Vec<_>, _>>()?;
        let one_in = self.arguments.one_in;
        for scenario in &mut scenarios {
            // The schedule shares seeds by weight: so a sweep that ends early has the same share of each.
            let seeds = self
                .measured
                .seeds_for(&scenario.name, one_in)
                .unwrap_or(0)
                .max(scenario.least_seeds);
            scenario.weight = u32::try_from(seeds).unwrap_or(u32::MAX);
        }
        let settings = Settings {
            scenarios: &scenarios,
            from: self.arguments.from,
            seeds: scenarios.iter().map(|scenario| u64::from(scenario.weight)).sum(),
            least: search::Least::Judged,
            jobs: jobs(self.arguments.jobs),
            store: StoreKind::Model,
            keep_going: true,
            known,
        };
        let spent = self.whole.time();
        let left = self
            .arguments
            .budget
            .map(|budget| budget.saturating_sub(spent).max(Duration::from_secs(1)));
        let clock = Clock::start(
            left,
            self.interrupt.clone(),
            Progress::new(Some(settings.seeds), target()),
        );
        let variant = default_variant::<W>();
        let deployed = || deployment::<W>(variant).expect("the first variant is there");
        // What it finds is told in the end: a gate writes no traces.
        let swept = search::sweep::<W, _>(&settings, deployed, &clock, &mut |_| ());
        let took = clock.stop();
        self.tell_sweep(&sources, &settings, &swept, took, out)?;
        Ok(self.chance_left(&scenarios, &swept))
    }

    fn tell_sweep(
        &mut self,
        sources: &[Source],
        settings: &Settings<'_, W::Scenario>,
        swept: &Swept,
        took: Duration,
        out: &mut dyn Write,
    ) -> Result<()> {
        // The known failures whose day is over are a part of their own.
        let judged = search::judge(settings.scenarios, swept, 0);
        let rows: Vec<Row<'_>> = settings
            .scenarios
            .iter()
            .zip(&swept.tallies)
            .zip(&judged.unreached)
            .map(|((scenario, tally), unreached)| Row {
                name: &scenario.name,
                tally,
                unreached: unreached.as_deref(),
            })
            .collect();
        writeln!(out, "{}", table(&rows))?;
        write_measures(&swept.tallies, out)?;
        write_void_runs(&swept.tallies, settings.store, out)?;
        for (at, scenario) in settings.scenarios.iter().enumerate() {
            let unreached = judged.unreached[at].as_deref().unwrap_or_default();
            if !unreached.is_empty() {
                write_unreached::<W>(scenario, &sources[at], &swept.tallies[at], unreached, out)?;
            }
            let tally = &swept.tallies[at];
            let stands = self.stands(scenario, &findings_of(swept, at), tally, unreached);
            self.add("sweep", scenario.name.to_string(), stands, tally.took, out)?;
        }
        let ended = if swept.ended == Ended::Early {
            ", as long as there was time"
        } else {
            ""
        };
        writeln!(
            out,
            "sweep: {} in {}{ended}",
            Of(swept.seeds(), "seed"),
            Took(took)
        )?;
        Ok(())
    }

    /// How a scenario stands: what is worst of it.
    fn stands(
        &self,
        scenario: &Scenario<W::Scenario>,
        new: &[&Finding],
        tally: &Tally,
        unreached: &[Unreached],
    ) -> Stands {
        let told = |is: fn(&Verdict) -> bool| {
            let found = new.iter().filter(|finding| is(&finding.verdict));
            let told: Vec<_> = found
                .map(|finding| format!("seed {}: {}", finding.seed, finding.verdict))
                .collect();
            (!told.is_empty()).then(|| told.join("\n"))
        };
        if let Some(why) = told(|verdict| matches!(verdict, Verdict::NotDeterministic(_))) {
            return Stands::Fails { code: 4, why };
        }
        if let Some(why) = told(|verdict| matches!(verdict, Verdict::Violated(_))) {
            let again = format!(
                "see it: cargo run --release -- sweep {} --from {} --keep-going",
                scenario.name, self.arguments.from
            );
            return Stands::Fails {
                code: 1,
                why: format!("{why}\n{again}"),
            };
        }
        let void: u64 = tally.void.values().sum();
        if tally.seeds == 0 {
            Stands::Void("there was no time for a seed".to_owned())
        } else if !unreached.is_empty() {
            let marks: Vec<_> = unreached
                .iter()
                .map(|unreached| unreached.mark.as_str())
                .collect();
            Stands::Void(format!("no seed has passed {}", marks.join(", ")))
        } else if void == 1 {
            Stands::Void("1 seed has shown nothing".to_owned())
        } else if void > 1 {
            Stands::Void(format!("{void} seeds have shown nothing"))
        } else {
            Stands::Holds
        }
    }

    /// The chance that the defect which is hardest to find was missed, in words.
    fn chance_left(&self, scenarios: &[Scenario<W::Scenario>], swept: &Swept) -> String {
        let promised = self.arguments.one_in;
        let chances = scenarios
            .iter()
            .zip(&swept.tallies)
            .filter_map(|(scenario, tally)| {
                let hardest = self.measured.hardest_in(&scenario.name)?;
                let due = self.measured.seeds_for(&scenario.name, promised)?;
                let chance = chance_to_miss(hardest.rate().at_least(), tally.seeds);
                Some((chance, &hardest.name, tally.seeds < due))
            });
        let worst = chances.max_by(|(one, ..), (other, ..)| one.total_cmp(other));
        worst.map_or_else(
            || "no defect was measured, so the chance to miss one is not known".to_owned(),
            |(chance, defect, is_short)| {
                let percent = chance * 100.0;
                let short = if is_short {
                    format!(", for want of time: without a budget it is 1 in {promised} at most")
                } else {
                    String::new()
                };
                format!(
                    "of the planted defects {defect} is the hardest to find, and would have been missed with \
                     {percent:.2} %{short}"
                )
            },
        )
    }
}

/// What was found of the scenario of this place, and nobody knew of.
fn findings_of(swept: &Swept, at: usize) -> Vec<&Finding> {
    let new = swept.findings.iter().filter(|finding| finding.known.is_none());
    new.filter(|finding| finding.scenario == at).collect()
}
