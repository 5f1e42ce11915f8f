//! The checks of what a lane takes in, and of how it wakes.

use std::sync::Arc;

use protocol::host::{Answer, Request, Text, Value};
use protocol::json::Json;
use protocol::lanes::admission::{MANDATORY_STATE, Stage};
use protocol::lanes::header;
use protocol::lanes::meta::Key;
use protocol::lanes::object::labels::{FORWARD, POST_CHUNK, READ_HEAD, READ_LOG};
use protocol::lanes::wire::{
    ApplyAnswer, Chunk, Field, ForwardAnswer, ForwardBatch, ForwardStatement, LogAnswer, Record,
};
use protocol::number::Number;

use super::scene::{
    alarm, at_rest, behind_write, body, call, finished, fires, holds, made, of_call, of_turn, puts, record,
    response, run, serving, standing, state, truth, turn,
};
use crate::kernel::Micros;
use crate::world::lanes::invariants::Judgement;
use crate::world::lanes::truth::standing::Standing;
use crate::world::lanes::truth::wire::Heard;
use crate::world::lanes::truth::{Held, Truth, Turn};

#[test]
fn a_record_that_is_passed_over_was_applied() {
    let lane = serving("7");
    let pulls = |generation: u32, fingerprint: &str| {
        let record = Record {
            generation: Number::from(generation).into(),
            fingerprint: Text::new(fingerprint).into(),
            ..Record::default()
        };
        let answer = LogAnswer {
            records: Field::Is(vec![Field::Is(record)]),
            ..LogAnswer::default()
        };
        let response = protocol::host::Response::new(200, body(answer));
        let heard = Heard::Answered {
            incarnation: 0,
            made: made(READ_LOG, "shop", Request::get("/__replica?action=log"), None),
            outcome: Ok(Answer::Response(response)),
        };
        turn(1, &lane, &lane, vec![heard])
    };
    let mut truth = truth();
    let passed = truth.passed.entry(1).or_default();
    passed.base = 5;
    passed.records.insert(7, "a".into());
    holds(of_turn("LR-11", &truth, &pulls(7, "a")));
    holds(of_turn("LR-11", &truth, &pulls(4, "b")));
    fires(of_turn("LR-11", &truth, &pulls(7, "b")));
    fires(of_turn("LR-11", &truth, &pulls(6, "a")));
    assert_eq!(of_turn("LR-11", &truth, &pulls(8, "a")), Judgement::NoSubject);
}

const SCHEMA: Key = Key("schema_version");

#[test]
fn a_lane_applies_what_has_its_schema() {
    let moves = |own: &str| {
        let after = standing([(Key::STAGE, "SERVING"), (Key::APPLIED, "7"), (SCHEMA, own)]);
        turn(1, &serving("5"), &after, vec![puts([(Key::APPLIED, "7")])])
    };
    let mut truth = truth();
    Arc::make_mut(&mut truth.primary.log).insert(7, record(5, "site-1", ""));
    holds(of_turn("LR-12", &truth, &moves("site-1")));
    fires(of_turn("LR-12", &truth, &moves("site-2")));
    fires(of_turn("LR-12", &truth, &moves("")));
}

fn chunk(generation: u32, table: &str, path: &'static str) -> Request {
    let chunk = Chunk {
        generation: Number::from(generation).into(),
        schema_version: Text::new_static("site-1").into(),
        table: Text::new(table).into(),
        ..Chunk::default()
    };
    Request::post(path, body(chunk))
}

const RESTART: &str = "/__replica?action=restore&restart=1";
const RESTORE: &str = "/__replica?action=restore";

fn lands(request: Request) -> Heard {
    finished(run(Some(request), Vec::new()), response(200, []))
}

#[test]
fn a_lane_restores_what_has_its_schema() {
    let takes = |own: &str| {
        let after = standing([(SCHEMA, own)]);
        turn(1, &after, &after, vec![lands(chunk(7, "node", RESTORE))])
    };
    holds(of_turn("LR-12", &truth(), &takes("site-1")));
    fires(of_turn("LR-12", &truth(), &takes("site-2")));
}

