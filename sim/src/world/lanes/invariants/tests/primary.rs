//! The checks of the primary: its records, and its rows.

use std::sync::Arc;

use protocol::host::{Request, Text, Value};
use protocol::lanes::app::catalogue::{Ask, Visitor};
use protocol::lanes::object::labels;
use protocol::lanes::wire::Chunk;
use protocol::number::Number;

use super::scene::{
    body, call, finished, fires, holds, of_call, of_turn, record, response, run, standing, state, table,
    truth, turn,
};
use crate::kernel::Micros;
use crate::world::lanes::invariants::lr_05_fingerprint::fingerprint;
use crate::world::lanes::truth::clients::Attempt;
use crate::world::lanes::truth::contents::Contents;
use crate::world::lanes::truth::standing::{Record, Standing};

fn keyed(value: &str) -> Contents {
    let row = ["state", "system.private_key", value].map(Value::text);
    state("key_value", ["collection", "name", "value"], vec![row])
}

#[test]
fn a_fingerprint_is_that_of_its_generation() {
    let mut truth = truth();
    truth.history.insert(7, keyed("a"));
    let sealed = |fingerprint: &str| {
        let mut after = Standing::default();
        Arc::make_mut(&mut after.log).insert(7, record(5, "site-1", fingerprint));
        turn(0, &Standing::default(), &after, Vec::new())
    };
    holds(of_turn("LR-5", &truth, &sealed(&fingerprint(&keyed("a")))));
    fires(of_turn("LR-5", &truth, &sealed(&fingerprint(&keyed("b")))));
}

#[test]
fn a_copy_is_of_a_generation_that_was_sealed() {
    let mut truth = truth();
    Arc::make_mut(&mut truth.primary.log).insert(7, record(5, "site-1", ""));
    let chunk = |generation: u32| {
        let chunk = Chunk {
            generation: Number::from(generation).into(),
            ..Chunk::default()
        };
        let request = Request::post("/__replica?action=restore", body(chunk));
        call("site/shop", labels::POST_CHUNK, "shop#r1", request, None)
    };
    holds(of_call("LR-18", &truth, &chunk(7)));
    fires(of_call("LR-18", &truth, &chunk(8)));
}

#[test]
fn the_primary_hands_nothing_over() {
    let answers = |status| {
        let ended = finished(
            run(Some(Request::get("/__serve")), Vec::new()),
            response(status, []),
        );
        turn(0, &standing([]), &standing([]), vec![ended])
    };
    fires(of_turn("LR-29", &truth(), &answers(421)));
    assert_eq!(
        of_turn("LR-29", &truth(), &answers(500)),
        crate::world::lanes::invariants::Judgement::NoSubject
    );
}

fn with_nodes(nodes: Vec<u32>, texts: Vec<u32>) -> Standing {
    with_texts(nodes, texts.into_iter().map(|id| (id, "a text")).collect())
}

/// Nodes with their data, and texts by the node that each is of.
fn with_texts(nodes: Vec<u32>, texts: Vec<(u32, &'static str)>) -> Standing {
    let mut standing = Standing::default();
    let column = |ids: Vec<u32>| ids.into_iter().map(|id| [Value::from(id)]).collect::<Vec<_>>();
    let contents = &mut standing.contents;
    contents.set("node".into(), table("node", ["nid"], column(nodes.clone())));
    contents.set(
        "node_field_data".into(),
        table("node_field_data", ["nid"], column(nodes)),
    );
    contents.set(
        "node__body".into(),
        table(
            "node__body",
            ["entity_id", "body_value"],
            texts
                .into_iter()
                .map(|(id, text)| [Value::from(id), Value::text(text)])
                .collect::<Vec<_>>(),
        ),
    );
    standing
}

#[test]
fn a_new_node_is_there_with_all_its_parts() {
    let before = with_nodes(vec![1], vec![1]);
    let went = |after: Standing| turn(0, &before, &after, Vec::new());
    holds(of_turn(
        "LR-39",
        &truth(),
        &went(with_nodes(vec![1, 257], vec![1, 257])),
    ));
    fires(of_turn(
        "LR-39",
        &truth(),
        &went(with_nodes(vec![1, 257], vec![1])),
    ));
}

#[test]
fn the_text_of_a_save_of_a_missing_node_is_let_be() {
    let before = with_nodes(vec![1], vec![1]);
    let mut truth = truth();
    let attempt = Attempt {
        ask: Ask::Save {
            nid: 4,
            tags: 0,
            indexes: false,
        },
        visitor: Visitor::default(),
        token: "t1".into(),
        sent: Micros::ZERO,
        arrivals: 1,
        told: None,
        ended: false,
    };
    truth.attempts.insert(1, attempt);
    let went = |after: Standing| turn(0, &before, &after, Vec::new());
    let left = |nid, text| went(with_texts(vec![1], vec![(1, "a text"), (nid, text)]));
    holds(of_turn("LR-39", &truth, &left(4, "t1")));
    fires(of_turn("LR-39", &truth, &left(4, "of another")));
    fires(of_turn("LR-39", &truth, &left(5, "t1")));
    fires(of_turn("LR-39", &truth, &went(with_nodes(vec![1, 4], vec![1]))));
    let lost = turn(
        0,
        &with_nodes(vec![1, 4], vec![1, 4]),
        &with_texts(vec![1], vec![(1, "a text"), (4, "t1")]),
        Vec::new(),
    );
    fires(of_turn("LR-39", &truth, &lost));
    truth
        .attempts
        .values_mut()
        .for_each(|attempt| attempt.arrivals = 0);
    fires(of_turn("LR-39", &truth, &left(4, "t1")));
}

#[test]
fn a_record_creates_a_node_with_all_its_parts() {
    let before = with_nodes(vec![1], vec![1]);
    let sealed = |parts: &[&str]| {
        let mut after = with_nodes(vec![1], vec![1]);
        let statements = parts.iter().map(|part| format!("INSERT INTO {part} ("));
        let record = Record {
            statements: Text::from(statements.collect::<String>()),
            ..Record::clone(&record(5, "site-1", ""))
        };
        Arc::make_mut(&mut after.log).insert(7, Arc::new(record));
        turn(0, &before, &after, Vec::new())
    };
    let all = ["node", "node_revision", "node_field_data", "node__body"];
    holds(of_turn("LR-39", &truth(), &sealed(&all)));
    fires(of_turn("LR-39", &truth(), &sealed(&all[..3])));
}
