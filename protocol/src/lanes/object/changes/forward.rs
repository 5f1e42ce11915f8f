//! What a lane sends on, and what it does not.

use super::super::flush::{Flushing, drop_collected, raise};
use super::super::memory::Collected;
use crate::host::Response;
use crate::lanes::object::{Cx, Next, SiteObject, Value, Version};
use crate::task::{Resume, Step};

/// A request that is handed back as if nothing had run leaves nothing to send.
pub(in crate::lanes) fn drop_what_is_handed_back(
    site: &mut SiteObject,
    response: &Response,
    cx: &mut Cx<'_, '_>,
) {
    if response.status == 421 {
        drop_collected(site, cx);
    }
}

/// Raises the marks of the ids that it has minted before they leave, and then sends: whatever becomes of the answer, no
/// id is minted twice. What is called leaves only when the marks are durable.
pub(in crate::lanes) fn mark_before_sending(
    flushing: &mut Flushing,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    match site.forward.take() {
        Some(Collected { parent, statements }) if !statements.is_empty() => {
            for (table, id) in (version.rules.forwarding.high_water)(&statements) {
                raise(cx, &table, id)?;
            }
            flushing.statements = statements;
            Ok(flushing.post(version, parent, cx))
        }
        _ => Ok(Step::Return(Value::Nothing)),
    }
}
