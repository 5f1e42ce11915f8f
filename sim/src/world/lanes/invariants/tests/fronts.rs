//! The checks of what fronts ask, of whom, and after what.

use std::sync::Arc;

use protocol::host::{Answer, Label, Request, Response, Shared};
use protocol::lanes::front::labels::{ASK_AGAIN, ASK_LANE, ASK_PRIMARY, FAIL_OVER, READ_POINTER};
use protocol::lanes::header;

use super::scene::{call, fires, holds, made, of_call, of_front, response, run, truth};
use crate::kernel::Micros;
use crate::world::lanes::invariants::Judgement;
use crate::world::lanes::truth::Truth;
use crate::world::lanes::truth::runs::{Made, Run};
use crate::world::lanes::truth::wire::{Called, Heard};

fn page() -> Request {
    Request::get("/__serve?path=%2F")
}

fn asks(label: Label, to: &str, request: Request, before: Vec<Made>, visitor: Request) -> Called {
    call("front 0", label, to, request, Some(run(Some(visitor), before)))
}

fn asks_page(label: Label, to: &str, before: Vec<Made>) -> Called {
    asks(label, to, page(), before, Request::get("/"))
}

#[test]
fn a_lane_is_asked_for_pages_only() {
    let log = || Request::get("/__replica?action=log");
    let asks = |to, request| asks(ASK_LANE, to, request, Vec::new(), Request::get("/replica"));
    holds(of_call("LR-28", &truth(), &asks("shop#r1", page())));
    holds(of_call("LR-28", &truth(), &asks("shop", log())));
    fires(of_call("LR-28", &truth(), &asks("shop#r1", log())));
}

fn safe() -> Response {
    response(
        421,
        [(header::REQUIRES_PRIMARY, "serve"), (header::RETRY_SAFE, "1")],
    )
}

fn after(to: &str, answer: Option<Response>) -> Vec<Made> {
    vec![made(ASK_LANE, to, page(), answer)]
}

#[test]
fn the_primary_is_asked_after_a_lane_that_hands_over() {
    let fails_over = |answer| asks_page(FAIL_OVER, "shop", after("shop#r1", answer));
    holds(of_call("LR-29", &truth(), &fails_over(Some(safe()))));
    let unsafe_ = response(
        421,
        [(header::REQUIRES_PRIMARY, "serve"), (header::RETRY_SAFE, "0")],
    );
    fires(of_call("LR-29", &truth(), &fails_over(Some(unsafe_))));
    fires(of_call("LR-29", &truth(), &fails_over(Some(response(500, [])))));
    fires(of_call("LR-29", &truth(), &fails_over(None)));
}

#[test]
fn an_object_is_asked_again_after_an_error_once() {
    let again = |before| asks_page(ASK_AGAIN, "shop#r1", before);
    let failed = || made(ASK_LANE, "shop#r1", page(), None);
    holds(of_call("LR-29", &truth(), &again(vec![failed()])));
    fires(of_call("LR-29", &truth(), &again(vec![failed(), failed()])));
    fires(of_call(
        "LR-29",
        &truth(),
        &again(after("shop#r1", Some(response(200, [])))),
    ));
}

#[test]
fn a_front_does_not_pass_on_what_it_could_take_to_the_primary() {
    let ended = |answer: Response| {
        let run: Arc<Run> = run(Some(Request::get("/")), after("shop#r1", Some(safe())));
        of_front("LR-29", &truth(), &run, &Ok(Some(answer)))
    };
    fires(ended(safe()));
    holds(ended(response(503, [])));
}

fn told(lanes: &str, at: u64) -> Truth {
    let mut truth = truth();
    truth.now = Micros::from_millis(at);
    let answer = response(200, [(header::LANES, lanes)]);
    let heard = |to: &str| Heard::Answered {
        incarnation: 0,
        made: made(ASK_PRIMARY, to, page(), None),
        outcome: Ok(Answer::Response(answer.clone())),
    };
    truth.front_heard(&"front 0".into(), &[heard("shop")]);
    truth.now = Micros::from_millis(100_000);
    truth
}

