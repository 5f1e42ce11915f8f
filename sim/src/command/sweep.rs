//! `drydock sweep`: many seeds of a world's scenarios.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::ValueHint;
use indicatif::ProgressDrawTarget;
use sim::check::Verdict;
use sim::report::figures::Of;
use sim::run::StoreKind;
use sim::scenario::{self, Scenario, Source};
use sim::search::known::{Date, read as read_known};
use sim::search::{self, Ended, Finding, Known, Least, SHARE, Settings, Watcher as _};
use sim::world::known::{self, Visit};
use sim::world::{World, load, with_world_of};

use super::interrupt::Interrupt;
use super::progress::Progress;
use super::summary::Summary;
use super::watch::Clock;
use super::{
    ScenarioName, default_variant, deployment, failure, jobs, run_plan_twice, store_names, variant_names,
};

/// How many runs a sweep takes to make a violation smaller, where nobody says otherwise.
const SHRINK_RUNS: u64 = 5_000;

/// Run many seeds of a world's scenarios, on all processors
///
/// Scenarios take turns by their weights, each from the same first seed on. Stops at the first seed, in that order, that
/// violates something, writes it to a trace, makes that as small as it gets and prints the commands that explain, replay
/// and keep it: the result is the same whatever the number of jobs. One run in 20 is repeated on the other store, and one in 20 on the same:
/// a difference of verdict or hash fails the sweep with exit code 4, before all else, and its seed is named.
///
/// A scenario that ran its least number of seeds and never passed one of its goals, or never had a kind of fault take
/// effect that its knobs switch on, has shown nothing: that is void, and no green.
///
/// Shows on a terminal how far it is. Ctrl-C ends it after the runs that are under way, with the table of what is done;
/// a second Ctrl-C at once.
#[derive(clap::Args)]
pub struct Arguments {
    /// The scenarios, all of one world, or files of your own that end in `.toml` [default: all of the first world of
    /// `drydock list`]
    #[arg(value_parser = ScenarioName, hide_possible_values = true, value_hint = ValueHint::FilePath)]
    scenarios: Vec<String>,
    /// How many seeds in all
    #[arg(long, required_unless_present = "time", value_parser = clap::value_parser!(u64).range(1..))]
    seeds: Option<u64>,
    /// The first seed of each scenario
    #[arg(long, default_value_t = 1)]
    from: u64,
    /// Begin no more runs after this time, for example `60s` or `10m`
    #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
    time: Option<Duration>,
    /// How many runs go on at once [default: as many as there are processors]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Go on after a violation, and collect what is found: one trace for each kind
    #[arg(long)]
    keep_going: bool,
    /// A TOML file of failures that are known, each with a reason, an owner and the last day on which it may be: only
    /// others fail the sweep, and those whose day is over. What is found is told as an entry of it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    known: Option<PathBuf>,
    /// What day it is, as 2027-01-31, for --known [default: what the system says, in UTC]
    #[arg(long, value_name = "DATE", requires = "known")]
    today: Option<Date>,
    /// Do not make smaller what was found
    #[arg(long)]
    no_shrink: bool,
    /// How many runs it takes at most to make a violation smaller
    #[arg(long, default_value_t = SHRINK_RUNS, conflicts_with = "no_shrink", value_parser = clap::value_parser!(u64).range(1..))]
    shrink_runs: u64,
    /// Which store holds the objects' databases
    #[arg(long, value_parser = store_names(), default_value = StoreKind::Model.name())]
    store: StoreKind,
    /// The variant of the protocol's rules, see `drydock list` [default: hardened]
    #[arg(long, value_parser = variant_names(), hide_possible_values = true)]
    variant: Option<String>,
}

/// Does it, and answers the exit code.
pub fn sweep(arguments: &Arguments, out: &mut dyn Write) -> Result<u8> {
    let sources = sources(&arguments.scenarios)?;
    let first = sources.first().context("the world has no scenario")?;
    let sweep = SweepWorld {
        sources: &sources,
        arguments,
        out,
    };
    with_world_of(first, sweep)?
}

/// The scenarios that a user has named, each once; all of the default world where none is.
fn sources(named: &[String]) -> Result<Vec<Source>> {
    if named.is_empty() {
        let of_default = |source: &Source| source.world().is_ok_and(|world| world == known::DEFAULT);
        return Ok(scenario::built_in().filter(of_default).collect());
    }
    let mut sources: Vec<Source> = Vec::new();
    for name in named {
        let source = scenario::find(name)?;
        if let Some(first) = sources.first()
            && first.world()? != source.world()?
        {
            bail!(
                "a sweep is of one world: {} is of {}, and {} of {}",
                first.name(),
                first.world()?,
                source.name(),
                source.world()?
            );
        }
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    Ok(sources)
}

/// Sweeps scenarios of a world that is not known yet.
struct SweepWorld<'a> {
    sources: &'a [Source],
    arguments: &'a Arguments,
    out: &'a mut dyn Write,
}

