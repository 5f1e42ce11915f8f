use protocol::host::{Answer, Body, CallError, Response};
use protocol::task::Actor;

use super::Counter;
use crate::desk::{Desk, add, request};
use crate::rules::{self, Rules};

/// A counter that runs under this variant, on a database of its own.
struct Run {
    rules: Rules,
    actor: Actor<Counter>,
    desk: Desk,
}

impl Run {
    fn new(variant: &str) -> Self {
        Run {
            rules: rules::variant(variant).expect("the variant exists"),
            actor: Actor::new(Counter::default()),
            desk: Desk::new("main"),
        }
    }

    fn deliver(&mut self, event: protocol::host::Event) {
        self.actor.deliver(&self.rules, event, &mut self.desk);
    }

    /// Ends the digest that was begun as the `nth` operation.
    fn digest(&mut self, nth: usize) {
        let digest = Answer::Digest(format!("digest {nth}").into());
        let event = self.desk.event(nth, Ok(digest));
        self.deliver(event);
    }

    /// The incarnation ends; storage stays.
    fn restart(&mut self) {
        self.actor = Actor::new(Counter::default());
    }

    fn log(&mut self) -> Vec<String> {
        self.desk
            .rows("SELECT generation, parent, amount, token FROM log ORDER BY generation")
    }

    fn value(&mut self) -> Vec<String> {
        self.desk.rows("SELECT value FROM counter")
    }
}

