//! `drydock gate`: whether to deploy.

use std::fs;
use std::io::Write;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::ValueHint;
use sim::check::Verdict;
use sim::report::figures::{Of, Took};
use sim::report::gate::{Case, Cases, Stands};
use sim::report::sweep::{Row, table, write_measures, write_unreached, write_void_runs};
use sim::run::StoreKind;
use sim::scenario::{self, Scenario, Source};
use sim::search::known::{Date, Known};
use sim::search::measured::{Measured, file_of};
use sim::search::power::chance_to_miss;
use sim::search::sample::{self, without_witness};
use sim::search::{self, Ended, Settings, Swept, Watcher as _};
use sim::world::known::{self, Visit};
use sim::world::{World, load};

use super::interrupt::{self, Interrupt};
use super::progress::Progress;
use super::shrinking::target;
use super::watch::Clock;
use super::{default_variant, deployment, jobs, replay, sweep};

/// Say whether to deploy: all that must hold before a version of the protocol is let out
///
/// The kept traces show what they are expected to show; a sample of planted defects is found, by each invariant that can
/// find one, so that a broken checker does not pass; and every scenario is swept with so many seeds that the defect which is
/// hardest to find there would be missed with a chance of 1 in 1,000 at most. With a budget it takes as many of them as
/// there is time for, and says what chance is left; but so many always that the marks of each scenario are judged. The
/// last line is the verdict.
#[derive(clap::Args)]
pub struct Arguments {
    /// How long it may take, as 90s, 10m or 2h; seeds are what it saves on
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    budget: Option<Duration>,
    /// Write what was checked, as JUnit XML
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    junit: Option<PathBuf>,
    /// A TOML file of failures that are known, as of `sweep`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    known: Option<PathBuf>,
    /// What day it is, as 2027-01-31, for --known [default: what the system says, in UTC]
    #[arg(long, value_name = "DATE", requires = "known")]
    today: Option<Date>,
    /// With a chance of 1 in so many at most the hardest of the planted defects would be missed
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(2..))]
    one_in: u32,
    /// The first seed: that of the day's number finds what those of every other day have missed
    #[arg(long, default_value_t = 1)]
    from: u64,
    /// How many runs go on at once [default: as many as there are processors]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// The folder of the kept traces
    #[arg(long, default_value = "traces", value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    traces: PathBuf,
}

/// Does it, and answers the exit code.
pub fn gate(arguments: &Arguments, out: &mut dyn Write) -> Result<u8> {
    known::with(known::DEFAULT, GateOf { arguments, out }).context("there is no world")?
}

struct GateOf<'a> {
    arguments: &'a Arguments,
    out: &'a mut dyn Write,
}

impl Visit for GateOf<'_> {
    type Output = Result<u8>;

    fn visit<W: World>(self) -> Result<u8> {
        let GateOf { arguments, out } = self;
        let interrupt = Interrupt::listen()?;
        let whole = Clock::start(arguments.budget, interrupt.clone(), Progress::new(None, target()));
        let mut gate = Gate::<W> {
            arguments,
            interrupt,
            whole,
            measured: Measured::of::<W>().with_context(|| file_of(W::NAME))?,
            cases: Cases::default(),
            of: PhantomData,
        };
        gate.kept_traces(out)?;
        gate.planted(out)?;
        let left = gate.sweep(out)?;
        let took = Took(gate.whole.stop());
        if let Some(file) = &arguments.junit {
            let xml = gate.cases.junit()?;
            fs::write(file, xml).with_context(|| format!("cannot write {}", file.display()))?;
        }
        if gate.interrupt.asked() {
            writeln!(out, "do not deploy: the gate was interrupted, after {took}.")?;
            return Ok(interrupt::EXIT_CODE);
        }
        writeln!(out, "{}", gate.cases.verdict(&format!("{left}; it took {took}")))?;
        Ok(gate.cases.exit_code())
    }
}

/// A gate that is being passed.
struct Gate<'a, W: World> {
    arguments: &'a Arguments,
    interrupt: Interrupt,
    whole: Clock,
    measured: Measured,
    cases: Cases,
    of: PhantomData<W>,
}

