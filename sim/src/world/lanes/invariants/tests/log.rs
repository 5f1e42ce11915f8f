//! The checks of the primary's log and counters, and of what its statements did.

use std::sync::Arc;

use protocol::host::{Effect, Statement, Text, Value};
use protocol::lanes::app::catalogue::{Ask, Visitor};
use protocol::lanes::app::tables;
use protocol::lanes::meta::Key;

use super::scene::{at_rest, fires, holds, of_turn, record, standing, state, told, truth, turn, wrote};
use crate::kernel::Micros;
use crate::world::lanes::invariants::Judgement;
use crate::world::lanes::truth::clients::{Attempt, Told};
use crate::world::lanes::truth::contents::Contents;
use crate::world::lanes::truth::standing::{Record, Standing};
use crate::world::lanes::truth::wire::Heard;
use crate::world::lanes::truth::{Truth, Turn};

/// A primary with these records.
fn logged(records: &[(u64, &Arc<Record>)]) -> Standing {
    let mut standing = Standing::default();
    let log = records.iter().map(|(at, record)| (*at, Arc::clone(record)));
    standing.log = Arc::new(log.collect());
    standing
}

fn seals(before: &Standing, after: &Standing) -> Turn {
    turn(0, before, after, Vec::new())
}

fn reset() -> Heard {
    Heard::Reset { survivors: 0 }
}

#[test]
fn records_are_a_chain() {
    let first = record(1, "site-1", "");
    let goes_on = |parent| {
        let next = record(parent, "site-1", "");
        seals(&logged(&[(5, &first)]), &logged(&[(5, &first), (7, &next)]))
    };
    holds(of_turn("LR-1", &truth(), &goes_on(5)));
    fires(of_turn("LR-1", &truth(), &goes_on(1)));
}

#[test]
fn a_record_stays_as_it_is() {
    let (first, other, next) = (
        record(1, "site-1", "a"),
        record(1, "site-1", "b"),
        record(5, "site-1", ""),
    );
    let before = logged(&[(5, &first)]);
    holds(of_turn(
        "LR-2",
        &truth(),
        &seals(&before, &logged(&[(5, &first), (7, &next)])),
    ));
    fires(of_turn(
        "LR-2",
        &truth(),
        &seals(&before, &logged(&[(5, &other)])),
    ));
    fires(of_turn("LR-2", &truth(), &seals(&before, &logged(&[]))));
    let lost = turn(0, &before, &logged(&[]), vec![reset()]);
    assert_eq!(of_turn("LR-2", &truth(), &lost), Judgement::NoSubject);
}

/// A state of one queue with these items.
fn queue(items: &[u32]) -> Contents {
    let rows = items.iter().map(|id| {
        let id = Value::from(*id);
        [
            id,
            Value::text("mail"),
            Value::Null,
            Value::from(0),
            Value::from(0),
        ]
    });
    let columns = ["item_id", "name", "data", "expire", "created"];
    let mut contents = state("queue", columns, rows.collect());
    let ddl = tables::find("queue").expect("the catalogue has it").ddl();
    let mut table = contents
        .table("queue")
        .expect("it was put there")
        .as_ref()
        .clone();
    table.ddl = ddl;
    contents.set("queue".into(), table);
    contents
}

#[test]
fn a_record_leads_from_its_parent_to_its_generation() {
    let mut truth = truth();
    truth.history.insert(5, queue(&[1]));
    truth.history.insert(7, queue(&[1, 2]));
    let tells = |statements: &str| {
        let record = Record {
            statements: Text::new(statements),
            ..Record::clone(&record(5, "site-1", ""))
        };
        seals(&logged(&[]), &logged(&[(7, &Arc::new(record))]))
    };
    let insert = r#"[{"sql": "INSERT INTO queue (item_id, name) VALUES (?, ?)", "params": [2, "mail"]}]"#;
    holds(of_turn("LR-3", &truth, &tells(insert)));
    fires(of_turn("LR-3", &truth, &tells("[]")));
    let other = r#"[{"sql": "DELETE FROM queue", "params": []}]"#;
    fires(of_turn("LR-3", &truth, &tells(other)));
}

