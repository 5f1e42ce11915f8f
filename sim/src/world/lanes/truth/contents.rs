//! What an object's database holds of a site's state.
//!
//! Which tables are truth is declared here, not by the protocol's classifier: all that the application has, but for what
//! each object keeps for itself (caches and their tags) and its log of events (`watchdog`), which no lane holds.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use protocol::host::{Columns, Rows, Statement, Text, Value};
use protocol::lanes::app::page::canonical_rows;
use protocol::lanes::app::tables;
use protocol::number::Number;
use xxhash_rust::xxh3::xxh3_128;

/// Whether a table is part of the site's state.
#[must_use]
pub fn is_truth(table: &str) -> bool {
    let own = ["cfw_", "_cf_", "sqlite_", "cache"];
    table != "watchdog" && !own.iter().any(|prefix| table.starts_with(prefix))
}

/// The tables from which rows vanish by themselves when their time is over, with the column of that time in seconds.
/// Both sides may have swept a row that has expired, or not (LR-9). Sessions and batches expire by an age that the
/// application chooses, longer than any run.
const EXPIRING: [(&str, &str); 3] = [
    ("flood", "expiration"),
    ("key_value_expire", "expire"),
    ("semaphore", "expire"),
];

/// One row. The states that hold it share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    values: Vec<Value>,
    digest: u128,
}

impl Row {
    fn new(values: Vec<Value>) -> Self {
        let digest = digest_of(&values);
        Row { values, digest }
    }
}

impl Deref for Row {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.values
    }
}

/// One table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The statement that makes it.
    pub ddl: Text,
    /// Its columns.
    pub columns: Columns,
    /// Its rows, in the order in which the database gave them.
    pub rows: Vec<Arc<Row>>,
    /// A sum over its rows: equal for equal rows in any order.
    digest: u128,
}

impl Table {
    /// A table with these rows.
    #[must_use]
    pub fn new(ddl: Text, found: Rows) -> Self {
        Self::beside(None, ddl, found)
    }

    /// A table with these rows, which shares with another one what is the same in both: nearly all of it, where that is
    /// how it was before a turn.
    #[must_use]
    pub fn beside(other: Option<&Table>, ddl: Text, found: Rows) -> Self {
        let mut others = other.map_or(&[][..], |other| &other.rows);
        let rows: Vec<Arc<Row>> = found
            .rows
            .into_iter()
            .map(|values| shared(&mut others, &values).unwrap_or_else(|| Arc::new(Row::new(values))))
            .collect();
        let digest = rows.iter().fold(0_u128, |sum, row| sum.wrapping_add(row.digest));
        Table {
            ddl,
            columns: found.columns,
            rows,
            digest,
        }
    }

    /// The same table without rows.
    pub(super) fn emptied(&self) -> Self {
        Table {
            ddl: self.ddl.clone(),
            columns: self.columns.clone(),
            rows: Vec::new(),
            digest: 0,
        }
    }

    /// The place of a column.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

/// How many rows are passed over for one that is the same: those that were taken out since.
const PASSED: usize = 4;

/// The row of these values among the next ones of another table, which stand in the same order.
fn shared(others: &mut &[Arc<Row>], values: &[Value]) -> Option<Arc<Row>> {
    let near = others.iter().take(PASSED);
    if let Some(at) = near.into_iter().position(|other| other.values == values) {
        let found = Arc::clone(&others[at]);
        *others = &others[at + 1..];
        return Some(found);
    }
    // It has changed, and the next one is compared with the next; or it is new.
    let changed = others
        .first()
        .is_some_and(|other| other.first() == values.first());
    if changed {
        *others = &others[1..];
    }
    None
}

fn digest_of(row: &[Value]) -> u128 {
    let rows = Rows {
        columns: Columns::default(),
        rows: vec![row.to_vec()],
    };
    xxh3_128(canonical_rows(&rows).as_bytes())
}

/// The tables of a site's state, by name. Clones share them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents(BTreeMap<Text, Arc<Table>>);

/// What a table is called that a site has defined itself.
const DEFINED: &str = "defined";

/// The first table in which two states differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    table: Text,
    /// A row that only the first one has.
    only_here: Option<Text>,
    /// A row that only the other one has.
    only_there: Option<Text>,
}

