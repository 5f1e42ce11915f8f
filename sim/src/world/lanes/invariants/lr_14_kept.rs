//! LR-14. What a lane has kept of an older generation does not outlive it.
//!
//! A kept page tells what it read, so the oracle can read the same at any generation. Judged are pages that were right
//! and are not: one that read as the lane's generation before it moved by records, does not read so after, and is still
//! there; and one that the lane itself has put there, of an earlier generation only. A row of the render cache shows a
//! node's title, and must be the title that the lane holds. And its commit sequence is where it stands.
//!
//! The primary's own pages are judged where its application has written a cache tag and has answered in the same turn, as
//! it does where nothing in between waits (a digest, as documented): what this has made untrue is gone. Forwarded tags are left out, for they empty nothing there (S27).
//!
//! Sound: a lane empties its page cache whenever it has applied something (`lanes.md` 14.2), so what survives was meant
//! to go. Pages that came with a copy are the primary's to keep, and may be stale there by design: they are never judged
//! by the first of both rules unless they were right on the lane, and never by the second. It cannot see the front
//! page's row in the render cache, which the application never takes back. Catches H5, S33, S49, and a record that fails
//! behind others of the same pull.

use std::sync::Arc;

use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::contents::Row;
use crate::world::lanes::truth::copies::is_whole;
use crate::world::lanes::truth::minted::is_batch;
use crate::world::lanes::truth::standing::{Generation, Standing};
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::meta::Key;
use protocol::number::Number;
use protocol::host::Value;
use protocol::lanes::app::page::Page;
use protocol::sql::write_target;

/// Its commit sequence is not its position.
const OTHER_SEQUENCE: Class = Class("other-sequence");
/// A page stays there that its move has made untrue.
const PAGE_SURVIVES: Class = Class("page-survives");
/// The primary keeps a page that its own write has made untrue.
const OWN_PAGE_STAYS: Class = Class("own-page-stays");
/// It keeps a page of an earlier generation.
const PAGE_IS_KEPT: Class = Class("page-is-kept");
/// It keeps another number of nodes.
const COUNT_IS_KEPT: Class = Class("count-is-kept");
/// It keeps another title of a node.
const TITLE_IS_KEPT: Class = Class("title-is-kept");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-14",
        statement: "no page that a record has made untrue stays in a lane's caches, nor one in the primary's that a write of \
                    tags has, and a lane's commit sequence is its position",
        classes: &[OTHER_SEQUENCE, PAGE_SURVIVES, OWN_PAGE_STAYS, PAGE_IS_KEPT, COUNT_IS_KEPT, TITLE_IS_KEPT],
    },
    triage: Triage::Reworded(
        "only what was true on the lane can become untrue by its moves; what a copy brings may be stale by design",
    ),
    stands: &[Stand::Lane(check), Stand::Primary(own)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    if !turn.changed {
        return Judgement::NoSubject;
    }
    let clock = clock(turn);
    if is_whole(turn) || matches!(clock, Judgement::Broken(_)) {
        return clock;
    }
    let (Some(before), Some(after)) = (Truth::owes(&turn.before), Truth::owes(&turn.after)) else {
        return clock;
    };
    let survived = if before == after {
        Judgement::NoSubject
    } else {
        survivors(truth, turn, before, after)
    };
    survived.or(|| kept(truth, turn, after)).or(|| titles(turn))
}

/// The commit sequence of a lane is its position: fences and forwarded batches go by the one, data by the other. A lane
/// always has both, so that this alone is no subject.
fn clock(turn: &Turn) -> Judgement {
    let Some(applied) = Truth::owes(&turn.after) else {
        return Judgement::NoSubject;
    };
    let sequence = turn.after.generation(Key::COMMIT_SEQUENCE);
    if sequence == Some(applied) {
        return Judgement::NoSubject;
    }
    let sequence = told(sequence);
    let breach = Breach::new(OTHER_SEQUENCE, format!(
        "lane {} stands at {applied}, and its commit sequence is {sequence}",
        turn.lane
    ));
    Judgement::broken(breach.between(("the position", applied), ("the commit sequence", sequence)))
}

/// Pages that were there before the lane moved, and are still.
fn survivors(truth: &mut Truth, turn: &Turn, before: Generation, after: Generation) -> Judgement {
    untrue(truth, turn, (before, after), PAGE_SURVIVES, &format!("lane {}", turn.lane))
}

/// Pages of the primary that were there before its application has written a cache tag and answered, and are still.
fn own(truth: &mut Truth, turn: &Turn) -> Judgement {
    let mut statements = turn.statements();
    if !statements.any(|statement| write_target(&statement.sql) == Some("cachetags")) {
        return Judgement::NoSubject;
    }
    let mut runs = turn.answers().map(|(run, _)| run.request()).peekable();
    let answers = runs.peek().is_some() && runs.all(|request| request.is_some_and(|request| !is_batch(request)));
    match (turn.before.sealed(), turn.after.sealed()) {
        (Some(before), Some(after)) if answers => {
            untrue(truth, turn, (before, after), OWN_PAGE_STAYS, "the primary")
        }
        _ => Judgement::NoSubject,
    }
}

