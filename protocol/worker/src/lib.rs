//! The protocols as the Worker runs them: one wasm module whose only imports are the functions of the seam.
//!
//! A thin shell of ES modules (`shell/`) makes one instance of the module for each incarnation of an object and for
//! each isolate of the front Worker, delivers events to it and answers its imports. Everything that crosses between
//! the two is JSON, and [`abi`] is the one place that says how it looks.
//!
//! The crate compiles natively too. There, [`record`] writes down what crosses the seam in a simulated run in the form
//! that the shell writes down what crosses it in the runtime, so that a record of either can be replayed through the
//! module byte for byte, and the two can be compared.
#![deny(missing_docs)]
#![deny(unsafe_code)]

pub mod abi;
pub mod conformance;
mod host;
mod incarnation;
#[cfg(target_arch = "wasm32")]
mod module;
mod programs;
pub mod record;

pub use host::{Crossing, Host};
pub use incarnation::Incarnation;
pub use programs::{Part, Start, UnknownStart, instance, load, names};