impl Difference {
    /// The table, as identities of failures have it: one that a site has defined itself has a name of the run's.
    #[must_use]
    pub fn place(&self) -> &'static str {
        tables::find(&self.table).map_or(DEFINED, |table| table.name)
    }

    /// What the first one has there.
    #[must_use]
    pub fn here(&self) -> String {
        self.side(&self.only_here)
    }

    /// What the other one has there.
    #[must_use]
    pub fn there(&self) -> String {
        self.side(&self.only_there)
    }

    /// Both, where these are what the first and the other one are called.
    #[must_use]
    pub fn between(&self, first: &str, other: &str) -> String {
        let table = &self.table;
        match (&self.only_here, &self.only_there) {
            (Some(here), Some(there)) => format!("in {table}, {first} has {here}, and {other} has {there}"),
            (Some(here), None) => format!("in {table}, {first} has {here}, and {other} has it not"),
            (None, Some(there)) => format!("in {table}, {other} has {there}, and {first} has it not"),
            (None, None) => unreachable!("one of the two has a row more"),
        }
    }

    fn side(&self, row: &Option<Text>) -> String {
        match row {
            Some(row) => format!("{} {row}", self.table),
            None => format!("{}: no other row", self.table),
        }
    }
}

impl Contents {
    /// A table, if it is there.
    #[must_use]
    pub fn table(&self, name: &str) -> Option<&Arc<Table>> {
        self.0.get(name)
    }

    /// All tables.
    pub fn tables(&self) -> impl Iterator<Item = (&Text, &Arc<Table>)> {
        self.0.iter()
    }

    /// Puts a table in place of what was there.
    pub fn set(&mut self, name: Text, table: Table) {
        self.0.insert(name, Arc::new(table));
    }

    /// Puts a table of another state there, which both share then.
    pub fn share(&mut self, name: Text, table: &Arc<Table>) {
        self.0.insert(name, Arc::clone(table));
    }

    /// Forgets the tables that are not among these.
    pub fn keep_only(&mut self, names: &[Text]) {
        self.0.retain(|name, _| names.contains(name));
    }

    /// Whether both are the same by identity of their tables: a quick yes.
    #[must_use]
    pub fn is_same(&self, other: &Contents) -> bool {
        self.0.len() == other.0.len()
            && self
                .0
                .iter()
                .zip(&other.0)
                .all(|((a, x), (b, y))| a == b && Arc::ptr_eq(x, y))
    }

    /// The first table of another state that this one does not have, be it empty there or not. The other way round is no
    /// lack: a lane is given all tables of its schema, and the primary makes some when it needs them.
    #[must_use]
    pub fn lacks<'a>(&self, other: &'a Contents) -> Option<&'a Text> {
        other.0.keys().find(|name| !self.0.contains_key(*name))
    }

    /// How many tables both have by identity.
    pub(super) fn shares(&self, other: &Contents) -> usize {
        let tables = self.0.iter();
        let same =
            tables.filter(|(name, table)| other.table(name).is_some_and(|other| Arc::ptr_eq(table, other)));
        same.count()
    }

    /// How this state differs from another; rows that have expired at `now` (in seconds) count on neither side. A table
    /// that is not there counts as empty.
    #[must_use]
    pub fn difference(&self, other: &Contents, now: Number) -> Option<Difference> {
        let names = self
            .0
            .keys()
            .chain(other.0.keys().filter(|name| !self.0.contains_key(*name)));
        names
            .filter_map(|name| difference(name, self.table(name), other.table(name), now))
            .next()
    }
}

