//! The simulator is like the platform: one test body for each rule, and two arms that run it.
//!
//! A [case](case::Case) is a script and what is seen of it. The [kernel](simulated) runs it through its public interface,
//! and so does the [real runtime](runtime): what both have seen must be what the case expects, values and order, not
//! times. Where one of them sees something else, the case says why that is right; where one cannot run it, why not.
//!
#![doc = include_str!("table.md")]

pub mod case;
pub mod cases;
pub mod guest;
pub mod runtime;
pub mod script;
pub mod simulated;
pub mod table;

use case::{ask, write};
use script::{Do, Said};

/// The script of a write under load.
fn write_of(object: &str, client: u32, nth: u64) -> Vec<Do> {
    vec![ask(object, [write(&format!("{client}.{nth}"))])]
}

/// How many of the rows whose writes were acknowledged are not among those that were read.
fn missing(acknowledged: &[String], read: &[Said]) -> String {
    let read: Vec<_> = read.iter().map(Said::line).collect();
    let rows: std::collections::BTreeSet<_> = read.iter().flat_map(|line| line.split(' ')).collect();
    let lost = acknowledged.iter().filter(|row| !rows.contains(row.as_str()));
    format!("lost {}", lost.count())
}
