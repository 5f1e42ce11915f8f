//! What the suite leaves of a run that fails: the smallest trace that shows the same.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sim::check::{Identity, Violation};
use sim::run::StoreKind;
use sim::search::{
    self,
    shrink::{self, Settings, Watcher},
};
use sim::world::{PlanOf, World};

/// How many runs it may take to make a trace smaller.
const RUNS: u64 = 5_000;

/// Where traces of failures go.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/failures")
}

/// Nobody waits, and nobody ends it.
#[derive(Debug)]
pub struct Nobody;

impl Watcher for Nobody {
    fn is_over(&self) -> bool {
        false
    }

    fn ran(&self, _: u64) {}

    fn shrunk(&self, _: usize) {}
}

impl search::Watcher for Nobody {
    fn time(&self) -> Duration {
        Duration::ZERO
    }

    fn is_over(&self) -> bool {
        false
    }

    fn is_interrupted(&self) -> bool {
        false
    }

    fn done(&self, _: u64) {}
}

/// Shrinks a plan that violates something under a variant, writes the smaller trace to a folder, and says where it is and
/// what to do with it.
#[must_use]
pub fn shrunk<W: World>(plan: &PlanOf<W>, variant: &str, violation: &Violation, folder: &Path) -> String {
    let settings = Settings {
        store: StoreKind::Sqlite,
        jobs: std::thread::available_parallelism().unwrap_or(std::num::NonZeroUsize::MIN),
        runs: RUNS,
    };
    let identity = Identity::of(violation);
    let deployment = || W::deployment(variant).expect("the variant was there before");
    let smallest = shrink::shrink::<W, _>(plan, &identity, settings, deployment, &Nobody, &|_| {});
    let Some(smallest) = smallest else {
        return "it does not fail a second time".to_owned();
    };
    let handed_over = match shrink::hand_over::<W>(&smallest, variant, plan.items.len(), settings.store) {
        Ok(handed_over) => handed_over,
        Err(error) => return error.to_string(),
    };
    let scenario = plan.scenario.replace('/', "-");
    let name = format!("{}-{scenario}-{}-shrunk.jsonl", violation.invariant, plan.seed);
    let file = folder.join(name);
    let file = match handed_over.trace.save(W::NAME, &file) {
        Ok(()) => file.canonicalize().unwrap_or(file),
        Err(error) => return format!("cannot write {}: {error}", file.display()),
    };
    let (from, to, file) = (plan.items.len(), smallest.plan.items.len(), file.display());
    format!(
        "shrunk from {from} items to {to}: {file}\n  cargo run --release -- explain {file}\n  \
         cargo run --release -- replay {file} --variant {variant} --log"
    )
}
