//! `protocol::lanes::restore`: what is copied, in which pages, and which chunks may land.

use protocol::lanes::restore::{PAGE_ROWS, Place, StepEnd};
use protocol::lanes::rules::Rules;
use protocol::number::Number;

use super::store::statement;
use super::wire::{message, optional_text, texts};
use super::{Js, Ran, Runner, Stop, unheld};

const RULES: Rules = Rules::DOCUMENTED;

/// The runners of this area.
pub fn runners() -> Vec<Runner> {
    vec![
        Runner::answers("planRestore", plan_restore),
        Runner::answers("chunkRefusal", chunk_refusal),
        Runner::answers("restoreStatements", restore_statements),
        Runner::answers("provisionPaging", provision_paging),
    ]
}

fn plan_restore(input: &Js) -> Ran {
    let plans = (RULES.copies.plan)(&RULES, &texts(input.field("tables"))?);
    let plan = |plan: &protocol::lanes::restore::TablePlan| {
        Js::object([
            ("table", plan.table.as_str().into()),
            ("status", plan.status.to_string().into()),
            ("copy", plan.copying.is_copied().into()),
            ("reason", plan.copying.as_str().into()),
        ])
    };
    Ok(plans.iter().map(plan).collect::<Vec<_>>().into())
}

fn chunk_refusal(input: &Js) -> Ran {
    let schema = optional_text(input.field("localSchema"))?;
    let begun_at = input.field("begunAt").option(Js::number)?;
    let refusal = (RULES.copies.chunk_refusal)(
        &RULES,
        &message(input.field("chunk"))?,
        schema.as_deref(),
        begun_at,
    );
    Ok(refusal.map(|refusal| refusal.to_string()).into())
}

fn restore_statements(input: &Js) -> Ran {
    let statements = (RULES.copies.restore_statements)(&message(input.field("chunk"))?);
    Ok(statements.iter().map(statement).collect::<Vec<_>>().into())
}

/// The vectors' copies show this generation.
const GENERATION: Number = Number::integer(7);

/// A copy with nothing committed meanwhile, step by step until it is done.
fn provision_paging(input: &Js) -> Ran {
    let mut rows = Vec::new();
    for table in input.field("tables").array()? {
        let count = table.field("rows").number()?.to_u64_exact();
        rows.push((
            table.field("name").text()?,
            count.map_or_else(|| unheld("rows"), Ok)?,
        ));
    }
    let names: Vec<_> = rows.iter().map(|(name, _)| name.as_str().into()).collect();
    let tables = (RULES.copies.copyable_tables)(&RULES, &names);
    let counts: Vec<(&str, u64)> = tables
        .iter()
        .filter_map(|table| rows.iter().find(|(name, _)| name == table.as_str()))
        .map(|(name, count)| (name.as_str(), *count))
        .collect();
    let budget = input
        .field("budget")
        .option(Js::number)?
        .unwrap_or(protocol::lanes::restore::STEP_ROWS);
    let (mut place, mut invocations) = (Place::default(), Vec::new());
    loop {
        let (invocation, end) = step(place, &counts, budget)?;
        invocations.push(invocation);
        match end {
            StepEnd::Paused(next) if next != place => place = next,
            _ => break,
        }
    }
    let tables: Vec<Js> = tables.iter().map(|table| table.as_str().into()).collect();
    Ok(Js::object([
        ("tables", tables.into()),
        ("invocations", invocations.into()),
    ]))
}

fn step(start: Place, tables: &[(&str, u64)], budget: Number) -> Result<(Js, StepEnd), Stop> {
    let (mut place, mut copied, mut chunks) = (start, 0u64, Vec::new());
    let end = loop {
        if let Some(end) = (RULES.copies.step_end)(place, tables.len(), copied.into(), budget) {
            break end;
        }
        let (table, count) = tables[place.index];
        let rows = count.saturating_sub(place.offset).min(PAGE_ROWS);
        let page = (RULES.copies.next_page)(place, tables.len(), rows);
        chunks.push(Js::object([
            ("table", table.into()),
            ("offset", place.offset.into()),
            ("rows", rows.into()),
            ("first", page.first.into()),
            ("carriesExpect", page.fresh.into()),
            ("restart", page.fresh.into()),
            ("done", page.done.into()),
        ]));
        copied += rows;
        place = page.next;
    };
    let cursor = match end {
        StepEnd::Done => Js::Null,
        StepEnd::Paused(place) => Js::object([
            ("generation", GENERATION.into()),
            ("index", (place.index as u64).into()),
            ("offset", place.offset.into()),
        ]),
    };
    let invocation = Js::object([
        ("migrateFirst", start.is_fresh().into()),
        ("chunks", chunks.into()),
        ("copied", copied.into()),
        ("done", (end == StepEnd::Done).into()),
        ("cursor", cursor),
    ]);
    Ok((invocation, end))
}
