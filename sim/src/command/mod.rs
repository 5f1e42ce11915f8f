//! What the command line offers, one module a command.

pub mod replay;
pub mod run;

use anyhow::{Context, Result};
use clap::ValueEnum;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::run::{History, Line, Report};
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

    /// Runs a plan on this store, twice where asked for: then a difference between the two is the verdict.
    fn run<W: World>(self, plan: &PlanOf<W>, variant: &str, twice: bool) -> Result<Report> {
        let program = program::<W>(variant)?;
        Ok(match (self, twice) {
            (StoreKind::Sqlite, false) => sim::run::run::<W, _, SqliteStore>(plan, program, ()),
            (StoreKind::Sqlite, true) => sim::run::run_twice::<W, _, SqliteStore>(plan, &program),
            (StoreKind::Model, false) => sim::run::run::<W, _, ModelStore>(plan, program, ()),
            (StoreKind::Model, true) => sim::run::run_twice::<W, _, ModelStore>(plan, &program),
        })
    }

    /// What happened in a run of a plan on this store.
    fn history<W: World>(self, plan: &PlanOf<W>, variant: &str) -> Result<Vec<Line>> {
        let (program, mut history) = (program::<W>(variant)?, History::default());
        match self {
            StoreKind::Sqlite => sim::run::run::<W, _, SqliteStore>(plan, program, &mut history),
            StoreKind::Model => sim::run::run::<W, _, ModelStore>(plan, program, &mut history),
        };
        Ok(history.0)
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
