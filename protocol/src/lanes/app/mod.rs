//! The application that a site runs, as data.
//!
//! The deployed interpreter is a whole content management system. Here a request carries a [`RenderProgram`]: what the
//! application would read, write and call for it. An [`Interpreter`] runs it against the [`Bridge`] that the object
//! lends, through a [`Driver`] that mints ids and chooses bridges as the deployed driver does. What it answers is a
//! [`Page`](page::Page): a digest of what was read, and what a checker needs to read the same at any generation.
//!
//! ```text
//! request ──► RenderProgram ──► Interpreter ──► Driver ──► Bridge ──► the object's guard, capture, database
//!                                    └────────► Page (digest, evidence)
//! ```
//!
//! [`tables`] is the schema of the simulated site and [`catalogue`] the requests that its visitors make.

pub mod bridge;
pub mod catalogue;
pub mod driver;
mod interpreter;
pub mod page;
pub mod program;
pub mod tables;

pub use bridge::{Bridge, Refusal};
pub use driver::{Driver, DriverSteps};
pub use interpreter::{Ending, Interpreter, Progress};
pub use program::RenderProgram;

#[cfg(test)]
mod tests;
