//! What was written while something ran, by table: the deployed system's own test oracle (`authoritativeWrites`,
//! `lanes.md` 11).

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

use super::rules::Rules;
use crate::ecma::cmp_utf16;
use crate::host::Text;

/// Counts of writes. A write that no table could be found for is counted under a pseudo table: `?unattributed`, or
/// `?storage.put` and its like for writes past SQL.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tally {
    /// Rows written, by table.
    pub rows: BTreeMap<Text, u64>,
    /// Statements run, by table.
    pub statements: BTreeMap<Text, u64>,
    /// Statements run, by text; only kept for some.
    pub shapes: BTreeMap<Text, u64>,
}

/// Writes of a table that are neither local nor sweeps only.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuthoritativeWrite {
    /// The table, or pseudo table.
    pub table: Text,
    /// How many rows.
    pub rows: u64,
    /// By how many statements.
    pub statements: u64,
}

/// `authoritativeWrites`: the tables written that a replica may not write, most rows first, then by name (`lanes.md`
/// 11).
///
/// A statement counts when it touched no row. A table is left out when all of its statements, and at least one, were
/// sweeps of expired rows.
pub fn authoritative_writes(rules: &Rules, tally: &Tally) -> Vec<AuthoritativeWrite> {
    let of = |counts: &BTreeMap<Text, u64>, table: &Text| counts.get(table).copied().unwrap_or(0);
    let tables: BTreeSet<&Text> = tally.rows.keys().chain(tally.statements.keys()).collect();
    let mut writes: Vec<_> = tables
        .into_iter()
        .map(|table| AuthoritativeWrite {
            table: table.clone(),
            rows: of(&tally.rows, table),
            statements: of(&tally.statements, table),
        })
        .filter(|write| {
            !(rules.inventory.is_replica_local)(&write.table) && !is_swept_only(rules, tally, write)
        })
        .collect();
    writes.sort_by(|a, b| {
        Reverse(a.rows)
            .cmp(&Reverse(b.rows))
            .then_with(|| locale_order(&a.table, &b.table))
    });
    writes
}

fn is_swept_only(rules: &Rules, tally: &Tally, write: &AuthoritativeWrite) -> bool {
    let sweeps = tally
        .shapes
        .iter()
        .filter(|(sql, _)| (rules.statements.expiry_sweep)(sql) == Some(write.table.as_str()));
    let swept = sweeps.fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
    swept > 0 && swept >= write.statements
}

/// `localeCompare` as far as names of tables need it: punctuation before digits before letters, small before capital
/// only where nothing else differs (`lanes.md` 19.11). Other characters than ASCII's follow by UTF-16 unit.
fn locale_order(a: &str, b: &str) -> Ordering {
    /// ASCII's punctuation in the order of the root collation.
    const PUNCTUATION: &str = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
    let weight = |c: char| {
        let class = if c.is_ascii_alphabetic() {
            2
        } else {
            u32::from(c.is_ascii_digit())
        };
        let place = PUNCTUATION.find(c).map_or(u32::MAX, |at| at as u32);
        let place = if class == 0 && c.is_ascii() {
            place
        } else {
            u32::from(c.to_ascii_lowercase())
        };
        (if c.is_ascii() { class } else { 3 }, place)
    };
    let key = |text: &str| text.chars().map(weight).collect::<Vec<_>>();
    // Among letters that differ in case only, the small one comes first: the reverse of the order of units.
    key(a).cmp(&key(b)).then_with(|| cmp_utf16(b, a))
}
