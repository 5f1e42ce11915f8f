//! `protocol::lanes`, the read-only guard.

use protocol::host::End;
use protocol::lanes::bridge::{PayloadError, read_payload};
use protocol::lanes::guard::{Collector, GuardFacts, Guarded, SqlCall};
use protocol::lanes::handoff::{GuardState, Started};
use protocol::lanes::rules::Rules;

use super::{Js, Ran, Runner, unheld};

const RULES: Rules = Rules::DOCUMENTED;

/// The runners of this area.
pub fn runners() -> Vec<Runner> {
    vec![
        Runner::answers("statementAllowedOnReplica", |input| {
            Ok((RULES.guard.allows)(&RULES, &input.field("sql").text()?).into())
        }),
        Runner::answers("classifyCapability", |input| {
            Ok((RULES.guard.classify)(&input.field("name").text()?)
                .to_string()
                .into())
        }),
        Runner::answers("guardCall", call),
        Runner::answers("replicaHandoff", handoff),
    ]
}

fn call(input: &Js) -> Ran {
    let facts = GuardFacts {
        capability: &input.field("capability").text()?,
        payload: &input.field("payload").text()?,
        collector: if input.field("collector").bool()? {
            Collector::Present
        } else {
            Collector::Absent
        },
    };
    Ok(match (RULES.guard.call)(&RULES, &facts) {
        Ok(Guarded::Pass) => Js::object([("outcome", "pass".into())]),
        Ok(Guarded::PassSql(passed)) => Js::object([
            ("outcome", "pass".into()),
            ("payload", passed_payload(facts.payload, &passed).as_str().into()),
        ]),
        Ok(Guarded::Speculate {
            transaction,
            collected,
        }) => Js::object([
            ("outcome", "speculate".into()),
            ("forcedCommit", (transaction.end == End::Commit).into()),
            ("collected", collected.is_some().into()),
        ]),
        Err(refusal) => Js::object([
            ("outcome", "refuse".into()),
            ("detail", refusal.detail.to_string().into()),
        ]),
    })
}

/// What became of the payload of a call that passed: `unchanged` where it runs what the payload says.
pub(super) fn passed_payload(payload: &str, passed: &SqlCall) -> String {
    let given = match passed {
        SqlCall::Exec(_) => read_payload(payload).map(SqlCall::Exec),
        SqlCall::Transaction(_) => read_payload(payload).map(SqlCall::Transaction),
    };
    match given {
        Ok(given) if given == *passed => "unchanged".to_owned(),
        Ok(_) => format!("changed to {passed:?}"),
        Err(PayloadError { field, why }) => format!("passed although unreadable: {field}: {why}"),
    }
}

fn handoff(input: &Js) -> Ran {
    let guard = match input.field("guard").text()?.as_str() {
        "absent" => GuardState::Absent,
        "idle" => GuardState::Idle,
        "mutating" => GuardState::Mutating,
        other => return unheld(format!("no state of a guard: {other}")),
    };
    let handoff = (RULES.guard.handoff)(guard, Started::Perhaps);
    Ok(Js::object([
        ("status", u32::from(handoff.status()).into()),
        ("retrySafe", handoff.retry_safe().into()),
        ("requiresPrimary", handoff.names_capability().into()),
    ]))
}
