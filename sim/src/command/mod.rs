//! What the command line offers, one module a command.

pub mod completions;
mod failure;
mod interrupt;
pub mod list;
mod log;
pub mod output;
mod progress;
pub mod replay;
pub mod run;

use std::collections::BTreeMap;
use std::ffi::OsStr;

use anyhow::{Context, Result};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use sim::kernel::Observer;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::run::Report;
use sim::scenario;
use sim::world::{PlanOf, World, known};

/// Which store holds the objects' databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StoreKind {
    /// SQLite itself, in memory.
    Sqlite,
    /// Plain tables: faster, and only for the statements that it knows.
    Model,
}

impl StoreKind {
    fn name(self) -> &'static str {
        match self {
            StoreKind::Sqlite => "sqlite",
            StoreKind::Model => "model",
        }
    }

    /// Runs a plan on this store twice: a difference between the two is the verdict.
    fn run_twice<W: World>(self, plan: &PlanOf<W>, variant: &str) -> Result<Report> {
        let program = program::<W>(variant)?;
        Ok(match self {
            StoreKind::Sqlite => {
                sim::run::run_twice::<W, _, SqliteStore>(plan, &program, &Default::default())
            }
            StoreKind::Model => sim::run::run_twice::<W, _, ModelStore>(plan, &program, &Default::default()),
        })
    }

    /// Runs a plan on this store, and lets somebody listen.
    fn run<W: World>(self, plan: &PlanOf<W>, variant: &str, watch: impl Observer) -> Result<Report> {
        let program = program::<W>(variant)?;
        Ok(match self {
            StoreKind::Sqlite => {
                sim::run::run::<W, _, SqliteStore>(plan, program, &Default::default(), watch)
            }
            StoreKind::Model => sim::run::run::<W, _, ModelStore>(plan, program, &Default::default(), watch),
        })
    }
}

/// The program of a variant that a user has named.
fn program<W: World>(variant: &str) -> Result<W::Program> {
    W::program(variant).with_context(|| {
        let known: Vec<_> = W::variants().iter().map(|variant| variant.name).collect();
        format!(
            "there is no variant `{variant}` of {}; it has: {}",
            W::NAME,
            known.join(", ")
        )
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
