//! A request, from its coming to its answer.

use super::{Cx, Next, SiteObject, Value, Version};
use crate::host::{Request, Response};
use crate::task::{Resume, Step};

/// A request on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Visit {
    request: Request,
}

impl Visit {
    pub(super) fn new(request: Request) -> Self {
        Visit { request }
    }

    pub(super) fn step(
        &mut self,
        _: &mut SiteObject,
        _: &Version,
        _: Resume<SiteObject>,
        _: &mut Cx<'_, '_>,
    ) -> Next {
        let _ = &self.request;
        Ok(Step::Return(Value::Response(Response::new(
            501,
            Default::default(),
        ))))
    }
}
