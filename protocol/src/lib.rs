//! What the Worker deploys: protocols for Durable Objects, written as plain values over a narrow seam.
//!
//! A protocol is a [`task::Role`]: its memory, the frames of its flows, and one `step` function. It touches the world
//! only through [`host::Platform`] and [`host::Object`], which the simulator and the Worker's shell both implement. So
//! the code under test and the code that is deployed are the same code, and nothing in this crate can read a clock,
//! draw a random number, start a thread or open a file.
//!
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod ecma;
pub mod guide;
pub mod host;
pub mod json;
pub mod lanes;
pub mod number;
pub mod sql;
pub mod task;
