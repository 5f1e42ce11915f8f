//! The checks of ids: whose they are, and that each is given out once.

use protocol::host::{Request, Response, Statement, Text, Value};
use protocol::lanes::object::labels::FORWARD;
use protocol::lanes::wire::{Field, ForwardAnswer, ForwardBatch, ForwardStatement};

use super::scene::{
    body, call, finished, fires, holds, of_call, of_turn, run, serving, state, truth, turn, wrote,
};
use crate::world::lanes::invariants::Judgement;
use crate::world::lanes::truth::Truth;
use crate::world::lanes::truth::contents::Contents;
use crate::world::lanes::truth::standing::Standing;
use crate::world::lanes::truth::wire::{Called, Heard};

/// A batch of one lane that gives these ids to nodes.
fn batch(ids: &[u64]) -> Request {
    let statements = ids.iter().map(|id| {
        Field::Is(ForwardStatement {
            sql: Text::from(format!("INSERT INTO node (\"nid\", type) VALUES ({id}, ?)")).into(),
            table: Text::new_static("node").into(),
            minted: Text::new_static("node").into(),
            ..ForwardStatement::default()
        })
    });
    let batch = ForwardBatch {
        statements: Field::Is(statements.collect()),
        ..ForwardBatch::default()
    };
    Request::post("/__replica?action=forward", body(batch))
}

fn forwards(ids: &[u64]) -> Called {
    call("site/shop#r1", FORWARD, "shop", batch(ids), None)
}

fn nodes(ids: &[u32]) -> Contents {
    let rows = ids.iter().map(|id| [Value::from(*id)]).collect();
    state("node", ["nid"], rows)
}

fn with_lane() -> Truth {
    let mut truth = truth();
    truth.copy_begun = true;
    truth.primary.contents = nodes(&[1, 2]);
    let mut lane = serving("7");
    lane.contents = nodes(&[1, 2]);
    truth.lanes.insert(1, lane);
    truth
}

#[test]
fn a_lane_mints_of_its_class() {
    holds(of_call("LR-32", &with_lane(), &forwards(&[258])));
    fires(of_call("LR-32", &with_lane(), &forwards(&[258, 259])));
}

#[test]
fn the_primary_mints_of_class_0_once_there_are_lanes() {
    let gains = |id: u32| {
        let with = |ids: &[u32]| Standing {
            contents: nodes(ids),
            ..Standing::default()
        };
        turn(0, &with(&[1, 2]), &with(&[1, 2, id]), Vec::new())
    };
    holds(of_turn("LR-32", &with_lane(), &gains(257)));
    fires(of_turn("LR-32", &with_lane(), &gains(3)));
    let mut forwarded = with_lane();
    forwarded.called(&forwards(&[258]));
    let minted = of_turn("LR-32", &forwarded, &gains(258));
    assert_eq!(minted, Judgement::NoSubject);
}

/// That the primary has answered a batch.
fn answered(ids: &[u64], action: &'static str) -> Heard {
    let answer = ForwardAnswer {
        action: Text::new_static(action).into(),
        ..ForwardAnswer::default()
    };
    finished(
        run(Some(batch(ids)), Vec::new()),
        Response::new(200, body(answer)),
    )
}

#[test]
fn an_id_is_taken_once() {
    let primary = Standing::default();
    let answers = |ids, action| turn(0, &primary, &primary, vec![answered(ids, action)]);
    let mut truth = with_lane();
    truth.turned(&answers(&[258], "refuse"));
    holds(of_turn("LR-33", &truth, &answers(&[258, 515], "commit")));
    truth.turned(&answers(&[258, 515], "commit"));
    holds(of_turn("LR-33", &truth, &answers(&[258, 515], "commit")));
    holds(of_turn("LR-33", &truth, &answers(&[772], "commit")));
    fires(of_turn("LR-33", &truth, &answers(&[515], "commit")));
    fires(of_turn("LR-33", &truth, &answers(&[515], "")));
    fires(of_call("LR-33", &truth, &forwards(&[258])));
    holds(of_call("LR-33", &truth, &forwards(&[772])));
    fires(of_call("LR-33", &truth, &forwards(&[772, 1_029, 772])));
    let refused = of_turn("LR-33", &truth, &answers(&[515], "conflict"));
    assert_eq!(refused, Judgement::NoSubject);
}

