//! The protocol as a platform loads it.

use protocol::host::{Event, Namespace, Object, Platform, TaskId};
use protocol::task::{Actor, Program, Waiting};

use crate::rules::Rules;
use crate::{Counter, Follower, Front, names};

/// One version of the demonstration.
#[derive(Clone, Debug)]
pub struct Demonstration {
    /// Its behaviour.
    pub rules: Rules,
}

/// One incarnation of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Instance {
    /// Of a counter.
    Counter(Actor<Counter>),
    /// Of a follower.
    Follower(Actor<Follower>),
}

impl Program for Demonstration {
    type Object = Instance;
    type Front = Actor<Front>;

    fn object(&self, namespace: &Namespace) -> Option<Instance> {
        if *namespace == names::COUNTER {
            Some(Instance::Counter(Actor::new(Counter::default())))
        } else if *namespace == names::FOLLOWER {
            Some(Instance::Follower(Actor::new(Follower::default())))
        } else {
            None
        }
    }

    fn front(&self) -> Actor<Front> {
        Actor::new(Front::default())
    }

    fn deliver(&self, object: &mut Instance, event: Event, host: &mut dyn Object) -> Option<TaskId> {
        match object {
            Instance::Counter(counter) => counter.deliver(&self.rules, event, host),
            Instance::Follower(follower) => follower.deliver(&self.rules, event, host),
        }
    }

    fn deliver_front(
        &self,
        front: &mut Actor<Front>,
        event: Event,
        host: &mut dyn Platform,
    ) -> Option<TaskId> {
        front.deliver(&self.rules, event, host)
    }

    fn waits<'a>(&self, object: &'a Instance) -> Vec<(TaskId, Waiting<'a>)> {
        match object {
            Instance::Counter(counter) => counter.waits().collect(),
            Instance::Follower(follower) => follower.waits().collect(),
        }
    }

    fn front_waits<'a>(&self, front: &'a Actor<Front>) -> Vec<(TaskId, Waiting<'a>)> {
        front.waits().collect()
    }
}
