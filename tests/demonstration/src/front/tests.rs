use protocol::host::{Answer, CallError, CallOutcome, Entry, Event, Millis, Request};
use protocol::number::Number;
use protocol::task::Actor;

use super::Front;
use crate::desk::{Desk, add, answered, lost, request};
use crate::rules::DOCUMENTED;
use crate::wire::{Problem, Standing};

struct Run {
    actor: Actor<Front>,
    desk: Desk,
}

impl Run {
    /// An isolate that has learnt that its counter is `shop`.
    fn new() -> Self {
        let mut run = Run {
            actor: Actor::new(Front::default()),
            desk: Desk::new("no object"),
        };
        run.deliver(request("GET", "/value", ""));
        run.end(0, Ok(Answer::Entry(Some("shop".into()))));
        run.end(2, Ok(Answer::Entry(Some("2,odd,3".into()))));
        run.end(1, Ok(Answer::Entry(None)));
        run
    }

    fn deliver(&mut self, event: Event) {
        self.actor.deliver(&DOCUMENTED, event, &mut self.desk);
    }

    fn end(&mut self, nth: usize, outcome: CallOutcome) {
        let event = self.desk.event(nth, outcome);
        self.deliver(event);
    }

    /// Begins a request that names a follower.
    fn at_follower(&mut self, number: &str, event: Event) {
        let Event::Begin(Entry::Request(mut request)) = event else {
            panic!("only a request names a follower");
        };
        request.headers.set("X-Follower", number);
        self.deliver(Event::Begin(Entry::Request(request)));
    }

    fn last(&self) -> &Request {
        &self.desk.begun.last().unwrap().request
    }
}

fn standing() -> CallOutcome {
    let value = Number::from(7);
    answered(
        200,
        Standing {
            value,
            applied: value,
        },
    )
}

#[test]
fn a_front_learns_before_it_first_routes_and_reads_spread_to_the_followers_it_believes_in() {
    let mut run = Run::new();
    let begun: Vec<_> = run
        .desk
        .begun
        .iter()
        .map(|begun| begun.request.path.as_str())
        .collect();
    assert_eq!(
        begun,
        [
            "get Configuration counter",
            "get EdgeCache followers",
            "get Kv followers",
            "get Broker followers",
            "/value"
        ]
    );
    assert_eq!(run.desk.sent(), ["shop#f2/0 /value"]);
    run.end(4, standing());
    assert_eq!(run.desk.answer(), (200, r#"{"value":7,"applied":7}"#.to_owned()));
    assert_eq!(run.desk.worked, Millis(3));
    let id = "abababababababab";
    assert_eq!(run.desk.response().headers.get("x-request-id"), Some(id));
    assert_eq!(run.desk.effects[0].detail, format!("{id} GET /value 200"));
}

#[test]
fn a_front_that_is_told_nothing_serves_the_default_counter() {
    let mut run = Run {
        actor: Actor::new(Front::default()),
        desk: Desk::new("no object"),
    };
    run.deliver(request("GET", "/value", ""));
    run.end(2, lost());
    run.end(0, lost());
    run.end(1, lost());
    assert_eq!(run.desk.sent(), ["main/0 /value"]);
}

#[test]
fn a_failed_call_is_repeated_once_at_the_counter_with_the_same_token() {
    let mut run = Run::new();
    run.at_follower("2", add(3, "a"));
    run.end(5, lost());
    assert_eq!(
        run.desk.begun[6].request.path, "put Kv followers=3",
        "it is believed in no more"
    );
    assert_eq!(run.last().path, "sleep 50 ms");
    run.end(9, Ok(Answer::Done));
    assert_eq!(run.desk.sent()[1..], ["shop#f2/0 /add", "shop/0 /add"]);
    assert_eq!(run.last().body, run.desk.begun[5].request.body);
    run.end(10, lost());
    assert_eq!(
        run.desk.answer(),
        (503, r#"{"error":"Network connection lost."}"#.to_owned())
    );
}

#[test]
fn a_stub_that_has_failed_is_not_used_again() {
    let mut run = Run::new();
    run.deliver(add(3, "a"));
    run.deliver(add(4, "b"));
    run.end(5, lost());
    run.end(6, lost());
    run.end(7, Ok(Answer::Done));
    assert_eq!(
        run.desk.sent()[1..],
        ["shop/0 /add", "shop/0 /add", "shop/1 /add"]
    );
    run.end(9, lost());
    run.deliver(add(5, "c"));
    assert_eq!(run.desk.sent().last().unwrap(), "shop/2 /add");
}

#[test]
fn an_answer_makes_a_front_believe_in_a_follower_and_it_tells_the_others() {
    let mut run = Run::new();
    run.at_follower("9", request("GET", "/value", ""));
    run.end(5, standing());
    let told: Vec<_> = run.desk.begun[6..]
        .iter()
        .map(|begun| begun.request.path.as_str())
        .collect();
    assert_eq!(
        told,
        [
            "put Kv followers=2,3,9",
            "put EdgeCache followers=2,3,9",
            "put Broker followers=2,3,9"
        ]
    );
}

#[test]
fn operators_reach_the_counter() {
    let mut run = Run::new();
    run.at_follower("9", request("POST", "/follow", ""));
    assert_eq!(run.last().body.to_text(), r#"{"name":"shop#f9"}"#);
    run.deliver(request("POST", "/reset", ""));
    assert_eq!(run.desk.sent()[1..], ["shop/0 /follow", "shop/0 /reset"]);
}

#[test]
fn bad_input_is_answered_by_the_front_itself() {
    let mut run = Run::new();
    run.at_follower("0", request("GET", "/value", ""));
    assert_eq!(run.desk.answer().0, 400);
    run.deliver(request("POST", "/follow", ""));
    let problem = run.desk.response().body.read::<Problem>().unwrap();
    assert_eq!(problem.field.as_deref(), Some("x-follower"));
    run.deliver(request("POST", "/add", "{}"));
    assert_eq!(run.desk.answer().0, 400);
    run.deliver(request("GET", "/elsewhere", ""));
    assert_eq!(run.desk.answer().0, 404);
    assert_eq!(run.desk.effects.len(), 4, "each has its line in the access log");
    assert_eq!(run.desk.sent().len(), 1, "and none went further");
}

#[test]
fn a_front_that_listens_hears_of_followers_and_listens_again_after_a_failure() {
    let mut run = Run::new();
    run.end(3, Ok(Answer::Entry(Some("2,7".into()))));
    assert_eq!(run.last().path, "get Broker followers");
    run.end(5, lost());
    assert_eq!(run.last().path, "sleep 50 ms");
    run.end(6, Ok(Answer::Done));
    assert_eq!(run.last().path, "get Broker followers");
    run.at_follower("7", request("GET", "/value", ""));
    assert_eq!(run.desk.sent()[1..], ["shop#f7/0 /value"]);
    run.end(8, standing());
    assert_eq!(run.last().path, "/value", "it was believed in: nobody is told");
}

#[test]
fn a_front_that_has_no_broker_does_not_ask_for_it_again() {
    let mut run = Run::new();
    let before = run.desk.begun.len();
    run.end(3, Err(CallError::thrown("no broker is bound")));
    assert_eq!(run.desk.begun.len(), before, "it neither pauses nor asks");
}
