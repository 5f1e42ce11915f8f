//! Plans: everything that a run does, as data.

#[cfg(feature = "arbitrary")]
pub mod arbitrary;

use std::collections::BTreeMap;

use protocol::host::Text;
use serde::{Deserialize, Serialize};

use crate::kernel::{Aim, CallFault, FixedChoice, Knobs, Micros, Span};

/// Everything that a run of a world does: the world's shape, the operations, the faults, and the choices that are
/// fixed. What is not fixed is decided by the seed, each choice by its own key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Plan<Shape, Operation> {
    /// The scenario that it was generated for.
    pub scenario: Text,
    /// What decides the choices that are not fixed.
    pub seed: u64,
    /// How long faults are injected.
    pub lasts: Micros,
    /// How long the world has, after that, to come to rest.
    pub settles: Micros,
    /// How the platform behaves while faults are injected.
    pub knobs: Knobs,
    /// What there is when the run begins.
    pub shape: Shape,
    /// What happens, in any order.
    pub items: Vec<Item<Operation>>,
    /// Choices that do not depend on the seed.
    pub fixed: Vec<FixedChoice>,
}

/// One thing that a plan does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item<Operation> {
    /// Its number, by which the choices of all that descends from it are known. Removing another item changes nothing
    /// about it.
    pub id: u32,
    /// When it happens; for a fault that is aimed at a call, when the call does.
    #[serde(default)]
    pub at: Micros,
    /// What happens.
    pub act: Act<Operation>,
}

/// What an item does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act<Operation> {
    /// A client or an operator does something.
    Operation(Operation),
    /// Something breaks.
    Fault(Fault),
}

/// What breaks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// An object loses its memory, and perhaps commits that nobody was told of.
    Reset {
        /// The object, as `namespace/name`.
        object: Text,
    },
    /// One call of a party goes wrong.
    Call {
        /// Which call.
        aim: Aim,
        /// What happens to it.
        fault: CallFault,
    },
}

impl<Shape, Operation> Plan<Shape, Operation> {
    /// The faults that are aimed at calls.
    #[must_use]
    pub fn aims(&self) -> BTreeMap<Aim, Vec<CallFault>> {
        let mut aims: BTreeMap<Aim, Vec<CallFault>> = BTreeMap::new();
        for item in &self.items {
            if let Act::Fault(Fault::Call { aim, fault }) = &item.act {
                aims.entry(aim.clone()).or_default().push(*fault);
            }
        }
        aims
    }
}

/// A plan that no run would come to the end of, or that asks for what cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A number is too large.
    #[error("at {field}: {found} is above {most}")]
    Above {
        /// The path of the field.
        field: &'static str,
        /// What it holds.
        found: u64,
        /// The most that it may hold.
        most: u64,
    },
    /// A name is none.
    #[error(
        "at {field}: {found:?} is no name: expected some characters, none of them `/` or a control character"
    )]
    Name {
        /// The path of the field.
        field: &'static str,
        /// What it holds.
        found: Text,
    },
}

impl PlanError {
    /// Refuses a field that is above a bound.
    ///
    /// # Errors
    /// The refusal.
    pub fn if_above(field: &'static str, found: u64, most: u64) -> Result<(), PlanError> {
        if found > most {
            Err(PlanError::Above { field, found, most })
        } else {
            Ok(())
        }
    }
}

/// A hundred simulated days: longer than any retry or timer, short enough that no sum of times overflows.
const LONGEST: u64 = 100 * 24 * 3_600 * 1_000_000;

impl<Shape, Operation> Plan<Shape, Operation> {
    /// Checks the fields that every world's plan has.
    ///
    /// # Errors
    /// The first field that is out of bounds.
    pub fn check(&self) -> Result<(), PlanError> {
        PlanError::if_above("lasts", self.lasts.0, LONGEST)?;
        PlanError::if_above("settles", self.settles.0, LONGEST)?;
        // Each field by its name: a new length of time without a bound does not compile.
        let Knobs {
            latency,
            request_loss: _,
            answer_loss: _,
            late: _,
            late_by,
            notice,
            confirm,
            service,
            alarm_lateness,
        } = &self.knobs;
        for (field, Span { most, .. }) in [
            ("knobs.latency.most-us", latency),
            ("knobs.late-by.most-us", late_by),
            ("knobs.notice.most-us", notice),
            ("knobs.confirm.most-us", confirm),
            ("knobs.service.most-us", service),
            ("knobs.alarm-lateness.most-us", alarm_lateness),
        ] {
            PlanError::if_above(field, most.0, LONGEST)?;
        }
        Ok(())
    }
}
