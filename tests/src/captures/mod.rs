//! Statement streams that a real site produced, put through the rules as a lane's driver would send them.
//!
//! The streams are not part of the repository: [`FOLDER`] names the folder that holds them. What the rules make of each
//! request is [`reading::read`]; [`difference`] compares it with an independent reading of the same contract, which
//! comes with the streams; [`table`] writes the documentation's table.

pub mod difference;
mod load;
pub mod reading;
pub mod table;

pub use load::{Captures, Entry, OnALane, Step, Stream, load};

/// The environment variable that names the folder.
pub const FOLDER: &str = "DRYDOCK_CAPTURES";
/// With this set to `1`, a missing folder is a failure.
pub const REQUIRE: &str = "DRYDOCK_REQUIRE";
/// With this set to `1`, the table in the documentation is written anew.
pub const BLESS: &str = "DRYDOCK_BLESS";
