//! The testbed: a simulated platform for Durable Objects, and what is built on it.
//!
//! Arrows go one way: [`kernel`] knows no protocol, plans are made for it, worlds and checks stand on it, and one
//! function runs a plan.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod captured;
pub mod check;
pub mod explain;
pub mod kernel;
pub mod plan;
pub mod printable;
pub mod report;
pub mod run;
pub mod scenario;
pub mod search;
pub mod trace;
pub mod world;
