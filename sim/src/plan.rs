//! Plans: everything that a run does, as data.

#[cfg(feature = "arbitrary")]
pub mod arbitrary;
pub mod plainer;
#[cfg(feature = "proptest")]
pub mod strategy;
pub mod swarm;

use std::collections::BTreeMap;

use protocol::host::{SqlErrorKind, Text};
use serde::{Deserialize, Serialize};

use crate::kernel::{Aim, CallFault, FixedChoice, Knobs, Micros, ResetCause, Way};
use crate::printable::brief;

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

/// What breaks. Objects stand as `namespace/name`, isolates of the front Worker as `front N`; one that no run has
/// reached by then is not struck.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// An object loses its memory, and perhaps commits that nobody was told of.
    Reset {
        /// The object.
        object: Text,
        /// Why: what its callers are told.
        #[serde(default)]
        cause: ResetCause,
    },
    /// An object loses its memory, if it has nothing to do.
    Evict {
        /// The object.
        object: Text,
    },
    /// An object is started elsewhere, while its incarnation runs on without its storage.
    Displace {
        /// The object.
        object: Text,
        /// For how long that one runs on at most.
        overlap: Micros,
    },
    /// Messages from one party to another are lost.
    Partition {
        /// The one.
        from: Text,
        /// The other.
        to: Text,
        /// In one direction or in both.
        #[serde(default)]
        way: Way,
        /// For how long.
        lasts: Micros,
    },
    /// Messages from one party to another do not move; they all arrive when it ends.
    Clog {
        /// The one.
        from: Text,
        /// The other.
        to: Text,
        /// For how long.
        lasts: Micros,
    },
    /// No commit of an object is confirmed.
    CommitStall {
        /// The object.
        object: Text,
        /// For how long.
        lasts: Micros,
    },
    /// The next commit of an object fails.
    CommitFailure {
        /// The object.
        object: Text,
    },
    /// Every statement of an object that writes meets an error.
    StorageError {
        /// The object.
        object: Text,
        /// Which error.
        error: SqlErrorKind,
        /// For how long.
        lasts: Micros,
    },
    /// One statement of an object meets an error.
    Statement {
        /// The object.
        object: Text,
        /// How many statements still run before it.
        after: u64,
        /// Which error.
        error: SqlErrorKind,
    },
    /// An object goes back to what was durable of it at an earlier instant. The other objects do not.
    Rewind {
        /// The object.
        object: Text,
        /// To how long before.
        back: Micros,
    },
    /// What is durable of an object is put in the place of what another one stores.
    Clone {
        /// The one.
        from: Text,
        /// The other.
        to: Text,
    },
    /// A version of the code is deployed. It reaches each object and each isolate at an instant of its own.
    Deploy {
        /// Which, by its place among the versions of the variant: 0 for the one that objects begin with.
        version: u32,
        /// How many of a hundred objects run it, and of a hundred requests of a front Worker. The others stay with what
        /// stood before.
        #[serde(default = "all")]
        percent: u32,
    },
    /// The client of another item goes away, if a front Worker works for it.
    Cancel {
        /// That item.
        item: u32,
    },
    /// Every read and write of KV fails, whoever asks that any run has reached by then.
    KvOutage {
        /// For how long.
        lasts: Micros,
    },
    /// The broker restarts, and knows no subscriber any more.
    BrokerRestart,
    /// An isolate of the front Worker ends, and what it knows with it.
    Restart {
        /// The isolate, as `front N`.
        front: Text,
    },
    /// One call of a party goes wrong.
    Call {
        /// Which call.
        aim: Aim,
        /// What happens to it.
        fault: CallFault,
    },
}

/// All of a hundred: what a deploy means that says nothing else.
fn all() -> u32 {
    100
}

