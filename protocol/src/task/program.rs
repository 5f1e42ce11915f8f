//! A protocol as a platform loads it.

use std::fmt::Debug;
use std::hash::Hash;

use super::Waiting;
use crate::host::{Event, Namespace, Object, Platform, TaskId};

/// One version of a protocol's code: its roles under one table of rules. The simulator gives each object and each
/// isolate a program, so that versions can be mixed; the Worker has exactly one.
pub trait Program: Clone + Debug {
    /// One incarnation of an object, whatever its role.
    type Object: Clone + Eq + Hash + Debug;
    /// One isolate of the front Worker.
    type Front: Clone + Eq + Hash + Debug;

    /// A new incarnation of an object in this namespace, or `None` where the protocol has no such namespace.
    fn object(&self, namespace: &Namespace) -> Option<Self::Object>;

    /// A new isolate of the front Worker.
    fn front(&self) -> Self::Front;

    /// The same code, deployed with a variable of this value. A variable that it does not know changes nothing.
    #[must_use]
    fn deployed_with(&self, _variable: &str, _value: &str) -> Self {
        self.clone()
    }

    /// Delivers an event to an object: one turn. Answers the task that the event began. See
    /// [`Actor::deliver`](super::Actor::deliver).
    fn deliver(&self, object: &mut Self::Object, event: Event, host: &mut dyn Object) -> Option<TaskId>;

    /// Delivers an event to an isolate of the front Worker: one turn.
    fn deliver_front(&self, front: &mut Self::Front, event: Event, host: &mut dyn Platform)
    -> Option<TaskId>;

    /// What the tasks of an object wait for.
    fn waits<'a>(&self, object: &'a Self::Object) -> Vec<(TaskId, Waiting<'a>)>;

    /// What the tasks of an isolate wait for.
    fn front_waits<'a>(&self, front: &'a Self::Front) -> Vec<(TaskId, Waiting<'a>)>;
}
