//! Runs on a store that is named while the tool runs.

use protocol::task::Program;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::twice::{OnTwoStores, run_on_two_stores, run_twice};
use super::{Chosen, Report, run, run_and_keep};
use crate::kernel::storage::Store;
use crate::kernel::storage::model::ModelStore;
use crate::kernel::storage::sqlite::SqliteStore;
use crate::kernel::{Deployment, Observer};
use crate::world::{PlanOf, World};

/// Which store holds the objects' databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum StoreKind {
    /// SQLite itself, in memory.
    Sqlite,
    /// Plain tables: faster, and only for the statements that it knows.
    Model,
}

impl StoreKind {
    /// What it is called everywhere.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What it is, in a line.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            StoreKind::Sqlite => "SQLite itself, in memory",
            StoreKind::Model => "Plain tables: faster, and only for the statements that it knows",
        }
    }

    /// The one that it is held against.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            StoreKind::Sqlite => StoreKind::Model,
            StoreKind::Model => StoreKind::Sqlite,
        }
    }
}

/// What the runs of one thread share for speed, whichever store they are on. It cannot be seen in a report.
#[derive(Clone, Debug, Default)]
pub struct Pools {
    sqlite: <SqliteStore as Store>::Pool,
    model: <ModelStore as Store>::Pool,
}

impl Pools {
    /// Runs a plan to its end, and lets somebody listen.
    pub fn run<W: World>(
        &self,
        store: StoreKind,
        plan: &PlanOf<W>,
        deployment: Deployment<impl Program>,
        others: impl Observer,
    ) -> Report {
        match store {
            StoreKind::Sqlite => run::<W, _, SqliteStore>(plan, deployment, &self.sqlite, others),
            StoreKind::Model => run::<W, _, ModelStore>(plan, deployment, &self.model, others),
        }
    }

    /// Runs a plan to its end, lets somebody listen, and keeps its choices.
    pub fn run_and_keep<W: World>(
        &self,
        store: StoreKind,
        plan: &PlanOf<W>,
        deployment: Deployment<impl Program>,
        others: impl Observer,
    ) -> Chosen {
        match store {
            StoreKind::Sqlite => run_and_keep::<W, _, SqliteStore>(plan, deployment, &self.sqlite, others),
            StoreKind::Model => run_and_keep::<W, _, ModelStore>(plan, deployment, &self.model, others),
        }
    }

    /// Runs a plan twice: a difference between the two is the verdict.
    pub fn run_twice<W: World>(
        &self,
        store: StoreKind,
        plan: &PlanOf<W>,
        deployment: &Deployment<impl Program>,
    ) -> Report {
        match store {
            StoreKind::Sqlite => run_twice::<W, _, SqliteStore>(plan, deployment, &self.sqlite),
            StoreKind::Model => run_twice::<W, _, ModelStore>(plan, deployment, &self.model),
        }
    }

    /// Runs a plan on a store, and then on the other one: a difference between the two is the verdict.
    pub fn run_on_both<W: World, P: Program>(
        &self,
        store: StoreKind,
        plan: &PlanOf<W>,
        deployment: &Deployment<P>,
    ) -> OnTwoStores {
        let Pools { sqlite, model } = self;
        match store {
            StoreKind::Sqlite => {
                run_on_two_stores::<W, P, SqliteStore, ModelStore>(plan, deployment, sqlite, model)
            }
            StoreKind::Model => {
                run_on_two_stores::<W, P, ModelStore, SqliteStore>(plan, deployment, model, sqlite)
            }
        }
    }
}
