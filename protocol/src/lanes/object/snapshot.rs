//! `action=snapshot`: the plan of a copy, or a page of one (`lanes.md` 17).

use super::{
    Cx, Failure, Next, SiteFrame, SiteObject, Value, Version, answer, provision, sequence, state, tables,
};
use crate::host::{Response, Statement, Text};
use crate::lanes::restore::is_plain_identifier;
use crate::lanes::wire::{Field, PlannedTable, SnapshotPlan};
use crate::number::Number;
use crate::task::{Resume, Step};

/// A snapshot that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Snapshotting {
    table: Option<Text>,
    offset: Number,
    limit: Number,
}

impl Snapshotting {
    pub(super) fn new(table: Option<Text>, offset: Number, limit: Number) -> Self {
        Snapshotting { table, offset, limit }
    }

    /// Seals first, whatever is asked.
    pub(super) fn step(
        &mut self,
        site: &mut SiteObject,
        version: &Version,
        resume: Resume<SiteObject>,
        cx: &mut Cx<'_, '_>,
    ) -> Next {
        if resume == Resume::Start {
            return Ok(Step::Enter(SiteFrame::Seal(Box::default())));
        }
        let response = match &self.table {
            None => plan(site, version, cx)?,
            Some(table) => self.page(site, version, table, cx)?,
        };
        Ok(Step::Return(Value::Response(response)))
    }

    fn page(
        &self,
        site: &SiteObject,
        version: &Version,
        table: &Text,
        cx: &mut Cx<'_, '_>,
    ) -> Result<Response, Failure> {
        if !is_plain_identifier(table) || !(version.rules.inventory.is_copied)(&version.rules, table) {
            return Ok(answer::problem(409, format!("{table} is not copied")));
        }
        let rows = cx.sql(&Statement {
            sql: format!(
                "SELECT * FROM \"{table}\" LIMIT {} OFFSET {}",
                self.limit.floor(),
                self.offset.floor()
            )
            .into(),
            params: Vec::new(),
        })?;
        let mut chunk = provision::chunk_of(site.copyable(version, cx)?, sequence::schema(cx)?, table, &rows);
        chunk.ddl = provision::listed(&tables::ddl(cx, table)?);
        Ok(answer::message(200, chunk))
    }
}

fn plan(site: &SiteObject, version: &Version, cx: &mut Cx<'_, '_>) -> Result<Response, Failure> {
    let names = tables::names(cx)?;
    let planned = (version.rules.copies.plan)(&version.rules, &names);
    let missing = state::read(cx)?.gap(version);
    let status = if missing.is_empty() { 200 } else { 409 };
    let answer = SnapshotPlan {
        generation: site.copyable(version, cx)?.into(),
        schema_version: Field::or_null(sequence::schema(cx)?),
        tables: Field::Is(
            planned
                .iter()
                .map(|plan| Field::Is(PlannedTable::from(plan)))
                .collect(),
        ),
        missing: Field::Is(missing.into_iter().map(Field::Is).collect()),
        ..SnapshotPlan::default()
    };
    Ok(answer::message(status, answer))
}
