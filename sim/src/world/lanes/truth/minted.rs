//! Ids that lanes have given out, as their forwarded batches carry them, and what the primary has made of the batches.

use std::collections::BTreeMap;

use protocol::host::{Request, Response, Text};
use protocol::lanes::wire::{Field, ForwardAnswer, ForwardBatch, ForwardStatement};

use super::contents::{Table, is_truth};

/// How many classes of ids there are: one for each lane that there can be, and one for the primary.
pub const CLASSES: u64 = 257;

/// Ids by table.
type Ids<T> = BTreeMap<(Text, u64), T>;

/// The ids that lanes have given out, and those of them that the primary has taken.
#[derive(Clone, Debug, Default)]
pub struct MintedIds {
    /// The lane that gave an id out.
    given: Ids<u32>,
    /// The digest of the batch with which the primary first took an id.
    taken: Ids<u128>,
}

impl MintedIds {
    /// Which lane gave an id out.
    #[must_use]
    pub fn lane(&self, table: &Text, id: u64) -> Option<u32> {
        self.given.get(&(table.clone(), id)).copied()
    }

    /// The digest of the batch with which the primary first took an id, if it did.
    #[must_use]
    pub fn taken(&self, table: &Text, id: u64) -> Option<u128> {
        self.taken.get(&(table.clone(), id)).copied()
    }

    /// A lane forwards a batch.
    pub fn forwarded(&mut self, lane: u32, batch: &Request) {
        for id in minted_in(batch) {
            self.given.entry(id).or_insert(lane);
        }
    }

    /// The primary has answered a batch.
    pub fn answered(&mut self, batch: &Request, response: &Response) {
        if action(response).as_deref() != Some("commit") {
            return;
        }
        for id in minted_in(batch) {
            self.taken.entry(id).or_insert_with(|| batch.body.digest());
        }
    }
}

/// Whether a request carries a batch.
#[must_use]
pub fn is_batch(request: &Request) -> bool {
    request.path.starts_with("/__replica?action=forward")
}

/// What the primary has made of a batch, by its answer.
#[must_use]
pub fn action(response: &Response) -> Option<Text> {
    let answer = response.body.read::<ForwardAnswer>().ok()?;
    answer.action.as_str().map(Text::new)
}

/// The ids that a batch gives to rows of the site's state, in its order, by the lower-cased name of the table.
#[must_use]
pub fn minted_in(request: &Request) -> Vec<(Text, u64)> {
    let Ok(batch) = request.body.read::<ForwardBatch>() else {
        return Vec::new();
    };
    let Some(statements) = batch.statements.get() else {
        return Vec::new();
    };
    let of_statement = |statement: &Field<ForwardStatement>| {
        let statement = statement.get()?;
        let table = Text::from(statement.minted.as_str()?.to_lowercase());
        let id = first_value(statement.sql.as_str()?)?;
        is_truth(&table).then_some((table, id))
    };
    statements.iter().filter_map(of_statement).collect()
}

/// The first value of an insert, where it is a whole number that stands in the text.
#[must_use]
pub fn first_value(sql: &str) -> Option<u64> {
    let values = sql.split_once("VALUES (")?.1;
    values.split([',', ')']).next()?.trim().parse().ok()
}

/// The ids of a table's rows, by the column that is another name of the row id.
pub fn ids<'a>(table: &'a Table, column: &str) -> impl Iterator<Item = u64> + 'a {
    let at = table.column(column);
    let rows = table.rows.iter();
    rows.filter_map(move |row| row.get(at?)?.as_number()?.to_u64_exact())
}