/// Pages that were there, are still, and were true at the first of two generations and not at the second.
fn untrue(
    truth: &mut Truth,
    turn: &Turn,
    (before, after): (Generation, Generation),
    class: Class,
    who: &str,
) -> Judgement {
    let there = pages(&turn.before);
    let mut judgement = Judgement::NoSubject;
    for (row, page) in there {
        judgement = Judgement::Holds;
        let stays = rows(&turn.after, "cfw_page").any(|other| *other == row);
        if stays && truth.shows(&page, before) == Some(true) && truth.shows(&page, after) == Some(false) {
            return Judgement::broken(Breach::new(class, format!(
                "{who} moved from {before} to {after} and keeps the page of {}",
                named(&row)
            )));
        }
    }
    judgement
}

/// Pages that the lane itself has put there.
fn kept(truth: &mut Truth, turn: &Turn, after: Generation) -> Judgement {
    let put = |row: &Row| {
        turn.statements().any(|statement| {
            statement.sql.starts_with("INSERT OR REPLACE INTO cfw_page ")
                && statement.params.first() == row.first()
        })
    };
    let mut judgement = Judgement::NoSubject;
    for (row, page) in pages(&turn.after).into_iter().filter(|(row, _)| put(row)) {
        judgement = Judgement::Holds;
        if truth.shows(&page, after) != Some(false) {
            continue;
        }
        let earlier: Vec<Generation> = truth.history.range(..after).rev().map(|(at, _)| *at).collect();
        if let Some(of) = earlier
            .into_iter()
            .find(|of| truth.shows(&page, *of) == Some(true))
        {
            let detail = format!(
                "lane {} stands at {after} and keeps a page of {} of generation {of}",
                turn.lane,
                named(&row)
            );
            return Judgement::broken(Breach::new(PAGE_IS_KEPT, detail).between(
                (format!("a page that lane {} keeps", turn.lane), format!("of generation {after}")),
                ("it is", format!("of generation {of}")),
            ));
        }
    }
    judgement
}

/// Rows of the render cache against what the lane holds: `front` has the number of nodes, `node:N:role` a title.
fn titles(turn: &Turn) -> Judgement {
    let Some(nodes) = turn.after.contents.table("node_field_data") else {
        return Judgement::NoSubject;
    };
    let (Some(nid), Some(title)) = (nodes.column("nid"), nodes.column("title")) else {
        return Judgement::NoSubject;
    };
    let mut judgement = Judgement::NoSubject;
    for row in rows(&turn.after, "cache_render") {
        let [Value::Text(cid), Value::Text(data), ..] = &***row else {
            continue;
        };
        if cid == "front" {
            let count = Number::from(nodes.rows.len() as u64);
            let holds = Number::parse(data).js_eq(count);
            judgement = Judgement::that(holds, || {
                Breach::new(COUNT_IS_KEPT, format!(
                    "lane {} keeps `{data}` as the number of nodes, of which there are {count}",
                    turn.lane
                ))
                .between(("the nodes", count), ("what the lane keeps of it", data))
            });
            if !holds {
                break;
            }
            continue;
        }
        let of = cid.split(':').nth(1).and_then(|nid| nid.parse::<u32>().ok());
        let Some(of) = of.filter(|_| cid.starts_with("node:")) else {
            continue;
        };
        let Some(node) = nodes.rows.iter().find(|node| node[nid] == Value::from(of)) else {
            continue;
        };
        let holds = node[title].as_text() == Some(data.as_str());
        judgement = Judgement::that(holds, || {
            Breach::new(TITLE_IS_KEPT, format!(
                "lane {} keeps `{data}` as the title of node {of}, which is {:?}",
                turn.lane, node[title]
            )).between((format!("the title of node {of}"), format!("{:?}", node[title])), ("what the lane keeps of it", data))
        });
        if !holds {
            break;
        }
    }
    judgement
}

fn rows<'a>(standing: &'a Standing, table: &str) -> impl Iterator<Item = &'a Arc<Row>> {
    standing.kept.get(table).into_iter().flat_map(|table| &table.rows)
}

/// The kept pages that tell what they read.
fn pages(standing: &Standing) -> Vec<(Arc<Row>, Page)> {
    let html = standing
        .kept
        .get("cfw_page")
        .and_then(|table| table.column("html"));
    let read = |row: &Arc<Row>| {
        let page = serde_json::from_str(row.get(html?)?.as_text()?).ok()?;
        Some((Arc::clone(row), page))
    };
    rows(standing, "cfw_page").filter_map(read).collect()
}

fn named(row: &[Value]) -> &str {
    row.first().and_then(Value::as_text).unwrap_or_default()
}
