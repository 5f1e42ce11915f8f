//! Replica lanes in small: an application of a few tables, and worlds of one site and its lanes.

pub mod application;
pub mod desk;
pub mod front;
pub mod load;
pub mod pool;
pub mod world;

pub use world::Site;
