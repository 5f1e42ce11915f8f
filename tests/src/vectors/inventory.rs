//! `protocol::lanes`, the inventory of state, and the tally of writes.

use std::collections::BTreeMap;

use protocol::host::Text;
use protocol::lanes::inventory::StateKey;
use protocol::lanes::rules::Rules;
use protocol::lanes::tally::Tally;
use protocol::number::Number;

use super::{Js, Ran, Runner, Stop};

const RULES: Rules = Rules::DOCUMENTED;

/// The runners of this area.
pub fn runners() -> Vec<Runner> {
    vec![
        Runner::answers("classifyState", |input| {
            key(input, |key| (RULES.inventory.classify)(&key).to_string().into())
        }),
        Runner::answers("hazardClass", |input| {
            key(input, |key| {
                (RULES.inventory.hazard)(&RULES, &key).to_string().into()
            })
        }),
        Runner::answers("isReplicaLocalTable", |input| {
            Ok((RULES.inventory.is_replica_local)(&input.field("table").text()?).into())
        }),
        Runner::answers("authoritativeWrites", writes),
    ]
}

fn key(input: &Js, answer: impl FnOnce(StateKey<'_>) -> Js) -> Ran {
    let table = input.field("table").text()?;
    let collection = input.field("collection").option(Js::text)?;
    let name = input.field("name").option(Js::text)?;
    Ok(answer(StateKey {
        table: &table,
        collection: collection.as_deref(),
        name: name.as_deref(),
    }))
}

fn counts(input: &Js) -> Result<BTreeMap<Text, u64>, Stop> {
    if input.is_nothing() {
        return Ok(BTreeMap::new());
    }
    input.decode()
}

fn writes(input: &Js) -> Ran {
    let tally = Tally {
        rows: counts(input.field("byTable"))?,
        statements: counts(input.field("statementsByTable"))?,
        shapes: counts(input.field("shapes"))?,
    };
    let writes = (RULES.guard.authoritative_writes)(&RULES, &tally)
        .into_iter()
        .map(|write| {
            Js::object([
                ("table", write.table.as_str().into()),
                ("rows", Number::from(write.rows).into()),
                ("statements", Number::from(write.statements).into()),
            ])
        });
    Ok(Js::Array(writes.collect()))
}
