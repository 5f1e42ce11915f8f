use protocol::host::{Event, Millis};
use protocol::number::Number;
use protocol::task::Actor;

use super::Follower;
use crate::desk::{Desk, add, alarm, answered, lost, request};
use crate::rules::{self, Rules};
use crate::wire::{Added, LogPage, Record};

/// A follower that runs under this variant, on a database of its own.
struct Run {
    rules: Rules,
    actor: Actor<Follower>,
    desk: Desk,
}

impl Run {
    fn new(variant: &str) -> Self {
        Run {
            rules: rules::variant(variant).expect("the variant exists"),
            actor: Actor::new(Follower::default()),
            desk: Desk::new("main#f1"),
        }
    }

    fn deliver(&mut self, event: Event) {
        self.actor.deliver(&self.rules, event, &mut self.desk);
    }

    /// Answers the `nth` call with the records from 1 up to this one, each of which adds 1.
    fn answer_up_to(&mut self, nth: usize, last: u32) {
        let records = (1..=last).map(|generation| Record {
            generation: Number::from(generation),
            parent: Number::from(generation - 1),
            by: Number::from(1),
            token: "token".into(),
            digest: "digest".into(),
        });
        let page = LogPage {
            head: Number::from(last),
            records: records.collect(),
        };
        let event = self.desk.event(nth, answered(200, page));
        self.deliver(event);
    }

    fn lose(&mut self, nth: usize) {
        let event = self.desk.event(nth, lost());
        self.deliver(event);
    }

    /// `value|applied`
    fn copy(&mut self) -> String {
        self.desk.rows("SELECT value, applied FROM copy").remove(0)
    }
}

#[test]
fn a_nudge_is_answered_at_once_and_its_pull_goes_on() {
    let mut run = Run::new("documented");
    run.deliver(request("POST", "/nudge", ""));
    assert_eq!(run.desk.response().status, 202);
    assert_eq!(run.desk.alarm, Some(Millis(3000)));
    assert_eq!(run.desk.sent(), ["main/0 /log?since=0&limit=25"]);
    run.desk.now = Millis(1500);
    run.deliver(request("POST", "/nudge", ""));
    assert_eq!(run.desk.alarm, Some(Millis(3000)), "it is set already");
    run.answer_up_to(0, 2);
    assert_eq!(run.copy(), "2|2");
}

#[test]
fn of_two_overlapping_pulls_the_older_answer_can_arrive_last() {
    let outcomes = [("documented", "3|1"), ("hardened", "2|2")];
    for (variant, copy) in outcomes {
        let mut run = Run::new(variant);
        run.deliver(request("POST", "/nudge", ""));
        run.deliver(request("POST", "/nudge", ""));
        run.answer_up_to(1, 2);
        run.answer_up_to(0, 1);
        assert_eq!(run.copy(), copy, "{variant}");
        if variant == "hardened" {
            let why = "record-left-out: record 1 is in the copy, which stands at 2";
            assert_eq!(run.desk.notes.last().unwrap(), why);
        }
    }
}

#[test]
fn an_alarm_pulls_and_is_set_again_whatever_comes_of_it() {
    for (variant, set) in [("hardened", Some(Millis(6000))), ("alarm-not-set-again", None)] {
        let mut run = Run::new(variant);
        run.deliver(alarm(Millis(1000)));
        assert_eq!(run.desk.alarm, None, "not before it has pulled");
        run.desk.now = Millis(4000);
        run.lose(0);
        assert_eq!(run.desk.alarm, set, "{variant}");
        assert!(run.desk.ended[0].is_err(), "the platform learns of it");
    }
    let mut run = Run::new("hardened");
    run.deliver(alarm(Millis(1000)));
    run.answer_up_to(0, 1);
    assert_eq!((run.copy().as_str(), run.desk.alarm), ("1|1", Some(Millis(3000))));
    assert_eq!(run.desk.ended, [Ok(None)]);
}

#[test]
fn an_instance_that_is_not_told_its_name_knows_it_from_storage() {
    let mut run = Run::new("documented");
    run.deliver(request("GET", "/value", ""));
    run.actor = Actor::new(Follower::default());
    run.desk.name = None;
    run.deliver(alarm(Millis(1000)));
    assert_eq!(run.desk.sent(), ["main/0 /log?since=0&limit=25"]);

    let mut stranger = Run::new("documented");
    stranger.desk.name = None;
    stranger.deliver(alarm(Millis(1000)));
    let error = stranger.desk.ended[0].as_ref().unwrap_err();
    assert_eq!(
        error.message,
        "this follower does not know its name, so not its counter"
    );
}

#[test]
fn an_addition_is_forwarded_and_the_answer_passed_on() {
    let mut run = Run::new("documented");
    run.deliver(add(3, "a"));
    assert_eq!(
        run.desk.begun[0].request.body.to_text(),
        r#"{"by":3,"token":"a"}"#
    );
    let added = Added {
        generation: Number::from(1),
        digest: "digest".into(),
    };
    let event = run.desk.event(0, answered(200, added));
    run.deliver(event);
    assert_eq!(
        run.desk.answer(),
        (200, r#"{"generation":1,"digest":"digest"}"#.to_owned())
    );
    run.deliver(add(3, "a"));
    run.lose(1);
    assert_eq!(
        run.desk.answer(),
        (503, r#"{"error":"Network connection lost."}"#.to_owned())
    );
}

#[test]
fn an_answer_that_is_no_page_of_the_log_changes_nothing() {
    let mut run = Run::new("documented");
    run.deliver(alarm(Millis(1000)));
    let odd = crate::wire::Problem::new("busy");
    let event = run.desk.event(0, answered(503, odd.clone()));
    run.deliver(event);
    run.deliver(alarm(Millis(3000)));
    let event = run.desk.event(1, answered(200, odd));
    run.deliver(event);
    let errors: Vec<_> = run
        .desk
        .ended
        .iter()
        .map(|ended| ended.as_ref().unwrap_err().to_string())
        .collect();
    assert_eq!(errors[0], r#"the counter answered 503: {"error":"busy"}"#);
    assert!(
        errors[1].starts_with("the body is not a LogPage"),
        "{}",
        errors[1]
    );
    assert_eq!(run.copy(), "0|0");
}