fn difference(
    name: &Text,
    here: Option<&Arc<Table>>,
    there: Option<&Arc<Table>>,
    now: Number,
) -> Option<Difference> {
    if let (Some(here), Some(there)) = (here, there)
        && (Arc::ptr_eq(here, there) || here.digest == there.digest)
    {
        return None;
    }
    let (here, there) = (lasting(name, here, now), lasting(name, there, now));
    let sorted = |rows: &[&Row]| {
        let mut digests: Vec<u128> = rows.iter().map(|row| row.digest).collect();
        digests.sort_unstable();
        digests
    };
    let (sorted_here, sorted_there) = (sorted(&here), sorted(&there));
    let times = |digests: &[u128], row: &Row| {
        let from = digests.partition_point(|digest| *digest < row.digest);
        digests[from..].partition_point(|digest| *digest == row.digest)
    };
    let only = |rows: &[&Row], own: &[u128], others: &[u128]| {
        rows.iter()
            .find(|row| times(own, row) > times(others, row))
            .map(|row| shown(row))
    };
    let (only_here, only_there) = (
        only(&here, &sorted_here, &sorted_there),
        only(&there, &sorted_there, &sorted_here),
    );
    (only_here.is_some() || only_there.is_some()).then(|| Difference {
        table: name.clone(),
        only_here,
        only_there,
    })
}

/// The rows that have not expired.
fn lasting<'a>(name: &str, table: Option<&'a Arc<Table>>, now: Number) -> Vec<&'a Row> {
    let Some(table) = table else {
        return Vec::new();
    };
    let expiring = EXPIRING.iter().find(|(expiring, _)| *expiring == name);
    let column = expiring.and_then(|(_, column)| table.column(column));
    let lasts = |row: &&Row| {
        let at = column.and_then(|column| row[column].as_number());
        at.is_none_or(|at| at.js_ge(now))
    };
    table.rows.iter().map(Arc::as_ref).filter(lasts).collect()
}

/// A row, for people.
#[must_use]
pub fn shown(row: &[Value]) -> Text {
    let cells = row.iter().map(|value| match value {
        Value::Null => "NULL".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => format!("{text:?}"),
        Value::Bytes(bytes) => format!("x'{}'", hex::encode(&bytes.0)),
    });
    Text::from(format!("({})", cells.collect::<Vec<_>>().join(", ")))
}

/// The statement that puts a row into a table.
pub(super) fn insert(name: &str, table: &Table) -> Text {
    let columns: Vec<String> = table
        .columns
        .iter()
        .map(|column| format!("\"{column}\""))
        .collect();
    let places = vec!["?"; columns.len()].join(", ");
    Text::from(format!(
        "INSERT INTO \"{name}\" ({}) VALUES ({places})",
        columns.join(", ")
    ))
}

/// A statement without parameters.
pub(super) fn plain(sql: String) -> Statement {
    Statement {
        sql: Text::from(sql),
        params: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_no_name_of_a_run() {
        let place = |table: &'static str| {
            let difference = Difference {
                table: Text::new_static(table),
                only_here: None,
                only_there: None,
            };
            difference.place()
        };
        assert_eq!(place("node"), "node");
        assert_eq!(place("module_t8"), place("module_t27"));
    }

    #[test]
    fn a_difference_says_who_has_which_row() {
        let told = |here: Option<&'static str>, there: Option<&'static str>| {
            let difference = Difference {
                table: Text::new_static("node"),
                only_here: here.map(Text::new_static),
                only_there: there.map(Text::new_static),
            };
            difference.between("the lane", "the primary")
        };
        assert_eq!(
            told(Some("(1)"), Some("(2)")),
            "in node, the lane has (1), and the primary has (2)"
        );
        assert_eq!(
            told(Some("(1)"), None),
            "in node, the lane has (1), and the primary has it not"
        );
        assert_eq!(
            told(None, Some("(2)")),
            "in node, the primary has (2), and the lane has it not"
        );
    }
}
