//! The application that a site runs, as data.
//!
//! The deployed interpreter is a whole content management system. Here a request carries a [`RenderProgram`]: what the
//! application would read, write and call for it. An [`Interpreter`] runs it against the functions that its object
//! lends ([`RenderHost`](super::object::RenderHost)), through a [`driver`] that mints ids and chooses bridges as the
//! deployed one does. What it answers is a
//! [`Page`](page::Page): a digest of what was read, and what a checker needs to read the same at any generation.
//!
//! ```text
//! request ──► RenderProgram ──► Interpreter ──► driver ──► RenderHost ──► the object's guard, capture, database
//!                                    └────────► Page (digest, evidence)
//! ```
//!
//! [`tables`] is the schema of the simulated site and [`catalogue`] the requests that its visitors make.

pub mod catalogue;
pub mod driver;
mod interpreter;
pub mod page;
pub mod program;
mod render;
pub mod tables;

pub use driver::DriverSteps;
pub use interpreter::{Ending, Interpreter, Progress};
pub use program::RenderProgram;
pub use render::{SCHEMA, application, render};

#[cfg(test)]
mod tests;
