//! The protocol as a platform loads it.

use std::marker::PhantomData;

use super::{SiteObject, Version};
use crate::host::{Event, Namespace, Object, Platform, TaskId, Text};
use crate::task::{Actor, Program, Role, Waiting};

/// The namespace of all objects of all sites.
pub const SITE: Namespace = Namespace::new("site");

/// The variable that says whether overrides of the others are looked up in KV: they are where it is `1`
/// ([`Policy::reads_overrides`](super::Policy)).
pub const KV_OVERRIDES: &str = "KV_OVERRIDES";

/// One version of replica lanes. `F` is the role of the front Worker.
#[derive(Debug)]
pub struct LanesProgram<F> {
    /// Its behaviour.
    pub version: Version,
    front: PhantomData<fn() -> F>,
}

impl<F> LanesProgram<F> {
    /// The program of a version.
    #[must_use]
    pub fn new(version: Version) -> Self {
        LanesProgram {
            version,
            front: PhantomData,
        }
    }
}

impl<F> Clone for LanesProgram<F> {
    fn clone(&self) -> Self {
        LanesProgram::new(self.version.clone())
    }
}

impl<F> Program for LanesProgram<F>
where
    F: Default + std::fmt::Debug + for<'h> Role<Rules = Version, Host<'h> = dyn Platform + 'h>,
{
    type Object = Actor<SiteObject>;
    type Front = Actor<F>;

    fn object(&self, namespace: &Namespace) -> Option<Self::Object> {
        (*namespace == SITE).then(|| Actor::new(SiteObject::default()))
    }

    fn front(&self) -> Self::Front {
        Actor::new(F::default())
    }

    fn deployed_with(&self, variable: &str, value: &str) -> Self {
        let mut version = self.version.clone();
        if variable == KV_OVERRIDES {
            version.policy.reads_overrides = value == "1";
        } else if let Some(variable) = version.variables.overridable(variable) {
            *variable = Some(Text::new(value));
        }
        LanesProgram::new(version)
    }

    fn deliver(&self, object: &mut Self::Object, event: Event, host: &mut dyn Object) -> Option<TaskId> {
        object.deliver(&self.version, event, host)
    }

    fn deliver_front(
        &self,
        front: &mut Self::Front,
        event: Event,
        host: &mut dyn Platform,
    ) -> Option<TaskId> {
        front.deliver(&self.version, event, host)
    }

    fn waits<'a>(&self, object: &'a Self::Object) -> Vec<(TaskId, Waiting<'a>)> {
        object.waits().collect()
    }

    fn front_waits<'a>(&self, front: &'a Self::Front) -> Vec<(TaskId, Waiting<'a>)> {
        front.waits().collect()
    }
}
