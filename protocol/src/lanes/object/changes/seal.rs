//! A record that is stored with what it tells of.

use sha2::{Digest, Sha256};

use crate::host::Text;
use crate::lanes::object::seal::{Sealing, keep, take};
use crate::lanes::object::{Cx, Failure, Next, SiteObject, Value, Version};
use crate::lanes::wire::Field;
use crate::task::{Resume, Step};

/// The most bytes that the statements of a record may be stored as: with the rest of its row they stay below what the
/// platform stores (`lanes.md` 3, `platform.md` 5). The cost of an escaped character is counted.
const MOST_BYTES: usize = 1_900_000;

/// Seals within the turn: this module computes the digest itself.
pub(in crate::lanes) fn seal_in_one_turn(
    _: &mut Sealing,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    seal_now(site, version, cx)?;
    Ok(Step::Return(Value::Nothing))
}

/// Stores what is buffered as a record, at once. One that would be too large overflows: a record that could not be stored
/// would leave a hole.
pub(super) fn seal_now(site: &mut SiteObject, version: &Version, cx: &mut Cx<'_, '_>) -> Result<(), Failure> {
    let Some((mut record, bytes)) = take(site, version, cx)? else {
        return Ok(());
    };
    let stored = serde_json::to_string(record.statements.get().map_or(&[][..], Vec::as_slice));
    if stored.is_ok_and(|stored| stored.len() > MOST_BYTES) {
        record.overflowed = true.into();
        record.statements = Field::Is(Vec::new());
    }
    keep(record, Text::from(hex::encode(Sha256::digest(&bytes))), cx)
}
