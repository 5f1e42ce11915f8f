//! Statement streams that a real site produced, put through the rules as a lane's driver would send them.
//!
//! The streams are not part of the repository: they are a [piece](crate::pieces::Piece::Captures). What the rules make of each
//! request is [`reading::read`]; [`difference`] compares it with an independent reading of the same contract, which
//! comes with the streams; [`table`] writes the documentation's table.

pub mod difference;
mod load;
pub mod reading;
pub mod table;

pub use load::{Captures, Entry, OnALane, Step, Stream, load};
