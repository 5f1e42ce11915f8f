//! `protocol::lanes`, forwarding.

use protocol::host::Text;
use protocol::lanes::forward::{
    self, Attempt, Flush, ForwardAction, ForwardAnswer, ForwardBatch, ForwardFacts, ForwardStatement, Split,
};

use super::{Js, Ran, Runner, Stop};

/// The runners of this area.
pub fn runners() -> Vec<Runner> {
    vec![
        Runner::answers("partitionedTables", |input| {
            let tables = forward::partitioned_tables(&statements(input)?);
            Ok(Js::encode(&tables))
        }),
        Runner::answers("laneHighWater", |input| {
            Ok(Js::encode(&forward::lane_high_water(&statements(input)?)))
        }),
        Runner::answers("deferrable", |input| {
            Ok(statement_or_none(forward::deferrable(&statement(input)?)))
        }),
        Runner::answers("cacheTagIncrement", |input| {
            Ok(statement_or_none(forward::cache_tag_increment(&statement(
                input,
            )?)))
        }),
        Runner::answers("keyValueTarget", key_value_target),
        Runner::answers("splitForward", split),
        Runner::answers("planForward", plan),
        Runner::answers("flushForwardRetry", flush),
    ]
}

fn statement(input: &Js) -> Result<ForwardStatement, Stop> {
    input.field("statement").decode()
}

fn statements(input: &Js) -> Result<Vec<ForwardStatement>, Stop> {
    input.field("statements").decode()
}

fn statement_or_none(statement: Option<ForwardStatement>) -> Js {
    statement.map_or(Js::Null, |statement| Js::encode(&statement))
}

fn key_value_target(input: &Js) -> Ran {
    let target = forward::key_value_target(&statement(input)?);
    Ok(target.map_or(Js::Null, |target| {
        Js::object([
            ("collection", target.collection.as_str().into()),
            ("name", target.name.as_str().into()),
        ])
    }))
}

fn split(input: &Js) -> Ran {
    let Split { commit, deferred } = forward::split_forward(&statements(input)?);
    Ok(Js::object([
        ("commit", Js::encode(&commit)),
        ("deferred", Js::encode(&deferred)),
    ]))
}

fn plan(input: &Js) -> Ran {
    // `statements` is read as the wire reads it: what is no list is an empty one.
    let batch: ForwardBatch = Js::object([("statements", input.field("statements").clone())]).decode()?;
    let partitioned: Option<Vec<Text>> = input.field("partitioned").option(Js::decode)?;
    let plan = forward::plan_forward(&ForwardFacts {
        statements: &batch.statements,
        parent: input.field("parent").number()?,
        primary_generation: input.field("primaryGeneration").number()?,
        partitioned: &partitioned.unwrap_or_default(),
    });
    Ok(Js::object([
        ("action", plan.action().to_string().into()),
        ("reason", plan.reason().into()),
    ]))
}

/// Sends until the rule says that it is over.
fn flush(input: &Js) -> Ran {
    let answers: Vec<ForwardAnswer> = input.field("answers").decode()?;
    let (mut sends, mut attempt) = (vec![input.field("parent").number()?], Attempt::First);
    for answer in answers {
        let action = match forward::after_answer(attempt, &answer) {
            Flush::Resend(parent) => {
                sends.push(parent);
                attempt = Attempt::Second;
                continue;
            }
            Flush::Committed => ForwardAction::Commit,
            Flush::HandBack { action, .. } => action,
        };
        let is_commit = action == ForwardAction::Commit;
        return Ok(Js::object([
            ("sends", sends.into()),
            ("action", action.to_string().into()),
            ("marksLaneHigh", is_commit.into()),
            ("handedBack", (!is_commit).into()),
        ]));
    }
    super::unheld("the answers end before the flow does")
}
