//! `drydock shrink --table`: how small the failures of many seeds become.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::Duration;

use anyhow::{Context, Result};
use sim::check::{Identity, Verdict, Violation};
use sim::plan::{Act, Plan};
use sim::report::figures::{Of, Took};
use sim::report::shrink_table::{Row, Size, write_table};
use sim::run::{Pools, StoreKind};
use sim::scenario::{self, Scenario};
use sim::search::shrink::{self, Settings, Smallest, hand_over, so_far};
use sim::search::{self, Schedule};
use sim::world::known::{self, Visit};
use sim::world::{World, load};

use super::deployment;
use super::failure;
use super::file::write;
use super::interrupt::{self, Interrupt};
use super::progress::Progress;
use super::shrinking::{beside, target};
use super::watch::Clock;

/// How many seeds are swept for each that is wanted, so that rare kinds of failure are found too.
const SWEPT: u64 = 130;

/// On which store they are swept: the faster one, as in any sweep.
const FOUND_ON: StoreKind = StoreKind::Model;

/// What a table is of.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The variant that fails.
    pub variant: &'a str,
    /// How many seeds that fail, at least.
    pub seeds: u64,
    /// How plans are tried.
    pub settings: Settings,
}

/// Shrinks so many seeds of the default world that fail, and tells how small they become. Answers the exit code.
pub fn table(wanted: Wanted<'_>, out: &mut dyn Write) -> Result<u8> {
    known::with(known::DEFAULT, Table { wanted, out }).context("there is no world")?
}

struct Table<'a> {
    wanted: Wanted<'a>,
    out: &'a mut dyn Write,
}

impl Visit for Table<'_> {
    type Output = Result<u8>;

    fn visit<W: World>(self) -> Result<u8> {
        let Table { wanted, out } = self;
        deployment::<W>(wanted.variant)?;
        let sources = scenario::built_in();
        let of_world = sources.filter(|source| source.world().is_ok_and(|world| world == W::NAME));
        let scenarios = of_world
            .map(|source| load::<W>(&source))
            .collect::<Result<Vec<_>, _>>()?;
        let interrupt = Interrupt::listen()?;
        writeln!(
            out,
            "{} · {} · {} · {} · {} at least",
            W::NAME,
            wanted.variant,
            wanted.settings.store.name(),
            Of(wanted.settings.jobs.get() as u64, "job"),
            Of(wanted.seeds, "failing seed")
        )?;
        out.flush()?;
        let failing = failing::<W>(wanted, &scenarios, &interrupt);
        let mut rows = Vec::new();
        for (at, seed, violation) in &failing {
            if interrupt.asked() {
                break;
            }
            rows.extend(shrunk::<W>(
                wanted,
                &scenarios[*at],
                *seed,
                violation,
                &interrupt,
            )?);
        }
        if interrupt.asked() {
            if !rows.is_empty() {
                write_table(&rows, out)?;
            }
            writeln!(out, "interrupted: {} of {} are done.", rows.len(), failing.len())?;
            return Ok(interrupt::EXIT_CODE);
        }
        write_table(&rows, out)?;
        Ok(0)
    }
}

