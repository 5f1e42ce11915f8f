//! What the command line offers, one module a command.

pub mod check_log;
pub mod completions;
pub mod defects;
pub mod explain;
mod failing;
mod failure;
mod file;
pub mod gate;
mod interrupt;
pub mod keep;
pub mod list;
mod log;
pub mod output;
mod progress;
pub mod replay;
pub mod run;
pub mod shrink;
mod shrink_table;
mod shrinking;
mod summary;
pub mod sweep;
mod watch;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::num::NonZeroUsize;

use anyhow::{Context, Result};
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use sim::check::{GENERAL, Violation};
use sim::kernel::{Deployment, Observer};
use sim::run::{Pools, Report, StoreKind};
use sim::scenario;
use sim::world::{PlanOf, World, known};
use strum::VariantArray as _;

/// The stores, as a command line names them.
fn store_names() -> impl TypedValueParser<Value = StoreKind> {
    let stores = StoreKind::VARIANTS.iter();
    PossibleValuesParser::new(stores.map(|store| PossibleValue::new(store.name()).help(store.about())))
        .map(|name| name.parse().expect("no other value is possible"))
}

/// How many runs go on at once; where none is named, as many as there are processors.
fn jobs(named: Option<u16>) -> NonZeroUsize {
    named.map_or_else(
        || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        |jobs| NonZeroUsize::new(usize::from(jobs)).expect("zero is refused by the parser"),
    )
}

/// Runs a plan, and lets somebody listen.
fn run_plan<W: World>(
    store: StoreKind,
    plan: &PlanOf<W>,
    variant: &str,
    watch: impl Observer,
) -> Result<Report> {
    Ok(Pools::default().run::<W>(store, plan, deployment::<W>(variant)?, watch))
}

/// Runs a plan twice: a difference between the two is the verdict.
fn run_plan_twice<W: World>(store: StoreKind, plan: &PlanOf<W>, variant: &str) -> Result<Report> {
    Ok(Pools::default().run_twice::<W>(store, plan, &deployment::<W>(variant)?))
}

/// What is deployed under a variant that a user has named.
fn deployment<W: World>(variant: &str) -> Result<Deployment<W::Program>> {
    W::deployment(variant).with_context(|| {
        let known = W::variants();
        let what = format!("variant of {}", W::NAME);
        scenario::unknown(&what, variant, known.iter().map(|variant| variant.name))
    })
}

/// What must hold according to the invariant that is violated.
fn statement<W: World>(violation: &Violation) -> &'static str {
    let mut known = W::invariants().iter().chain(&GENERAL);
    let broken = known.find(|invariant| invariant.id == violation.invariant);
    broken.map_or("an invariant without a statement", |invariant| {
        invariant.statement
    })
}

/// The variant that is meant where none is named.
fn default_variant<W: World>() -> &'static str {
    W::variants().first().expect("a world has a variant").name
}

/// A scenario, as a command line names it: completed from those that are built in, and any other text is taken too, as
/// it can be the path of a file.
#[derive(Clone, Debug)]
struct ScenarioName;

impl TypedValueParser for ScenarioName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(scenario::names().map(PossibleValue::new)))
    }
}

/// The variants of every world's rules, as a command line names them. Worlds share names such as `hardened`.
fn variant_names() -> PossibleValuesParser {
    let mut variants = BTreeMap::new();
    for variant in known::all().into_iter().flat_map(|about| about.variants) {
        variants.entry(variant.name).or_insert(variant.about);
    }
    PossibleValuesParser::new(
        variants
            .into_iter()
            .map(|(name, about)| PossibleValue::new(name).help(about)),
    )
}