#[test]
fn what_is_durable_is_in_a_record() {
    let mut truth = truth();
    truth.history.insert(7, queue(&[1]));
    let first = record(5, "site-1", "");
    let holding = |items: &[u32]| Standing {
        contents: queue(items),
        ..logged(&[(7, &first)])
    };
    let after = |items: &[u32]| turn(0, &holding(items), &holding(items), vec![reset()]);
    holds(of_turn("LR-4", &truth, &after(&[1])));
    fires(of_turn("LR-4", &truth, &after(&[1, 2])));
    let lives = seals(&holding(&[1, 2]), &holding(&[1, 2]));
    assert_eq!(of_turn("LR-4", &truth, &lives), Judgement::NoSubject);
}

#[test]
fn an_overflowed_record_is_empty_and_stays_so() {
    let overflowed = |statements: &str, overflowed: bool| {
        Arc::new(Record {
            overflowed,
            statements: Text::new(statements),
            ..Record::clone(&record(5, "site-1", ""))
        })
    };
    let empty = overflowed("[]", true);
    let sealed = |record: &Arc<Record>| seals(&logged(&[]), &logged(&[(7, record)]));
    holds(of_turn("LR-6", &truth(), &sealed(&empty)));
    fires(of_turn("LR-6", &truth(), &sealed(&overflowed("[1]", true))));
    let mended = seals(&logged(&[(7, &empty)]), &logged(&[(7, &overflowed("[]", false))]));
    fires(of_turn("LR-6", &truth(), &mended));
    let older = |older: &Arc<Record>| logged(&[(7, older), (8, &record(7, "", "")), (9, &record(8, "", ""))]);
    let mended = seals(&older(&empty), &older(&overflowed("[]", false)));
    fires(of_turn("LR-6", &truth(), &mended));
    let mut truth = truth();
    truth.primary = older(&empty);
    truth.at_rest = Some(older(&overflowed("[1]", true)));
    fires(at_rest("LR-6", &truth));
}

#[test]
fn the_sequence_never_sinks() {
    let at = |sequence| standing([(Key::COMMIT_SEQUENCE, sequence)]);
    holds(of_turn("LR-7", &truth(), &seals(&at("7"), &at("8"))));
    fires(of_turn("LR-7", &truth(), &seals(&at("7"), &at("6"))));
    let lost = turn(0, &at("7"), &at("6"), vec![reset()]);
    assert_eq!(of_turn("LR-7", &truth(), &lost), Judgement::NoSubject);
}

/// A client that has asked for an item in the queue.
fn asked(arrivals: u32, told: Option<Told>) -> Attempt {
    Attempt {
        ask: Ask::Enqueue,
        visitor: Visitor::default(),
        token: "t1".into(),
        sent: Micros::ZERO,
        arrivals,
        told,
        ended: told.is_some(),
    }
}

fn enqueued() -> Statement {
    let sql = "INSERT INTO queue (name, data, created) VALUES (?, ?, ?)";
    Statement::new(sql, [Value::text("mail"), Value::text("t1"), Value::from(0)])
}

/// A truth in which an attempt took effect so often.
fn effects(times: usize, attempt: &Attempt) -> Truth {
    let mut truth = truth();
    truth.attempts.insert(1, attempt.clone());
    for _ in 0..attempt.arrivals {
        truth.effects.arrived(attempt);
    }
    truth.effects.committed(0, &vec![enqueued(); times]);
    truth
}

#[test]
fn an_attempt_takes_effect_once_each_time_it_is_received() {
    let judged = |times, arrivals| {
        let primary = Standing::default();
        let turn = turn(0, &primary, &primary, vec![wrote([enqueued()])]);
        of_turn("LR-36", &effects(times, &asked(arrivals, None)), &turn)
    };
    holds(judged(1, 1));
    holds(judged(2, 2));
    fires(judged(2, 1));
}

