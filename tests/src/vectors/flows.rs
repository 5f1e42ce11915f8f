//! The flows, run as far as their pure steps go: scripted sequences against a small model. The waits between the steps
//! are where they will be; nothing happens in them here.

use super::Runner;

mod lane;
mod primary;

/// The runners of this area.
pub fn runners() -> Vec<Runner> {
    vec![
        Runner::answers("setReplicaStage", lane::run),
        Runner::answers("restoreFlow", lane::run),
        Runner::answers("catchUpFlow", lane::run),
        Runner::answers("sealFlow", primary::run),
    ]
}
