//! In which pages a copy goes over the wire (`lanes.md` 13.4).

use crate::ecma::cmp_utf16;
use crate::host::{Statement, Text};
use crate::lanes::rules::Rules;
use crate::lanes::wire::Cursor;
use crate::number::Number;

/// Rows in a page.
pub const PAGE_ROWS: u64 = 400;

/// Rows after which a step of the copy ends, unless the caller says otherwise.
pub const STEP_ROWS: Number = Number::integer(4000);

/// Where a copy stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The table's place in the order of names.
    pub index: usize,
    /// How many of its rows are copied.
    pub offset: u64,
}

/// A cursor that shows no place in a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("the copy's cursor carries no readable {field}")]
pub struct PlaceError {
    /// Which field is no whole number from 0 on.
    pub field: &'static str,
}

impl Place {
    /// The place that a cursor shows.
    ///
    /// # Errors
    /// `index` or `offset` is no whole number from 0 on. The contract says nothing of such a cursor; ours is refused.
    pub fn of(cursor: &Cursor) -> Result<Self, PlaceError> {
        let index = cursor
            .index
            .or_nan()
            .to_u64_exact()
            .and_then(|index| usize::try_from(index).ok());
        Ok(Place {
            index: index.ok_or(PlaceError { field: "index" })?,
            offset: cursor
                .offset
                .or_nan()
                .to_u64_exact()
                .ok_or(PlaceError { field: "offset" })?,
        })
    }

    /// The cursor that shows this place in the copy of a generation.
    pub fn cursor(self, generation: Number) -> Cursor {
        Cursor::at(
            generation,
            Number::from(self.index as u64),
            Number::from(self.offset),
        )
    }

    /// Whether the copy has not begun. Then the lane is given the schema first, and the first chunk is posted with
    /// `restart=1` and tells the tables, the origin and the hash salt.
    pub fn is_fresh(self) -> bool {
        self == Place::default()
    }
}

/// A page that was read, as the chunk that carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Page {
    /// Where it was read.
    pub place: Place,
    /// Whether it holds the table's first rows; then it carries the table's statements too.
    pub first: bool,
    /// Whether it is the copy's first.
    pub fresh: bool,
    /// Whether it is the copy's last.
    pub done: bool,
    /// Where the copy goes on once it has landed.
    pub next: Place,
}

/// How a step of a copy ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepEnd {
    /// The copy is done.
    Done,
    /// It goes on here in another step.
    Paused(Place),
}

/// The tables that are copied, in the order of their names. Computed anew in every step of a copy.
pub fn copyable_tables(rules: &Rules, tables: &[Text]) -> Vec<Text> {
    let plans = (rules.copies.plan)(rules, tables);
    let copied = plans.into_iter().filter(|plan| plan.copying.is_copied());
    let mut names: Vec<Text> = copied.map(|plan| plan.table).collect();
    names.sort_by(|a, b| cmp_utf16(a, b));
    names
}

/// Reads a page of a table: rowid order or key order, for it asks for none (`lanes.md` 19.18).
pub fn page_statement(table: &str, place: Place) -> Statement {
    Statement {
        sql: format!(
            "SELECT * FROM \"{table}\" LIMIT {PAGE_ROWS} OFFSET {}",
            place.offset
        )
        .into(),
        params: Vec::new(),
    }
}

/// The chunk that carries a page of `rows` rows read at `place`, where `tables` tables are copied. A page that is not
/// full is its table's last.
pub fn next_page(place: Place, tables: usize, rows: u64) -> Page {
    let last_of_table = rows < PAGE_ROWS;
    let next = if last_of_table {
        Place {
            index: place.index + 1,
            offset: 0,
        }
    } else {
        Place {
            offset: place.offset + rows,
            ..place
        }
    };
    Page {
        place,
        first: place.offset == 0,
        fresh: place.is_fresh(),
        done: last_of_table && next.index >= tables,
        next,
    }
}

/// Whether a step ends here, having copied `copied` rows of a budget; nothing when it reads another page.
///
/// A copy whose place is behind the last table is done, also where the tables have become fewer since and no chunk
/// said so to the lane: the contract does not say, and this is how it reads.
pub fn step_end(place: Place, tables: usize, copied: Number, budget: Number) -> Option<StepEnd> {
    if place.index >= tables {
        Some(StepEnd::Done)
    } else if copied.js_lt(budget) {
        None
    } else {
        Some(StepEnd::Paused(place))
    }
}