#[test]
fn a_lane_is_asked_that_the_front_was_lately_told_of() {
    let asks = |lane: u32| asks_page(ASK_LANE, &format!("shop#r{lane}"), Vec::new());
    holds(of_call("LR-31", &told("2", 50_000), &asks(2)));
    fires(of_call("LR-31", &told("2", 50_000), &asks(3)));
    fires(of_call("LR-31", &told("2", 39_000), &asks(2)));
    fires(of_call("LR-31", &told("300", 50_000), &asks(257)));
}

#[test]
fn a_front_that_was_told_of_the_new_pool_spreads_over_it() {
    // `p:/` has the bucket 0 of 2, and 2 of 3.
    let asks = |label, to: &str| asks_page(label, to, Vec::new());
    holds(of_call("LR-L7", &told("1", 50_000), &asks(ASK_PRIMARY, "shop")));
    fires(of_call("LR-L7", &told("1", 50_000), &asks(ASK_LANE, "shop#r1")));
    let mut grown = told("1", 50_000);
    let answer = response(200, [(header::LANES, "2")]);
    let heard = Heard::Answered {
        incarnation: 0,
        made: made(ASK_PRIMARY, "shop", page(), None),
        outcome: Ok(Answer::Response(answer)),
    };
    grown.front_heard(&"front 0".into(), &[heard]);
    holds(of_call("LR-L7", &grown, &asks(ASK_LANE, "shop#r2")));
    fires(of_call("LR-L7", &grown, &asks(ASK_PRIMARY, "shop")));
    let long_ago = of_call("LR-L7", &told("1", 39_000), &asks(ASK_LANE, "shop#r1"));
    assert_eq!(long_ago, Judgement::NoSubject);
    let of_another_isolate = Called {
        incarnation: 1,
        ..asks(ASK_PRIMARY, "shop")
    };
    let never_told = of_call("LR-L7", &grown, &of_another_isolate);
    assert_eq!(never_told, Judgement::NoSubject);
}

#[test]
fn a_pointer_tells_of_lanes_and_a_lane_does_not() {
    let mut truth = truth();
    let pointer = Heard::Answered {
        incarnation: 0,
        made: Made::of_read(
            made(ASK_LANE, "shop", page(), None).call,
            READ_POINTER,
            Shared::Kv,
            "lanes:shop",
        ),
        outcome: Ok(Answer::Entry(Some("2@1".into()))),
    };
    let lane = Heard::Answered {
        incarnation: 0,
        made: made(ASK_LANE, "shop#r1", page(), None),
        outcome: Ok(Answer::Response(response(200, [(header::LANES, "3")]))),
    };
    truth.front_heard(&"front 0".into(), &[pointer, lane]);
    let asks = |lane: u32| asks_page(ASK_LANE, &format!("shop#r{lane}"), Vec::new());
    holds(of_call("LR-31", &truth, &asks(2)));
    fires(of_call("LR-31", &truth, &asks(3)));
}

#[test]
fn a_write_that_is_the_primarys_goes_there() {
    let write = |path: &'static str, cookie: &str, form: &str| {
        let mut visitor = Request::post(path, Default::default());
        visitor.headers.set("cookie", cookie);
        visitor.headers.set("content-type", form);
        visitor
    };
    let session = "SESS0=a";
    let pinned = [
        write("/node/add", "", "text/plain"),
        write("/node/add", session, "multipart/form-data; boundary=x"),
        write("/admin/modules/install", session, "text/plain"),
    ];
    for visitor in pinned {
        let asks = |to| asks(ASK_LANE, to, visitor.clone(), Vec::new(), visitor.clone());
        holds(of_call("LR-40", &truth(), &asks("shop")));
        fires(of_call("LR-40", &truth(), &asks("shop#r1")));
    }
    let free = write("/admin/modules-of-mine", session, "text/plain");
    let asks = asks(ASK_LANE, "shop#r1", free.clone(), Vec::new(), free);
    assert_eq!(of_call("LR-40", &truth(), &asks), Judgement::NoSubject);
}
