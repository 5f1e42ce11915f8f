//! A front Worker: it takes the clients' requests to the counter or to one of its followers.

use std::collections::{BTreeMap, BTreeSet};

use protocol::host::{Entry, ObjectName, Platform, Response, Stub};
use protocol::task::{Context, Frame, Resume, Role};

use crate::rules::{Rules, Target};
use crate::{Failure, Next, names};

mod ask;
mod learn;
mod listen;
mod reach;
mod serve;

pub use ask::Ask;
pub use learn::{FOLLOWERS_KEY, Learning};
pub use listen::Listening;
pub use reach::{ReachStep, ReachSteps, Reaching};
pub use serve::Serving;

/// The memory of one isolate. Any isolate can be gone at any time, and none knows another's: all of it is belief.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Front {
    /// The counter that it serves, once the configuration has said so.
    counter: Option<ObjectName>,
    /// The followers that it believes in: they have answered, here or elsewhere.
    followers: BTreeSet<u32>,
    /// Whether it listens at the broker.
    listens: bool,
    /// Of each object whose first stub has failed, which stub is in use. A failed stub stays failed.
    serials: BTreeMap<Target, u32>,
}

/// A step of a front's flows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FrontFrame {
    /// A client's request, from its coming to its answer.
    Serve(Serving),
    /// Learns what it must know before it can route.
    Learn(Learning),
    /// Listens for what others tell.
    Listen(Listening),
    /// A call to the chosen object, with one retry at the counter.
    Reach(Reaching),
}

impl Frame for FrontFrame {
    fn catches(&self) -> bool {
        matches!(self, FrontFrame::Serve(_))
    }
}

/// What a task of a front can do with its platform.
pub type Cx<'a, 'h> = Context<'a, 'h, Front>;

impl Role for Front {
    type Frame = FrontFrame;
    type Value = Option<Response>;
    type Failure = Failure;
    type Rules = Rules;
    type Host<'h> = dyn Platform + 'h;

    fn begin(&mut self, _: &Rules, entry: Entry) -> FrontFrame {
        FrontFrame::Serve(Serving::new(entry))
    }

    fn step(
        &mut self,
        rules: &Rules,
        frame: &mut FrontFrame,
        resume: Resume<Self>,
        cx: &mut Cx<'_, '_>,
    ) -> Next<Self> {
        match frame {
            FrontFrame::Serve(serving) => serving.step(self, rules, resume, cx),
            FrontFrame::Learn(learning) => Ok(learning.step(self, resume, cx)),
            FrontFrame::Listen(listening) => Ok(listening.step(self, rules, resume, cx)),
            FrontFrame::Reach(reaching) => reaching.step(self, rules, resume, cx),
        }
    }

    fn response(value: Option<Response>) -> Option<Response> {
        value
    }
}

/// Where the configuration says which counter this deployment serves.
pub const COUNTER_KEY: &str = "counter";

/// The counter where the configuration says nothing, or cannot be read.
pub const DEFAULT_COUNTER: &str = "main";

impl Front {
    /// The counter that it serves.
    fn counter(&self) -> ObjectName {
        self.counter
            .clone()
            .unwrap_or_else(|| ObjectName::new(DEFAULT_COUNTER))
    }

    /// The stub in use for an object.
    fn stub(&self, target: Target) -> Stub {
        let counter = self.counter();
        let first = match target {
            Target::Counter => Stub::new(names::COUNTER, counter),
            Target::Follower(number) => Stub::new(names::FOLLOWER, names::follower(&counter, number)),
        };
        Stub {
            serial: self.serials.get(&target).copied().unwrap_or(0),
            ..first
        }
    }

    /// A call on this stub has failed: from now on another is in use, unless another task has seen to that.
    fn stub_failed(&mut self, target: Target, failed: &Stub) {
        if self.stub(target) == *failed {
            self.serials.insert(target, failed.fresh().serial);
        }
    }
}

#[cfg(test)]
mod tests;
