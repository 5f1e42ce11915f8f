//! A protocol of one page, which uses every function of the seam once: the example to copy.
//!
//! A [`Counter`] owns a value and a log of the additions to it. A [`Follower`] holds a copy: it pulls the log by alarm
//! and whenever the counter nudges it, and forwards writes to the counter. A [`Front`] Worker takes the clients'
//! requests to either.
//!
//! ```text
//! client ──► front ──► follower ──► counter      POST /add, forwarded; or straight from the front
//!                         │  ◄─────────┘         POST /nudge: awaited when it begins to follow, later by nobody
//!                         └────► counter         GET /log, by alarm and on a nudge: two pulls can overlap
//! ```
//!
//! Read [`rules`] first: what the protocol decides. Then [`counter`], the longest flow. The document that the protocol
//! follows has flaws, as documents do: [`rules::DOCUMENTED`] is what it says, [`rules::hardened`] mends it.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod counter;
#[cfg(test)]
mod desk;
mod failure;
pub mod follower;
pub mod front;
pub mod labels;
pub mod names;
mod program;
mod request;
pub mod rules;
pub mod wire;

pub use counter::Counter;
pub use failure::{Failure, Next};
pub use follower::Follower;
pub use front::Front;
pub use program::{Demonstration, Instance};
pub use request::BadRequest;