impl Visit for SweepWorld<'_> {
    type Output = Result<u8>;

    fn visit<W: World>(self) -> Result<u8> {
        let arguments = self.arguments;
        let scenarios = self.sources.iter().map(load::<W>);
        let scenarios = scenarios.collect::<Result<Vec<_>, _>>()?;
        let variant = arguments.variant.as_deref().unwrap_or(default_variant::<W>());
        deployment::<W>(variant)?;
        let known = known_on_day::<W>(arguments.known.as_deref(), arguments.today)?;
        let settings = settings(arguments, &scenarios, &known.valid)?;
        // Whoever has read the heading can end it.
        let interrupt = Interrupt::listen()?;
        write_heading::<W>(&settings, variant, arguments, self.out)?;
        let clock = Clock::start(arguments.time, interrupt, progress(arguments));
        let mut traces = BTreeMap::new();
        let mut found = |finding: &Finding| {
            let place = (finding.scenario, finding.seed);
            match write_found::<W>(&settings, variant, finding) {
                Ok(file) => traces.extend(file.map(|file| (place, file))),
                // What the sweep has shown is told by the exit code all the same.
                Err(error) => anstream::eprintln!("error: {error:#}"),
            }
        };
        let swept = search::sweep::<W, _>(
            &settings,
            || deployment::<W>(variant).expect("the variant was there before"),
            &clock,
            &mut found,
        );
        let summary = Summary {
            took: clock.stop(),
            interrupted: swept.ended == Ended::Early && clock.is_interrupted(),
            judged: search::judge(&scenarios, &swept, known.expired.len()),
            settings: &settings,
            sources: self.sources,
            swept: &swept,
            variant,
            expired: &known.expired,
            today: known.today,
            traces: &traces,
            shrink: (!arguments.no_shrink).then_some(arguments.shrink_runs),
            interrupt: clock.interrupt(),
        };
        summary.write::<W>(self.out)
    }
}

/// Writes what was found to a trace, while the sweep goes on: whoever ends that loses nothing. None where runs differ.
fn write_found<W: World>(
    settings: &Settings<'_, W::Scenario>,
    variant: &str,
    finding: &Finding,
) -> Result<Option<PathBuf>> {
    let Verdict::Violated(violation) = &finding.verdict else {
        return Ok(None);
    };
    let scenario = &settings.scenarios[finding.scenario];
    let plan = W::generate(scenario, finding.seed);
    let report = run_plan_twice::<W>(settings.store, &plan, variant)?;
    let file = failure::file::<W>(violation, &scenario.name, finding.seed, variant);
    failure::write_trace::<W>(settings.store, plan, variant, &report, &file)?;
    Ok(Some(file))
}

/// The known failures, by whether their day is over.
pub struct KnownOnDay {
    /// The day.
    today: Date,
    /// Those that may still be …
    pub valid: Vec<Known>,
    /// … and those that may not.
    pub expired: Vec<Known>,
}

/// The known failures of a file, on a day: today's where none is named.
pub fn known_on_day<W: World>(file: Option<&Path>, day: Option<Date>) -> Result<KnownOnDay> {
    let all = match file {
        None => Vec::new(),
        Some(file) => read_known::<W>(&Source::open(&file.to_string_lossy())?)?,
    };
    let today = day.map_or_else(today, Ok)?;
    let (expired, valid) = all.into_iter().partition(|known| known.expires < today);
    Ok(KnownOnDay {
        today,
        valid,
        expired,
    })
}

/// What day the system says it is.
#[expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "whether a failure may still be is for people: no run sees the day"
)]
fn today() -> Result<Date> {
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    Ok(now.get(..10).unwrap_or_default().parse()?)
}

fn settings<'a, Own>(
    arguments: &Arguments,
    scenarios: &'a [Scenario<Own>],
    known: &'a [Known],
) -> Result<Settings<'a, Own>> {
    let most = (u64::MAX - arguments.from).saturating_add(1);
    let seeds = arguments.seeds.unwrap_or(most);
    if seeds > most {
        bail!("the last seed is past 2^64");
    }
    Ok(Settings {
        scenarios,
        from: arguments.from,
        seeds,
        least: Least::One,
        jobs: jobs(arguments.jobs),
        store: arguments.store,
        keep_going: arguments.keep_going,
        known,
    })
}

fn progress(arguments: &Arguments) -> Progress {
    let target = if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    Progress::new(arguments.seeds, target)
}

fn write_heading<W: World>(
    settings: &Settings<'_, W::Scenario>,
    variant: &str,
    arguments: &Arguments,
    out: &mut dyn Write,
) -> Result<()> {
    let (store, from) = (settings.store, settings.from);
    let seeds = arguments.seeds.map_or_else(
        || format!("seeds from {from}"),
        |seeds| format!("{} from {from}", Of(seeds, "seed")),
    );
    let time = arguments.time.map_or_else(String::new, |time| {
        format!(" · for {}", humantime::format_duration(time))
    });
    writeln!(
        out,
        "{} · {variant} · {} (1 in {SHARE} repeated on {}, 1 in {SHARE} run twice) · {} · {seeds}{time}",
        W::NAME,
        store.name(),
        store.other().name(),
        Of(settings.jobs.get() as u64, "job"),
    )?;
    Ok(out.flush()?)
}
