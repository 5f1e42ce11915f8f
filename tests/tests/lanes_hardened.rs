//! What changes of the hardened protocol do where their traces do not come by it, beside what the documented one does.

use std::sync::Arc;

use protocol::host::{Answer, Body, Method, Millis, Request, Response, Value};
use protocol::lanes::app::program::{Act, Arguments, Operand, RenderProgram, Step, Write};
use protocol::lanes::changes::hardened;
use protocol::lanes::object::{Version, labels, serve_path};
use protocol::lanes::rules::Rules;
use protocol::number::Number;
use sim::kernel::ResetCause;
use sim::kernel::storage::model::ModelStore;
use tests::lanes::application::version;
use tests::lanes::desk::{Desk, digest};
use tests::lanes::pool::{Pool, documented};

/// A site under these rules.
fn site(rules: Rules) -> Pool<ModelStore> {
    Pool::installed_under(Version {
        rules,
        ..documented()
    })
}

/// Puts a text into the queue of the site.
fn enqueue(data: &str) -> Step {
    let values = [Operand::from("test"), data.into(), 0.into(), 0.into()];
    Step::from(Act::Write(Write {
        sql: "INSERT INTO queue (name, data, expire, created) VALUES (?, ?, ?, ?)".into(),
        params: Arguments::List(values.into()),
        new_id: None,
    }))
}

fn post(steps: Vec<Step>) -> Request {
    let program = RenderProgram {
        steps,
        ..RenderProgram::default()
    };
    Request {
        method: Method::Post,
        ..Request::post(serve_path("/test"), Body::typed(Arc::new(program)))
    }
}

/// How many records have come, by the newest one, and how many rows.
fn after_a_reset_at_a_pause(rules: Rules) -> (bool, Option<Number>) {
    let mut site = site(rules);
    let before = site.generation();
    let steps = vec![
        enqueue("written before the pause"),
        Step::from(Act::Pause(Millis(5_000))),
        enqueue("never written"),
    ];
    site.post(site.primary, post(steps));
    site.passes(2_000);
    site.kernel.reset(u32::MAX, site.primary, ResetCause::Machine);
    site.passes(1_000);
    let rows = "SELECT COUNT(*) AS count FROM queue";
    let rows = site.number(site.primary, rows, &[]);
    (site.generation() > before, rows)
}

/// What a render has written before it waits is durable then. A record must be, too (`seal-in-one-turn`).
#[test]
fn a_render_of_the_primary_seals_before_it_waits() {
    let one = Some(Number::integer(1));
    assert_eq!(
        after_a_reset_at_a_pause(Rules::DOCUMENTED),
        (false, one),
        "a hole"
    );
    assert_eq!(after_a_reset_at_a_pause(hardened()), (true, one));
}

/// The status of a write whose record is too large to be stored, and whether its record has overflowed.
fn after_a_write_too_large_for_its_record(rules: Rules) -> (u16, Option<Number>) {
    let mut site = site(rules);
    let before = site.generation().unwrap_or(Number::ZERO);
    // In JSON each of them takes two bytes.
    let quotes = "\"".repeat(1_200_000);
    let response = site.send(site.primary, post(vec![enqueue(&quotes)]));
    let newest = "SELECT overflowed FROM cfw_repl_log WHERE generation > ?";
    (
        response.status,
        site.number(site.primary, newest, &[Value::Number(before)]),
    )
}

/// A record that cannot be stored would leave a hole: it overflows (`seal-in-one-turn`).
#[test]
fn a_record_that_would_be_too_large_overflows() {
    assert_eq!(
        after_a_write_too_large_for_its_record(Rules::DOCUMENTED),
        (500, None)
    );
    assert_eq!(
        after_a_write_too_large_for_its_record(hardened()),
        (200, Some(Number::integer(1)))
    );
}

/// A primary whose head is ahead of its log, as a documented one that was reset in mid-seal, has no more to send: a lane
/// that pulls until it is level must not ask it for ever (`pull-until-level`).
#[test]
fn a_round_ends_with_an_answer_that_is_not_full() {
    let rules = hardened();
    let mut desk = Desk::<ModelStore>::new(Version { rules, ..version() }, "example.com#r1");
    assert_eq!(
        desk.ask(Request::get("/__migrate"), |_, _| digest("fp")).status,
        200
    );
    desk.run("INSERT INTO cfw_meta (k, v) VALUES ('replica_stage', 'CATCHING_UP')");
    let mut pulls = 0;
    let round = Request::get("/__replica?action=catchup&limit=1");
    let answer = desk.ask(round, |label, _| {
        let text = match label {
            labels::READ_HEAD => r#"{"generation":9,"fingerprint":"fp","schemaVersion":"p1"}"#,
            labels::READ_LOG if pulls == 0 => {
                pulls += 1;
                r#"{"records":[{"generation":1,"parent":0,"schemaVersion":"p1","fingerprint":"f","overflowed":false,"statements":[]}]}"#
            }
            labels::READ_LOG => {
                pulls += 1;
                assert!(pulls <= 2, "an answer without records is followed by no other pull");
                r#"{"records":[]}"#
            }
            _ => return digest("fp"),
        };
        Ok(Answer::Response(Response::new(200, Body::text(text))))
    });
    assert_eq!(
        (answer.status, pulls),
        (200, 2),
        "one full answer, one empty one, and no more"
    );
}
