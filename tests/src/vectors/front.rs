//! `protocol::lanes`, the side that faces the visitor: names, settings, beliefs, routing, sites, sessions, demand, the
//! id partition, the fence.

use super::Runner;

/// The runners of this area.
pub fn runners() -> Vec<Runner> {
    Vec::new()
}