impl Fault {
    /// How long it lasts, where it does.
    fn length(&self) -> Option<Micros> {
        match self {
            Fault::Displace { overlap: lasts, .. }
            | Fault::Rewind { back: lasts, .. }
            | Fault::Partition { lasts, .. }
            | Fault::Clog { lasts, .. }
            | Fault::CommitStall { lasts, .. }
            | Fault::StorageError { lasts, .. }
            | Fault::KvOutage { lasts } => Some(*lasts),
            Fault::Call { fault, .. } => match fault {
                CallFault::DelayRequest(by)
                | CallFault::DelayAnswer(by)
                | CallFault::Duplicate(by)
                | CallFault::Cancel(by) => Some(Micros::from_millis(by.0)),
                CallFault::LoseRequest | CallFault::LoseAnswer => None,
            },
            Fault::Reset { .. }
            | Fault::Evict { .. }
            | Fault::CommitFailure { .. }
            | Fault::Statement { .. }
            | Fault::BrokerRestart
            | Fault::Restart { .. }
            | Fault::Deploy { .. }
            | Fault::Clone { .. }
            | Fault::Cancel { .. } => None,
        }
    }
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
    /// An episode that only holds things up has no length to do so.
    #[error(
        "at {field}: a rate alone does nothing here: expected {{ begins, ends, least-us }}, with a least-us above 0"
    )]
    NoLength {
        /// The path of the field.
        field: &'static str,
    },
    /// An error that statements have of themselves, and no storage has.
    #[error(
        "at item.act.fault.error: {found:?} is no error of the storage: expected full, io, no_memory or interrupted"
    )]
    NotOfStorage {
        /// What it holds.
        found: SqlErrorKind,
    },
    /// A name is none.
    #[error("at {field}: `{}` is no name: expected {expected}", brief(found))]
    Name {
        /// The path of the field.
        field: &'static str,
        /// What it holds.
        found: Text,
        /// What it may hold.
        expected: &'static str,
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

/// More statements than any object runs within the longest run.
const STATEMENTS_MOST: u64 = 1_000_000_000;

/// A hundred simulated days: longer than any retry or timer, short enough that no sum of times overflows.
pub const LONGEST: Micros = Micros(100 * 24 * 3_600 * 1_000_000);

impl<Shape, Operation> Plan<Shape, Operation> {
    /// Checks the fields that every world's plan has.
    ///
    /// # Errors
    /// The first field that is out of bounds.
    pub fn check(&self) -> Result<(), PlanError> {
        PlanError::if_above("lasts", self.lasts.0, LONGEST.0)?;
        PlanError::if_above("settles", self.settles.0, LONGEST.0)?;
        self.knobs.check()?;
        self.items.iter().try_for_each(Item::check)
    }
}

impl Knobs {
    /// Checks that every length of time ends, and that what holds things up does so for a while.
    ///
    /// # Errors
    /// The first knob that cannot be.
    pub fn check(&self) -> Result<(), PlanError> {
        for (field, most) in self.lengths() {
            PlanError::if_above(field, most.0, LONGEST.0)?;
        }
        for (field, episode) in [
            ("knobs.clog", self.clog),
            ("knobs.commit-stall", self.commit_stall),
        ] {
            if episode.begins.hits > 0 && episode.least == Micros::ZERO {
                return Err(PlanError::NoLength { field });
            }
        }
        Ok(())
    }
}

impl<Operation> Item<Operation> {
    /// Checks the numbers that every world's item has.
    ///
    /// # Errors
    /// The first field that is out of bounds.
    pub fn check(&self) -> Result<(), PlanError> {
        PlanError::if_above("item.at", self.at.0, LONGEST.0)?;
        if let Act::Fault(fault) = &self.act
            && let Some(length) = fault.length()
        {
            PlanError::if_above("item.act.fault", length.0, LONGEST.0)?;
        }
        if let Act::Fault(Fault::Deploy { percent, .. }) = &self.act {
            PlanError::if_above("item.act.fault.deploy.percent", u64::from(*percent), 100)?;
        }
        if let Act::Fault(Fault::Statement { after, .. }) = &self.act {
            PlanError::if_above("item.act.fault.statement.after", *after, STATEMENTS_MOST)?;
        }
        if let Act::Fault(Fault::StorageError { error, .. } | Fault::Statement { error, .. }) = &self.act
            && !error.breaks_object()
        {
            return Err(PlanError::NotOfStorage { found: *error });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::trace;
    use crate::world::demonstration::DemonstrationWorld;

    const KEPT: &str = include_str!("../../traces/demonstration/older-answer-last.jsonl");

    #[test]
    fn a_statement_that_no_object_comes_to_is_refused_by_its_field() {
        let header = KEPT.lines().next().expect("a trace has a header");
        let fault = r#"{"statement":{"object":"counter/main","after":18446744073709551615,"error":"full"}}"#;
        let file = format!("{header}\n{{\"item\":{{\"id\":0,\"act\":{{\"fault\":{fault}}}}}}}\n");
        let refused = trace::read::<DemonstrationWorld>(file.as_bytes()).expect_err("it is out of bounds");
        assert_eq!(
            refused.to_string(),
            "line 2: at item.act.fault.statement.after: 18446744073709551615 is above 1000000000"
        );
    }
}
