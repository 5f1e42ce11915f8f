//! A front that listens at the broker for what others tell, for as long as its isolate lives, or not at all where there is
//! none.

use protocol::host::{Answer, Shared};
use protocol::task::{On, Resume, Step};

use super::learn::FOLLOWERS_KEY;
use super::{Cx, Front};
use crate::labels;
use crate::rules::Rules;

/// Listening: one message after the other, and after a failure once more. What is missed is missed; it is only belief.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Listening;

impl Listening {
    pub(super) fn step(
        &mut self,
        front: &mut Front,
        rules: &Rules,
        resume: Resume<Front>,
        cx: &mut Cx<'_, '_>,
    ) -> Step<Front> {
        match resume {
            Resume::Answer {
                outcome: Ok(Answer::Entry(listed)),
                ..
            } => front.hear_of(&listed.unwrap_or_default()),
            // There is no broker: it will not be there later either.
            Resume::Answer {
                outcome: Err(error), ..
            } if !error.retryable => return Step::Return(None),
            Resume::Answer { outcome: Err(_), .. } => {
                return Step::Await(On::Call(cx.sleep(labels::PAUSE, rules.policy.pause)));
            }
            _ => front.listens = true,
        }
        Step::Await(On::Call(cx.get(labels::LISTEN, Shared::Broker, FOLLOWERS_KEY)))
    }
}
