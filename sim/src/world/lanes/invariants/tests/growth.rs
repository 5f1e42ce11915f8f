//! The checks of how the pool grows, is counted and is admitted.

use std::sync::Arc;

use protocol::host::{Answer, Entry, Request};
use protocol::lanes::admission::{MANDATORY_STATE, Stage};
use protocol::lanes::header;
use protocol::lanes::meta::Key;
use protocol::lanes::object::labels::{ASK_READMIT, MIGRATE_LANE, POST_CHUNK, READ_HEAD, READ_LOG};
use protocol::lanes::wire::{Field, Head, LogAnswer, Record};
use protocol::number::Number;

use super::scene::{
    alarm, at_rest, body, call, finished, fires, holds, made, of_call, of_turn, puts, response, run, serving,
    standing, state, truth, turn,
};
use crate::kernel::Micros;
use crate::world::lanes::invariants::Judgement;
use crate::world::lanes::truth::passed::Passed;
use crate::world::lanes::truth::runs::Run;
use crate::world::lanes::truth::standing::Standing;
use crate::world::lanes::truth::wire::Heard;
use crate::world::lanes::truth::{Held, Truth};
use protocol::host::Value;

/// A truth in which the alarm of a primary that stands like this has fired four times, and between two firings so many
/// requests waited and were answered.
fn waited(primary: &Standing, waits: [u64; 3]) -> Truth {
    let mut truth = truth();
    truth.primary = primary.clone();
    let fires = turn(0, primary, primary, vec![Heard::Woken]);
    truth.demand.turned(&fires, Micros::from_millis(1_000));
    let mut nth = 0;
    for (waits, at) in waits.into_iter().zip([2_000, 3_000, 4_000]) {
        for _ in 0..waits {
            nth += 1;
            truth.demand.wait([nth]);
            let mut ended = Run::clone(&run(None, Vec::new()));
            ended.nth = nth;
            let ended = finished(Arc::new(ended), response(200, []));
            truth
                .demand
                .turned(&turn(0, primary, primary, vec![ended]), Micros::ZERO);
        }
        truth.demand.turned(&fires, Micros::from_millis(at));
    }
    truth
}

fn grows(truth: &Truth, lane: u32) -> Judgement {
    let to = format!("shop#r{lane}");
    let migrates = call(
        "site/shop",
        MIGRATE_LANE,
        &to,
        Request::get("/__migrate"),
        alarm(9),
    );
    of_call("LR-41", truth, &migrates)
}

#[test]
fn a_pool_grows_by_three_windows_in_a_row() {
    let judged = |waits, lane| grows(&waited(&Standing::default(), waits), lane);
    holds(judged([1, 1, 1], 1));
    holds(judged([2, 3, 2], 2));
    fires(judged([0, 5, 5], 1));
    fires(judged([5, 0, 5], 1));
    fires(judged([2, 1, 2], 2));
    fires(judged([40, 40, 40], 33));
    holds(judged([40, 40, 40], 32));
}

/// A request that goes on waiting contends every window in which it does.
#[test]
fn a_request_that_waits_through_a_window_counts_in_it() {
    let primary = Standing::default();
    let mut truth = truth();
    let fires_at = |truth: &mut Truth, at| {
        let fires = turn(0, &primary, &primary, vec![Heard::Woken]);
        truth.demand.turned(&fires, Micros::from_millis(at));
    };
    fires_at(&mut truth, 1_000);
    truth.demand.wait([1]);
    for at in [2_000, 3_000, 4_000] {
        fires_at(&mut truth, at);
        truth.demand.wait([1]);
    }
    holds(grows(&truth, 1));
}

#[test]
fn windows_that_a_fault_may_have_cut_are_not_judged() {
    let mut truth = waited(&Standing::default(), [0, 0, 0]);
    fires(grows(&truth, 1));
    truth.troubled = Some(Micros::from_millis(2_500));
    assert_eq!(grows(&truth, 1), Judgement::NoSubject);
}

