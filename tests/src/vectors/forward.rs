//! `protocol::lanes`, forwarding.

use protocol::host::Text;
use protocol::lanes::forward::{
    Attempt, Flush, ForwardAction, ForwardAnswer, ForwardBatch, ForwardFacts, ForwardStatement, Split,
};

use protocol::lanes::rules::Rules;

use super::{Js, Ran, Runner, Stop};

const RULES: Rules = Rules::DOCUMENTED;

/// The runners of this area.
pub fn runners() -> Vec<Runner> {
    vec![
        Runner::answers("partitionedTables", |input| {
            let tables = (RULES.forwarding.partitioned)(&RULES, &statements(input)?);
            Ok(Js::encode(&tables))
        }),
        Runner::answers("laneHighWater", |input| {
            Ok(Js::encode(&(RULES.forwarding.high_water)(&statements(input)?)))
        }),
        Runner::answers("deferrable", |input| {
            Ok(statement_or_none((RULES.forwarding.deferrable)(
                &RULES,
                &statement(input)?,
            )))
        }),
        Runner::answers("cacheTagIncrement", |input| {
            Ok(statement_or_none((RULES.forwarding.cache_tag_increment)(
                &RULES,
                &statement(input)?,
            )))
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
    let target = (RULES.forwarding.key_value_target)(&RULES, &statement(input)?);
    Ok(target.map_or(Js::Null, |target| {
        Js::object([
            ("collection", target.collection.as_str().into()),
            ("name", target.name.as_str().into()),
        ])
    }))
}

fn split(input: &Js) -> Ran {
    let Split { commit, deferred } = (RULES.forwarding.split)(&RULES, &statements(input)?);
    Ok(Js::object([
        ("commit", Js::encode(&commit)),
        ("deferred", Js::encode(&deferred)),
    ]))
}

fn plan(input: &Js) -> Ran {
    // `statements` is read as the wire reads it: what is no list is an empty one.
    let batch: ForwardBatch = Js::object([("statements", input.field("statements").clone())]).decode()?;
    let partitioned: Option<Vec<Text>> = input.field("partitioned").option(Js::decode)?;
    let plan = (RULES.forwarding.plan)(
        &RULES,
        &ForwardFacts {
            statements: &batch.statements,
            parent: input.field("parent").number()?,
            primary_generation: input.field("primaryGeneration").number()?,
            partitioned: &partitioned.unwrap_or_default(),
        },
    );
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
        let action = match (RULES.forwarding.after_answer)(attempt, &answer) {
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
