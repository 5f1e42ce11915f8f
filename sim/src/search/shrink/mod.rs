//! Shrinking: the smallest plan that still shows a failure, found by trying smaller ones.
//!
//! It is over the plan and its fixed choices, never over the seed. What an item's events draw does not depend on the
//! other items, so taking one out leaves the rest of the run as it was, as far as it does not descend from it.
//!
//! The failure that is kept is known by its [`Identity`]. A plan that fails in another way is no smaller plan.

mod account;
mod aim;
mod handover;
mod plainer;
mod removal;
#[cfg(test)]
mod tests;
mod trials;

use std::num::NonZeroUsize;

use protocol::task::Program;
use serde::Serialize;

use crate::check::{Identity, Verdict};
use crate::kernel::{Deployment, Micros};
use crate::plan::Plan;
use crate::run::{Pools, StoreKind};
use crate::trace::{Certificate, Instead};
use crate::world::{PlanOf, World};
use account::{Account, Heard};
pub use handover::{HandedOver, NotHandedOver, certify, expectation, hand_over, so_far};
use removal::{parts, without, without_chunks, without_pairs};
use trials::{Ran, Trials, Tried, with_trials};

/// How many runs a search takes at most where nobody says otherwise.
pub const RUNS: u64 = 20_000;

/// How plans are tried.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// On which store.
    pub store: StoreKind,
    /// How many at once. It makes no difference to what comes of it.
    pub jobs: NonZeroUsize,
    /// How many in all, at most.
    pub runs: u64,
}

/// Who waits for a smaller plan, and may end the search.
pub trait Watcher {
    /// Whether no more runs are to begin.
    fn is_over(&self) -> bool;

    /// A run is done that had so many events.
    fn ran(&self, events: u64);

    /// A plan of so many items still fails.
    fn shrunk(&self, items: usize);
}

/// How a search came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nothing can be taken out or made plainer any more by one step.
    Minimal,
    /// It has had its runs.
    Spent,
    /// Its watcher said that it is over.
    Interrupted,
}

/// The smallest plan that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Smallest<Shape, Operation> {
    /// The plan.
    pub plan: Plan<Shape, Operation>,
    /// What its removals have shown, as far as they were tried.
    pub certificates: Vec<Certificate>,
    /// How many plans were tried.
    pub runs: u64,
    /// Whether it is the smallest that there is.
    pub ended: Ended,
}

impl<Shape, Operation> Smallest<Shape, Operation> {
    /// Whether each item and each fixed choice was taken out by itself, and the failure with it.
    #[must_use]
    pub fn is_1_minimal(&self) -> bool {
        self.certificates.len() == parts(&self.plan).count()
    }
}

/// Finds the smallest plan that fails as this one does; none where this one does not. Each plan that is smaller than those
/// before is kept as soon as it is found, so that whoever waits is left with the smallest. Each thread has a deployment of its
/// own.
pub fn shrink<W: World, P: Program>(
    plan: &PlanOf<W>,
    identity: &Identity,
    settings: Settings,
    deployment: impl Fn() -> Deployment<P> + Sync,
    watcher: &dyn Watcher,
    keep: &dyn Fn(&PlanOf<W>),
) -> Option<Smallest<W::Shape, W::Operation>> {
    let trial = || {
        let (pools, deployment) = (Pools::default(), deployment());
        move |plan: &PlanOf<W>| {
            let report = pools.run::<W>(settings.store, plan, deployment.clone(), ());
            let tried = match &report.verdict {
                Verdict::Violated(violation) if Identity::of(violation) == *identity => {
                    Tried::Fails(report.simulated)
                }
                verdict => Tried::Else(Instead::of(verdict)),
            };
            Ran {
                tried,
                events: report.events,
            }
        }
    };
    let account = |plan: &PlanOf<W>| {
        let mut heard = Heard::default();
        let chosen = Pools::default().run_and_keep::<W>(settings.store, plan, deployment(), &mut heard);
        Account {
            begins: chosen.begins,
            choices: chosen.choices,
            heard,
        }
    };
    let plainer = Plainer {
        shapes: W::plainer_shapes,
        operations: W::plainer_operations,
        account: &account,
    };
    with_trials(settings.jobs, settings.runs, trial, watcher, |trials| {
        Search::begin(plan, plainer, trials, keep).map(Search::finish)
    })
}

