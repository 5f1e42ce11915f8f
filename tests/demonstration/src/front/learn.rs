//! What a front learns before it first routes: its counter, and which followers others have seen.

use protocol::host::{Answer, CallId, CallOutcome, ObjectName, Shared, Text};
use protocol::task::{On, Resume, Step};

use super::{COUNTER_KEY, Cx, DEFAULT_COUNTER, Front, FrontFrame, Listening};
use crate::{labels, names};

/// The key under which the fronts tell each other of the followers that they have seen: in KV, in the edge cache, and as
/// the broker's topic.
pub const FOLLOWERS_KEY: &str = "followers";

/// Three reads under way at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Learning {
    /// The read of the configuration.
    counter: Option<CallId>,
    /// The reads that are awaited after it, one after the other.
    followers: Vec<CallId>,
}

impl Learning {
    /// All reads are begun at once: the wait is as long as the longest of them. Before that the front begins to listen.
    pub(super) fn step(
        &mut self,
        front: &mut Front,
        resume: Resume<Front>,
        cx: &mut Cx<'_, '_>,
    ) -> Step<Front> {
        match resume {
            Resume::Answer { call, outcome } if self.counter == Some(call) => {
                let counter = entry(outcome).filter(|name| !name.is_empty());
                front.counter = Some(ObjectName::new(counter.as_deref().unwrap_or(DEFAULT_COUNTER)));
                self.counter = None;
            }
            Resume::Answer { outcome, .. } => front.hear_of(&entry(outcome).unwrap_or_default()),
            Resume::Started(_) => {}
            _ => {
                self.counter = Some(cx.get(labels::CONFIGURE, Shared::Configuration, COUNTER_KEY));
                self.followers = vec![
                    cx.get(labels::LEARN_NEARBY, Shared::EdgeCache, FOLLOWERS_KEY),
                    cx.get(labels::LEARN, Shared::Kv, FOLLOWERS_KEY),
                ];
                if !front.listens {
                    return Step::Start(FrontFrame::Listen(Listening));
                }
            }
        }
        match self.counter.or_else(|| self.followers.pop()) {
            Some(next) => Step::Await(On::Call(next)),
            None => Step::Return(None),
        }
    }
}

impl Front {
    /// Believes in the followers that are listed, besides those that it believes in.
    pub(super) fn hear_of(&mut self, listed: &str) {
        self.followers
            .extend(listed.split(',').filter_map(names::parse_number));
    }
}

/// What a shared service holds, as far as it can be read: a front that is told nothing serves all the same.
fn entry(outcome: CallOutcome) -> Option<Text> {
    match outcome {
        Ok(Answer::Entry(text)) => text,
        _ => None,
    }
}
