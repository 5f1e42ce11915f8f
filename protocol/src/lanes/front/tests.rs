use std::sync::Arc;

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

use super::{Front, POINTER_ABSENT, POINTER_KNOWN, labels};
use crate::host::{
    Answer, Body, CallError, CallId, CallOutcome, Cause, Effect, Entry, Event, Label, Method, Millis, Note,
    Outcome, Platform, Request, Response, Shared, Stub, TaskId, Text,
};
use crate::lanes::object::{Application, Policy, Schema, Variables, Version};
use crate::lanes::rules::Rules;
use crate::task::Actor;

/// A platform that writes down what is begun.
#[derive(Default)]
struct Desk {
    now: u64,
    begun: Vec<(CallId, String, Option<Request>)>,
    answers: Vec<Outcome>,
    notes: Vec<Note>,
}

impl Platform for Desk {
    fn now(&self) -> Millis {
        Millis(self.now)
    }

    fn entropy(&mut self, bytes: usize) -> Vec<u8> {
        vec![0xab; bytes]
    }

    fn work(&mut self, _: Millis) {}

    fn effect(&mut self, _: TaskId, _: Effect) {}

    fn call(&mut self, call: CallId, _: Label, stub: &Stub, request: Request) {
        let Request { method, path, .. } = &request;
        let line = format!("{} {} {path}", stub.name, method.as_str());
        self.begun.push((call, line, Some(request)));
    }

    fn get(&mut self, call: CallId, _: Label, store: Shared, key: &str) {
        self.begun.push((call, format!("get {store:?} {key}"), None));
    }

    fn put(&mut self, call: CallId, _: Label, store: Shared, key: &str, value: &str, keep: Option<Millis>) {
        let keep = keep.unwrap_or_default();
        self.begun
            .push((call, format!("put {store:?} {key}={value} for {keep}"), None));
    }

    fn sleep(&mut self, _: CallId, _: Label, _: Millis) {}

    fn started(&mut self, _: TaskId, _: Cause) {}

    fn running(&mut self, _: TaskId) {}

    fn finished(&mut self, _: TaskId, outcome: Outcome) {
        self.answers.push(outcome);
    }

    fn note(&mut self, _: TaskId, note: Note) {
        self.notes.push(note);
    }
}

struct Run {
    actor: Actor<Front>,
    version: Version,
    desk: Desk,
}

impl Run {
    fn new(reads_overrides: bool) -> Self {
        let version = Version {
            rules: Rules::DOCUMENTED,
            policy: Policy {
                reads_overrides,
                ..Policy::DOCUMENTED
            },
            variables: Variables::default(),
            application: Application {
                schema: Arc::new(Schema::default()),
                render: |_, _, _, _| panic!("a front renders nothing"),
            },
        };
        Run {
            actor: Actor::new(Front::default()),
            version,
            desk: Desk::default(),
        }
    }

    /// An isolate that knows of so many lanes of the site `shop`.
    fn warm(lanes: &str) -> Self {
        let mut run = Run::new(false);
        run.ask(Request::get("/"), &[]);
        run.entry(Some("shop"));
        run.entry(Some(lanes));
        run.answer(page("primary", &[]));
        run.desk = Desk::default();
        run
    }

    fn deliver(&mut self, event: Event) {
        self.actor.deliver(&self.version, event, &mut self.desk);
    }

    fn ask(&mut self, mut request: Request, headers: &[(&str, &str)]) {
        request.headers.set("host", "shop.example");
        for (name, value) in headers {
            request.headers.set(name, *value);
        }
        self.deliver(Event::Begin(Entry::Request(request)));
    }

    /// Ends the first thing that was begun, and is awaited, and has not ended.
    fn end(&mut self, outcome: CallOutcome) {
        let at = self
            .desk
            .begun
            .iter()
            .position(|(_, line, _)| !line.starts_with("put ") && !line.starts_with("done "))
            .expect("something is under way");
        let (call, line, _) = &mut self.desk.begun[at];
        let call = *call;
        *line = format!("done {line}");
        self.deliver(Event::Answer { call, outcome });
    }

