//! The Worker under the real runtime.

use std::process::ExitCode;
use std::time::Duration;

use demonstration::names;
use libtest_mimic::Failed;
use protocol::host::{Body, ObjectName, Request, Value};
use tests::pieces::{Piece, run, trial};
use tests::workerd::{Setup, Workerd};

const NEEDS: &[Piece] = &[Piece::Wasm, Piece::Workerd];

fn main() -> ExitCode {
    run(vec![trial("workerd::counter_adds", NEEDS, counter_adds)])
}

fn counter_adds() -> Result<(), Failed> {
    let mut workerd = Workerd::start(&Setup::demonstration("hardened"))?;
    let main = ObjectName::new("main");
    for (by, token) in [(5, "a"), (2, "b"), (2, "b")] {
        let body = Body::text(format!("{{\"by\":{by},\"token\":\"{token}\"}}"));
        let answer = workerd.ask(&Request::post("/add", body))?;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let value = workerd.ask(&Request::get("/value"))?;
    assert_eq!(value.body.to_text(), r#"{"value":7,"applied":2}"#);
    let record = workerd.quiet_record(Duration::from_millis(50))?;
    assert!(
        record.iter().any(|line| line.who == "counter/main"),
        "the counter is on record"
    );
    let id = workerd.id(&names::COUNTER, &main)?;
    workerd.kill();
    let tables = workerd.tables(&names::COUNTER, &id)?;
    assert_eq!(tables["counter"], [[Value::from(1), Value::from(7)]]);
    assert_eq!(tables["log"].len(), 2, "{tables:?}");
    Ok(())
}
