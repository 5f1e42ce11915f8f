//! LR-29. A request goes to the primary after a lane if and only if the lane has handed it over unharmed.
//!
//! Judged on what a front calls for one request, and on what it answers. A second call must follow either a lane's 421
//! that names a capability and says that it is safe to retry, and then goes to the primary; or an error, and then goes to
//! the same object. Each of both happens once at most, so no request makes more than three calls. A front that passes
//! such a 421 on has not retried. The primary itself never answers 421. Catches a retry after a 500, and ping-pong.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::runs::{Made, Run};
use crate::world::lanes::truth::wire::Called;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::{Outcome, Response};
use protocol::lanes::header;

/// A front asks another time than it may.
const ASKS_AGAIN: Class = Class("asks-again");
/// A front passes on what it could take to the primary.
const PASSES_ON: Class = Class("passes-on");
/// The primary hands a request over itself.
const PRIMARY_HANDS_OVER: Class = Class("primary-hands-over");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-29",
        statement: "a front asks the primary after a lane once, if the lane says that it may, and never else",
        classes: &[ASKS_AGAIN, PASSES_ON, PRIMARY_HANDS_OVER],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Call(again), Stand::Front(ended), Stand::Primary(primary)],
};

/// Whether a response hands a request over for another object to take it.
fn hands_over(response: &Response) -> bool {
    response.status == 421
        && response.headers.get(header::REQUIRES_PRIMARY).is_some()
        && response.headers.get(header::RETRY_SAFE) == Some("1")
}

fn to(made: &Made) -> Option<&str> {
    made.asked.as_ref().map(|(to, _)| to.0.as_str())
}

fn again(truth: &mut Truth, called: &Called) -> Judgement {
    if truth.lane_of(&called.who).is_some() {
        return Judgement::NoSubject;
    }
    let before: Vec<&Made> = called.run.iter().flat_map(|run| run.calls()).collect();
    let Some(last) = before.last() else {
        return Judgement::NoSubject;
    };
    let is_primary = called.to.0 == truth.site;
    let is_same = to(last) == Some(called.to.0.as_str());
    let handed_over = last.response().is_some_and(hands_over);
    let failed = matches!(&last.outcome, Some(Err(_)));
    let holds = if handed_over {
        is_primary && !is_same
    } else {
        failed && is_same && before.iter().filter(|made| failed_of(made)).count() == 1
    };
    Judgement::that(holds && before.len() < 3, || {
        Breach::new(ASKS_AGAIN, format!(
            "{} asks {} after {} answered {:?}",
            called.caller(),
            called.asked(),
            to(last).unwrap_or_default(),
            last.response().map(|response| response.status)
        ))
    })
}

fn failed_of(made: &Made) -> bool {
    matches!(&made.outcome, Some(Err(_)))
}

fn ended(_: &mut Truth, run: &Run, outcome: &Outcome) -> Judgement {
    let handed_over = run.calls().next_back().and_then(Made::response).is_some_and(hands_over);
    match outcome {
        Ok(Some(answer)) if handed_over => Judgement::that(!hands_over(answer), || {
            Breach::new(PASSES_ON, "a front passes a lane's 421 on that it could take to the primary")
        }),
        _ => Judgement::NoSubject,
    }
}

fn primary(_: &mut Truth, turn: &Turn) -> Judgement {
    match turn.answers().find(|(_, response)| response.status == 421) {
        None => Judgement::NoSubject,
        Some((run, _)) => Judgement::broken(Breach::new(PRIMARY_HANDS_OVER, format!(
            "the primary answers 421 to {:?}",
            run.request().map(|request| &request.path)
        ))),
    }
}