    fn entry(&mut self, text: Option<&str>) {
        self.end(Ok(Answer::Entry(text.map(Into::into))));
    }

    fn answer(&mut self, response: Response) {
        self.end(Ok(Answer::Response(response)));
    }

    fn lines(&self) -> Vec<&str> {
        let lines = self.desk.begun.iter().map(|(_, line, _)| line.as_str());
        lines
            .map(|line| line.strip_prefix("done ").unwrap_or(line))
            .collect()
    }

    fn sent(&self) -> &Request {
        let mut sent = self
            .desk
            .begun
            .iter()
            .filter_map(|(_, _, request)| request.as_ref());
        sent.next_back().expect("a call was made")
    }

    fn response(&self) -> &Response {
        self.desk
            .answers
            .last()
            .unwrap()
            .as_ref()
            .unwrap()
            .as_ref()
            .unwrap()
    }
}

fn page(by: &str, headers: &[(&str, &str)]) -> Response {
    let mut response = Response::new(200, Body::text("page"));
    response.headers.set("x-cfw-replica", by);
    for (name, value) in headers {
        response.headers.set(name, *value);
    }
    response
}

fn refusal(safe: &str) -> Response {
    let mut response = page(
        "r1",
        &[("x-cfw-requires-primary", "forward"), ("x-cfw-retry-safe", safe)],
    );
    response.status = 421;
    response
}

fn reset() -> CallOutcome {
    Err(CallError {
        reset: true,
        remote: true,
        ..CallError::thrown("the object was reset")
    })
}

const SESSION: (&str, &str) = ("cookie", "SESS0123456789abcdef0123456789abcdef=v");

#[test]
fn a_cold_isolate_asks_the_edge_then_kv_and_leaves_the_pointer_at_the_edge() {
    let mut run = Run::new(true);
    run.ask(Request::get("/node/1"), &[]);
    for text in [None, None, Some("0")] {
        run.entry(text);
    }
    run.entry(None);
    run.entry(Some("2@5"));
    assert_eq!(
        run.lines()[..6],
        [
            "get Kv site:host:shop.example",
            "get Kv env:REPLICA_COUNT",
            "get Kv env:WRITE_FORWARD",
            "get EdgeCache lanes:shop.example",
            "get Kv lanes:shop.example",
            "put EdgeCache lanes:shop.example=2@5 for 900000 ms",
        ]
    );
    assert!(run.sent().path.starts_with("/__serve?path=/node/1"));
    run.answer(page("primary", &[]));
    run.desk.now = 1;
    run.ask(Request::get("/node/1"), &[]);
    assert_eq!(
        run.desk.begun.len(),
        8,
        "the second request asks no shared service: {:?}",
        run.lines()
    );
}

#[test]
fn an_override_that_cannot_be_read_stays_what_it_was() {
    let mut run = Run::new(true);
    run.ask(Request::get("/"), &[]);
    for text in [Some("shop"), Some("1"), Some("0"), None, None] {
        run.entry(text);
    }
    run.answer(page("primary", &[]));
    run.desk.now = 60_000;
    run.ask(Request::get("/"), &[]);
    run.entry(Some("shop"));
    for _ in 0..2 {
        run.end(Err(CallError::thrown("KV GET failed")));
    }
    run.answer(page("primary", &[]));
    // There still is one lane, and it is still asked for no write.
    spread(&mut run, Method::Get, &[]);
    run.answer(page("r1", &[]));
    for nid in 0..50 {
        run.ask(
            Request::post(format!("/node/{nid}/edit"), Body::text("form")),
            &[SESSION],
        );
        let asked = run.lines().last().map(|line| (*line).to_owned());
        assert!(
            asked.is_some_and(|line| line.starts_with("shop POST")),
            "{:?}",
            run.lines()
        );
        run.answer(page("primary", &[]));
    }
}

