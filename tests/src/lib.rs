//! What the suites of this package share. The suites themselves stand in `tests/`, one file each.

pub mod captures;
pub mod statements;
pub mod vectors;
