//! The checks of what is asked and added under settings that change.

use protocol::host::{Answer, CallError, CallId, CallOutcome, Request, Shared, TaskId};
use protocol::lanes::front::labels::{ASK_LANE, READ_OVERRIDE};
use protocol::lanes::object::labels::MIGRATE_LANE;

use super::scene::{alarm, call, fires, holds, of_call, run, truth};
use crate::kernel::Micros;
use crate::world::lanes::Variable;
use crate::world::lanes::invariants::Judgement;
use crate::world::lanes::truth::Truth;
use crate::world::lanes::truth::runs::Made;
use crate::world::lanes::truth::wire::{Called, Heard};

/// A party was told of an override by KV, or was not, at an instant of milliseconds.
fn told(truth: &mut Truth, who: &str, variable: Variable, outcome: CallOutcome, at: u64) {
    let call = CallId {
        task: TaskId(0),
        nth: 0,
    };
    let heard = Heard::Answered {
        incarnation: 0,
        made: Made::of_read(call, READ_OVERRIDE, Shared::Kv, &variable.key()),
        outcome,
    };
    truth
        .overrides
        .heard(&who.into(), &[heard], Micros::from_millis(at));
}

fn says(text: &str) -> CallOutcome {
    Ok(Answer::Entry(Some(text.into())))
}

fn nothing() -> CallOutcome {
    Ok(Answer::Entry(None))
}

fn failed() -> CallOutcome {
    Err(CallError::thrown("KV GET failed"))
}

fn asks(to: &str, visitor: Request) -> Called {
    call(
        "front 0",
        ASK_LANE,
        to,
        Request::get("/__serve"),
        Some(run(Some(visitor), Vec::new())),
    )
}

#[test]
fn a_lane_is_asked_that_the_settings_have_lately_told_of() {
    let counted = |outcome, at| {
        let mut truth = truth();
        told(&mut truth, "front 0", Variable::ReplicaCount, outcome, at);
        truth
    };
    let and_failed = |mut truth: Truth, at| {
        told(&mut truth, "front 0", Variable::ReplicaCount, failed(), at);
        truth
    };
    let asks = |lane: u32| asks(&format!("shop#r{lane}"), Request::get("/"));
    holds(of_call("LR-31", &counted(says("2"), 50_000), &asks(2)));
    fires(of_call("LR-31", &counted(says("2"), 50_000), &asks(3)));
    fires(of_call("LR-31", &counted(says("2"), 30_000), &asks(2)));
    let unread = |at| and_failed(counted(says("2"), 30_000), at);
    holds(of_call("LR-31", &unread(50_000), &asks(2)));
    fires(of_call("LR-31", &unread(50_000), &asks(3)));
    fires(of_call("LR-31", &unread(31_000), &asks(2)));
    let superseded = |at| {
        let mut truth = counted(says("3"), at);
        told(&mut truth, "front 0", Variable::ReplicaCount, says("2"), 30_000);
        and_failed(truth, 50_000)
    };
    fires(of_call("LR-31", &superseded(10_000), &asks(3)));
    holds(of_call("LR-31", &superseded(29_500), &asks(3)));
    fires(of_call("LR-31", &counted(nothing(), 50_000), &asks(1)));
}

fn write() -> Request {
    let mut visitor = Request::post("/node/add", Default::default());
    visitor.headers.set("cookie", "SESS0=a");
    visitor
}

fn post(to: &str) -> Called {
    let mut asked = asks(to, write());
    asked.request = Request::post("/__serve", Default::default());
    asked
}

#[test]
fn a_write_goes_to_the_primary_while_forwarding_is_off() {
    let after = |outcomes: &[CallOutcome]| {
        let mut truth = truth();
        for (at, outcome) in (0_u64..).zip(outcomes) {
            told(&mut truth, "front 0", Variable::WriteForward, outcome.clone(), at);
        }
        truth
    };
    let judged = |outcomes: &[CallOutcome], to| of_call("LR-40", &after(outcomes), &post(to));
    holds(judged(&[says("0")], "shop"));
    fires(judged(&[says("0")], "shop#r1"));
    fires(judged(&[says("1"), says("0"), failed(), says("0")], "shop#r1"));
    fires(judged(&[says("0"), failed()], "shop#r1"));
    for on in [
        &[][..],
        &[nothing()],
        &[says("0"), says("1")],
        &[says("1"), says("0")],
    ] {
        assert_eq!(judged(on, "shop#r1"), Judgement::NoSubject, "{on:?}");
    }
}

#[test]
fn the_isolate_after_it_was_told_nothing() {
    let mut truth = truth();
    told(&mut truth, "front 0", Variable::WriteForward, says("0"), 1);
    let next = Called {
        incarnation: 1,
        ..post("shop#r1")
    };
    assert_eq!(of_call("LR-40", &truth, &next), Judgement::NoSubject);
}

fn adds(lane: u32) -> Called {
    let to = format!("shop#r{lane}");
    call(
        "site/shop",
        MIGRATE_LANE,
        &to,
        Request::get("/__migrate"),
        alarm(1),
    )
}

/// Whether demand asks for it is judged with the rest of LR-41: no window was seen here.
#[test]
fn a_lane_is_added_as_far_as_the_settings_allow() {
    let under = |variable, outcomes: &[CallOutcome]| {
        let mut truth = truth();
        for (at, outcome) in (0_u64..).zip(outcomes) {
            told(&mut truth, "site/shop", variable, outcome.clone(), at);
        }
        of_call("LR-41", &truth, &adds(2))
    };
    fires(under(Variable::ReplicaAutoscale, &[says("0"), failed()]));
    fires(under(Variable::ReplicaMaxLanes, &[says("1")]));
    for allows in [
        under(Variable::ReplicaAutoscale, &[says("0"), says("1")]),
        under(Variable::ReplicaMaxLanes, &[says("2")]),
    ] {
        assert_eq!(allows, Judgement::NoSubject);
    }
}
