//! The log as a lane reads it: where the lane stands, whether a record builds on that, and how it is applied
//! (`lanes.md` 5).

mod apply;
mod plan;
mod position;

pub use apply::{Application, ApplyOptions, Batch, Batches, Unbound, apply_record};
pub use plan::{ApplyAction, ApplyRefusal, Plan, plan_apply};
pub use position::{
    Distrust, Inflight, Position, PositionFacts, land_position, mark_inflight, position_trust, read_position,
};

#[cfg(test)]
mod tests;
