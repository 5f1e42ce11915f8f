//! `action=apply`: an operator hands a lane one record (`lanes.md` 17).

use super::{Cx, Failure, SiteObject, Version, answer, labels, pages, position, sequence};
use crate::host::{Body, Response};
use crate::lanes::log::{Application, ApplyOptions, Plan};
use crate::lanes::wire::Record;
use crate::number::Number;

impl SiteObject {
    /// Applies one record, in chunks where that is asked. Purges when the position moved, and does not touch the commit
    /// sequence.
    pub(super) fn apply(
        &self,
        version: &Version,
        chunk: Number,
        body: &Body,
        cx: &mut Cx<'_, '_>,
    ) -> Result<Response, Failure> {
        let record = body.read::<Record>()?;
        let before = self.position(version, cx)?;
        let application = self.apply_record(version, &record, chunk, cx)?;
        let status = match &application {
            Application::Stays(Plan::Refuse(_)) => 409,
            _ => 200,
        };
        let answer = application.answer(&before);
        if let Application::Runs { batches, .. } = application {
            position::run(cx, batches)?;
        }
        if self.position(version, cx)?.applied != before.applied {
            pages::purge(version, cx, "record")?;
        }
        Ok(answer::message(status, answer))
    }

    /// What applying a record on the present position comes to.
    pub(super) fn apply_record(
        &self,
        version: &Version,
        record: &Record,
        chunk_size: Number,
        cx: &mut Cx<'_, '_>,
    ) -> Result<Application, Failure> {
        let (position, schema) = (self.position(version, cx)?, sequence::schema(cx)?);
        let options = ApplyOptions {
            local_schema: schema.as_deref(),
            chunk_size,
        };
        let application = (version.rules.log.apply_record)(&version.rules, &position, record, &options);
        let what = match &application {
            Application::Runs { .. } => "apply".to_owned(),
            Application::Stays(plan) => plan.reason(),
        };
        cx.note(labels::RECORD, position::told(record.generation.or_nan(), &what));
        Ok(application)
    }
}
