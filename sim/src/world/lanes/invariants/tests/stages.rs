//! The checks of how lanes move, and of what they hold where they stand.

use std::sync::Arc;

use protocol::host::{Statement, Value};
use protocol::lanes::header;
use protocol::lanes::meta::Key;
use protocol::lanes::object::labels::FORWARD;

use super::scene::{
    at_rest, call, finished, fires, holds, of_call, of_turn, puts, record, response, run, serving, standing,
    state, truth, turn, wrote,
};
use crate::world::lanes::invariants::Judgement;
use crate::world::lanes::truth::Truth;
use crate::world::lanes::truth::contents::Contents;
use crate::world::lanes::truth::standing::{Record, Standing};
use crate::world::lanes::truth::wire::Heard;
use protocol::host::Request;
use protocol::lanes::admission::MANDATORY_STATE;

/// A truth whose log leads from 5 to 7.
fn from_5_to_7() -> Truth {
    let mut truth = truth();
    Arc::make_mut(&mut truth.primary.log).insert(7, record(5, "site-1", ""));
    truth
}

#[test]
fn a_lane_moves_by_a_record_or_by_a_copy() {
    let moves = |from: &Standing| {
        let heard = vec![puts([(Key::APPLIED, "7")])];
        of_turn("LR-8", &from_5_to_7(), &turn(1, from, &serving("7"), heard))
    };
    holds(moves(&serving("5")));
    fires(moves(&serving("4")));
    let copied = |generation| standing([(Key::APPLIED, "4"), (Key::RESTORE_GENERATION, generation)]);
    holds(moves(&copied("7")));
    fires(moves(&copied("6")));
}

fn keyed(names: &[&str]) -> Contents {
    let row = |name: &&str| ["state", *name, "a"].map(Value::text);
    let rows = names.iter().map(row).collect();
    state("key_value", ["collection", "name", "value"], rows)
}

/// A truth in which the primary held this at 7.
fn held(contents: Contents) -> Truth {
    let mut truth = truth();
    truth.history.insert(7, contents);
    truth
}

#[test]
fn a_good_lane_holds_what_the_primary_held() {
    let holding = |position: &str, names: &[&str]| Standing {
        contents: keyed(names),
        ..serving(position)
    };
    let judged = |lane: Standing| of_turn("LR-9", &held(keyed(&["a"])), &turn(1, &lane, &lane, Vec::new()));
    holds(judged(holding("7", &["a"])));
    fires(judged(holding("7", &["a", "b"])));
    fires(judged(holding("7", &[])));
    fires(judged(holding("8", &["a"])));
    let empty = held(keyed(&[]));
    let without = turn(1, &serving("7"), &serving("7"), Vec::new());
    fires(of_turn("LR-9", &empty, &without));
    let mut in_flight = holding("7", &["b"]);
    Arc::make_mut(&mut in_flight.meta).insert(Key::INFLIGHT.0.into(), "7:9".into());
    assert_eq!(judged(in_flight), Judgement::NoSubject);
}

#[test]
fn a_lane_that_was_cut_short_is_exact() {
    let lane = Standing {
        contents: keyed(&["a"]),
        ..serving("7")
    };
    let cut = || turn(1, &lane, &lane, vec![Heard::Reset { survivors: 0 }]);
    holds(of_turn("LR-10", &held(keyed(&["a"])), &cut()));
    fires(of_turn("LR-10", &held(keyed(&["b"])), &cut()));
}

#[test]
fn an_overflowed_generation_is_passed_by_a_copy() {
    let mut truth = truth();
    let overflowed = Record {
        overflowed: true,
        ..Record::clone(&record(5, "site-1", ""))
    };
    Arc::make_mut(&mut truth.primary.log).insert(7, Arc::new(overflowed));
    let passes = |from: &Standing| of_turn("LR-13", &truth, &turn(1, from, &serving("9"), Vec::new()));
    let copied = |generation| standing([(Key::APPLIED, "5"), (Key::RESTORE_GENERATION, generation)]);
    fires(passes(&serving("5")));
    fires(passes(&copied("8")));
    holds(passes(&copied("9")));
}

#[test]
fn a_verified_lane_has_what_is_mandatory() {
    let verifies = |names: &[&str]| {
        let lane = Standing {
            contents: keyed(names),
            ..standing([(Key::STAGE, "VERIFIED"), (Key::APPLIED, "7")])
        };
        let heard = vec![puts([(Key::STAGE, "VERIFIED")])];
        of_turn("LR-16", &held(keyed(names)), &turn(1, &lane, &lane, heard))
    };
    holds(verifies(&MANDATORY_STATE));
    fires(verifies(&MANDATORY_STATE[1..]));
}

