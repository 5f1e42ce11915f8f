//! To be written.

use super::{Cx, Next, SiteObject, Value, Version};
use crate::task::{Resume, Step};

/// To be written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Gated {}

impl Gated {
    pub(super) fn step(
        &mut self,
        _: &mut SiteObject,
        _: &Version,
        _: Resume<SiteObject>,
        _: &mut Cx<'_, '_>,
    ) -> Next {
        Ok(Step::Return(Value::Nothing))
    }
}
