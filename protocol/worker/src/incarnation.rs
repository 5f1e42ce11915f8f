//! One incarnation behind one interface, whatever the program.

use protocol::host::{Event, Namespace, TaskId};
use protocol::task::Program;

use crate::host::{Crossing, Host};

/// One incarnation of an object, or one isolate of the front Worker: what one instance of the module holds.
pub trait Incarnation: Send {
    /// Delivers an event: one turn. Answers the task that the event began.
    fn deliver(&mut self, event: Event, crossing: &mut dyn Crossing) -> Option<TaskId>;
}

struct AnObject<P: Program> {
    program: P,
    object: P::Object,
}

struct AFront<P: Program> {
    program: P,
    front: P::Front,
}

impl<P> Incarnation for AnObject<P>
where
    P: Program + Send,
    P::Object: Send,
{
    fn deliver(&mut self, event: Event, crossing: &mut dyn Crossing) -> Option<TaskId> {
        let mut host = Host::new(crossing);
        self.program.deliver(&mut self.object, event, &mut host)
    }
}

impl<P> Incarnation for AFront<P>
where
    P: Program + Send,
    P::Front: Send,
{
    fn deliver(&mut self, event: Event, crossing: &mut dyn Crossing) -> Option<TaskId> {
        let mut host = Host::new(crossing);
        self.program.deliver_front(&mut self.front, event, &mut host)
    }
}

/// A new incarnation of an object in this namespace, or `None` where the program has no such namespace.
pub fn object<P>(program: P, namespace: &Namespace) -> Option<Box<dyn Incarnation>>
where
    P: Program + Send + 'static,
    P::Object: Send,
{
    let object = program.object(namespace)?;
    Some(Box::new(AnObject { program, object }))
}

/// A new isolate of the front Worker.
pub fn front<P>(program: P) -> Box<dyn Incarnation>
where
    P: Program + Send + 'static,
    P::Front: Send,
{
    let front = program.front();
    Box::new(AFront { program, front })
}