#[test]
fn a_lane_applies_by_hand_what_has_its_schema() {
    let takes = |schema: &'static str, action: &'static str| {
        let record = Record {
            schema_version: Text::new_static(schema).into(),
            ..Record::default()
        };
        let answer = ApplyAnswer {
            action: Text::new_static(action).into(),
            ..ApplyAnswer::default()
        };
        let handed = Request::post("/__replica?action=apply", body(record));
        let answered = protocol::host::Response::new(200, body(answer));
        let heard = vec![finished(run(Some(handed), Vec::new()), answered)];
        let lane = standing([(SCHEMA, "site-1")]);
        of_turn("LR-12", &truth(), &turn(1, &lane, &lane, heard))
    };
    holds(takes("site-1", "apply"));
    fires(takes("site-2", "apply"));
    assert_eq!(takes("site-2", "refuse"), Judgement::NoSubject);
}

/// A copy of two chunks, of which the primary has posted the first twice, in two attempts.
fn copied(second_of: u64, generation: u32) -> (Truth, Turn) {
    let mut truth = truth();
    let post = |request, attempt| call("site/shop", POST_CHUNK, "shop#r1", request, alarm(attempt));
    // Rows that changed in between make the attempts' first chunks differ.
    let first = |attempt: u64| chunk(7, &format!("node{attempt}"), RESTART);
    let second = chunk(generation, "users", RESTORE);
    for attempt in [1, 2] {
        truth.called(&post(first(attempt), attempt));
        if attempt == second_of {
            truth.called(&post(second.clone(), attempt));
        }
    }
    let lane = Standing::default();
    let begins = vec![puts([(Key::RESTORE_GENERATION, "7")]), lands(first(2))];
    truth.turned(&turn(1, &lane, &lane, begins));
    let ends = turn(
        1,
        &lane,
        &lane,
        vec![lands(second), puts([(Key::STAGE, "VERIFIED")])],
    );
    truth.turned(&ends);
    (truth, ends)
}

#[test]
fn a_copy_is_of_one_attempt_and_one_generation() {
    let judged = |(truth, turn): (Truth, Turn)| of_turn("LR-15", &truth, &turn);
    holds(judged(copied(2, 7)));
    fires(judged(copied(1, 7)));
    fires(judged(copied(2, 8)));
}

#[test]
fn a_chunk_that_nobody_has_posted_parts_a_copy_by_its_generation() {
    let with = |generation| {
        let (mut truth, ends) = copied(2, 7);
        let lane = Standing::default();
        let strays = vec![lands(chunk(generation, "node", RESTORE))];
        truth.turned(&turn(1, &lane, &lane, strays));
        of_turn("LR-15", &truth, &ends)
    };
    fires(with(8));
    assert_eq!(with(7), Judgement::NoSubject);
}

/// A truth in which lane 1 serves generation 5 since long, and 7 was sealed at an instant.
fn lagging(sealed: u64) -> Truth {
    let mut truth = truth();
    truth.lanes.insert(1, serving("5"));
    let held = Held {
        since: Micros::ZERO,
        generation: Some(5),
        stage: Some(Stage::Serving),
    };
    truth.held.insert(1, vec![held]);
    truth.sealed_at.insert(7, Micros::from_millis(sealed));
    truth.pulled.insert(1, Micros::from_millis(50_000));
    truth
}

#[test]
fn a_serving_lane_pulls_within_its_bound() {
    let pull = call(
        "site/shop#r1",
        READ_HEAD,
        "shop",
        Request::get("/__replica"),
        alarm(1),
    );
    holds(of_call("LR-24", &lagging(70_000), &pull));
    fires(of_call("LR-24", &lagging(60_000), &pull));
    let mut troubled = lagging(60_000);
    troubled.troubled = Some(Micros::from_millis(40_000));
    fires(of_call("LR-24", &troubled, &pull));
    troubled.troubled = Some(Micros::from_millis(60_000));
    assert_eq!(of_call("LR-24", &troubled, &pull), Judgement::NoSubject);
}

