//! What the suites of this package share. The suites themselves stand in `tests/`, one file each.

pub mod captures;
pub mod database;
pub mod failing;
pub mod lanes;
pub mod platform;
pub mod replay;
pub mod simulated;
pub mod statements;
pub mod vectors;
pub mod workerd;

pub use pieces;
