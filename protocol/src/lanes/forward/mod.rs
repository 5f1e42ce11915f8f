//! Forwarding: what a lane's writes become, and what the primary makes of them (`lanes.md` sections 10, 13.3, 14.4).
//!
//! A lane runs a transaction and rolls it back, and sends its statements as a [`ForwardBatch`]. The primary takes out
//! what need not be committed with the rest ([`split_forward`]), refuses what would create a value that only it may
//! create ([`plan_forward`]), and commits the rest when the lane has read the generation that the primary is at. The
//! lane sends once more after a conflict ([`after_answer`]) and remembers which ids it has used ([`lane_high_water`]).

mod answer;
mod batch;
mod hazard;
mod key_value;
mod minted;
mod plan;
mod rewrite;

pub use crate::lanes::wire::{ForwardAnswer, ForwardBatch, ForwardStatement};
pub use answer::{Attempt, Flush, ForwardAction, after_answer};
pub use batch::{NullStatement, Unbound};
pub use hazard::{Hazard, hazard_class};
pub use key_value::{KeyValueTarget, key_value_target};
pub use minted::{lane_high_water, partitioned_tables};
pub use plan::{ForwardConflict, ForwardFacts, ForwardPlan, ForwardRefusal, Origin, plan_forward};
pub use rewrite::{Split, cache_tag_increment, deferrable, split_forward};

#[cfg(test)]
mod tests;
