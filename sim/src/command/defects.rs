//! `drydock defects`: whether what is planted is found, and how soon.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ValueHint;
use protocol::host::Text;
use sim::check::Identity;
use sim::report::catalogue::tables;
use sim::report::defects::{Row, Standing, write_matrix, write_rows};
use sim::report::figures::{Of, Took};
use sim::run::StoreKind;
use sim::scenario::{self, Scenario};
use sim::search::detect::{self, Detection, detect};
use sim::search::measured::{Measured, MeasuredDefect, file_of};
use sim::search::shrink;
use sim::world::known::{self, Visit};
use sim::world::{Planted, World, load};

use super::interrupt::{self, Interrupt};
use super::progress::Progress;
use super::shrinking::target;
use super::watch::Clock;
use super::{deployment, jobs, store_names};

/// Plant defects in the protocol, and see whether they are found
///
/// Each is run over independent seeds of the scenario in which it was found soonest when that was measured last, until it is
/// found 30 times. What is not found is told first, and the command exits with 1; so it does for a defect that is found
/// too late, by none of the invariants that must catch it, or although the catalogue says that no run shows it.
#[derive(clap::Args)]
pub struct Arguments {
    /// The defects, by the names of their variants [default: all that must be found]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// How many seeds each has at most
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// After how many detections a pass ends
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    enough: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    from: u64,
    /// Choose the scenario anew: so many other seeds of each are run, and the one that finds most is taken. A defect that was
    /// never measured is always chosen for
    #[arg(long, value_name = "SEEDS", value_parser = clap::value_parser!(u64).range(1..))]
    choose: Option<u64>,
    /// Run the defects too of which the catalogue says that no run shows them
    #[arg(long)]
    unseen: bool,
    /// How many of the runs that have found a defect go on after the first violation, for the matrix
    #[arg(long, default_value_t = 10)]
    run_on: u64,
    /// Make the plan that shows a defect small, by so many runs at most; 0 does not
    #[arg(long, default_value_t = 0)]
    shrink_runs: u64,
    /// How many runs go on at once [default: as many as there are processors]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Which store holds the objects' databases
    #[arg(long, value_parser = store_names(), default_value = StoreKind::Model.name())]
    store: StoreKind,
    /// Run nothing, and print the tables of the documentation from what was measured last
    #[arg(long, conflicts_with_all = ["names", "choose", "json", "write"])]
    tables: bool,
    /// Write what was measured, as JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    json: Option<PathBuf>,
    /// Write what was measured into the file that the gate counts its seeds by: `sim/measured/WORLD.toml`
    #[arg(long)]
    write: bool,
}

/// Where the seeds begin by which a scenario is chosen: a pass takes none of them.
const CHOOSING_FROM: u64 = 1_000_000_000;

/// How many seeds of each scenario choose for a defect that was never measured.
const CHOOSING: u64 = 8;

/// Does it, and answers the exit code.
pub fn defects(arguments: &Arguments, out: &mut dyn Write) -> Result<u8> {
    known::with(known::DEFAULT, PlantedIn { arguments, out }).context("there is no world")?
}

struct PlantedIn<'a> {
    arguments: &'a Arguments,
    out: &'a mut dyn Write,
}

