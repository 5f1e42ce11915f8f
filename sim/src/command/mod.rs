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

use anyhow::{Context, Result};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser};
use sim::kernel::Observer;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::run::Report;
use sim::scenario;
use sim::world::demonstration::DemonstrationWorld;
use sim::world::{PlanOf, World};

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

/// The scenarios, as a command line names them.
fn scenario_names() -> PossibleValuesParser {
    PossibleValuesParser::new(scenario::names())
}

/// The variants of every world's rules, as a command line names them.
fn variant_names() -> PossibleValuesParser {
    let variants = DemonstrationWorld::variants().into_iter();
    PossibleValuesParser::new(variants.map(|variant| PossibleValue::new(variant.name).help(variant.about)))
}
