//! Looking for what is wrong: many runs, none of which has a loop of its own.

pub mod detect;
mod judge;
pub mod known;
pub mod measured;
pub mod power;
pub mod sample;
mod schedule;
pub mod shrink;
mod sweep;
mod tally;
#[cfg(test)]
mod tests;
mod unreached;

pub use judge::{Judged, Judgement, judge, seeds_to_judge};
pub use known::Known;
pub use schedule::{Job, Schedule};
pub use sweep::{Ended, Finding, Least, Settings, Swept, Watcher, sweep};
pub use tally::{Repeat, SHARE, Tally};
pub use unreached::{Unreached, Wanted, unreached};