#[test]
fn a_copy_destroys_nothing_that_serves() {
    let empties = |first: Option<&'static str>| {
        let moved = first.map(|stage| puts([(Key::STAGE, stage)]));
        let emptied = wrote([Statement::new("DELETE FROM \"node\"", [])]);
        let heard = moved.into_iter().chain([emptied]).collect();
        of_turn("LR-17", &truth(), &turn(1, &serving("7"), &serving("7"), heard))
    };
    fires(empties(None));
    holds(empties(Some("WITHDRAWN")));
}

#[test]
fn stages_move_as_they_may() {
    let moves = |stages: &[&'static str]| {
        let heard = stages.iter().map(|stage| puts([(Key::STAGE, stage)])).collect();
        let from = standing([(Key::STAGE, "VERIFIED")]);
        of_turn("LR-19", &truth(), &turn(1, &from, &from, heard))
    };
    holds(moves(&["CATCHING_UP", "ELIGIBLE", "SERVING"]));
    fires(moves(&["CATCHING_UP", "SERVING"]));
    fires(moves(&["CREATED"]));
}

#[test]
fn a_lane_begins_to_serve_as_the_primarys_equal() {
    const SCHEMA: Key = Key("schema_version");
    let admits = |schema: &str, names: &[&str], advertised: &[u64]| {
        let mut truth = held(keyed(&["a"]));
        truth.advertised.insert(1, advertised.iter().copied().collect());
        truth.primary = standing([(SCHEMA, "site-1")]);
        let lane = Standing {
            contents: keyed(names),
            ..standing([(Key::STAGE, "SERVING"), (Key::APPLIED, "7"), (SCHEMA, schema)])
        };
        let heard = vec![puts([(Key::STAGE, "SERVING")])];
        of_turn("LR-20", &truth, &turn(1, &lane, &lane, heard))
    };
    holds(admits("site-1", &["a"], &[6, 7]));
    fires(admits("site-2", &["a"], &[7]));
    fires(admits("", &["a"], &[7]));
    fires(admits("site-1", &["b"], &[7]));
    fires(admits("site-1", &["a"], &[6, 8]));
}

#[test]
fn a_lane_that_is_out_shows_and_forwards_nothing() {
    let shows = |stage: &str, status: u16, tier: &str| {
        let lane = standing([(Key::STAGE, stage)]);
        let answer = response(status, [(header::CACHE, tier)]);
        let ended = finished(run(Some(Request::get("/__serve")), Vec::new()), answer);
        of_turn("LR-23", &truth(), &turn(1, &lane, &lane, vec![ended]))
    };
    fires(shows("WITHDRAWN", 200, "HIT"));
    fires(shows("WITHDRAWN", 200, "RENDER"));
    fires(shows("WITHDRAWN", 403, "RENDER"));
    fires(shows("WITHDRAWN", 500, "RENDER"));
    holds(shows("WITHDRAWN", 421, "REFUSED"));
    holds(shows("WITHDRAWN", 503, "STALE"));
    assert_eq!(shows("SERVING", 200, "HIT"), Judgement::NoSubject);
    let forwards = |lane: Standing| {
        let mut truth = truth();
        truth.lanes.insert(1, lane);
        let request = Request::get("/__replica?action=forward");
        of_call(
            "LR-23",
            &truth,
            &call("site/shop#r1", FORWARD, "shop", request, None),
        )
    };
    holds(forwards(serving("7")));
    fires(forwards(standing([(Key::STAGE, "WITHDRAWN")])));
}

#[test]
fn at_rest_a_lane_serves_what_there_is() {
    let of_pool = |lane: Standing, copied: bool| {
        let mut truth = truth();
        truth.primary = Standing {
            contents: keyed(&MANDATORY_STATE),
            ..standing([(Key::COMMIT_SEQUENCE, "7")])
        };
        truth.lanes.insert(1, lane);
        truth.copied.extend(copied.then_some(1));
        at_rest("LR-L1", &truth)
    };
    let rests = |lane: Standing| of_pool(lane, true);
    holds(rests(serving("7")));
    fires(rests(serving("5")));
    fires(rests(standing([(Key::STAGE, "RESTORING")])));
    let untouched = of_pool(standing([(Key::STAGE, "CREATED")]), false);
    assert_eq!(
        untouched,
        Judgement::NoSubject,
        "nobody has copied to it for good"
    );
}
