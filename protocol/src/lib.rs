//! What the Worker deploys: protocols for Durable Objects as plain values over a narrow seam.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod ecma;
pub mod number;
