//! An object that knows its own name.

use super::super::store;
use crate::host::ObjectName;
use crate::lanes::object::{Cx, Failure, Next};

/// The key under which an object keeps its name.
const OWN_NAME: &str = "own_name";

/// Keeps the name while the platform tells it, and recalls it when the platform does not.
pub(in crate::lanes) fn keep_the_name(cx: &mut Cx<'_, '_>) -> Result<Option<ObjectName>, Failure> {
    match cx.name().cloned() {
        Some(name) => {
            store::set(cx, OWN_NAME, &name.0)?;
            Ok(None)
        }
        None => Ok(store::meta(cx, OWN_NAME)?.map(ObjectName)),
    }
}

/// Ends an incarnation that was woken without its name before it could keep it. The next request wakes one that is told.
#[allow(clippy::unnecessary_wraps, reason = "a variant may go on")]
pub(in crate::lanes) fn ask_for_the_name(cx: &mut Cx<'_, '_>) -> Option<Next> {
    Some(Ok(cx.abort("an object that does not know its name")))
}
