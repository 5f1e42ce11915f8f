//! Replica lanes: one primary that owns a site's state, and up to 256 lanes that serve copies of it.
//!
//! Here are the protocol's decisions, as pure functions over facts: they read nothing but their arguments. Each stands
//! in the table of [`rules`], and the flows ask the table, so that a variant of the protocol is another table and not
//! another flow. Reasons are types whose `Display` is the contract's text. Source: `lanes.md`; its section is named
//! with each item.
//!
//! Numbers that the deployed code takes through `Number()` are [`Number`]s here and keep JavaScript's rules, NaN
//! included, because a bad setting or header reaches the formulas unchecked (`lanes.md` 19.5).

pub mod admission;
pub mod alarm;
pub mod app;
pub mod backoff;
pub mod belief;
pub mod bind;
pub mod bridge;
pub mod capability;
#[doc = include_str!("captures.md")]
pub mod captures {}
pub mod catch_up;
pub mod changes;
pub mod codec;
#[cfg(feature = "defects")]
pub mod defects;
pub mod demand;
pub mod fence;
pub mod fingerprint;
pub mod forward;
pub mod front;
pub mod growth;
pub mod guard;
pub mod handoff;
pub mod header;
pub mod inventory;
pub mod log;
pub mod meta;
pub mod minting;
pub mod name;
pub mod object;
pub mod operator;
pub mod origin;
pub mod partition;
pub mod restore;
pub mod routing;
pub mod rules;
pub mod seal;
pub mod session;
pub mod setting;
pub mod site;
pub mod tally;
pub mod wire;

use crate::number::Number;

/// Replica lanes as a platform loads them.
pub type Lanes = object::LanesProgram<front::Front>;

/// The most lanes a site can have: so many writers besides the primary hold a class of row ids of their own
/// (`ID_PARTITION_LANES`, `lanes.md` 3).
pub const MOST_LANES: Number = Number::integer(256);

/// `Math.max(0, Math.floor(n))`: how the contract reads a count. NaN stays NaN.
fn count(n: Number) -> Number {
    Number::ZERO.js_max(n.floor())
}

#[cfg(test)]
mod tests;