impl<W: World> Gate<'_, W> {
    fn add(
        &mut self,
        suite: &'static str,
        name: String,
        stands: Stands,
        took: Duration,
        out: &mut dyn Write,
    ) -> Result<()> {
        if let Stands::Fails { why, .. } | Stands::Void(why) = &stands {
            writeln!(out, "{suite}: {name}: {why}")?;
        }
        self.cases.0.push(Case {
            suite,
            name,
            stands,
            took,
        });
        Ok(())
    }

    /// Each kept trace shows what it is expected to show.
    fn kept_traces(&mut self, out: &mut dyn Write) -> Result<()> {
        let files = kept_files(&self.arguments.traces)?;
        if files.is_empty() {
            bail!("{}: no trace is kept there", self.arguments.traces.display());
        }
        for file in &files {
            if self.interrupt.asked() {
                return Ok(());
            }
            let (before, mut told) = (self.whole.time(), Vec::new());
            let code = replay::expect(file, StoreKind::Sqlite, &mut told)?;
            let took = self.whole.time().saturating_sub(before);
            let told = String::from_utf8_lossy(&told).trim_end().to_owned();
            let stands = match code {
                0 => Stands::Holds,
                3 => Stands::Void(told),
                code => Stands::Fails { code, why: told },
            };
            self.add("kept traces", file.display().to_string(), stands, took, out)?;
        }
        writeln!(out, "kept traces: {} replayed", Of(files.len() as u64, "trace"))?;
        Ok(out.flush()?)
    }

    /// Each invariant finds the defect that it was measured to find soonest.
    fn planted(&mut self, out: &mut dyn Write) -> Result<()> {
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
            let stands = if witnessed.found.is_some() {
                found += 1;
                Stands::Holds
            } else {
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
            };
            self.add(
                "planted defects",
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
            self.add(
                "planted defects",
                (*invariant).to_owned(),
                Stands::NotAsked,
                Duration::ZERO,
                out,
            )?;
        }
        if found == 0 {
            self.add(
                "planted defects",
                "any".to_owned(),
                Stands::Void("no planted defect was found".to_owned()),
                Duration::ZERO,
                out,
            )?;
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

    /// Sweeps every scenario with as many seeds as its hardest defect takes. What chance is left to miss one, in words.
    fn sweep(&mut self, out: &mut dyn Write) -> Result<String> {
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
        let known = sweep::known_on_day::<W>(self.arguments.known.as_deref(), self.arguments.today)?;
        let settings = Settings {
            scenarios: &scenarios,
            from: self.arguments.from,
            seeds: scenarios.iter().map(|scenario| u64::from(scenario.weight)).sum(),
            least: search::Least::Judged,
            jobs: jobs(self.arguments.jobs),
            store: StoreKind::Model,
            keep_going: true,
            known: &known.valid,
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
        self.tell_expired(&known.expired, out)?;
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
            let of_it = |verdict: fn(&Verdict) -> bool| {
                let new = swept
                    .findings
                    .iter()
                    .filter(|finding| finding.known.is_none() && finding.scenario == at);
                new.filter(|finding| verdict(&finding.verdict))
                    .map(|finding| format!("seed {}: {}", finding.seed, finding.verdict))
                    .collect::<Vec<_>>()
            };
            let differs = of_it(|verdict| matches!(verdict, Verdict::NotDeterministic(_)));
            let violates = of_it(|verdict| matches!(verdict, Verdict::Violated(_)));
            let void: u64 = tally.void.values().sum();
            let stands = if !differs.is_empty() {
                Stands::Fails {
                    code: 4,
                    why: differs.join("\n"),
                }
            } else if !violates.is_empty() {
                let again = format!(
                    "see it: cargo run --release -- sweep {} --from {} --keep-going",
                    scenario.name, settings.from
                );
                Stands::Fails {
                    code: 1,
                    why: format!("{}\n{again}", violates.join("\n")),
                }
            } else if tally.seeds == 0 {
                Stands::Void("there was no time for a seed".to_owned())
            } else if !unreached.is_empty() {
                let marks: Vec<_> = unreached
                    .iter()
                    .map(|unreached| unreached.mark.as_str())
                    .collect();
                Stands::Void(format!("no seed has passed {}", marks.join(", ")))
            } else if void > 0 {
                Stands::Void(format!(
                    "{} shown nothing",
                    if void == 1 {
                        "1 seed has".to_owned()
                    } else {
                        format!("{void} seeds have")
                    }
                ))
            } else {
                Stands::Holds
            };
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

    /// No known failure may stand in the file beyond its day.
    fn tell_expired(&mut self, expired: &[Known], out: &mut dyn Write) -> Result<()> {
        if self.arguments.known.is_none() {
            return Ok(());
        }
        let stands = if expired.is_empty() {
            Stands::Holds
        } else {
            let told = expired.iter().map(|known| {
                format!(
                    "{} was known until {}: {} ({})",
                    known.pattern(),
                    known.expires,
                    known.reason,
                    known.owner
                )
            });
            Stands::Fails {
                code: 1,
                why: told.collect::<Vec<_>>().join("\n"),
            }
        };
        self.add(
            "known",
            "no known failure is past its day".to_owned(),
            stands,
            Duration::ZERO,
            out,
        )
    }

    /// The chance that the defect which is hardest to find was missed, in words.
    fn chance_left(&self, scenarios: &[Scenario<W::Scenario>], swept: &Swept) -> String {
        let chances = scenarios
            .iter()
            .zip(&swept.tallies)
            .filter_map(|(scenario, tally)| {
                let hardest = self.measured.hardest_in(&scenario.name)?;
                Some((
                    chance_to_miss(hardest.rate().at_least(), tally.seeds),
                    &hardest.name,
                ))
            });
        let worst = chances.max_by(|(one, _), (other, _)| one.total_cmp(other));
        worst.map_or_else(
            || "no defect was measured, so the chance to miss one is not known".to_owned(),
            |(chance, defect)| {
                let percent = chance * 100.0;
                format!("of the planted defects {defect} is the hardest to find, and would have been missed with {percent:.2} %")
            },
        )
    }
}

fn sources<W: World>() -> Vec<Source> {
    scenario::built_in()
        .filter(|source| source.world().is_ok_and(|world| world == W::NAME))
        .collect()
}

/// All traces below a folder, but for those of failures that nobody has kept.
fn kept_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry
            .with_context(|| format!("cannot read {}", folder.display()))?
            .path();
        if path.is_dir() && !path.ends_with("failures") {
            files.extend(kept_files(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