fn keyed(key: &str) -> Standing {
    let row = ["state", "system.private_key", key].map(Value::text);
    Standing {
        contents: state("key_value", ["collection", "name", "value"], vec![row]),
        ..standing([
            (Key::STAGE, "SERVING"),
            (Key::APPLIED, "7"),
            (Key::HASH_SALT, "salt"),
        ])
    }
}

#[test]
fn a_lane_holds_the_primarys_identity() {
    let mut truth = truth();
    truth.primary = keyed("a");
    let stands = |lane: &Standing| turn(1, lane, lane, Vec::new());
    holds(of_turn("LR-27", &truth, &stands(&keyed("a"))));
    fires(of_turn("LR-27", &truth, &stands(&keyed("b"))));
    truth.primary = standing([(Key::HASH_SALT, "another")]);
    fires(of_turn("LR-27", &truth, &stands(&serving_with_salt())));
    let unsalted = standing([(Key::STAGE, "SERVING"), (Key::APPLIED, "7")]);
    fires(of_turn("LR-27", &truth, &stands(&unsalted)));
}

#[test]
fn no_batch_of_a_lane_originates() {
    let commits = |sql: &'static str, params: Vec<Json>, action: &'static str| {
        let statement = ForwardStatement {
            sql: Text::new_static(sql).into(),
            params: Field::Is(Json::Array(params)),
            ..ForwardStatement::default()
        };
        let batch = ForwardBatch {
            statements: Field::Is(vec![Field::Is(statement)]),
            ..ForwardBatch::default()
        };
        let answer = ForwardAnswer {
            action: Text::new_static(action).into(),
            ..ForwardAnswer::default()
        };
        let asked = Request::post("/__replica?action=forward", body(batch));
        let answered = protocol::host::Response::new(200, body(answer));
        let heard = vec![finished(run(Some(asked), Vec::new()), answered)];
        let primary = Standing::default();
        of_turn("LR-27", &truth(), &turn(0, &primary, &primary, heard))
    };
    let sequence = "INSERT INTO sequences (value) VALUES (?)";
    let entry = "INSERT INTO key_value (collection, name, value) VALUES (?, ?, ?)";
    let named = |name: &'static str| ["state", name, "v"].map(Json::text).to_vec();
    fires(commits(sequence, Vec::new(), "commit"));
    assert_eq!(commits(sequence, Vec::new(), "refuse"), Judgement::NoSubject);
    fires(commits(entry, named("system.private_key"), "commit"));
    holds(commits(entry, named("system.cron_last"), "commit"));
}

fn serving_with_salt() -> Standing {
    standing([
        (Key::STAGE, "SERVING"),
        (Key::APPLIED, "7"),
        (Key::HASH_SALT, "salt"),
    ])
}

#[test]
fn what_is_safe_to_retry_has_left_nothing() {
    let hands_back = |action: Option<&'static str>, safe: &str| {
        let answer = action.map(|action| {
            let answer = ForwardAnswer {
                action: Text::new_static(action).into(),
                ..ForwardAnswer::default()
            };
            protocol::host::Response::new(200, body(answer))
        });
        let forwarded = made(FORWARD, "shop", Request::get("/__replica"), answer);
        let run = run(Some(Request::get("/__serve")), vec![forwarded]);
        let ended = finished(run, response(421, [(header::RETRY_SAFE, safe)]));
        let lane = serving("7");
        of_turn("LR-30", &truth(), &turn(1, &lane, &lane, vec![ended]))
    };
    holds(hands_back(Some("refuse"), "1"));
    fires(hands_back(Some("commit"), "1"));
    fires(hands_back(None, "1"));
    assert_eq!(hands_back(Some("commit"), "0"), Judgement::NoSubject);
}

