//! The Worker under the real runtime.

mod as_simulated;

use std::process::ExitCode;
use std::time::Duration;

use demonstration::{labels, names};
use libtest_mimic::Failed;
use protocol::host::{Body, CallError, Millis, ObjectName, Request, Text, Value};
use protocol_worker::abi::{Function, Hexadecimal};
use protocol_worker::conformance::Fault;
use protocol_worker::record::{Moment, RecordLine};
use tests::pieces::{Piece, run, trial};
use tests::replay::replay_all;
use tests::workerd::{Setup, Workerd};

const NEEDS: &[Piece] = &[Piece::Wasm, Piece::Workerd];

fn main() -> ExitCode {
    run(vec![
        trial("workerd::counter_adds", NEEDS, counter_adds),
        trial(
            "workerd::a_follower_pulls_by_alarm_and_on_a_nudge",
            NEEDS,
            a_follower_pulls,
        ),
        trial(
            "workerd::the_older_of_two_pulls_arrives_last",
            NEEDS,
            the_older_pull_arrives_last,
        ),
        trial(
            "workerd::as_simulated::older_answer_last_documented",
            NEEDS,
            as_simulated::older_answer_last_documented,
        ),
        trial(
            "workerd::as_simulated::older_answer_last_hardened",
            NEEDS,
            as_simulated::older_answer_last_hardened,
        ),
        trial("workerd::as_simulated::lost_pull", NEEDS, as_simulated::lost_pull),
        trial(
            "workerd::an_abort_ends_the_incarnation",
            NEEDS,
            an_abort_ends_the_incarnation,
        ),
        trial("workerd::lost_calls_fail_as_told", NEEDS, lost_calls_fail_as_told),
        trial(
            "workerd::a_kill_loses_nothing_that_was_answered",
            NEEDS,
            a_kill_loses_nothing,
        ),
        trial(
            "workerd::a_client_that_hangs_up_breaks_nothing",
            NEEDS,
            a_client_that_hangs_up_breaks_nothing,
        ),
        trial("workerd::entropy_is_as_told", NEEDS, entropy_is_as_told),
        trial(
            "workerd::a_panic_resets_and_says_why",
            NEEDS,
            a_panic_resets_and_says_why,
        ),
    ])
}

fn add(by: u32, token: &str) -> Request {
    Request::post(
        "/add",
        Body::text(format!("{{\"by\":{by},\"token\":\"{token}\"}}")),
    )
}

fn of_follower(request: Request, number: &str) -> Request {
    let mut request = request;
    request.headers.set("x-follower", number.to_owned());
    request
}

/// What the runtime has recorded, the module does again under the interpreter.
fn replayed(record: &[RecordLine], variant: &str) -> Result<(), Failed> {
    let module = std::fs::read(Piece::Wasm.require()?)?;
    let stats = replay_all(&module, "demonstration", variant, record)?;
    assert!(stats.crossings > 0, "{stats:?}");
    Ok(())
}

/// The texts of all crossings of one function by one object.
fn crossings(record: &[RecordLine], who: &str, function: Function) -> Vec<String> {
    let own = record.iter().filter(|line| line.who == who);
    own.filter_map(|line| match &line.what {
        Moment::Cross {
            function: crossed,
            args,
            ..
        } if *crossed == function => Some(args.get().to_owned()),
        _ => None,
    })
    .collect()
}

