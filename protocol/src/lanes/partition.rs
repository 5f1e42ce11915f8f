//! The partition of row ids: each writer mints ids of its own class, so that no two mint the same (`lanes.md` 10, 18).

use super::rules::Rules;
use super::{MOST_LANES, count};
use crate::number::Number;

/// The class of ids that a writer mints: those that leave `offset` when divided by `stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdStride {
    /// What identifies the class; 0 is the primary's.
    pub offset: Number,
    /// How many classes there are.
    pub stride: Number,
}

/// A writer among the writers: which lane, of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Writer {
    /// Its lane; 0 is the primary.
    pub lane: Number,
    /// How many lanes the partition has room for; 0 means that ids are not partitioned.
    pub lanes: Number,
}

/// `idStride`: a writer's class (`lanes.md` 10).
///
/// A lane beyond the partition falls into the class of another writer: what the bound of 256 lanes prevents.
pub fn id_stride(writer: Writer) -> IdStride {
    let one = Number::integer(1);
    let stride = one.js_max(writer.lanes.floor() + one);
    IdStride {
        offset: count(writer.lane) % stride,
        stride,
    }
}

/// `nextLaneId`: the smallest id of the writer's class that is greater than `after` and greater than 0 (`lanes.md` 10).
///
/// `after` counts as 0 when it is negative, and without its fraction. NaN anywhere gives NaN. Beyond 2^53 ids are no
/// longer exact.
pub fn next_lane_id(rules: &Rules, after: Number, writer: Writer) -> Number {
    let IdStride { offset, stride } = (rules.partition.stride)(writer);
    let first = count(after) + Number::integer(1);
    // The remainder can be negative, and the distance must not be.
    let distance = ((offset - first) % stride + stride) % stride;
    first + distance
}

/// Whose ids are minted, and whether anyone else's are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartitionFacts {
    /// Whether lanes may forward writes.
    pub write_forward: bool,
    /// The object's lane; 0 is the primary.
    pub lane: Number,
    /// The highest lane ever provisioned, as the primary knows it.
    pub provisioned: Number,
}

/// `idPartition`: the class that an object's interpreter mints from, read once when it boots (`lanes.md` 18).
///
/// A primary that never had a lane mints every id. One that booted before its first lane goes on doing so.
pub fn id_partition(facts: &PartitionFacts) -> Writer {
    let alone = Writer {
        lane: Number::ZERO,
        lanes: Number::ZERO,
    };
    let is_lane = facts.lane.js_gt(Number::ZERO);
    let has_lanes = is_lane || facts.provisioned.js_gt(Number::ZERO);
    if facts.write_forward && has_lanes {
        Writer {
            lane: facts.lane,
            lanes: MOST_LANES,
        }
    } else {
        alone
    }
}