#[test]
fn requests_are_spread_by_path_or_address_and_all_but_pages_go_to_the_primary() {
    let mut run = Run::warm("3@1");
    let mut objects = std::collections::BTreeSet::new();
    for nid in 0..20 {
        run.ask(Request::get(format!("/node/{nid}")), &[]);
    }
    objects.extend(
        run.lines()
            .iter()
            .map(|line| line.split(' ').next().unwrap().to_owned()),
    );
    assert_eq!(
        objects.into_iter().collect::<Vec<_>>(),
        ["shop", "shop#r1", "shop#r2", "shop#r3"]
    );
    run.ask(Request::get("/replica?action=log&site=other"), &[]);
    assert_eq!(
        run.lines().last().unwrap(),
        &"other GET /__replica?action=log&site=other"
    );
    run.ask(Request::get("/__replica"), &[]);
    assert_eq!(run.response().status, 404);
}

/// A path whose key falls into the bucket of lane 1 of one lane.
fn spread(run: &mut Run, method: Method, headers: &[(&str, &str)]) {
    for nid in 0..50 {
        let mut request = Request::post(format!("/node/{nid}/edit"), Body::text("form"));
        request.method = method.clone();
        run.ask(request, headers);
        if run.lines().last().unwrap().starts_with("shop#r1") {
            return;
        }
        run.end(Ok(Answer::Response(page("primary", &[]))));
    }
    panic!("no path of fifty falls to the lane");
}

#[test]
fn what_a_lane_hands_over_is_sent_once_more_to_the_primary_and_marked() {
    let mut run = Run::warm("1@1");
    spread(&mut run, Method::Post, &[SESSION]);
    assert_eq!(run.sent().headers.get("x-cfw-attempt"), None);
    let body = run.sent().body.clone();
    run.answer(refusal("1"));
    assert_eq!(run.sent().body, body);
    assert!(run.lines().last().unwrap().starts_with("shop POST /__serve"));
    assert_eq!(run.sent().headers.get("x-cfw-failover"), Some("r1"));
    run.answer(page(
        "primary",
        &[("x-cfw-lanes", "2"), ("x-cfw-lanes-epoch", "2")],
    ));
    let headers = &run.response().headers;
    assert_eq!(headers.get("x-cfw-failover-reason"), Some("forward"));
    assert_eq!(
        run.lines().last().unwrap(),
        &"put EdgeCache lanes:shop=2@2 for 900000 ms"
    );
    assert_eq!(run.actor.memory().beliefs().held("shop").unwrap().lanes, 2.into());
}

#[test]
fn what_is_not_safe_to_repeat_is_the_answer() {
    let mut run = Run::warm("1@1");
    spread(&mut run, Method::Get, &[]);
    run.answer(refusal("0"));
    assert_eq!(run.response().status, 421);
    assert!(run.lines().last().unwrap().starts_with("shop#r1"));
}

#[test]
fn after_a_reset_a_read_is_repeated_once_and_a_write_with_an_attempt_only() {
    let mut run = Run::warm("1@1");
    spread(&mut run, Method::Get, &[]);
    let before = run.desk.begun.len();
    run.end(reset());
    run.end(reset());
    assert_eq!(run.desk.begun.len(), before + 1);
    assert_eq!(run.response().status, 503);

    spread(&mut run, Method::Post, &[SESSION]);
    run.end(reset());
    assert_eq!(run.response().headers.get("x-cfw-object-reset"), Some("1"));
    assert_eq!(run.response().status, 503, "no attempt goes to a lane");

    run.ask(Request::post("/user/login", Body::text("x")), &[]);
    let attempt = run.sent().headers.get("x-cfw-attempt").map(str::to_owned);
    assert_eq!(attempt.as_deref(), Some("abababab-abab-4bab-abab-abababababab"));
    assert!((Rules::DOCUMENTED.sessions.attempt_key)(attempt.as_deref()).is_some());
    run.end(reset());
    assert_eq!(run.sent().headers.get("x-cfw-attempt"), attempt.as_deref());
    run.answer(page("primary", &[]));
    assert_eq!(run.response().status, 200);
    assert!(run.desk.notes.iter().any(|note| note.label == labels::RECOVERED));
}

