//! A run in the middle, copied: the same future, or another one.

use std::rc::Rc;

use protocol::task::Program;

use super::Simulation;
use crate::kernel::Observer;
use crate::kernel::storage::Store;
use crate::world::{PlanOf, World};

impl<'p, W: World, P: Program, S: Store, O: Observer + Clone> Simulation<'p, W, P, S, O> {
    /// Another future of the same run: its plan differs in nothing but the platform, and its choices are drawn anew from here
    /// on, as the salt has it.
    #[must_use]
    pub fn otherwise(&mut self, plan: &'p PlanOf<W>, salt: u64) -> Self {
        let mut other = self.fork();
        other.plan = plan;
        other.kernel.set_knobs(if other.healing {
            plan.knobs.healed()
        } else {
            plan.knobs.clone()
        });
        other.kernel.reseed(salt);
        other
    }

    /// Nothing that the plan would still do is done any more, and no fault of it strikes that has not.
    pub fn cut_short(&mut self) {
        self.is_cut_short = true;
        self.kernel.disarm_aims();
    }

    /// The same run in the same state, to be run on by itself.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Simulation {
            plan: self.plan,
            kernel: self.kernel.fork(),
            world: self.world.clone(),
            ears: self.ears.clone(),
            begins: self.begins,
            healing: self.healing,
            items: Rc::clone(&self.items),
            acted: self.acted.clone(),
            is_cut_short: self.is_cut_short,
        }
    }
}