/// What a search knows of the world that its plans are of.
struct Plainer<'a, S, O> {
    shapes: fn(&S) -> Vec<S>,
    operations: fn(&O) -> Vec<O>,
    /// What the run of a plan has come by.
    account: &'a dyn Fn(&Plan<S, O>) -> Account,
}

/// Plans that are smaller than one by one step each.
type Steps<'p, S, O> = Box<dyn Iterator<Item = Plan<S, O>> + 'p>;

/// A search that is under way.
struct Search<'t, 'a, S, O> {
    trials: &'t mut Trials<'a, S, O>,
    plainer: Plainer<'t, S, O>,
    /// Who keeps it.
    keep: &'t dyn Fn(&Plan<S, O>),
    /// The smallest plan so far that fails.
    plan: Plan<S, O>,
    /// When it does.
    failed_at: Micros,
}

impl<'t, 'a, S: Clone + Serialize, O: Clone + Serialize> Search<'t, 'a, S, O> {
    /// Nothing where the plan does not fail.
    fn begin(
        plan: &Plan<S, O>,
        plainer: Plainer<'t, S, O>,
        trials: &'t mut Trials<'a, S, O>,
        keep: &'t dyn Fn(&Plan<S, O>),
    ) -> Option<Self> {
        let (_, plan, failed_at) = trials.first_failing([plan.clone()])?;
        trials.tell(&plan);
        Some(Search {
            trials,
            plainer,
            keep,
            plan,
            failed_at,
        })
    }

    fn finish(mut self) -> Smallest<S, O> {
        // These first, as all runs are shorter then.
        let failed_at = self.failed_at;
        let shapes = self.plainer.shapes;
        self.exhaust(|plan| {
            Box::new(
                [plainer::cut(plan, failed_at)]
                    .into_iter()
                    .filter(|cut| cut.lasts < plan.lasts),
            )
        });
        self.exhaust(|plan| plainer::shapes(plan, shapes));
        self.halve();
        // Two things that only make up for each other go together, which may let others go.
        while self.round() || self.exhaust(without_pairs) {}
        let certificates = parts(&self.plan).filter_map(|part| {
            let instead = match self.trials.known(&without(&self.plan, &part))? {
                Tried::Else(instead) => instead.clone(),
                Tried::Fails(_) => return None,
            };
            Some(Certificate { of: part, instead })
        });
        Smallest {
            certificates: certificates.collect(),
            runs: self.trials.runs(),
            ended: self.trials.ended().unwrap_or(Ended::Minimal),
            plan: self.plan,
        }
    }

    /// Halves first, then quarters, and so on down to pairs.
    fn halve(&mut self) {
        let mut size = parts(&self.plan).count().div_ceil(2);
        while size > 1 {
            self.exhaust(|plan| without_chunks(plan, size));
            size = size.div_ceil(2);
        }
    }

    /// One step after another, of each kind; whether anything has become smaller or plainer.
    fn round(&mut self) -> bool {
        let Plainer {
            shapes, operations, ..
        } = self.plainer;
        let mut changed = self.exhaust(|plan| without_chunks(plan, 1));
        changed |= self.exhaust(plainer::knobs);
        changed |= self.single_out();
        changed |= self.exhaust(|plan| plainer::shapes(plan, shapes));
        changed |= self.exhaust(|plan| plainer::acts(plan, operations));
        changed |= self.exhaust(plainer::gaps);
        changed |= self.exhaust(plainer::times);
        changed |= self.exhaust(plainer::lasts);
        changed |= self.exhaust(plainer::alternatives);
        changed | self.exhaust(plainer::order)
    }

    /// Single faults in place of random ones.
    fn single_out(&mut self) -> bool {
        let account = self.plainer.account;
        let singled = self.exhaust(|plan| aim::rates(plan, &account(plan)));
        if singled {
            self.halve();
            self.exhaust(|plan| without_chunks(plan, 1));
        }
        singled | self.exhaust(|plan| aim::items(plan, &account(plan)))
    }

    /// Takes steps of one kind for as long as the failure stays, each from where the one before it was taken on.
    fn exhaust(&mut self, steps: impl for<'p> Fn(&'p Plan<S, O>) -> Steps<'p, S, O>) -> bool {
        let mut from = 0;
        let mut changed = false;
        while let Some((place, plan, failed_at)) = self.trials.first_failing(steps(&self.plan).skip(from)) {
            (self.plan, self.failed_at) = (plan, failed_at);
            self.trials.tell(&self.plan);
            (self.keep)(&self.plan);
            from += place;
            changed = true;
        }
        changed
    }
}
