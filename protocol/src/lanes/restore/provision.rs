//! Whether a step of a copy may begin (`lanes.md` 13.4).

use crate::host::Text;
use crate::lanes::name::is_lane;
use crate::lanes::wire::Cursor;
use crate::number::Number;

/// What a step is decided by. The log has been sealed when `generation` is read.
#[derive(Clone, Debug)]
pub struct ProvisionFacts<'a> {
    /// Whether this object is the primary.
    pub primary: bool,
    /// Whether it can reach other objects.
    pub namespace_bound: bool,
    /// The lane.
    pub lane: Number,
    /// What is mandatory and not there, as the wire names it.
    pub gap: &'a [Text],
    /// The generation that a copy would show now.
    pub generation: Number,
    /// Where the copy stands, if it has begun.
    pub cursor: Option<&'a Cursor>,
}

/// Why a step does not begin.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NoProvision {
    /// Only the primary copies.
    #[error("a lane is provisioned from the primary")]
    NotThePrimary,
    /// There is nobody to post to.
    #[error("the namespace is not bound")]
    NoNamespace,
    /// The lane is no whole number from 1 on.
    #[error("a lane number starts at 1")]
    BadLane,
    /// A copy could not serve.
    #[error("the primary is missing {}", .missing.join(", "))]
    Missing {
        /// What it lacks.
        missing: Vec<Text>,
    },
    /// The primary has sealed another generation since the copy began: it is torn and begins anew.
    #[error("the primary committed during the copy: began at {began}, now {now}")]
    Torn {
        /// The copy's generation.
        began: Number,
        /// The primary's.
        now: Number,
    },
}

/// Whether a step of a copy may begin, and where.
///
/// # Errors
/// It may not. The joining of several missing entries is ours.
pub fn begin_provision(facts: &ProvisionFacts<'_>) -> Result<Cursor, NoProvision> {
    if !facts.primary {
        return Err(NoProvision::NotThePrimary);
    }
    if !facts.namespace_bound {
        return Err(NoProvision::NoNamespace);
    }
    if !is_lane(facts.lane) {
        return Err(NoProvision::BadLane);
    }
    if !facts.gap.is_empty() {
        return Err(NoProvision::Missing {
            missing: facts.gap.to_vec(),
        });
    }
    match facts.cursor {
        Some(cursor) if !cursor.generation.or_nan().js_eq(facts.generation) => Err(NoProvision::Torn {
            began: cursor.generation.to_number(),
            now: facts.generation,
        }),
        Some(cursor) => Ok(cursor.clone()),
        None => Ok(Cursor::start(facts.generation)),
    }
}
