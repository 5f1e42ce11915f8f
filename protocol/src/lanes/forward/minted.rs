//! The ids that a lane has used.

use std::collections::{BTreeMap, BTreeSet};

use super::ForwardStatement;
use super::hazard::is_allocation;
use crate::ecma::{cmp_utf16, is_digit};
use crate::host::Text;
use crate::lanes::inventory::{StateClass, StateKey};
use crate::lanes::rules::Rules;
use crate::number::Number;
use crate::sql::PlainInsert;

/// `partitionedTables`: the tables into which a batch's driver minted ids, by its own report, in lower case, each once,
/// in the order of JavaScript's `sort()` (`lanes.md` 10).
///
/// Left out are tables that hand out values and those with side effects. A local table, or a key-value table, which is
/// judged without a collection here, stays.
pub fn partitioned_tables(rules: &Rules, statements: &[ForwardStatement]) -> Vec<Text> {
    let minted = statements
        .iter()
        .filter_map(|statement| statement.minted.as_str());
    admitted(rules, minted).into_iter().map(Text::from).collect()
}

/// The names of a list that may be partitioned: also how the primary reads the list that came with a batch.
pub(super) fn admitted<'a>(rules: &Rules, tables: impl Iterator<Item = &'a str>) -> Vec<String> {
    let admits = |table: &String| {
        let class = (rules.inventory.classify)(&StateKey::table(table));
        !table.is_empty() && !is_allocation(table) && class != StateClass::PrimaryOnlySideEffect
    };
    let unique: BTreeSet<String> = tables.map(str::to_lowercase).filter(admits).collect();
    let mut sorted: Vec<String> = unique.into_iter().collect();
    sorted.sort_by(|a, b| cmp_utf16(a, b));
    sorted
}

/// `laneHighWater`: per table, in lower case, the highest id that the batch's inserts carry as first value (`lanes.md`
/// 10).
///
/// Read are the first tuples of plain inserts, closed or not, whatever follows. The id must be all digits, a safe
/// integer, and above 0. Tables that hand out values are counted as well, and so is a first column that is no id.
pub fn lane_high_water(statements: &[ForwardStatement]) -> BTreeMap<Text, Number> {
    let mut marks = BTreeMap::new();
    for statement in statements {
        let table = statement.folded_table();
        let id = statement.sql.as_str().and_then(first_id);
        if let Some(id) = id.filter(|_| !table.is_empty()) {
            let mark = marks.entry(Text::from(table)).or_insert(id);
            *mark = id.js_max(*mark);
        }
    }
    marks
}

fn first_id(sql: &str) -> Option<Number> {
    let insert = PlainInsert::read(sql)?;
    let first = *insert.values.first()?;
    let id = (!first.is_empty() && first.chars().all(is_digit)).then(|| Number::parse(first))?;
    (id.is_safe_integer() && id.js_gt(Number::ZERO)).then_some(id)
}
