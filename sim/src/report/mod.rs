//! What is shown to people: text that says what happened, whether it is bad, and what comes next.

pub mod catalogue;
pub mod defects;
pub mod explain;
pub mod figures;
pub mod gate;
pub mod shrink;
pub mod shrink_table;
pub mod sweep;
