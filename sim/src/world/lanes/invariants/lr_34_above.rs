//! LR-34. An id that a lane mints is above all of its class that are used.
//!
//! Judged when a lane forwards a batch for the first time: it must hold the tables that it mints for (which is not known
//! in the middle of the turn that may have made them), and each id must be above all of its class that the primary's
//! table holds at that moment; but for a lane that an operator has put back, until it has caught up (see LR-33). And
//! when the primary has committed a batch: each id in it must be above every other one of its class in the table, but
//! for those behind it in the same batch. A batch that comes once more and is known brings nothing: it is answered as
//! it was. Ids of refused batches are not used; ids of rows that are gone are not asked for, because the tables of the
//! catalogue forget them, where deployed ones do not. No lane holds the log of events, so none mints for it: what the primary writes there has an
//! id of the primary's class, or leaves it to the database. The primary's own ids come from its table's maximum and
//! are LR-32's. Catches S3, S43, H37, H39, G05.

use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::contents::Contents;
use crate::world::lanes::truth::minted::{CLASSES, action, first_value, ids, is_batch, minted_in};
use crate::world::lanes::truth::wire::Called;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::{Statement, Text};
use protocol::lanes::app::tables;
use protocol::lanes::object::labels;
use protocol::sql::write_target;

/// A lane mints one for a table that it does not hold.
const NOT_HELD: Class = Class("not-held");
/// A lane mints one below another.
const MINTED: Class = Class("minted");
/// A batch brings one below another, and is committed.
const BROUGHT: Class = Class("brought");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-34",
        statement: "an id that a lane mints is above every used id of its class in a table that the lane holds",
        classes: &[NOT_HELD, MINTED, BROUGHT],
    },
    triage: Triage::Reworded("ids of deleted rows are not counted: the catalogue's tables do not remember them"),
    stands: &[Stand::Call(forwards), Stand::Primary(takes)],
};

fn forwards(truth: &mut Truth, called: &Called) -> Judgement {
    let writer = truth.lane_of(&called.who);
    let (labels::FORWARD, Some(writer)) = (called.label, writer) else {
        return Judgement::NoSubject;
    };
    if truth.is_put_back(writer) {
        return Judgement::NoSubject;
    }
    let Some(lane) = truth.standing(writer) else {
        return Judgement::NoSubject;
    };
    let mut judgement = Judgement::NoSubject;
    for (table, id) in minted_in(&called.request) {
        if lane.contents.table(&table).is_none() && truth.mid_turn != Some(writer) {
            return Judgement::broken(Breach::new(NOT_HELD, format!(
                "lane {writer} mints {id} of {table}, which it does not hold"
            )));
        }
        let highest = highest(&truth.primary.contents, &table, id, |_| false);
        judgement = Judgement::that(highest < Some(id), || {
            Breach::new(MINTED, format!("lane {writer} mints {id} of {table}, and {} of its class is there", told(highest))).between((format!("ids of {table} of that class"), told(highest)), ("the new one", id))
        });
        if highest >= Some(id) {
            break;
        }
    }
    judgement
}

fn takes(truth: &mut Truth, turn: &Turn) -> Judgement {
    let mut judgement = Judgement::NoSubject;
    for id in turn.statements().filter_map(event) {
        judgement = Judgement::that(id % CLASSES == 0, || {
            Breach::new(NOT_HELD, format!("the log of events has a row {id}, and no lane holds that table"))
                .between(("the class of its rows", 0), (format!("the class of {id}"), id % CLASSES))
        });
        if id % CLASSES != 0 {
            return judgement;
        }
    }
    for (run, response) in turn.answers() {
        let batch = run.request().filter(|request| is_batch(request));
        let committed = action(response).as_deref() == Some("commit");
        let Some(batch) = batch.filter(|_| committed) else {
            continue;
        };
        let minted = minted_in(batch);
        let was_there = |(table, id): &(Text, u64)| {
            truth.minted.taken(table, *id) == Some(batch.body.digest())
                && holds(&turn.before.contents, table, *id)
        };
        if minted.iter().any(was_there) {
            continue;
        }
        for (at, (table, id)) in minted.iter().enumerate() {
            let own = |other: u64| minted[at..].iter().any(|(of, id)| of == table && *id == other);
            let highest = highest(&turn.after.contents, table, *id, own);
            judgement = Judgement::that(highest < Some(*id), || {
                Breach::new(BROUGHT, format!("a batch brings {id} of {table}, and {} of its class is there", told(highest))).between((format!("ids of {table} of that class"), told(highest)), ("the new one", id))
            });
            if highest >= Some(*id) {
                return judgement;
            }
        }
    }
    judgement
}

/// The id that a row of the log of events is given, if it is given one.
fn event(statement: &Statement) -> Option<u64> {
    let is_event = write_target(&statement.sql) == Some("watchdog");
    is_event.then(|| first_value(&statement.sql)).flatten()
}

/// Whether a table has a row of this id.
fn holds(primary: &Contents, table: &Text, id: u64) -> bool {
    let column = tables::find(table).and_then(|table| table.id);
    let stored = column.zip(primary.table(table));
    stored.is_some_and(|(column, table)| ids(table, column).any(|other| other == id))
}

/// The highest id of the class of an id that the primary's table holds and that is not left out.
fn highest(primary: &Contents, table: &Text, id: u64, own: impl Fn(u64) -> bool) -> Option<u64> {
    let column = tables::find(table)?.id?;
    let stored = ids(primary.table(table)?, column);
    stored
        .filter(|other| other % CLASSES == id % CLASSES && !own(*other))
        .max()
}
