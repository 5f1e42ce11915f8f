//! `protocol::lanes::log`: positions, and records that are applied on them.

use protocol::host::Text;
use protocol::lanes::log::{ApplyOptions, Distrust, Inflight, Position, PositionFacts};
use protocol::lanes::rules::Rules;
use protocol::number::Number;

use super::store::Store;
use super::wire::{message, optional_text};
use super::{Js, Ran, Runner, Stop};

const RULES: Rules = Rules::DOCUMENTED;

/// The runners of this area.
pub fn runners() -> Vec<Runner> {
    vec![
        Runner::answers("readPosition", read_position),
        Runner::answers("positionTrust", position_trust),
        Runner::answers("planApply", plan_apply),
        Runner::answers("applyRecord", apply_record),
    ]
}

fn read_position(input: &Js) -> Ran {
    let meta = input.field("meta");
    let (applied, inflight) = (
        optional_text(meta.field("repl_applied"))?,
        optional_text(meta.field("repl_inflight"))?,
    );
    let position = (RULES.log.read_position)(&PositionFacts {
        applied: applied.as_deref(),
        inflight: inflight.as_deref(),
    });
    let marker = position
        .inflight
        .map(|marker| Js::object([("from", marker.from.into()), ("to", marker.to.into())]));
    Ok(Js::object([
        ("applied", position.applied.into()),
        ("inflight", marker.into()),
    ]))
}

fn position(value: &Js) -> Result<Position, Stop> {
    let marker = |value: &Js| {
        Ok(Inflight {
            from: value.field("from").number()?,
            to: value.field("to").number()?,
        })
    };
    Ok(Position {
        applied: value.field("applied").number()?,
        inflight: value.field("inflight").option(marker)?,
    })
}

fn position_trust(input: &Js) -> Ran {
    let position = position(input)?;
    let trust = (RULES.log.position_trust)(&position);
    let reason = trust.err().map_or(Js::Undefined, |why| why.to_string().into());
    let valid_at = trust
        .err()
        .map_or(position.applied, |why: Distrust| why.valid_at(&position));
    Ok(Js::object([
        ("trusted", trust.is_ok().into()),
        ("validAt", valid_at.into()),
        ("reason", reason),
    ]))
}

fn plan_apply(input: &Js) -> Ran {
    let schema = optional_text(input.field("localSchema"))?;
    let record = message(input.field("record"))?;
    let plan = (RULES.log.plan_apply)(
        &RULES,
        &position(input.field("position"))?,
        &record,
        schema.as_deref(),
    );
    Ok(Js::object([
        ("action", plan.action().as_str().into()),
        ("reason", plan.reason().into()),
    ]))
}

fn apply_record(input: &Js) -> Ran {
    let mut store = Store::of(input.field("meta"))?;
    store.fail_at = input
        .field("failAtExec")
        .option(Js::number)?
        .and_then(Number::to_u64_exact);
    let schema = optional_text(input.field("localSchema"))?.map(Text::from);
    let options = ApplyOptions {
        local_schema: schema.as_deref(),
        chunk_size: input
            .field("chunkSize")
            .option(Js::number)?
            .unwrap_or(Number::INFINITY),
    };
    let mut outcomes = Vec::new();
    for record in input.field("records").array()? {
        let outcome = store.apply(&RULES, &message(record)?, &options);
        outcomes.push(match outcome {
            Ok(answer) => Js::object([
                ("action", answer.action.to_text().as_str().into()),
                ("reason", answer.reason.to_text().as_str().into()),
                ("applied", answer.applied.to_number().into()),
                ("chunks", answer.chunks.to_number().into()),
            ]),
            Err(thrown) => Js::object([("$throws", thrown.into())]),
        });
    }
    Ok(Js::object([
        ("outcomes", outcomes.into()),
        ("meta", store.meta()),
        ("executed", store.executed()),
        ("transactions", store.transactions.into()),
    ]))
}
