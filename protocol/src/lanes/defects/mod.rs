//! Named edits of the [rules](super::rules) that break the protocol: a testbed that cannot tell the protocol from the
//! protocol with one of these planted in it does not test it.
//!
//! Each is an edit of [`hardened`], as a [`Change`](super::changes::Change) is one of the
//! documented table. Those that have a source are real: `H` the lanes once had, `S` is suspected in the documented
//! variant, `A`, `C` and `G` were reported of the platform or of systems that do the same job. The others are obvious
//! mutants: a comparison that is off by one, a check that is left out, an order that is reversed.
//!
//! Only tools plant them: the feature `defects` compiles them, and the Worker does not have it.

mod copies;
mod forwarding;
mod ids;
mod log;
mod pool;
mod serving;
mod sources;

use super::changes::hardened;
use super::rules::Rules;

pub use sources::{ABLATED, ABSENT, UNSEEN};

/// One way of breaking the protocol.
#[derive(Clone, Copy, Debug)]
pub struct Defect {
    /// What it is called everywhere.
    pub name: &'static str,
    /// The entries of the catalogue that it is made from; none of a mutant.
    pub sources: &'static [&'static str],
    /// The invariants that must catch it: whichever of them does.
    pub invariants: &'static [&'static str],
    /// What goes wrong with it.
    pub reason: &'static str,
    /// Why no run shows it today, and what would be needed; none of what must be found.
    pub unseen: Option<&'static str>,
    /// Plants it.
    pub apply: fn(&mut Rules),
}

impl Defect {
    const fn new(
        name: &'static str,
        sources: &'static [&'static str],
        invariants: &'static [&'static str],
        reason: &'static str,
        apply: fn(&mut Rules),
    ) -> Self {
        Defect {
            name,
            sources,
            invariants,
            reason,
            unseen: None,
            apply,
        }
    }

    const fn unseen(self, why: &'static str) -> Self {
        Defect {
            unseen: Some(why),
            ..self
        }
    }

    /// The hardened protocol with it.
    #[must_use]
    pub fn planted(&self) -> Rules {
        let mut rules = hardened();
        (self.apply)(&mut rules);
        rules
    }
}

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Defect> {
    [
        log::DEFECTS,
        copies::DEFECTS,
        pool::DEFECTS,
        forwarding::DEFECTS,
        ids::DEFECTS,
        serving::DEFECTS,
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests;
