//! The tables of an object, by name, with the statements that make them.

use super::{Cx, Version, store};
use crate::host::{SqlError, Text};

/// The names of the tables that are there: those of this code version's schema, and the page cache.
///
/// They are looked for one by one: what the platform keeps about its tables is not read.
pub(super) fn names(version: &Version, cx: &mut Cx<'_, '_>) -> Result<Vec<Text>, SqlError> {
    let known = version.application.schema.tables.iter().map(|table| &table.name);
    let page = Text::new_static("cfw_page");
    let mut names = Vec::new();
    for name in known.chain([&page]) {
        if !names.contains(name) && store::exists(cx, name)? {
            names.push(name.clone());
        }
    }
    Ok(names)
}

/// The statements that make a table: its own CREATE, then its indexes.
pub(super) fn ddl<'v>(version: &'v Version, table: &str) -> &'v [Text] {
    let tables = &version.application.schema.tables;
    let found = tables.iter().find(|definition| definition.name == table);
    found.map_or(&[], |definition| &definition.ddl)
}
