//! The segments of an object's flows that a variant may exchange.

use super::identity::{Identity, identify};
use crate::lanes::rules::Rules;

/// The segments, flow by flow.
#[derive(Clone, Copy, Debug)]
pub struct Flows {
    /// Which object a name is.
    pub identify: fn(&Rules, Option<&str>, Option<&str>) -> Identity,
}

impl Flows {
    /// As the contract documents them.
    pub const DOCUMENTED: Flows = Flows { identify };
}