#[test]
fn what_is_to_be_repaired_comes_first() {
    let queued = standing([(Key::REPAIRS, "2,5")]);
    fires(grows(&waited(&queued, [9, 9, 9]), 6));
    assert_eq!(grows(&waited(&queued, [0, 0, 0]), 5), Judgement::NoSubject);
    let copying = standing([(Key::COPY_CURSOR, "{}"), (Key::COPY_LANE, "2")]);
    fires(grows(&waited(&copying, [9, 9, 9]), 3));
    holds(grows(&waited(&copying, [9, 9, 9]), 2));
}

#[test]
fn lanes_that_are_counted_are_there() {
    let counts = |stored: &'static str, told: &'static str| {
        let mut truth = truth();
        truth.whole.extend([1, 2, 4]);
        let primary = Standing::default();
        let answer = finished(run(None, Vec::new()), response(200, [(header::LANES, told)]));
        let heard = vec![puts([(Key::LANES, stored)]), answer];
        of_turn("LR-42", &truth, &turn(0, &primary, &primary, heard))
    };
    holds(counts("2", "2"));
    holds(counts("1", "0"));
    fires(counts("4", "2"));
    fires(counts("2", "4"));
}

/// The end of a round of a lane in this stage, that was told this head, while the primary stands at 7.
fn round(stage: Stage, applied: &str, head: u32) -> Judgement {
    let mut truth = truth();
    let rows = MANDATORY_STATE.map(|name| ["state", name, "x"].map(Value::text));
    let with = |mut standing: Standing| {
        standing.contents = state("key_value", ["collection", "name", "value"], rows.to_vec());
        Arc::make_mut(&mut standing.meta).insert("schema_version".into(), "site-1".into());
        standing
    };
    truth.primary = with(standing([(Key::COMMIT_SEQUENCE, "7")]));
    let held = Held {
        since: Micros::ZERO,
        generation: Some(5),
        stage: Some(Stage::CatchingUp),
    };
    truth.held.insert(1, vec![held]);
    let answer = Head {
        generation: Number::from(head).into(),
        ..Head::default()
    };
    let answer = protocol::host::Response::new(200, body(answer));
    let asked = made(READ_HEAD, "shop", Request::get("/__replica"), Some(answer));
    let mut ended = Run::clone(&run(None, vec![asked]));
    ended.entry = alarm(1).and_then(|run| run.entry.clone());
    assert!(matches!(ended.entry, Some(Entry::Alarm(_))));
    let after = with(standing([(Key::STAGE, stage.as_str()), (Key::APPLIED, applied)]));
    let heard = vec![Heard::Finished {
        run: Some(Arc::new(ended)),
        outcome: Ok(None),
        behind_write: false,
    }];
    of_turn("LR-L4", &truth, &turn(1, &after, &after, heard))
}

#[test]
fn a_round_that_reaches_a_primary_that_stands_admits_its_lane() {
    holds(round(Stage::Serving, "7", 7));
    fires(round(Stage::CatchingUp, "7", 7));
    assert_eq!(round(Stage::CatchingUp, "6", 7), Judgement::NoSubject);
    assert_eq!(round(Stage::CatchingUp, "7", 6), Judgement::NoSubject);
}

/// That a lane has heard these records of the log.
fn told_of(records: Vec<Record>) -> Heard {
    let answer = LogAnswer {
        records: Field::Is(records.into_iter().map(Field::Is).collect()),
        ..LogAnswer::default()
    };
    Heard::Answered {
        incarnation: 0,
        made: made(READ_LOG, "shop", Request::get("/__replica?action=log"), None),
        outcome: Ok(Answer::Response(protocol::host::Response::new(200, body(answer)))),
    }
}

#[test]
fn a_record_costs_one_copy() {
    let withdraws = |base: u64, records: &[(u32, bool)]| {
        let mut truth = truth();
        let passed = Passed {
            base,
            ..Passed::default()
        };
        truth.passed.insert(1, passed);
        let record = |(generation, overflowed): &(u32, bool)| Record {
            generation: Number::from(*generation).into(),
            overflowed: (*overflowed).into(),
            ..Record::default()
        };
        let records = records.iter().map(record).collect();
        let heard = vec![told_of(records), puts([(Key::STAGE, "WITHDRAWN")])];
        of_turn("LR-L6", &truth, &turn(1, &serving("7"), &serving("7"), heard))
    };
    holds(withdraws(5, &[(6, true)]));
    fires(withdraws(7, &[(6, true)]));
    // Record 9 does not say what it follows.
    holds(withdraws(7, &[(6, false), (9, false)]));
    holds(withdraws(7, &[(6, true), (9, true)]));
    assert_eq!(withdraws(7, &[]), Judgement::NoSubject);
}

