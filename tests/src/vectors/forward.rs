//! `protocol::lanes`, forwarding.

use protocol::host::Text;
use protocol::lanes::forward::{
    Attempt, Flush, ForwardAction, ForwardAnswer, ForwardBatch, ForwardFacts, ForwardStatement, Split,
};

use protocol::lanes::rules::Rules;

use super::wire::message;
use super::{Js, Ran, Runner, Stop, threw};

const RULES: Rules = Rules::DOCUMENTED;
const COMMIT: &str = ForwardAction::Commit.as_str();

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
    message(input.field("statement"))
}

/// The input, read as the body of a batch.
fn batch(input: &Js) -> Result<(ForwardBatch, Vec<ForwardStatement>), Stop> {
    let batch: ForwardBatch = message(input)?;
    let statements = batch.read_statements().or_else(threw)?;
    Ok((batch, statements))
}

fn statements(input: &Js) -> Result<Vec<ForwardStatement>, Stop> {
    batch(input).map(|(_, statements)| statements)
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
    let (batch, statements) = batch(input)?;
    let plan = (RULES.forwarding.plan)(
        &RULES,
        &ForwardFacts {
            statements: &statements,
            parent: batch.parent.to_number(),
            primary_generation: input.field("primaryGeneration").number()?,
            partitioned: &batch.read_partitioned(),
        },
    );
    Ok(Js::object([
        ("action", plan.action().to_string().into()),
        ("reason", plan.reason().into()),
    ]))
}

/// Sends until the rule says that it is over.
fn flush(input: &Js) -> Ran {
    let answers = input.field("answers").array()?;
    let (mut sends, mut attempt) = (vec![input.field("parent").number()?], Attempt::First);
    for answer in answers {
        let answer: ForwardAnswer = message(answer)?;
        let action = match (RULES.forwarding.after_answer)(attempt, &answer) {
            Flush::Resend(parent) => {
                sends.push(parent);
                attempt = Attempt::Second;
                continue;
            }
            Flush::Committed => Text::new_static(COMMIT),
            Flush::HandBack { action, .. } => action,
        };
        let is_commit = action == COMMIT;
        return Ok(Js::object([
            ("sends", sends.into()),
            ("action", action.as_str().into()),
            ("marksLaneHigh", is_commit.into()),
            ("handedBack", (!is_commit).into()),
        ]));
    }
    super::unheld("the answers end before the flow does")
}
