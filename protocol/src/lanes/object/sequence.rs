//! The commit sequence, the page generation, the schema and the settings of an object.

use super::{Cx, SiteObject, Version, store};
use crate::host::{SqlError, Text};
use crate::lanes::belief::LanesPointer;
use crate::lanes::meta::Key;
use crate::number::Number;

/// The schema text that the last `/__migrate` stored (`lanes.md` 22.1).
pub(super) const SCHEMA: &str = "schema_version";
/// The page generation of an object; unrelated to the commit sequence.
pub(super) const PAGE_GENERATION: &str = "generation";

impl SiteObject {
    /// The commit sequence: what is stored, and the advances that are not (`lanes.md` 2).
    pub(super) fn sequence(&self, cx: &mut Cx<'_, '_>) -> Result<Number, SqlError> {
        let stored = store::meta(cx, Key::COMMIT_SEQUENCE.0)?;
        Ok(Number::parse(stored.as_deref().unwrap_or("0")) + self.pending)
    }

    /// Puts the pending advances into the stored sequence.
    pub(super) fn flush_pending(&mut self, cx: &mut Cx<'_, '_>) -> Result<Number, SqlError> {
        let sequence = self.sequence(cx)?;
        if !self.pending.js_eq(Number::ZERO) {
            store::set(cx, Key::COMMIT_SEQUENCE.0, &sequence.to_string())?;
            self.pending = Number::ZERO;
        }
        Ok(sequence)
    }

    /// `copyableGeneration`.
    pub(super) fn copyable(&self, version: &Version, cx: &mut Cx<'_, '_>) -> Result<Number, SqlError> {
        let highest = store::highest_logged(cx)?;
        Ok((version.rules.seal.copyable_generation)(
            highest,
            self.sequence(cx)?,
        ))
    }

    /// Which lanes the primary knows of; read from storage once in an incarnation.
    pub(super) fn known_lanes(&mut self, cx: &mut Cx<'_, '_>) -> Result<LanesPointer, SqlError> {
        if let Some(lanes) = self.lanes {
            return Ok(lanes);
        }
        let lanes = store::meta(cx, Key::LANES.0)?;
        let epoch = store::meta(cx, Key::LANES_EPOCH.0)?;
        let number = |text: Option<Text>| Number::parse(text.as_deref().unwrap_or("0"));
        let known = LanesPointer {
            lanes: number(lanes),
            epoch: number(epoch),
        };
        self.lanes = Some(known);
        Ok(known)
    }

    /// A variable: the override that KV had, or what was deployed.
    pub(super) fn variable<'a>(&'a self, name: &str, deployed: &'a Option<Text>) -> Option<&'a str> {
        self.overrides.get(name).or(deployed.as_ref()).map(Text::as_str)
    }

    /// Whether lanes may forward writes.
    pub(super) fn forwards(&self, version: &Version) -> bool {
        let text = self.variable("WRITE_FORWARD", &version.variables.write_forward);
        (version.rules.settings.write_forward)(text)
    }
}

/// `localSchema`: nothing on an object that was never migrated.
pub(super) fn schema(cx: &mut Cx<'_, '_>) -> Result<Option<Text>, SqlError> {
    store::meta(cx, SCHEMA)
}

/// The page generation, which starts at 1.
pub(super) fn page_generation(cx: &mut Cx<'_, '_>) -> Result<Text, SqlError> {
    Ok(store::meta(cx, PAGE_GENERATION)?.unwrap_or(Text::new_static("1")))
}