impl Visit for PlantedIn<'_> {
    type Output = Result<u8>;

    fn visit<W: World>(self) -> Result<u8> {
        let PlantedIn { arguments, out } = self;
        let mut measured = before::<W>(arguments)?;
        if arguments.tables {
            write!(out, "{}", tables(&W::planted(), W::not_planted(), &measured))?;
            return Ok(0);
        }
        let planted = wanted::<W>(arguments)?;
        let pass = Pass::<W> {
            arguments,
            scenarios: scenarios::<W>()?,
            interrupt: Interrupt::listen()?,
        };
        writeln!(
            out,
            "{} · {} · {} · {} each at most, from {}",
            W::NAME,
            Of(planted.len() as u64, "defect"),
            arguments.store.name(),
            Of(arguments.seeds, "seed"),
            arguments.from,
        )?;
        out.flush()?;
        let mut rows = Vec::new();
        for defect in &planted {
            if pass.interrupt.asked() {
                break;
            }
            let row = pass.row(defect, &measured)?;
            anstream::eprintln!("{}", row.in_a_line());
            if !pass.interrupt.asked() {
                measured.put(row.measured.clone());
                rows.push(row);
                if arguments.write {
                    write_measured(&measured, Path::new(&file_of(W::NAME)))?;
                }
            }
        }
        write_rows(&rows, out)?;
        write_matrix(&measured, out)?;
        if let Some(file) = &arguments.json {
            let text = serde_json::to_string_pretty(&rows)? + "\n";
            fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
        }
        if pass.interrupt.asked() {
            writeln!(out, "interrupted: {} of {} are done.", rows.len(), planted.len())?;
            return Ok(interrupt::EXIT_CODE);
        }
        let failing = rows.iter().filter(|row| row.standing.is_failing()).count();
        writeln!(
            out,
            "{}",
            if failing == 0 {
                format!("all of {} stand as they must.", Of(rows.len() as u64, "defect"))
            } else {
                format!(
                    "{failing} of {} do not stand as they must.",
                    Of(rows.len() as u64, "defect")
                )
            }
        )?;
        Ok(u8::from(failing > 0))
    }
}

/// What was measured before: where that is written, what the file says now.
fn before<W: World>(arguments: &Arguments) -> Result<Measured> {
    let file = file_of(W::NAME);
    if !arguments.write {
        return Measured::of::<W>().context(file);
    }
    let text = fs::read_to_string(&file)
        .with_context(|| format!("cannot read {file}: call the command from the root of the repository"))?;
    toml::from_str(&text).context(file)
}

/// The defects that are named, or all that must be found.
fn wanted<W: World>(arguments: &Arguments) -> Result<Vec<Planted>> {
    let all = W::planted();
    if arguments.names.is_empty() {
        let wanted = |defect: &Planted| arguments.unseen || defect.unseen.is_none();
        return Ok(all.into_iter().filter(wanted).collect());
    }
    let find = |name: &String| {
        let found = all.iter().find(|defect| defect.variant == name);
        found.cloned().with_context(|| {
            let known = all.iter().map(|defect| defect.variant);
            scenario::unknown("defect", name, known)
        })
    };
    arguments.names.iter().map(find).collect()
}

/// The scenarios of a world that come with the tool.
pub fn scenarios<W: World>() -> Result<Vec<Scenario<W::Scenario>>> {
    let of_world = |source: &scenario::Source| source.world().is_ok_and(|world| world == W::NAME);
    let loaded = scenario::built_in()
        .filter(of_world)
        .map(|source| load::<W>(&source));
    Ok(loaded.collect::<Result<Vec<_>, _>>()?)
}

fn write_measured(measured: &Measured, file: &Path) -> Result<()> {
    let head = "# What was measured of each planted defect: `drydock defects --write` makes this file. What it is taken for, and\n\
                # under which assumptions, stands in `sim/src/search/measured.rs`.\n\n";
    let text = format!("{head}{}", toml::to_string(measured)?);
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// The passes of a command.
struct Pass<'a, W: World> {
    arguments: &'a Arguments,
    scenarios: Vec<Scenario<W::Scenario>>,
    interrupt: Interrupt,
}

