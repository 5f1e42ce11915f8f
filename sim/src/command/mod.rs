//! What the command line offers, one module a command.

pub mod list;
mod log;
pub mod replay;
pub mod run;

use anyhow::{Context, Result};
use clap::ValueEnum;
use sim::kernel::Observer;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::run::Report;
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
            StoreKind::Sqlite => sim::run::run_twice::<W, _, SqliteStore>(plan, &program),
            StoreKind::Model => sim::run::run_twice::<W, _, ModelStore>(plan, &program),
        })
    }

    /// Runs a plan on this store, and lets somebody listen.
    fn run<W: World>(self, plan: &PlanOf<W>, variant: &str, watch: impl Observer) -> Result<Report> {
        let program = program::<W>(variant)?;
        Ok(match self {
            StoreKind::Sqlite => sim::run::run::<W, _, SqliteStore>(plan, program, watch),
            StoreKind::Model => sim::run::run::<W, _, ModelStore>(plan, program, watch),
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
