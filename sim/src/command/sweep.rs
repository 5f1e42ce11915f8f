//! `drydock sweep`: many seeds of a world's scenarios.

use std::io::{IsTerminal as _, Write};
use std::num::NonZeroUsize;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::ValueHint;
use indicatif::ProgressDrawTarget;
use sim::check::Verdict;
use sim::report::figures::{Exactly, Of, Took};
use sim::report::sweep::{Row, table, write_unreached, write_void_runs};
use sim::run::StoreKind;
use sim::scenario::{self, Scenario, Source};
use sim::search::{self, Ended, Finding, SHARE, Settings, Swept, Tally, Unreached, unreached};
use sim::world::known::{self, Visit};
use sim::world::{World, load, with_world_of};

use super::interrupt::{self, Interrupt};
use super::progress::Progress;
use super::watch::Clock;
use super::{
    ScenarioName, default_variant, failure, program, run_plan_twice, statement, store_names, variant_names,
};

/// Run many seeds of a world's scenarios, on all processors
///
/// Scenarios take turns by their weights, each from the same first seed on. Stops at the first seed, in that order, that
/// violates something, writes it to a trace and prints the command that replays it: the result is the same whatever the
/// number of jobs. One run in 20 is repeated on the other store, and one in 20 on the same; a difference is an error.
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
    /// Which store holds the objects' databases
    #[arg(long, value_parser = store_names(), default_value = StoreKind::Sqlite.name())]
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
        program::<W>(variant)?;
        let settings = settings(arguments, &scenarios)?;
        // Whoever has read the heading can end it.
        let interrupt = Interrupt::listen()?;
        write_heading::<W>(&settings, variant, arguments, self.out)?;
        let clock = Clock::start(arguments.time, interrupt, progress(arguments));
        let swept = search::sweep::<W, _>(
            &settings,
            || program::<W>(variant).expect("the variant was there before"),
            &clock,
        );
        let summary = Summary {
            took: clock.stop(),
            interrupted: swept.ended == Ended::Early && clock.is_interrupted(),
            settings: &settings,
            sources: self.sources,
            swept: &swept,
            variant,
        };
        summary.write::<W>(self.out)
    }
}