/// Two items of a plan can be called the same: each is received, and each is done.
#[test]
fn two_attempts_of_one_token_take_effect_twice() {
    let mut truth = effects(2, &asked(1, None));
    truth.attempts.insert(2, asked(1, None));
    let primary = Standing::default();
    let turn = turn(0, &primary, &primary, vec![wrote([enqueued()])]);
    fires(of_turn("LR-36", &truth, &turn));
    truth.effects.arrived(&asked(1, None));
    holds(of_turn("LR-36", &truth, &turn));
    let attempt = asked(1, Some(Told::Refused(409)));
    assert_eq!(told("LR-38", &truth, &attempt), Judgement::Holds);
}

#[test]
fn what_is_sent_is_sent_once() {
    let act = |token: &str| Effect {
        kind: "cfwMail".into(),
        detail: Text::from(format!("{{\"to\":1,\"token\":\"{token}\"}}")),
    };
    let judged = |times: usize| {
        let mut truth = truth();
        let attempt = Attempt {
            ask: Ask::Mail { to: 1 },
            ..asked(1, None)
        };
        truth.effects.arrived(&attempt);
        truth.attempts.insert(1, attempt);
        let primary = Standing::default();
        for _ in 0..times {
            truth.effects.acted(&act("t1"));
        }
        let acts = (0..times).map(|_| Heard::Acted(act("t1"))).collect();
        let turn = turn(0, &primary, &primary, acts);
        of_turn("LR-36", &truth, &turn)
    };
    holds(judged(1));
    fires(judged(2));
}

/// The marker of an attempt is swept by a clock: where that may be off by as much as the marker is kept, nobody can tell.
#[test]
fn what_a_clock_has_forgotten_may_be_done_again() {
    let mut truth = effects(2, &asked(1, None));
    let primary = Standing::default();
    let turn = turn(0, &primary, &primary, vec![wrote([enqueued()])]);
    fires(of_turn("LR-36", &truth, &turn));
    truth.clock_skew = Micros::from_millis(300_000);
    assert_eq!(of_turn("LR-36", &truth, &turn), Judgement::NoSubject);
}

#[test]
fn an_edit_that_was_committed_shows() {
    let judged = |edits: u32| {
        let mut truth = truth();
        let sql = "UPDATE node_field_data SET edits = ? WHERE nid = ?";
        let edit = Statement::new(sql, [Value::from(1), Value::from(3)]);
        truth.effects.committed(0, &[edit.clone(), edit]);
        let row = [Value::from(3), Value::from(edits)];
        truth.primary.contents = state("node_field_data", ["nid", "edits"], vec![row]);
        let primary = Standing::default();
        of_turn("LR-37", &truth, &seals(&primary, &primary))
    };
    holds(judged(2));
    fires(judged(1));
}

#[test]
fn what_a_client_is_told_is_so() {
    let judged = |times, said| {
        let attempt = asked(1, Some(said));
        let truth = effects(times, &attempt);
        assert_eq!(told("LR-38", &truth, &attempt), at_rest("LR-38", &truth));
        told("LR-38", &truth, &attempt)
    };
    holds(judged(1, Told::Done));
    fires(judged(0, Told::Done));
    holds(judged(0, Told::Refused(409)));
    fires(judged(1, Told::Refused(409)));
    assert_eq!(judged(0, Told::Unknown), Judgement::NoSubject);
}

#[test]
fn every_client_is_answered() {
    let rests = |attempt: Attempt| {
        let mut truth = truth();
        truth.attempts.insert(1, attempt);
        at_rest("LR-L5", &truth)
    };
    holds(rests(asked(1, Some(Told::Done))));
    fires(rests(asked(1, None)));
}
