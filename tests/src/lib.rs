//! What the suite needs beside the crates that it tests.

pub mod database;
pub mod pieces;
pub mod replay;
pub mod simulated;
pub mod workerd;
