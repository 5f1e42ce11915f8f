//! Capturing what the application writes (`lanes.md` 13.1).

use super::identity::of;
use super::{Cx, Failure, SiteObject, Version, labels};
use crate::host::Value;
use crate::json::Json;
use crate::lanes::bind::jsonable;
use crate::lanes::codec::decode;
use crate::lanes::wire::LoggedStatement;
use crate::number::Number;
use crate::sql::Bound;

/// What is done about a statement of the application that has run.
pub type Capture = fn(&mut SiteObject, &Version, &Bound<Json>, &mut Cx<'_, '_>) -> Result<(), Failure>;

/// `noteAuthoritativeWrite`: advances the sequence, and then buffers. A statement that changed no row counts too.
///
/// # Errors
/// What the database answered.
pub fn note_authoritative_write(
    site: &mut SiteObject,
    version: &Version,
    statement: &Bound<Json>,
    cx: &mut Cx<'_, '_>,
) -> Result<(), Failure> {
    let target = (version.rules.statements.write_target)(&statement.sql);
    if target == Some("cachetags") {
        site.tags = true;
    }
    if !(version.rules.seal.is_captured)(&version.rules, target) {
        return Ok(());
    }
    cx.note(labels::CAPTURED, target.unwrap_or_default());
    site.pending = site.pending + Number::integer(1);
    let params = statement.params.iter().map(logged).collect();
    site.buffer(version, LoggedStatement::new(statement.sql.clone(), params), cx)
}

/// What `JSON.stringify` makes of a parameter: of one that the codec has written, of the value that it stands for.
pub(super) fn logged(param: &Json) -> Json {
    match (param, decode(param)) {
        (Json::Object(_), value @ (Value::Number(_) | Value::Bytes(_))) => jsonable(&value),
        (other, _) => other.as_sent(),
    }
}

impl SiteObject {
    /// `bufferForReplication`: not on replicas.
    pub(super) fn buffer(
        &mut self,
        version: &Version,
        statement: LoggedStatement,
        cx: &mut Cx<'_, '_>,
    ) -> Result<(), Failure> {
        if of(version, cx).is_replica() {
            return Ok(());
        }
        let mut buffer = match self.buffer.take() {
            Some(buffer) => buffer,
            None => (version.rules.seal.open)(self.copyable(version, cx)?),
        };
        let overflowed = buffer.is_overflowed();
        buffer.push(statement);
        if buffer.is_overflowed() && !overflowed {
            cx.note(labels::OVERFLOWED, buffer.parent().to_string());
        }
        self.buffer = Some(buffer);
        Ok(())
    }
}