/// Seeds that fail, each with its scenario's place: the first one of each kind of failure, and then the first others.
fn failing<W: World>(
    wanted: Wanted<'_>,
    scenarios: &[Scenario<W::Scenario>],
    interrupt: &Interrupt,
) -> Vec<(usize, u64, Violation)> {
    let sweep = search::Settings {
        scenarios,
        from: 1,
        seeds: wanted.seeds.saturating_mul(SWEPT),
        least: search::Least::One,
        jobs: wanted.settings.jobs,
        store: FOUND_ON,
        keep_going: true,
        known: &[],
    };
    let clock = Clock::start(
        None,
        interrupt.clone(),
        Progress::new(Some(sweep.seeds), target()),
    );
    let deployment = || deployment::<W>(wanted.variant).expect("the variant was there before");
    let swept = search::sweep::<W, _>(&sweep, deployment, &clock, &mut |_| {});
    clock.stop();
    let found = swept
        .findings
        .into_iter()
        .filter_map(|finding| match finding.verdict {
            Verdict::Violated(violation) => Some((finding.scenario, finding.seed, violation)),
            _ => None,
        });
    let mut failing: Vec<_> = found.collect();
    let mut there: BTreeSet<(usize, u64)> = failing.iter().map(|(at, seed, _)| (*at, *seed)).collect();
    let pools = Pools::default();
    let jobs = Schedule::new(scenarios.iter().map(|scenario| scenario.weight));
    for job in jobs.take(usize::try_from(sweep.seeds).unwrap_or(usize::MAX)) {
        if failing.len() as u64 >= wanted.seeds || interrupt.asked() {
            break;
        }
        let seed = 1 + job.nth;
        let plan = W::generate(&scenarios[job.scenario], seed);
        let report = pools.run::<W>(FOUND_ON, &plan, deployment(), ());
        if let Verdict::Violated(violation) = report.verdict
            && there.insert((job.scenario, seed))
        {
            failing.push((job.scenario, seed, violation));
        }
    }
    failing
}

/// Shrinks one of them, and leaves its trace; none where somebody has ended that before it began.
fn shrunk<W: World>(
    wanted: Wanted<'_>,
    scenario: &Scenario<W::Scenario>,
    seed: u64,
    violation: &Violation,
    interrupt: &Interrupt,
) -> Result<Option<Row>> {
    let plan = W::generate(scenario, seed);
    let identity = Identity::of(violation);
    let clock = Clock::start(None, interrupt.clone(), Progress::of_shrinking(target()));
    let smallest = shrink::shrink::<W, _>(
        &plan,
        &identity,
        wanted.settings,
        || deployment::<W>(wanted.variant).expect("the variant was there before"),
        &clock,
        &|_| {},
    );
    let took: Duration = clock.stop();
    if smallest.is_none() && interrupt.asked() {
        // It was ended before its first run.
        return Ok(None);
    }
    let smallest = smallest.with_context(|| {
        format!(
            "scenario {}, seed {seed} does not fail a second time",
            scenario.name
        )
    })?;
    let file = beside(&failure::file::<W>(
        violation,
        &scenario.name,
        seed,
        wanted.variant,
    ));
    // It is run twice there, and on the other store.
    let keeps = match hand_over::<W>(&smallest, wanted.variant, plan.items.len(), wanted.settings.store) {
        Ok(handed_over) => {
            write::<W>(&handed_over.trace, &file)?;
            Identity::of(&handed_over.violation) == identity
        }
        Err(error) => {
            anstream::eprintln!("error: scenario {}, seed {seed}: {error}", scenario.name);
            write::<W>(
                &so_far::<W>(&smallest.plan, &identity, wanted.variant, plan.items.len()),
                &file,
            )?;
            false
        }
    };
    Ok(Some(row(
        scenario.name.to_string(),
        seed,
        identity,
        &plan,
        &smallest,
        Took(took),
        keeps,
    )))
}

fn row<S, O>(
    scenario: String,
    seed: u64,
    identity: Identity,
    plan: &Plan<S, O>,
    smallest: &Smallest<S, O>,
    took: Took,
    keeps: bool,
) -> Row {
    Row {
        scenario,
        seed,
        identity,
        before: size(plan),
        after: size(&smallest.plan),
        runs: smallest.runs,
        took,
        is_1_minimal: smallest.is_1_minimal(),
        keeps,
    }
}

fn size<S, O>(plan: &Plan<S, O>) -> Size {
    let faults = plan
        .items
        .iter()
        .filter(|item| matches!(item.act, Act::Fault(_)))
        .count();
    Size {
        operations: plan.items.len() - faults,
        faults,
        fixed: plan.fixed.len(),
    }
}