impl<W: World> Pass<'_, W> {
    fn detect(
        &self,
        scenario: &Scenario<W::Scenario>,
        variant: &str,
        from: u64,
        seeds: u64,
    ) -> (Detection, Took) {
        let clock = Clock::start(None, self.interrupt.clone(), Progress::new(Some(seeds), target()));
        let settings = detect::Settings {
            from,
            seeds,
            enough: self.arguments.enough,
            store: self.arguments.store,
            jobs: jobs(self.arguments.jobs),
        };
        let deployed = || deployment::<W>(variant).expect("the variant was there before");
        let detection = detect::<W>(scenario, deployed, settings, &clock);
        (detection, Took(clock.stop()))
    }

    /// The scenario in which a defect is looked for.
    fn scenario(&self, defect: &Planted, measured: &Measured) -> Result<&Scenario<W::Scenario>> {
        let before = measured.get(defect.variant).map(|measured| &measured.scenario);
        let before = before.and_then(|name| self.scenarios.iter().find(|scenario| scenario.name == *name));
        match (before, self.arguments.choose) {
            (Some(scenario), None) => Ok(scenario),
            (before, choose) => {
                let seeds = choose.unwrap_or(CHOOSING);
                let found = |scenario| self.detect(scenario, defect.variant, CHOOSING_FROM, seeds).0;
                let share = |scenario| {
                    let Detection { found, runs, .. } = found(scenario);
                    // Of two that find it as often, the one that ended sooner; the first of equal ones.
                    found * 1_000_000 / runs.max(1)
                };
                let shares: Vec<_> = self.scenarios.iter().map(share).collect();
                let best = (0..shares.len()).rev().max_by_key(|at| shares[*at]);
                let best = best.context("the world has no scenario")?;
                // Where none finds it, none is better than the one that was chosen before.
                let chosen = before.filter(|_| shares[best] == 0);
                Ok(chosen.unwrap_or(&self.scenarios[best]))
            }
        }
    }

    fn row(&self, defect: &Planted, measured: &Measured) -> Result<Row> {
        let scenario = self.scenario(defect, measured)?;
        let (detection, took) = self.detect(
            scenario,
            defect.variant,
            self.arguments.from,
            self.arguments.seeds,
        );
        let violated = self.run_on(defect, scenario, &detection)?;
        let smallest = self.smallest(defect, scenario, &detection);
        let run_on = detection.found.min(self.arguments.run_on);
        Ok(Row {
            variant: defect.variant.into(),
            origin: defect.origin,
            sources: defect.sources.clone(),
            about: defect.about.into(),
            standing: Standing::of(defect, &detection, &violated),
            by: detection.by,
            took,
            measured: MeasuredDefect {
                name: defect.variant.into(),
                scenario: scenario.name.clone(),
                runs: detection.runs,
                found: detection.found,
                run_on,
                violated,
                smallest: smallest
                    .or_else(|| measured.get(defect.variant).and_then(|before| before.smallest)),
            },
        })
    }

    /// How many of the first runs that have found a defect violate each invariant at any time.
    fn run_on(
        &self,
        defect: &Planted,
        scenario: &Scenario<W::Scenario>,
        detection: &Detection,
    ) -> Result<BTreeMap<Text, u64>> {
        let mut violated: BTreeMap<Text, u64> = BTreeMap::new();
        let most = usize::try_from(self.arguments.run_on).unwrap_or(usize::MAX);
        for (seed, _) in detection.seeds.iter().take(most) {
            let all = detect::violated::<W>(scenario, *seed, deployment::<W>(defect.variant)?);
            for invariant in all {
                *violated.entry(invariant).or_default() += 1;
            }
        }
        Ok(violated)
    }

    /// How many items and fixed choices the smallest plan has that shows a defect.
    fn smallest(
        &self,
        defect: &Planted,
        scenario: &Scenario<W::Scenario>,
        detection: &Detection,
    ) -> Option<u64> {
        if self.arguments.shrink_runs == 0 {
            return None;
        }
        let must: BTreeSet<&str> = defect.invariants.iter().copied().collect();
        let caught = detection
            .seeds
            .iter()
            .find(|(_, violation)| must.contains(violation.invariant.as_str()));
        let (seed, violation) = caught.or(detection.seeds.first())?;
        let clock = Clock::start(None, self.interrupt.clone(), Progress::of_shrinking(target()));
        let settings = shrink::Settings {
            store: self.arguments.store,
            jobs: jobs(self.arguments.jobs),
            runs: self.arguments.shrink_runs,
        };
        let deployed = || deployment::<W>(defect.variant).expect("the variant was there before");
        let plan = W::generate(scenario, *seed);
        let smallest = shrink::shrink::<W, _>(
            &plan,
            &Identity::of(violation),
            settings,
            deployed,
            &clock,
            &|_| {},
        )?;
        clock.stop();
        Some((smallest.plan.items.len() + smallest.plan.fixed.len()) as u64)
    }
}