fn settings<'a, Own>(arguments: &Arguments, scenarios: &'a [Scenario<Own>]) -> Result<Settings<'a, Own>> {
    let most = (u64::MAX - arguments.from).saturating_add(1);
    let seeds = arguments.seeds.unwrap_or(most);
    if seeds > most {
        bail!("the last seed is past 2^64");
    }
    let jobs = arguments.jobs.map_or_else(
        || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        |jobs| NonZeroUsize::new(usize::from(jobs)).expect("zero is refused by the parser"),
    );
    Ok(Settings {
        scenarios,
        from: arguments.from,
        seeds,
        jobs,
        store: arguments.store,
        keep_going: arguments.keep_going,
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

/// What a sweep has come to, to be told.
struct Summary<'a, Own> {
    took: Duration,
    interrupted: bool,
    settings: &'a Settings<'a, Own>,
    sources: &'a [Source],
    swept: &'a Swept,
    variant: &'a str,
}

impl<Own> Summary<'_, Own> {
    /// Tells all of it, and answers the exit code.
    fn write<W: World<Scenario = Own>>(&self, out: &mut dyn Write) -> Result<u8> {
        let Summary { settings, swept, .. } = self;
        let scenarios = settings.scenarios.iter().zip(&swept.tallies);
        let missed: Vec<Vec<Unreached>> = scenarios
            .map(|(scenario, tally)| unreached(scenario, tally))
            .collect();
        let rows = settings.scenarios.iter().zip(&swept.tallies).zip(&missed);
        let rows: Vec<_> = rows
            .map(|((scenario, tally), unreached)| Row {
                name: &scenario.name,
                tally,
                unreached: self.is_judged(scenario, tally).then_some(unreached),
            })
            .collect();
        writeln!(out, "{}", table(&rows))?;
        write_void_runs(&swept.tallies, settings.store, out)?;
        for finding in &swept.findings {
            self.write_finding::<W>(finding, out)?;
        }
        let void = self.write_void(&missed, out)?;
        let code = self.exit_code(void);
        writeln!(out, "{}", self.last_line(code, void))?;
        Ok(code)
    }

    fn write_finding<W: World<Scenario = Own>>(&self, finding: &Finding, out: &mut dyn Write) -> Result<()> {
        let (settings, variant) = (self.settings, self.variant);
        let (scenario, seed) = (&settings.scenarios[finding.scenario], finding.seed);
        let place = format!("scenario {}, seed {seed}", scenario.name);
        let Verdict::Violated(violation) = &finding.verdict else {
            writeln!(out, "{}\n  {place}", finding.verdict)?;
            let (source, store) = (&self.sources[finding.scenario], settings.store.name());
            writeln!(
                out,
                "  next:  cargo run --release -- run {} --seed {seed} --variant {variant} --store {store}",
                source.named()
            )?;
            return Ok(());
        };
        let statement = statement::<W>(violation);
        writeln!(out, "{} violated   {statement}     {place}", violation.invariant)?;
        writeln!(out, "  {}", violation.detail)?;
        if finding.count > 1 {
            writeln!(
                out,
                "  {} seeds have shown it, this one first",
                Exactly(finding.count)
            )?;
        }
        let plan = W::generate(scenario, seed);
        let report = run_plan_twice::<W>(settings.store, &plan, variant)?;
        let file = failure::file(violation, &scenario.name, seed);
        if let Err(error) = failure::tell_trace::<W>(settings.store, plan, variant, &report, &file, out) {
            // What the sweep has shown is told by the exit code all the same.
            anstream::eprintln!("error: {error:#}");
        }
        Ok(())
    }

    /// Whether the marks of a scenario are judged: not where the sweep was short or stopped half-way, nor where runs
    /// were cut off by what they found.
    fn is_judged(&self, scenario: &Scenario<Own>, tally: &Tally) -> bool {
        !self.interrupted && self.swept.findings.is_empty() && tally.seeds >= scenario.least_seeds
    }

    /// Tells which scenarios are void, and answers how many.
    fn write_void(&self, missed: &[Vec<Unreached>], out: &mut dyn Write) -> Result<usize> {
        let Summary {
            settings,
            sources,
            swept,
            ..
        } = self;
        let mut void = 0;
        for (at, scenario) in settings.scenarios.iter().enumerate() {
            let (tally, unreached) = (&swept.tallies[at], &missed[at]);
            if self.is_judged(scenario, tally) && !unreached.is_empty() {
                write_unreached(scenario, &sources[at], tally, unreached, out)?;
                void += 1;
            }
        }
        Ok(void)
    }

    fn exit_code(&self, void: usize) -> u8 {
        let found = |code| {
            let mut findings = self.swept.findings.iter();
            findings.any(|finding| finding.verdict.exit_code() == code)
        };
        let void_runs = self.swept.tallies.iter().any(|tally| !tally.void.is_empty());
        if self.interrupted {
            interrupt::EXIT_CODE
        } else if found(4) {
            4
        } else if found(1) {
            1
        } else if void > 0 || void_runs {
            3
        } else {
            0
        }
    }

    fn last_line(&self, code: u8, void: usize) -> String {
        let Summary { settings, swept, .. } = self;
        let done: u64 = swept.tallies.iter().map(|tally| tally.seeds).sum();
        let ran = format!("{} in {}", Of(done, "seed"), Took(self.took));
        let found = match swept.findings.len() {
            0 => "nothing violated".to_owned(),
            findings => Of(findings as u64, "finding").to_string(),
        };
        match code {
            0 => format!("green: {ran}, nothing violated, {}.", self.marks()),
            1 => format!("violated: {ran}, {found}."),
            3 if void > 0 => {
                let all = settings.scenarios.len();
                format!("void: {ran}, nothing violated; {void} of {all} scenarios have shown nothing.")
            }
            3 => format!("void: {ran}, nothing violated; some runs have shown nothing."),
            4 => format!("not deterministic: {ran}, {found}."),
            _ => format!("interrupted: {ran}, {found}."),
        }
    }

    /// What a green says about the marks that had to be passed.
    fn marks(&self) -> String {
        let scenarios = self.settings.scenarios.iter().zip(&self.swept.tallies);
        let few = scenarios.filter(|(scenario, tally)| tally.seeds < scenario.least_seeds);
        let few: Vec<_> = few
            .map(|(scenario, _)| format!("{} ({})", scenario.name, scenario.least_seeds))
            .collect();
        if few.is_empty() {
            "every mark passed".to_owned()
        } else {
            format!(
                "and fewer seeds than it takes to judge the marks of {}",
                few.join(", ")
            )
        }
    }
}