#[test]
fn a_lane_changes_only_when_it_moves() {
    let with = |position: &str, ids: &[u32]| Standing {
        contents: state("node", ["nid"], ids.iter().map(|id| [Value::from(*id)]).collect()),
        ..serving(position)
    };
    let went = |to: &Standing| turn(1, &with("7", &[1]), to, Vec::new());
    holds(of_turn("LR-35", &truth(), &went(&with("7", &[1]))));
    fires(of_turn("LR-35", &truth(), &went(&with("7", &[1, 2]))));
    let moved = of_turn("LR-35", &truth(), &went(&with("8", &[1, 2])));
    assert_eq!(moved, Judgement::NoSubject);
}

#[test]
fn a_row_that_has_expired_may_go() {
    let with = |expires: &[u32]| Standing {
        contents: state(
            "semaphore",
            ["name", "expire"],
            expires
                .iter()
                .map(|at| [Value::text("cron"), Value::from(*at)])
                .collect(),
        ),
        ..serving("7")
    };
    // The clock of the world began in 2026.
    let swept = turn(1, &with(&[1_000_000_000]), &with(&[]), Vec::new());
    holds(of_turn("LR-35", &truth(), &swept));
    let lost = turn(1, &with(&[4_000_000_000]), &with(&[]), Vec::new());
    fires(of_turn("LR-35", &truth(), &lost));
}

#[test]
fn a_lane_that_has_something_to_do_wakes() {
    let stands = |lane: Standing, wakes: bool| {
        let lane = Standing { wakes, ..lane };
        of_turn("LR-L2", &truth(), &turn(1, &lane, &lane, Vec::new()))
    };
    holds(stands(serving("7"), true));
    fires(stands(serving("7"), false));
    let asked = || standing([(Key::READMIT_ASKS, "1")]);
    fires(stands(asked(), false));
    assert_eq!(stands(standing([]), false), Judgement::NoSubject);
    let restoring = standing([(Key::STAGE, "RESTORING")]);
    fires(stands(restoring, false));
}

/// A primary that has what is mandatory.
fn with_identity() -> Standing {
    let row = |name: &&str| ["state", *name, "a"].map(Value::text);
    let rows = MANDATORY_STATE.iter().map(row).collect();
    Standing {
        contents: state("key_value", ["collection", "name", "value"], rows),
        ..Standing::default()
    }
}

#[test]
fn a_lane_that_was_withdrawn_is_back_at_rest() {
    let rests = |lane: Standing| {
        let mut truth = truth();
        truth.primary = with_identity();
        truth.lanes.insert(1, lane);
        let held = Held {
            since: Micros::ZERO,
            generation: None,
            stage: Some(Stage::Withdrawn),
        };
        truth.held.insert(1, vec![held]);
        at_rest("LR-L3", &truth)
    };
    holds(rests(serving("7")));
    fires(rests(standing([(Key::STAGE, "WITHDRAWN")])));
    fires(rests(standing([(Key::READMIT_ASKS, "1")])));
    assert_eq!(at_rest("LR-L3", &truth()), Judgement::NoSubject);
}

/// A turn in which an incarnation has answered, behind a write or not, and has ended; and the next one has answered.
#[test]
fn an_answer_that_waits_for_what_is_lost_leaves_nobody() {
    let ahead = || finished(run(Some(Request::get("/")), Vec::new()), response(200, []));
    let behind = || behind_write(ahead());
    let answers = |heard: Vec<Heard>| turn(1, &serving("7"), &serving("7"), heard).answers().count();
    let ends = || Heard::Reset { survivors: 0 };
    assert_eq!(answers(vec![behind()]), 1, "nothing has ended");
    assert_eq!(answers(vec![behind(), ends()]), 0, "it waits for the write");
    assert_eq!(answers(vec![ahead(), ends()]), 1, "it has left before");
    assert_eq!(answers(vec![ends(), behind()]), 1, "it is the next one's");
}
