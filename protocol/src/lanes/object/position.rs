//! The stage and the position of a lane, as they are stored.

use super::{Cx, Failure, SiteObject, Version, labels, store};
use crate::host::{End, SqlError, Text};
use crate::lanes::admission::{Move, StageName};
use crate::lanes::log::{Batches, Position, PositionFacts};
use crate::lanes::meta::Key;

impl SiteObject {
    /// The stage.
    pub(super) fn stage(&self, cx: &mut Cx<'_, '_>) -> Result<StageName, SqlError> {
        Ok(StageName::stored(store::stored(cx, Key::STAGE.0)?.as_deref()))
    }

    /// The position in the log.
    pub(super) fn position(&self, version: &Version, cx: &mut Cx<'_, '_>) -> Result<Position, SqlError> {
        let (applied, inflight) = (
            store::stored(cx, Key::APPLIED.0)?,
            store::stored(cx, Key::INFLIGHT.0)?,
        );
        Ok((version.rules.log.read_position)(&PositionFacts {
            applied: applied.as_deref(),
            inflight: inflight.as_deref(),
        }))
    }

    /// `setReplicaStage`: moves to a stage, if that is a move.
    pub(super) fn move_stage(
        &self,
        version: &Version,
        to: &StageName,
        cx: &mut Cx<'_, '_>,
    ) -> Result<Move, SqlError> {
        let from = self.stage(cx)?;
        let wish = (version.rules.admission.set_stage)(&version.rules, &from, to);
        self.made(&from, &wish, cx)?;
        Ok(wish)
    }

    /// Writes what became of a wish to move.
    pub(super) fn made(&self, from: &StageName, wish: &Move, cx: &mut Cx<'_, '_>) -> Result<(), SqlError> {
        store::write(cx, wish.write())?;
        note(from, wish, cx);
        Ok(())
    }
}

/// Tells what became of a wish to move.
pub(super) fn note(from: &StageName, wish: &Move, cx: &mut Cx<'_, '_>) {
    match wish {
        Move::Moved(to) => cx.note(labels::STAGE, format!("{from} -> {to}")),
        Move::AlreadyThere(_) | Move::Illegal { .. } => cx.note(labels::STAGE_KEPT, wish.to_string()),
    }
}

/// Runs the transactions of a record, until one fails: what was committed before it stays, the marker among it.
pub(super) fn run(cx: &mut Cx<'_, '_>, batches: Batches) -> Result<(), Failure> {
    for batch in batches {
        let statements = store::statements(cx, batch.writes)?;
        let end = if batch.unbound.is_none() {
            End::Commit
        } else {
            End::Rollback
        };
        cx.transaction(&statements, end)?;
        if let Some(unbound) = batch.unbound {
            return Err(unbound.into());
        }
    }
    Ok(())
}

/// A text of a record's generation, for notes.
pub(super) fn told(generation: crate::number::Number, what: &str) -> Text {
    Text::from(format!("{generation}: {what}"))
}
