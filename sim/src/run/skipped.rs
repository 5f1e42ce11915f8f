//! What of a plan comes to apply in a run.

use protocol::task::Program;

use super::Simulation;
use crate::kernel::storage::Store;
use crate::kernel::{ChoiceKey, Observer, StepId};
use crate::plan::{Act, Fault};
use crate::world::World;

/// What of a plan did not come to apply in a run: it may have been written for another version of the code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// The items, by their numbers: faults aimed at a call that was never made or at what is not there, operations that
    /// name what is not there.
    pub items: Vec<u32>,
    /// The fixed choices that were never made.
    pub fixed: Vec<ChoiceKey>,
}

impl Skipped {
    /// Whether everything has applied.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.fixed.is_empty()
    }
}

/// That an item of a plan has had its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acted {
    /// In which step.
    pub step: StepId,
    /// Whether there was anything to act upon.
    pub applied: bool,
}

impl<W: World, P: Program, S: Store, O: Observer> Simulation<'_, W, P, S, O> {
    /// How an item of the plan fared: none where its time has not come, or the call that it is aimed at.
    #[must_use]
    pub fn acted(&self, item: u32) -> Option<Acted> {
        let at = *self.items.get(&item)?;
        if let Act::Fault(Fault::Call { aim, .. }) = &self.plan.items[at].act {
            let step = self.kernel.aimed(aim)?;
            return Some(Acted { step, applied: true });
        }
        self.acted.get(&item).copied()
    }

    /// The client of an item has gone away: what the plan has done to that end has come to apply.
    pub(super) fn has_gone(&mut self, client_of: u32) {
        for item in &self.plan.items {
            if matches!(item.act, Act::Fault(Fault::Cancel { item }) if item == client_of)
                && let Some(acted) = self.acted.get_mut(&item.id)
            {
                acted.applied = true;
            }
        }
    }

    /// What of the plan did not come to apply, as far as its time has come: of what waits for a call or for a choice that is
    /// only known where the run came to its end.
    pub(super) fn skipped(&self) -> Skipped {
        let is_over = self.is_over();
        let items = self.plan.items.iter().filter(|item| match &item.act {
            Act::Fault(Fault::Call { aim, .. }) => is_over && self.kernel.aimed(aim).is_none(),
            _ => self.acted.get(&item.id).is_some_and(|acted| !acted.applied),
        });
        let fixed = self.plan.fixed.iter().map(|choice| &choice.key);
        let fixed = fixed.filter(|key| is_over && !self.kernel.chance().has_come_up(key));
        Skipped {
            items: items.map(|item| item.id).collect(),
            fixed: fixed.cloned().collect(),
        }
    }

    /// Whether nothing is left to happen before the run ends: a violation of then is one of what must be true at rest.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.healing && self.kernel.earliest().is_none_or(|key| key.at > self.ends())
    }
}
