//! A record that is stored with what it tells of.

use sha2::{Digest, Sha256};

use crate::host::Text;
use crate::lanes::object::seal::{Sealing, keep, take};
use crate::lanes::object::{Cx, Next, SiteObject, Value, Version};
use crate::task::{Resume, Step};

/// Seals within the turn: this module computes the digest itself, so nothing can come between a write and its record.
pub(in crate::lanes) fn seal_in_one_turn(
    _: &mut Sealing,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    if let Some((record, bytes)) = take(site, version, cx)? {
        keep(record, Text::from(hex::encode(Sha256::digest(&bytes))), cx)?;
    }
    Ok(Step::Return(Value::Nothing))
}
