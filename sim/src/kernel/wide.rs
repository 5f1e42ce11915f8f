//! What the kernel runs, and the part of the platform that is wider than the seam.
//!
//! Lanes and the other protocols need the seam alone, and what runs them is a [`Program`]. The platform offers more:
//! critical sections that hold every other event back. Code that uses them is a [`Guest`], so that the kernel can be
//! held to the real runtime there as well.

use std::fmt::Debug;
use std::hash::Hash;

use protocol::host::{CallError, CallId, Event, Namespace, Object, Platform, TaskId};
use protocol::task::{Program, Waiting};
use serde::{Deserialize, Serialize};

/// What a critical section is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SectionKind {
    /// `blockConcurrencyWhile`: a throw resets the object (`platform.md` section 2, item 5).
    Block,
    /// `storage.transaction(async …)`: its writes are one commit, made at its end or taken back (section 4, item 5).
    Transaction,
}

/// How a critical section ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SectionEnd {
    /// Its code has done.
    Done,
    /// A transaction takes its writes back and goes on.
    RollBack,
    /// Its code has thrown: a transaction takes its writes back, and the code outside, which knows the error, goes on; a
    /// block resets the object.
    Threw(CallError),
}

/// What the platform gives an object besides the seam.
///
/// To enter a critical section, or to leave it, is an await: it ends the commit unit (`workerd.md` T2). The code returns,
/// and nothing else happens to the object until [`Answer::Done`](protocol::host::Answer::Done) to this call has it go on.
/// A turn does so once at most.
pub trait Wide: Object {
    /// Enters a critical section, in a task that may be in one already: until it ends, only events that were begun
    /// within it are delivered. One that lasts 30 s resets the object; one deeper than 64 is an error there.
    fn enter(&mut self, call: CallId, kind: SectionKind);

    /// Ends the innermost critical section, which this task has entered. Where that resets the object, there is no
    /// answer.
    fn leave(&mut self, call: CallId, end: SectionEnd);
}

/// Code as the kernel loads it. Every [`Program`] is one.
pub trait Guest: Clone + Debug {
    /// One incarnation of an object, whatever its role.
    type Object: Clone + Eq + Hash + Debug;
    /// One isolate of the front Worker.
    type Front: Clone + Eq + Hash + Debug;

    /// A new incarnation of an object in this namespace, or `None` where there is no such namespace.
    fn object(&self, namespace: &Namespace) -> Option<Self::Object>;

    /// A new isolate of the front Worker.
    fn front(&self) -> Self::Front;

    /// The same code, deployed with a variable of this value.
    #[must_use]
    fn deployed_with(&self, _variable: &str, _value: &str) -> Self {
        self.clone()
    }

    /// Delivers an event to an object: one turn.
    fn deliver(&self, object: &mut Self::Object, event: Event, host: &mut dyn Wide);

    /// Delivers an event to an isolate of the front Worker: one turn.
    fn deliver_front(&self, front: &mut Self::Front, event: Event, host: &mut dyn Platform);

    /// What the tasks of an object wait for.
    fn waits<'a>(&self, object: &'a Self::Object) -> Vec<(TaskId, Waiting<'a>)>;

    /// What the tasks of an isolate wait for.
    fn front_waits<'a>(&self, front: &'a Self::Front) -> Vec<(TaskId, Waiting<'a>)>;
}

impl<P: Program> Guest for P {
    type Object = P::Object;
    type Front = P::Front;

    fn object(&self, namespace: &Namespace) -> Option<Self::Object> {
        Program::object(self, namespace)
    }

    fn front(&self) -> Self::Front {
        Program::front(self)
    }

    fn deployed_with(&self, variable: &str, value: &str) -> Self {
        Program::deployed_with(self, variable, value)
    }

    fn deliver(&self, object: &mut Self::Object, event: Event, host: &mut dyn Wide) {
        Program::deliver(self, object, event, host);
    }

    fn deliver_front(&self, front: &mut Self::Front, event: Event, host: &mut dyn Platform) {
        Program::deliver_front(self, front, event, host);
    }

    fn waits<'a>(&self, object: &'a Self::Object) -> Vec<(TaskId, Waiting<'a>)> {
        Program::waits(self, object)
    }

    fn front_waits<'a>(&self, front: &'a Self::Front) -> Vec<(TaskId, Waiting<'a>)> {
        Program::front_waits(self, front)
    }
}