#[test]
fn of_the_fields_between_front_and_object_a_visitor_can_set_the_fence_only() {
    let mut run = Run::warm("0@0");
    let headers = [
        ("x-cfw-require-generation", "7"),
        ("x-cfw-attempt", "mine"),
        ("x-other", "1"),
    ];
    run.ask(Request::get("/a b?q=1&r"), &headers);
    let sent = &run.sent().headers;
    assert_eq!(sent.get("x-cfw-require-generation"), Some("7"));
    assert_eq!(
        (sent.get("x-cfw-attempt"), sent.get("x-other")),
        (None, Some("1"))
    );
    assert_eq!(run.sent().path, "/__serve?path=/a%20b%3Fq%3D1%26r");
}

#[test]
fn a_belief_expires_and_the_next_reply_of_the_primary_renews_it() {
    let mut run = Run::warm("4@1");
    let believed = |run: &Run| {
        (Rules::DOCUMENTED.beliefs.believed)(run.actor.memory().beliefs(), "shop", Millis(run.desk.now))
    };
    assert_eq!(believed(&run), 4.into());
    run.desk.now = 60_000;
    assert_eq!(believed(&run), 0.into());
    run.ask(Request::get("/"), &[]);
    run.entry(Some("shop"));
    assert!(
        run.lines().last().unwrap().starts_with("shop GET"),
        "{:?}",
        run.lines()
    );
    run.answer(page(
        "primary",
        &[("x-cfw-lanes", "4"), ("x-cfw-lanes-epoch", "1")],
    ));
    assert_eq!(believed(&run), 4.into());
    assert!(POINTER_ABSENT < POINTER_KNOWN);
}

#[test]
fn no_two_places_of_the_protocol_have_one_name() {
    let labels = labels::ALL.iter().chain(&crate::lanes::object::labels::ALL);
    let names: Vec<_> = labels.map(|label| label.0).collect();
    let unique: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(unique.len(), names.len());
}

proptest! {
    /// Whatever a visitor sends, and whatever comes back, a front answers once, after a bounded number of hops.
    #[test]
    fn every_request_ends(
        (path, method) in ("/[a-z_/?=&#% ]{0,20}", "GET|POST|HEAD|PUT|"),
        headers in vec(("host|cookie|content-type|cf-connecting-ip|x-cfw-[a-z-]{1,20}", ".{0,20}"), 0..5),
        entries in vec(of(".{0,8}"), 8),
        answers in vec((200_u16..600, "x-cfw-(lanes|lanes-epoch|retry-safe|requires-primary)", ".{0,8}", 0..4_u8), 8),
    ) {
        let mut run = Run::new(true);
        let mut request = Request::get(path);
        request.method = Text::from(method).into();
        for (name, value) in headers {
            request.headers.set(&name, value);
        }
        run.deliver(Event::Begin(Entry::Request(request)));
        let (mut entries, mut answers) = (entries.into_iter(), answers.into_iter());
        while run.desk.answers.is_empty() {
            let waits = run.desk.begun.iter().find(|(_, line, _)| {
                !line.starts_with("put ") && !line.starts_with("done ")
            });
            if waits.expect("it waits for something").2.is_none() {
                run.entry(entries.next().expect("few reads").as_deref());
                continue;
            }
            let (status, name, value, kind) = answers.next().expect("few hops");
            let outcome = match kind {
                0 => reset(),
                1 => Ok(Answer::Response(refusal("1"))),
                _ => {
                    let mut response = page("r1", &[(&name, &value)]);
                    response.status = status;
                    Ok(Answer::Response(response))
                }
            };
            run.end(outcome);
        }
        prop_assert!(run.actor.is_idle());
        prop_assert!(run.desk.begun.iter().filter(|(_, _, request)| request.is_some()).count() <= 3);
    }
}