#[test]
fn an_id_is_above_what_is_used_of_its_class() {
    let takes = |there: &[u32], ids: &[u64]| {
        let primary = Standing {
            contents: nodes(there),
            ..Standing::default()
        };
        let turn = turn(0, &primary, &primary, vec![answered(ids, "commit")]);
        of_turn("LR-34", &truth(), &turn)
    };
    holds(takes(&[1, 258, 600], &[258]));
    holds(takes(&[1, 258, 515], &[258, 515]));
    fires(takes(&[1, 258, 515], &[258]));
    fires(takes(&[1, 258, 515], &[515, 258]));
}

#[test]
fn a_batch_that_is_known_brings_no_ids() {
    let primary = |there: &[u32]| Standing {
        contents: nodes(there),
        ..Standing::default()
    };
    let heard = || vec![answered(&[258], "commit")];
    let mut truth = truth();
    truth.turned(&turn(0, &primary(&[1]), &primary(&[1, 258]), heard()));
    let later = primary(&[1, 258, 515]);
    let again = of_turn("LR-34", &truth, &turn(0, &later, &later, heard()));
    assert_eq!(again, Judgement::NoSubject);
    let gone = primary(&[1, 515]);
    fires(of_turn("LR-34", &truth, &turn(0, &gone, &later, heard())));
}

#[test]
fn the_log_of_events_has_ids_of_the_primary() {
    let writes = |sql: &'static str| {
        let primary = Standing::default();
        let heard = vec![wrote([Statement::new(sql, [])])];
        of_turn("LR-34", &truth(), &turn(0, &primary, &primary, heard))
    };
    holds(writes("INSERT INTO watchdog (\"wid\", uid) VALUES (514, ?)"));
    fires(writes("INSERT INTO watchdog (\"wid\", uid) VALUES (258, ?)"));
    let left = writes("INSERT INTO watchdog (uid) VALUES (?)");
    assert_eq!(left, Judgement::NoSubject);
}

#[test]
fn a_lane_mints_above_what_the_primary_has() {
    let mut truth = with_lane();
    truth.primary.contents = nodes(&[1, 258, 600]);
    fires(of_call("LR-34", &truth, &forwards(&[258])));
    holds(of_call("LR-34", &truth, &forwards(&[515])));
}

/// What it has forgotten it may mint again: the primary refuses that. Once it is level it knows better.
#[test]
fn a_lane_that_was_put_back_is_judged_by_what_the_primary_takes_until_it_has_caught_up() {
    let primary = Standing::default();
    let taken = turn(0, &primary, &primary, vec![answered(&[258], "commit")]);
    let mut truth = with_lane();
    truth.turned(&taken);
    truth.primary.contents = nodes(&[1, 258]);
    truth.put_back.insert(1, 9);
    for id in ["LR-33", "LR-34"] {
        assert_eq!(
            of_call(id, &truth, &forwards(&[258])),
            Judgement::NoSubject,
            "{id}"
        );
    }
    let again = turn(0, &primary, &primary, vec![answered(&[258, 515], "commit")]);
    fires(of_turn("LR-33", &truth, &again));
    let mut level = serving("9");
    level.contents = nodes(&[1, 258]);
    truth.lanes.insert(1, level);
    for id in ["LR-33", "LR-34"] {
        fires(of_call(id, &truth, &forwards(&[258])));
    }
}

#[test]
fn a_lane_mints_for_no_table_that_it_does_not_hold() {
    holds(of_call("LR-34", &with_lane(), &forwards(&[258])));
    let mut truth = with_lane();
    truth.lanes.insert(1, serving("7"));
    fires(of_call("LR-34", &truth, &forwards(&[258])));
    truth.mid_turn = Some(1);
    holds(of_call("LR-34", &truth, &forwards(&[258])));
}
