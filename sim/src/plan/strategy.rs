//! Plans as strategies of proptest, for properties that a world has to have. They shrink as plans do: items go, halves first
//! and then one by one, and what is left is made plainer. Other than `drydock shrink` this keeps whatever fails, not one
//! failure known by its identity: the property says what that is.

use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use rand_chacha::rand_core::Rng as _;

use super::{Act, Item};
use crate::kernel::Knobs;
use crate::scenario::Scenario;
use crate::world::{PlanOf, World};

/// The plans that a scenario's generator makes of all seeds.
#[must_use]
pub fn plans<W: World>(scenario: &Scenario<W::Scenario>) -> Plans<'_, W> {
    Plans { scenario }
}

/// The strategy of [`plans`].
pub struct Plans<'a, W: World> {
    scenario: &'a Scenario<W::Scenario>,
}

impl<W: World> std::fmt::Debug for Plans<'_, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plans")
            .field("scenario", &self.scenario.name)
            .finish()
    }
}

impl<W: World> Strategy for Plans<'_, W> {
    type Tree = PlanTree<W>;
    type Value = PlanOf<W>;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        Ok(PlanTree::of(W::generate(self.scenario, runner.rng().next_u64())))
    }
}

/// A plan, and the plainer ones that are still to be tried.
#[derive(Clone, Debug)]
pub struct PlanTree<W: World> {
    plan: PlanOf<W>,
    /// The one before, as long as nobody knows whether this one fails too.
    before: Option<PlanOf<W>>,
    step: Step,
    /// Whether any step has been kept since the round began.
    changed: bool,
}

/// Which step comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// So many items go, from this one on.
    Without { size: usize, from: usize },
    /// The platform is that of a calm day.
    Calm,
    /// The world has a plainer shape: the one of this number.
    Shape(usize),
    /// The item of this place has a plainer operation: the one of this number.
    Operation { item: usize, nth: usize },
    /// There is none.
    Over,
}

impl<W: World> PlanTree<W> {
    fn of(plan: PlanOf<W>) -> Self {
        let step = first(&plan);
        PlanTree {
            plan,
            before: None,
            step,
            changed: false,
        }
    }

    /// The plan that the next step leads to; none where that step leads nowhere.
    fn candidate(&self) -> Option<PlanOf<W>> {
        let mut plan = self.plan.clone();
        match self.step {
            Step::Without { size, from } => {
                let to = (from + size).min(plan.items.len());
                plan.items.drain(from.min(to)..to);
                (plan.items.len() < self.plan.items.len()).then_some(plan)
            }
            Step::Calm => {
                plan.knobs = Knobs::calm();
                (plan.knobs != self.plan.knobs).then_some(plan)
            }
            Step::Shape(nth) => {
                plan.shape = W::plainer_shapes(&plan.shape).into_iter().nth(nth)?;
                Some(plan)
            }
            Step::Operation { item, nth } => {
                let Item { act, .. } = plan.items.get_mut(item)?;
                let Act::Operation(operation) = act else {
                    return None;
                };
                *operation = W::plainer_operations(operation).into_iter().nth(nth)?;
                Some(plan)
            }
            Step::Over => None,
        }
    }

    /// Goes on behind a step that leads nowhere, or to a plan that does not fail.
    fn pass_over(&mut self, leads_nowhere: bool) {
        let items = self.plan.items.len();
        self.step = match self.step {
            Step::Without { size, from } if from + size < items => Step::Without {
                size,
                from: from + size,
            },
            Step::Without { size: 0..=1, .. } => Step::Calm,
            Step::Without { size, .. } => Step::Without {
                size: size / 2,
                from: 0,
            },
            Step::Calm => Step::Shape(0),
            Step::Shape(nth) if !leads_nowhere => Step::Shape(nth + 1),
            Step::Shape(_) => Step::Operation { item: 0, nth: 0 },
            Step::Operation { item, nth } if !leads_nowhere => Step::Operation { item, nth: nth + 1 },
            Step::Operation { item, .. } if item + 1 < items => Step::Operation {
                item: item + 1,
                nth: 0,
            },
            // What was kept may let others go.
            Step::Operation { .. } if std::mem::take(&mut self.changed) => first(&self.plan),
            Step::Operation { .. } | Step::Over => Step::Over,
        };
    }
}

fn first<S, O>(plan: &super::Plan<S, O>) -> Step {
    Step::Without {
        size: plan.items.len().div_ceil(2).max(1),
        from: 0,
    }
}

impl<W: World> ValueTree for PlanTree<W> {
    type Value = PlanOf<W>;

    fn current(&self) -> PlanOf<W> {
        self.plan.clone()
    }

    fn simplify(&mut self) -> bool {
        if self.before.take().is_some() {
            // The step before was kept. The same one again is another, as what it was about is gone or plainer.
            self.changed = true;
            self.step = match self.step {
                Step::Calm => Step::Shape(0),
                Step::Shape(_) => Step::Shape(0),
                Step::Operation { item, .. } => Step::Operation { item, nth: 0 },
                step => step,
            };
        }
        while self.step != Step::Over {
            if let Some(candidate) = self.candidate() {
                self.before = Some(std::mem::replace(&mut self.plan, candidate));
                return true;
            }
            self.pass_over(true);
        }
        false
    }

    fn complicate(&mut self) -> bool {
        let Some(before) = self.before.take() else {
            return false;
        };
        self.plan = before;
        self.pass_over(false);
        true
    }
}