#[test]
fn at_rest_no_lane_is_queued_for_a_copy() {
    let rests = |has_queued: bool, queued: &str| {
        let rows = MANDATORY_STATE.map(|name| ["state", name, "x"].map(Value::text));
        let mut truth = truth();
        truth.primary = standing([(Key::REPAIRS, queued)]);
        truth.primary.contents = state("key_value", ["collection", "name", "value"], rows.to_vec());
        truth.copied.insert(1);
        truth.has_queued = has_queued;
        at_rest("LR-L6", &truth)
    };
    fires(rests(true, "1"));
    holds(rests(true, ""));
    assert_eq!(rests(false, ""), Judgement::NoSubject);
}

#[test]
fn a_record_that_the_lane_could_have_applied_is_not_the_one_that_it_refused() {
    let schema = |mut standing: Standing| {
        Arc::make_mut(&mut standing.meta).insert("schema_version".into(), "site-1".into());
        standing
    };
    let overflowed = Record {
        generation: Number::from(6).into(),
        overflowed: true.into(),
        ..Record::default()
    };
    let next = |parent: u32, schema: &'static str| Record {
        generation: Number::from(9).into(),
        parent: Number::from(parent).into(),
        schema_version: Field::Is(schema.into()),
        ..Record::default()
    };
    let withdraws = |next: Record| {
        let mut truth = truth();
        let passed = Passed {
            base: 7,
            ..Passed::default()
        };
        truth.passed.insert(1, passed);
        let heard = vec![
            told_of(vec![overflowed.clone(), next]),
            puts([(Key::STAGE, "WITHDRAWN")]),
        ];
        let lane = schema(serving("7"));
        of_turn("LR-L6", &truth, &turn(1, &lane, &lane, heard))
    };
    fires(withdraws(next(7, "site-1")));
    holds(withdraws(next(8, "site-1")));
    holds(withdraws(next(7, "site-2")));
}

#[test]
fn a_lane_waits_between_its_asks() {
    let asks = |pause: u64| {
        let mut truth = truth();
        let ask = call("site/shop#r1", ASK_READMIT, "shop", Request::get("/"), alarm(1));
        for _ in 0..4 {
            truth.called(&ask);
            truth.now = truth.now.after(Micros::from_millis(pause));
        }
        of_call("LR-L6", &truth, &ask)
    };
    holds(asks(500));
    fires(asks(499));
}

#[test]
fn a_lane_that_is_restored_is_sent_the_rest_or_wakes() {
    let restored = |primary: Standing, posting: bool, wakes: bool| {
        let mut truth = truth();
        truth.primary = primary;
        if posting {
            truth.called(&call(
                "site/shop",
                POST_CHUNK,
                "shop#r1",
                Request::get("/"),
                alarm(1),
            ));
        }
        let lane = Standing {
            wakes,
            ..standing([(Key::STAGE, "RESTORING")])
        };
        truth.lanes.insert(1, lane.clone());
        let by_lane = of_turn("LR-L2", &truth, &turn(1, &lane, &lane, Vec::new()));
        let primary = truth.primary.clone();
        assert_eq!(
            by_lane,
            of_turn("LR-L2", &truth, &turn(0, &primary, &primary, Vec::new()))
        );
        by_lane
    };
    let stands = |key: Key, value: &str, wakes: bool| Standing {
        wakes,
        ..standing([(key, value), (Key::COPY_CURSOR, "{}")])
    };
    holds(restored(Standing::default(), false, true));
    holds(restored(Standing::default(), true, false));
    holds(restored(stands(Key::COPY_LANE, "1", true), false, false));
    holds(restored(stands(Key::REPAIRS, "1,2", true), false, false));
    fires(restored(Standing::default(), false, false));
    fires(restored(stands(Key::COPY_LANE, "2", true), false, false));
    fires(restored(stands(Key::REPAIRS, "1,2", false), false, false));
}
