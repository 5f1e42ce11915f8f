//! Caches that show what has changed.

use super::super::{pages, tables};
use crate::host::{SqlError, Text};
use crate::lanes::object::Cx;

/// Every bin of the cache that is there, besides what is documented: the application makes bins when it needs them, so
/// that no schema lists all.
pub(in crate::lanes) fn all_caches(cx: &mut Cx<'_, '_>) -> Result<Vec<Text>, SqlError> {
    let mut purged = pages::purged(cx)?;
    let bins = tables::names(cx)?
        .into_iter()
        .filter(|name| name.starts_with("cache_"));
    for bin in bins {
        if !purged.contains(&bin) {
            purged.push(bin);
        }
    }
    Ok(purged)
}
