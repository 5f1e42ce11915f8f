//! The protocol's own values as messages tell of them.

use super::{Field, PlannedTable, PositionView, RestoreAnswer, StageAnswer, TrustView, VerdictView};
use crate::host::Text;
use crate::json::{Json, Object};
use crate::lanes::admission::{AdmissionVerdict, Move, StageName};
use crate::lanes::log::{Distrust, Position};
use crate::lanes::restore::TablePlan;
use crate::number::Number;

impl From<&Position> for PositionView {
    fn from(position: &Position) -> Self {
        let marker = position.inflight.map_or(Json::Null, |marker| {
            Json::Object(Object::from_iter([("from", marker.from), ("to", marker.to)]))
        });
        PositionView {
            applied: position.applied.into(),
            inflight: Field::Is(marker),
            ..PositionView::default()
        }
    }
}

impl TrustView {
    /// What a position is worth. A trusted one has no reason.
    pub fn of(position: &Position, trust: Result<(), Distrust>) -> Self {
        let why = trust.err();
        TrustView {
            trusted: why.is_none().into(),
            valid_at: why.map_or(position.applied, |why| why.valid_at(position)).into(),
            reason: why.map_or(Field::Missing, |why| text(why.to_string())),
            ..TrustView::default()
        }
    }
}

impl From<&AdmissionVerdict> for VerdictView {
    fn from(verdict: &AdmissionVerdict) -> Self {
        VerdictView {
            admitted: verdict.is_admitted().into(),
            stage: text(verdict.stage().as_str()),
            refusals: texts(verdict.refusals()),
            ..VerdictView::default()
        }
    }
}

impl From<&TablePlan> for PlannedTable {
    fn from(plan: &TablePlan) -> Self {
        PlannedTable {
            table: plan.table.clone().into(),
            status: text(plan.status.to_string()),
            copy: plan.copying.is_copied().into(),
            reason: text(plan.copying.as_str()),
            ..PlannedTable::default()
        }
    }
}

impl From<&Move> for StageAnswer {
    fn from(wish: &Move) -> Self {
        StageAnswer {
            stage: text(wish.stage().as_str()),
            moved: wish.has_moved().into(),
            reason: text(wish.to_string()),
            ..StageAnswer::default()
        }
    }
}

impl RestoreAnswer {
    /// A chunk has landed, with so many statements.
    pub fn landed(stage: &StageName, statements: usize) -> Self {
        RestoreAnswer::told(true, "", stage, statements, &[])
    }

    /// A chunk has not landed, or its copy is not whole: why, and what is missing.
    pub fn refused(reason: &str, stage: &StageName, statements: usize, missing: &[Text]) -> Self {
        RestoreAnswer::told(false, reason, stage, statements, missing)
    }

    fn told(ok: bool, reason: &str, stage: &StageName, statements: usize, missing: &[Text]) -> Self {
        RestoreAnswer {
            ok: ok.into(),
            reason: text(reason),
            stage: text(stage.as_str()),
            statements: Number::from(statements as u64).into(),
            missing: texts(missing),
            ..RestoreAnswer::default()
        }
    }
}

fn text(text: impl Into<Text>) -> Field<Text> {
    Field::Is(text.into())
}

fn texts(items: &[impl ToString]) -> Field<Vec<Field<Text>>> {
    Field::Is(items.iter().map(|item| text(item.to_string())).collect())
}