#[test]
fn additions_pass_the_gate_one_by_one_and_each_follows_the_one_before() {
    let mut run = Run::new("documented");
    run.deliver(add(3, "a"));
    run.deliver(add(4, "b"));
    assert_eq!(
        (run.value(), run.log()),
        (vec!["3".to_owned()], vec![]),
        "b waits while a's digest is made"
    );
    run.digest(0);
    assert_eq!(
        run.desk.answer(),
        (200, r#"{"generation":1,"digest":"digest 0"}"#.to_owned())
    );
    run.digest(1);
    assert_eq!(
        run.desk.answer(),
        (200, r#"{"generation":2,"digest":"digest 1"}"#.to_owned())
    );
    assert_eq!(run.log(), ["1|0|3|a", "2|1|4|b"]);
    assert_eq!(run.desk.digested, ["1:3", "2:7"]);
}

#[test]
fn without_the_gate_two_records_share_a_parent() {
    let mut run = Run::new("gate-not-taken");
    run.deliver(add(3, "a"));
    run.deliver(add(4, "b"));
    run.digest(0);
    run.digest(1);
    assert_eq!(run.log(), ["1|0|3|a", "2|0|4|b"]);
}

#[test]
fn a_repeated_token_is_answered_as_before() {
    for (variant, value) in [("hardened", "3"), ("token-not-checked", "6")] {
        let mut run = Run::new(variant);
        run.deliver(add(3, "a"));
        run.digest(0);
        let first = run.desk.answer();
        run.restart();
        run.deliver(add(3, "a"));
        assert_eq!(run.value(), [value], "{variant}");
        if variant == "hardened" {
            assert_eq!(run.desk.answer(), first);
            assert_eq!(run.desk.notes.last().unwrap(), "add-repeated: a");
        }
    }
}

#[test]
fn an_addition_above_the_limit_is_refused_and_changes_nothing() {
    let mut run = Run::new("documented");
    run.deliver(add(1001, "a"));
    let error = "the counter would stand at 1001, above its limit of 1000";
    assert_eq!(run.desk.answer(), (409, format!(r#"{{"error":"{error}"}}"#)));
    assert_eq!(run.desk.notes, [format!("add-refused: {error}")]);
    assert_eq!(run.value(), ["0"]);
    run.deliver(add(1000, "b"));
    run.digest(0);
    assert_eq!(run.log(), ["1|0|1000|b"], "the gate was released");
}

#[test]
fn a_failed_digest_releases_the_gate_and_the_chain_holds() {
    let mut run = Run::new("documented");
    run.deliver(add(3, "a"));
    let event = run.desk.event(0, crate::desk::lost());
    run.deliver(event);
    assert!(run.desk.ended[0].is_err());
    run.deliver(add(4, "b"));
    run.digest(1);
    assert_eq!(run.log(), ["2|0|4|b"]);
}

#[test]
fn what_was_not_sealed_is_taken_back_by_the_next_incarnation() {
    for (variant, value) in [("documented", "3"), ("hardened", "0")] {
        let mut run = Run::new(variant);
        run.deliver(add(3, "a"));
        run.restart();
        run.deliver(request("GET", "/value", ""));
        assert_eq!(
            run.desk.answer(),
            (200, format!(r#"{{"value":{value},"applied":0}}"#))
        );
    }
}

#[test]
fn a_follower_is_kept_once_it_has_answered_a_nudge_and_nudged_after_each_seal() {
    let mut run = Run::new("documented");
    let nudged = || Ok(Answer::Response(Response::new(202, Body::default())));
    let lost = || Err(CallError::thrown("lost"));
    for (nth, (number, outcome, status)) in [
        (2, nudged(), 204),
        (1, lost(), 503),
        (1, nudged(), 204),
        (2, nudged(), 204),
    ]
    .into_iter()
    .enumerate()
    {
        run.deliver(request(
            "POST",
            "/follow",
            &format!(r#"{{"name":"main#f{number}"}}"#),
        ));
        let answer = run.desk.event(nth, outcome);
        run.deliver(answer);
        assert_eq!(run.desk.response().status, status, "follow no. {nth}");
    }
    run.deliver(add(3, "a"));
    run.digest(4);
    let nudges = ["main#f2", "main#f1", "main#f1", "main#f2", "main#f1", "main#f2"];
    let each_on_a_stub_of_its_own = nudges.map(|name| format!("{name}/{} /nudge", u32::MAX));
    assert_eq!(run.desk.sent(), each_on_a_stub_of_its_own);
}

#[test]
fn the_log_is_read_in_pages() {
    let mut run = Run::new("documented");
    for (nth, token) in ["a", "b", "c"].into_iter().enumerate() {
        run.deliver(add(1, token));
        run.digest(nth);
    }
    run.deliver(request("GET", "/log?since=1&limit=1", ""));
    let record = r#"{"generation":2,"parent":1,"by":1,"token":"b","digest":"digest 1"}"#;
    assert_eq!(
        run.desk.answer(),
        (200, format!(r#"{{"head":3,"records":[{record}]}}"#))
    );
    run.rules.policy.batch = 2.into();
    run.deliver(request("GET", "/log?limit=99", ""));
    assert_eq!(
        run.desk.answer().1.matches("token").count(),
        2,
        "the policy's batch is the most"
    );
}

#[test]
fn bad_input_is_answered_with_the_field_and_changes_nothing() {
    let mut run = Run::new("documented");
    for (method, path, body, status, field) in [
        ("POST", "/add", "", 400, r#""field":".""#),
        ("POST", "/add", "[", 400, r#""field":".""#),
        (
            "POST",
            "/add",
            r#"{"by":"1","token":"a"}"#,
            400,
            r#""field":"by""#,
        ),
        ("POST", "/add", r#"{"by":1}"#, 400, r#""field":"token""#),
        ("POST", "/add", r#"{"by":0,"token":"a"}"#, 400, r#""field":"by""#),
        (
            "POST",
            "/add",
            r#"{"by":0.5,"token":"a"}"#,
            400,
            r#""field":"by""#,
        ),
        (
            "POST",
            "/add",
            r#"{"by":1,"token":""}"#,
            400,
            r#""field":"token""#,
        ),
        ("POST", "/follow", r#"{"name":"main"}"#, 400, r#""field":"name""#),
        ("GET", "/log?since=-1", "", 400, r#""field":"since""#),
        ("GET", "/log?since=", "", 400, r#""field":"since""#),
        ("GET", "/log?limit=0", "", 400, r#""field":"limit""#),
        ("GET", "/log?limit=1e400", "", 400, r#""field":"limit""#),
        ("GET", "/add", "", 404, "nothing answers GET /add"),
    ] {
        run.deliver(request(method, path, body));
        let (got, text) = run.desk.answer();
        assert!(
            got == status && text.contains(field),
            "{method} {path} {body}: {got} {text}"
        );
    }
    assert_eq!((run.value(), run.log().len()), (vec!["0".to_owned()], 0));
    assert!(run.actor.is_idle());
}

#[test]
fn an_operator_can_end_the_incarnation() {
    let mut run = Run::new("documented");
    run.deliver(request("POST", "/reset", ""));
    assert!(run.desk.aborted && run.desk.ended.is_empty());
}
