//! A follower begins to follow.

use protocol::host::{ObjectName, Request, Response};
use protocol::task::{On, Resume, Step};

use super::{Counter, Cx, store, stub_for_nudge};
use crate::wire::{Problem, answer};
use crate::{Next, labels};

/// A follower that shall follow: it is nudged first, and kept when it has answered.
///
/// In this order, because a follower that has answered a nudge has set its alarm, and so finds out about everything
/// that it is not told of later. Kept first and nudged by the way, it would wait for the next addition when that nudge
/// is lost, and on a quiet site for ever.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Following {
    name: ObjectName,
}

impl Following {
    pub(super) fn new(name: ObjectName) -> Self {
        Following { name }
    }

    pub(super) fn step(&mut self, resume: Resume<Counter>, cx: &mut Cx<'_, '_>) -> Next<Counter> {
        if resume == Resume::Start {
            let stub = stub_for_nudge(&self.name);
            let call = cx.call(
                labels::FIRST_NUDGE,
                &stub,
                Request::post("/nudge", Default::default()),
            );
            return Ok(Step::Await(On::Call(call)));
        }
        let response = match resume.response() {
            Ok(Response { status: 202, .. }) => {
                cx.sql(&store::follow(&self.name))?;
                Response::new(204, Default::default())
            }
            Ok(other) => answer(
                503,
                Problem::new(format!("the follower answered {}", other.status)),
            ),
            Err(error) => answer(503, Problem::new(error)),
        };
        Ok(Step::Return(Some(response)))
    }
}
