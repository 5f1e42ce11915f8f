//! What a front learns before it first routes: its counter, and which followers others have seen.

use protocol::host::{Answer, CallId, CallOutcome, ObjectName, Shared, Text};
use protocol::task::{On, Resume, Step};

use super::{COUNTER_KEY, Cx, DEFAULT_COUNTER, Front};
use crate::{labels, names};

/// The key of KV under which the fronts tell each other of the followers that they have seen.
pub const FOLLOWERS_KEY: &str = "followers";

/// Two reads under way at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Learning {
    /// The read that is awaited second, once both are begun.
    followers: Option<CallId>,
}

impl Learning {
    /// Both reads are begun at once and awaited one after the other: the wait is as long as the longer of them.
    pub(super) fn step(
        &mut self,
        front: &mut Front,
        resume: Resume<Front>,
        cx: &mut Cx<'_, '_>,
    ) -> Step<Front> {
        match resume {
            Resume::Answer { call, outcome } if Some(call) == self.followers => {
                let listed = entry(outcome).unwrap_or_default();
                front
                    .followers
                    .extend(listed.split(',').filter_map(names::parse_number));
                Step::Return(None)
            }
            Resume::Answer { outcome, .. } => {
                let counter = entry(outcome).filter(|name| !name.is_empty());
                front.counter = Some(ObjectName::new(counter.as_deref().unwrap_or(DEFAULT_COUNTER)));
                self.followers
                    .map_or(Step::Return(None), |followers| Step::Await(On::Call(followers)))
            }
            _ => {
                let counter = cx.get(labels::CONFIGURE, Shared::Configuration, COUNTER_KEY);
                self.followers = Some(cx.get(labels::LEARN, Shared::Kv, FOLLOWERS_KEY));
                Step::Await(On::Call(counter))
            }
        }
    }
}

/// What a shared service holds, as far as it can be read: a front that is told nothing serves all the same.
fn entry(outcome: CallOutcome) -> Option<Text> {
    match outcome {
        Ok(Answer::Entry(text)) => text,
        _ => None,
    }
}
