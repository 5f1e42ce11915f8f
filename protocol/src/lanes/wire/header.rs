//! What stands in header fields (`lanes.md` 3). The names are in [`header`].

use std::fmt;

use crate::host::{Headers, Text};
use crate::lanes::handoff::Handoff;
use crate::lanes::header;
use crate::number::Number;

/// What the primary tells of its lanes with every reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Advertisement {
    /// The highest lane ever provisioned.
    pub lanes: Number,
    /// How often that number has grown.
    pub epoch: Number,
}

impl Advertisement {
    /// Writes the fields; one that is 0 is left out.
    pub fn write(self, headers: &mut Headers) {
        for (name, value) in [(header::LANES, self.lanes), (header::LANES_EPOCH, self.epoch)] {
            if !value.js_eq(Number::ZERO) {
                headers.set(name, value.to_string());
            }
        }
    }

    /// Reads the fields as `Number()` does; one that is not there is 0, and one that is no number is NaN, which
    /// [`remember_lanes`](crate::lanes::belief::remember_lanes) knows how to take.
    pub fn read(headers: &Headers) -> Self {
        let number = |name| headers.get(name).map_or(Number::ZERO, Number::parse);
        Advertisement {
            lanes: number(header::LANES),
            epoch: number(header::LANES_EPOCH),
        }
    }
}

/// The object that answered, or that refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answerer {
    /// The primary.
    Primary,
    /// A lane.
    Lane(Number),
}

impl Answerer {
    /// What a text names: `primary`, or `r` and a number.
    pub fn read(text: &str) -> Option<Self> {
        match text {
            "primary" => Some(Answerer::Primary),
            _ => {
                let lane = Number::parse(text.strip_prefix('r')?);
                let is_lane = lane.is_integer() && lane.js_ge(Number::integer(1));
                is_lane.then_some(Answerer::Lane(lane))
            }
        }
    }

    /// Writes `x-cfw-replica`.
    pub fn write(self, headers: &mut Headers) {
        headers.set(header::REPLICA, self.to_string());
    }
}

impl fmt::Display for Answerer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answerer::Primary => f.write_str("primary"),
            Answerer::Lane(lane) => write!(f, "r{lane}"),
        }
    }
}

/// That a lane refused before the primary answered: what the front Worker adds to the second request and its reply.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Retried {
    /// Who refused.
    pub refused_by: Answerer,
    /// Why, if it said so.
    pub reason: Text,
}

impl Retried {
    /// Writes both fields.
    pub fn write(&self, headers: &mut Headers) {
        headers.set(header::FAILOVER, self.refused_by.to_string());
        headers.set(header::FAILOVER_REASON, self.reason.clone());
    }

    /// Reads both fields; nothing when nobody refused. A missing reason reads as the empty text.
    pub fn read(headers: &Headers) -> Option<Self> {
        Some(Retried {
            refused_by: Answerer::read(headers.get(header::FAILOVER)?)?,
            reason: Text::new(headers.get(header::FAILOVER_REASON).unwrap_or_default()),
        })
    }
}

/// Where a lane stands and what was asked of it: in the reply of a fence that refuses (`lanes.md` 16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FenceAnswer {
    /// The lane's commit sequence.
    pub applied: Number,
    /// The generation that was asked for; NaN when it was none.
    pub required: Number,
}

impl FenceAnswer {
    /// Writes both fields, the tier and the time after which to ask again: one second.
    pub fn write(self, headers: &mut Headers) {
        headers.set(header::APPLIED_GENERATION, self.applied.to_string());
        headers.set(header::REQUIRED_GENERATION, self.required.to_string());
        headers.set(header::CACHE, "STALE");
        headers.set("retry-after", "1");
    }

    /// Reads both fields; nothing when one is not there.
    pub fn read(headers: &Headers) -> Option<Self> {
        Some(FenceAnswer {
            applied: Number::parse(headers.get(header::APPLIED_GENERATION)?),
            required: Number::parse(headers.get(header::REQUIRED_GENERATION)?),
        })
    }
}

/// Writes the fields of a request that is handed back (`lanes.md` 16): whether it may be sent again, and where it is
/// clean the capability that only the primary has and the tier.
pub fn hand_back(handoff: Handoff, capability: &str, headers: &mut Headers) {
    headers.set(header::RETRY_SAFE, handoff.retry_safe());
    if handoff.names_capability() {
        headers.set(header::REQUIRES_PRIMARY, capability);
        headers.set(header::CACHE, "REFUSED");
    }
}
