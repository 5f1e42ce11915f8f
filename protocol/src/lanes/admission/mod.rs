//! How a lane comes to serve: its stages, what a copy must hold, and the verdict (`lanes.md` 6).
//!
//! The contract knows this part by its behaviour only: the wording and the order of the verdict's refusals are ours.
//!
#![doc = include_str!("stages.md")]

mod diagram;
mod mandatory;
mod stage;
mod verdict;

pub use diagram::{StageGraph, diagram_page, mermaid, stage_graph};
pub use mandatory::{
    MANDATORY_COLLECTIONS, MANDATORY_STATE, Missing, StateEntry, inconsistent_mandatory, missing_mandatory,
};
pub use stage::{Move, Stage, StageName, can_transition, set_stage};
pub use verdict::{AdmissionFacts, AdmissionRefusal, AdmissionVerdict, Side, admission_verdict};

#[cfg(test)]
mod tests;
