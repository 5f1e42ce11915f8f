//! `protocol::lanes::admission` and `protocol::lanes::fingerprint`.

use protocol::host::Value;
use protocol::lanes::admission::{AdmissionFacts, Stage, StageName, StateEntry};
use protocol::lanes::fingerprint::StateRow;
use protocol::lanes::rules::Rules;
use protocol::number::Number;

use super::wire::{optional_text, texts};
use super::{Js, Ran, Runner, Stop};

const RULES: Rules = Rules::DOCUMENTED;

/// The runners of this area.
pub fn runners() -> Vec<Runner> {
    vec![
        Runner::answers("canTransition", can_transition),
        Runner::judges("missingMandatory", missing_mandatory),
        Runner::judges("admissionVerdict", admission_verdict),
        Runner::judges("fingerprintState", fingerprint_state),
    ]
}

/// A text that names no stage moves nowhere, by type.
fn can_transition(input: &Js) -> Ran {
    let stage = |key: &str| Ok::<_, Stop>(Stage::named(&input.field(key).text()?));
    let legal = match (stage("from")?, stage("to")?) {
        (Some(from), Some(to)) => (RULES.admission.can_transition)(from, to),
        _ => false,
    };
    Ok(legal.into())
}

fn entries(value: &Js) -> Result<Vec<StateEntry>, Stop> {
    let entry = |value: &Js| {
        Ok(StateEntry {
            collection: value.field("collection").text()?.into(),
            name: value.field("name").text()?.into(),
        })
    };
    value.array()?.iter().map(entry).collect()
}

/// Compared as a set: the deployed order is not known.
fn missing_mandatory(input: &Js, expect: &Js) -> Result<Option<String>, Stop> {
    let present = entries(input.field("presentState"))?;
    let collections = texts(input.field("presentCollections"))?;
    let missing = (RULES.admission.missing_mandatory)(&present, &collections);
    let mut got: Vec<String> = missing.iter().map(ToString::to_string).collect();
    let mut wanted: Vec<String> = texts(expect)?.into_iter().map(String::from).collect();
    got.sort();
    wanted.sort();
    Ok((got != wanted).then(|| format!("missing {got:?}, expected {wanted:?}")))
}

fn admission_verdict(input: &Js, expect: &Js) -> Result<Option<String>, Stop> {
    let present = entries(input.field("presentState"))?;
    let collections = texts(input.field("presentCollections"))?;
    let text = |key: &str| optional_text(input.field(key));
    let (own, primary) = (text("fingerprint")?, text("primaryFingerprint")?);
    let (schema, primary_schema) = (text("schemaVersion")?, text("primarySchemaVersion")?);
    let verdict = (RULES.admission.verdict)(
        &RULES,
        &AdmissionFacts {
            stage: StageName::of(&input.field("stage").text()?),
            present_state: &present,
            present_collections: &collections,
            applied: generation(input.field("appliedGeneration")),
            advertised: generation(input.field("advertisedGeneration")),
            fingerprint: own.as_deref(),
            primary_fingerprint: primary.as_deref(),
            schema: schema.as_deref(),
            primary_schema: primary_schema.as_deref(),
        },
    );
    let refusals: Vec<String> = verdict.refusals().iter().map(ToString::to_string).collect();
    let said = refusals.join("; ");
    let mut wrong = Vec::new();
    if verdict.is_admitted() != expect.field("admitted").bool()? {
        wrong.push(format!("admitted: {}", verdict.is_admitted()));
    }
    if let Some(stage) = optional_text(expect.field("stage"))?
        && verdict.stage().as_str() != stage
    {
        wrong.push(format!("stage {}, expected {stage}", verdict.stage()));
    }
    let least = expect
        .field("refusalCountAtLeast")
        .option(Js::number)?
        .and_then(|least| least.to_u64_exact());
    if (refusals.len() as u64) < least.unwrap_or(0) {
        wrong.push("too few refusals".to_owned());
    }
    for mention in texts(expect.field("mentions"))? {
        if !said.contains(mention.as_str()) {
            wrong.push(format!("{mention:?} is not mentioned"));
        }
    }
    Ok((!wrong.is_empty()).then(|| format!("{}; refusals: {said:?}", wrong.join(", "))))
}

/// `Number.isFinite` coerces nothing: what is no number is as little finite as NaN (`lanes.md` 19.6).
fn generation(value: &Js) -> Number {
    value.number().unwrap_or(Number::NAN)
}

/// Only whether two states have the same bytes: SHA-256 of different bytes differs as far as anybody knows.
fn fingerprint_state(input: &Js, expect: &Js) -> Result<Option<String>, Stop> {
    let bytes = |key: &str| {
        let rows = input.field(key).array()?.iter().map(state_row);
        Ok::<_, Stop>((RULES.fingerprint.canonical_bytes)(
            &rows.collect::<Result<Vec<_>, _>>()?,
        ))
    };
    let equal = bytes("a")? == bytes("b")?;
    Ok((equal != expect.field("equal").bool()?).then(|| format!("equal: {equal}")))
}

fn state_row(row: &Js) -> Result<StateRow, Stop> {
    Ok(StateRow {
        table: row.field("table").text()?.into(),
        collection: cell(row.field("collection"))?,
        name: cell(row.field("name"))?,
        value: cell(row.field("value"))?,
    })
}

fn cell(value: &Js) -> Result<Value, Stop> {
    Ok(match value {
        Js::Null | Js::Undefined => Value::Null,
        Js::Number(number) => Value::Number(*number),
        Js::Text(_) => Value::text(value.text()?),
        other => Value::text(other.to_text().to_string_lossy()),
    })
}
