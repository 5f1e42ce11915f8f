//! Copying the primary's state to a lane: what is copied, in which pages, and how a piece lands (`lanes.md` 9, 13.4 and
//! 14.1).

mod chunk;
mod land;
mod page;
mod plan;
mod provision;

pub use chunk::{ChunkRefusal, MOST_COLUMNS, chunk_refusal, restore_statements};
pub use land::{
    Incomplete, Landing, LandingFacts, NoLanding, Whole, WholenessFacts, finish_copy, has_landed,
    is_of_attempt, land_chunk, may_begin, note_attempt, note_page, restart_copy, stages_of_begin,
};
pub use page::{
    PAGE_ROWS, Page, Place, PlaceError, STEP_ROWS, StepEnd, copyable_tables, next_page, page_statement,
    step_end,
};
pub use plan::{Copying, TablePlan, is_plain_identifier, plan_restore};
pub use provision::{NoProvision, ProvisionFacts, begin_provision};

#[cfg(test)]
pub(super) mod tests;
