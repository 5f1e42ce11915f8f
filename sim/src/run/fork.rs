//! A run in the middle, copied: the same future, or another one.

use std::rc::Rc;

use protocol::task::Program;

use super::Simulation;
use crate::kernel::Observer;
use crate::kernel::storage::Store;
use crate::world::{PlanOf, World};

/// What of a plan is still done in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// All of it.
    All,
    /// What clients and operators do: no fault strikes that has not.
    Operations,
    /// Nothing.
    Nothing,
}

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

    /// Of what the plan would still do only this is done.
    pub fn leave_of_the_plan(&mut self, left: Left) {
        self.left = left;
        if left != Left::All {
            self.kernel.disarm_aims();
        }
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
            judges_waits: self.judges_waits,
            left: self.left,
        }
    }
}
