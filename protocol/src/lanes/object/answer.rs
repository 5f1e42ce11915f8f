//! Responses of an object.

use std::sync::Arc;

use super::failure::Refusal;
use super::{Cx, SiteObject, Value, labels};
use crate::host::{Body, Payload, Response, Text};
use crate::json::{Json, Object};
use crate::lanes::handoff::{GuardState, Started};
use crate::lanes::rules::Rules;
use crate::lanes::wire::{CatchUpAnswer, hand_back};

/// A response that carries a message.
pub(super) fn message<T: Payload>(status: u16, value: T) -> Response {
    Response::new(status, Body::typed(Arc::new(value)))
}

/// A response of a few keys that the contract does not spell.
pub(super) fn keys<const N: usize>(status: u16, entries: [(&'static str, Json); N]) -> Response {
    let object = Object::from_iter(entries);
    Response::new(status, Body::text(Json::Object(object).to_string()))
}

/// A response that only says what is wrong.
pub(super) fn problem(status: u16, error: impl ToString) -> Response {
    keys(status, [("error", Json::text(error.to_string()))])
}

/// What a frame has returned, as a response.
pub(super) fn of_value(value: Value) -> Response {
    match value {
        Value::Response(response) => response,
        Value::Round(round) => round_answer(round),
        Value::Provisioned(provisioned) => provisioned.response(),
        Value::Nothing | Value::Report(_) | Value::Asked(_) => Response::new(204, Body::default()),
    }
}

fn round_answer(round: CatchUpAnswer) -> Response {
    let status = if round.ran.is_true() { 200 } else { 409 };
    message(status, round)
}

impl SiteObject {
    /// `replicaHandoff`: hands a request back to the front Worker (`lanes.md` 16).
    pub(super) fn hand_back(
        &self,
        rules: &Rules,
        refusal: &Refusal,
        started: Started,
        cx: &mut Cx<'_, '_>,
    ) -> Response {
        let guard = if self.interpreter.is_some() {
            GuardState::Idle
        } else {
            GuardState::Absent
        };
        let handoff = (rules.guard.handoff)(guard, started);
        let how = format!("{handoff:?}, {}", refusal.capability).to_lowercase();
        cx.note(labels::HANDED_BACK, Text::from(how));
        let mut response = problem(handoff.status(), refusal);
        hand_back(handoff, &refusal.capability, &mut response.headers);
        response
    }
}