fn counter_adds() -> Result<(), Failed> {
    let mut workerd = Workerd::start(&Setup::demonstration("hardened"))?;
    let main = ObjectName::new("main");
    for (by, token) in [(5, "a"), (2, "b"), (2, "b")] {
        let answer = workerd.ask(&add(by, token))?;
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

const QUIET: Duration = Duration::from_millis(150);

fn a_follower_pulls() -> Result<(), Failed> {
    let workerd = Workerd::start(&Setup::demonstration("hardened"))?;
    let followed = workerd.ask(&of_follower(Request::post("/follow", Body::default()), "1"))?;
    assert_eq!(followed.status, 204, "{followed:?}");
    workerd.ask(&add(3, "a"))?;
    workerd.quiet_record(QUIET)?;
    let value = workerd.ask(&of_follower(Request::get("/value"), "1"))?;
    assert_eq!(value.body.to_text(), r#"{"value":3,"applied":1}"#);
    // The alarm that the first nudge set rings after two seconds.
    let mut record = workerd.record()?;
    for _ in 0..30 {
        let rang = |line: &RecordLine| matches!(&line.what, Moment::Event { event, .. } if event.get().contains("alarm"));
        if record.iter().any(rang) {
            break;
        }
        record = workerd.quiet_record(QUIET)?;
    }
    let set = crossings(&record, "follower/main#f1", Function::SetAlarm);
    assert!(set.len() >= 2, "set on a nudge and after the alarm: {set:?}");
    replayed(&record, "hardened")
}

/// Two pulls overlap and the first answer comes last: what the document gets wrong, on the real runtime.
fn the_older_pull_arrives_last() -> Result<(), Failed> {
    for (variant, expected) in [
        ("documented", r#"{"value":4,"applied":1}"#),
        ("hardened", r#"{"value":3,"applied":2}"#),
    ] {
        let mut setup = Setup::demonstration(variant);
        setup.conformance.faults.push(Fault {
            from: Text::new_static("follower/main#f1"),
            label: Text::new_static(labels::PULL.0),
            nth: 1,
            answer_delay: Millis(400),
            ..Fault::default()
        });
        let workerd = Workerd::start(&setup)?;
        workerd.ask(&of_follower(Request::post("/follow", Body::default()), "1"))?;
        workerd.quiet_record(QUIET)?;
        workerd.ask(&add(1, "a"))?;
        workerd.ask(&add(2, "b"))?;
        let record = workerd.quiet_record(Duration::from_millis(600))?;
        let value = workerd
            .ask(&of_follower(Request::get("/value"), "1"))?
            .body
            .to_text();
        assert_eq!(value, expected, "{variant}");
        replayed(&record, variant)?;
    }
    Ok(())
}

fn an_abort_ends_the_incarnation() -> Result<(), Failed> {
    let workerd = Workerd::start(&Setup::demonstration("hardened"))?;
    workerd.ask(&add(3, "a"))?;
    let reset = workerd.ask(&Request::post("/reset", Body::default()))?;
    assert!(
        reset.status >= 500,
        "nobody answers for an aborted object: {reset:?}"
    );
    let value = workerd.ask(&Request::get("/value"))?;
    assert_eq!(value.body.to_text(), r#"{"value":3,"applied":1}"#);
    let record = workerd.quiet_record(QUIET)?;
    let lives = record
        .iter()
        .filter(|line| line.who == "counter/main")
        .map(|line| line.life)
        .max();
    // The front repeats what has failed, so the counter was reset twice.
    assert_eq!(lives, Some(3), "the value was answered by another incarnation");
    let failed = record.iter().any(
        |line| matches!(&line.what, Moment::Event { event, .. } if event.get().contains(r#""reset":true"#)),
    );
    assert!(failed, "the front saw that the object was reset");
    replayed(&record, "hardened")
}

fn lost_calls_fail_as_told() -> Result<(), Failed> {
    let mut setup = Setup::demonstration("hardened");
    let lost = CallError {
        retryable: true,
        ..CallError::thrown("Network connection lost.")
    };
    let fault = Fault {
        from: Text::new_static("front"),
        label: Text::new_static(labels::REACH.0),
        ..Fault::default()
    };
    setup.conformance.faults = vec![
        Fault {
            nth: 0,
            lost: Some(lost.clone()),
            ..fault.clone()
        },
        Fault {
            nth: 1,
            answer_lost: Some(lost),
            ..fault
        },
    ];
    let workerd = Workerd::start(&setup)?;
    // Whatever became of the first try, the front's second one adds it, and it counts once.
    for token in ["a", "b"] {
        assert_eq!(workerd.ask(&add(1, token))?.status, 200);
    }
    let value = workerd.ask(&Request::get("/value"))?;
    assert_eq!(value.body.to_text(), r#"{"value":2,"applied":2}"#);
    let record = workerd.quiet_record(QUIET)?;
    assert_eq!(
        crossings(&record, "front", Function::Sleep).len(),
        2,
        "the front has paused before each retry"
    );
    replayed(&record, "hardened")
}

fn entropy_is_as_told() -> Result<(), Failed> {
    let mut setup = Setup::demonstration("hardened");
    let told = Hexadecimal((0..16).collect());
    setup.conformance.entropy.insert(Text::new_static("front"), told);
    let workerd = Workerd::start(&setup)?;
    for id in ["0001020304050607", "08090a0b0c0d0e0f"] {
        let answer = workerd.ask(&Request::get("/value"))?;
        assert_eq!(answer.headers.get("x-request-id"), Some(id));
    }
    // The list is at its end: a trap, which ends the isolate's instance and not the isolate.
    assert_eq!(workerd.ask(&Request::get("/value"))?.status, 500);
    let record = workerd.record()?;
    let trapped = record
        .iter()
        .any(|line| matches!(&line.what, Moment::Trapped { message } if message.contains("entropy")));
    assert!(trapped, "the record says why");
    Ok(())
}

fn a_panic_resets_and_says_why() -> Result<(), Failed> {
    let workerd = Workerd::start(&Setup::demonstration("no-such-variant"))?;
    let answer = workerd.ask(&Request::get("/value"))?;
    assert_eq!(answer.status, 500);
    let object = workerd.ask_object(&names::COUNTER, &ObjectName::new("main"), &Request::get("/value"))?;
    assert_eq!(object.status, 500);
    let record = workerd.record()?;
    for who in ["front", "counter/main"] {
        let said = record.iter().any(|line| {
            line.who == who
                && matches!(&line.what, Moment::Trapped { message } if message.contains("has no variant `no-such-variant`"))
        });
        assert!(said, "the panic's words are on record for {who}: {record:?}");
    }
    Ok(())
}

fn a_kill_loses_nothing() -> Result<(), Failed> {
    let mut workerd = Workerd::start(&Setup::demonstration("hardened"))?;
    for (by, token) in [(3, "a"), (4, "b")] {
        workerd.ask(&add(by, token))?;
        workerd.kill();
        workerd.restart()?;
    }
    let value = workerd.ask(&Request::get("/value"))?;
    assert_eq!(value.body.to_text(), r#"{"value":7,"applied":2}"#);
    Ok(())
}

/// This runtime does not tell a Worker that its client has gone, with or without `waitUntil`; production does.
fn a_client_that_hangs_up_breaks_nothing() -> Result<(), Failed> {
    let mut setup = Setup::demonstration("hardened");
    setup.conformance.faults.push(Fault {
        from: Text::new_static("front"),
        label: Text::new_static(labels::REACH.0),
        answer_delay: Millis(300),
        ..Fault::default()
    });
    let workerd = Workerd::start(&setup)?;
    workerd.ask_and_go(&add(3, "a"), Duration::from_millis(100))?;
    let record = workerd.quiet_record(Duration::from_millis(400))?;
    assert_eq!(
        crossings(&record, "front", Function::Finished).len(),
        1,
        "its task goes on to its end"
    );
    let value = workerd.ask(&Request::get("/value"))?;
    assert_eq!(value.body.to_text(), r#"{"value":3,"applied":1}"#);
    replayed(&workerd.record()?, "hardened")
}
