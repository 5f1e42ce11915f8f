//! What the primary takes out of a batch, and what it rewrites, before it judges the rest.

use super::ForwardStatement;
use crate::ecma::{collapse_space, is_digit, trim};
use crate::host::Text;
use crate::json::Json;
use crate::lanes::rules::Rules;
use crate::lanes::wire::Field;
use crate::sql::PlainInsert;

/// The log of events: its rows may come later, and get lost.
const DEFERRABLE: &str = "watchdog";
/// The counters that tell caches what is out of date.
const CACHE_TAGS: &str = "cachetags";
/// What each increment of a counter becomes, so that increments of two writers add up.
const INCREMENT: &str = "INSERT INTO \"cachetags\" (\"tag\", \"invalidations\") VALUES (?, 1) \
     ON CONFLICT (\"tag\") DO UPDATE SET \"invalidations\" = \"invalidations\" + 1";

/// `deferrable`: a log row that need not be committed with the rest, normalised; nothing for anything else (`lanes.md`
/// 10).
///
/// Only a whole plain insert into `watchdog` whose values are all `?`, as many as its parameters. An id that the lane
/// minted is dropped: the primary gives the row its own.
pub fn deferrable(rules: &Rules, statement: &ForwardStatement) -> Option<ForwardStatement> {
    if statement.folded_table() != DEFERRABLE {
        return None;
    }
    let bound = (rules.forwarding.bind)(statement).ok()?;
    let mut insert = PlainInsert::read(&bound.sql).filter(PlainInsert::is_whole)?;
    let minted = statement.minted.as_str().map(str::to_lowercase);
    if minted.as_deref() == Some(DEFERRABLE) {
        let id = insert.values.first()?;
        if id.is_empty() || !id.chars().all(is_digit) || insert.columns.len() != insert.values.len() {
            return None;
        }
        insert.columns.remove(0);
        insert.values.remove(0);
    }
    let is_row =
        insert.is_all_bound() && !insert.values.is_empty() && insert.values.len() == bound.params.len();
    let (table, columns, values) = (insert.table, insert.columns.join(", "), insert.values.join(", "));
    is_row.then(|| ForwardStatement {
        sql: Text::from(format!("INSERT INTO {table} ({columns}) VALUES ({values})")).into(),
        params: Field::Is(Json::Array(bound.params)),
        table: Text::new_static(DEFERRABLE).into(),
        ..ForwardStatement::default()
    })
}

/// `cacheTagIncrement`: an increment of a cache tag in its one canonical form; nothing for anything else (`lanes.md`
/// 10).
///
/// Taken are a whole plain insert of `?` only, with a column `tag`, and the update that Drupal tries first; the tag must
/// be a text that is not empty.
pub fn cache_tag_increment(rules: &Rules, statement: &ForwardStatement) -> Option<ForwardStatement> {
    if statement.folded_table() != CACHE_TAGS {
        return None;
    }
    let bound = (rules.forwarding.bind)(statement).ok()?;
    let tag = match PlainInsert::read(&bound.sql) {
        Some(insert) if insert.is_whole() && insert.is_all_bound() => {
            bound.params.get(insert.column("tag")?)?
        }
        _ if is_increment(&bound.sql) => match bound.params.as_slice() {
            [tag] => tag,
            _ => return None,
        },
        _ => return None,
    };
    let tag = tag.as_text().filter(|tag| !tag.is_empty())?;
    Some(ForwardStatement {
        sql: Text::new_static(INCREMENT).into(),
        params: Field::Is(Json::Array(vec![tag.clone().into()])),
        table: Text::new_static(CACHE_TAGS).into(),
        ..ForwardStatement::default()
    })
}

/// `UPDATE cachetags SET invalidations = invalidations + 1 WHERE tag = ?`, each name in double quotes or not.
///
/// White space does not count, neither its amount nor, around `=` and `+`, its presence: Drupal writes
/// `"invalidations"="invalidations" + 1`.
fn is_increment(sql: &str) -> bool {
    const SHAPE: &str = "update cachetags set invalidations=invalidations+1 where tag=?";
    let text = collapse_space(trim(sql)).to_ascii_lowercase();
    let unquoted = ["cachetags", "invalidations", "tag"]
        .iter()
        .fold(text, |text, name| text.replace(&format!("\"{name}\""), name));
    let tight = unquoted
        .replace(" =", "=")
        .replace("= ", "=")
        .replace(" +", "+")
        .replace("+ ", "+");
    tight == SHAPE
}

/// A batch, split.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Split {
    /// What is committed in one transaction, cache tags rewritten.
    pub commit: Vec<ForwardStatement>,
    /// What is appended afterwards, normalised; each of them may fail.
    pub deferred: Vec<ForwardStatement>,
}

/// `splitForward`: [`deferrable`] statements apart from the others, among which [`cache_tag_increment`]s are rewritten;
/// the order is kept in each part (`lanes.md` 10).
pub fn split_forward(rules: &Rules, statements: &[ForwardStatement]) -> Split {
    let mut split = Split::default();
    for statement in statements {
        match (rules.forwarding.deferrable)(rules, statement) {
            Some(row) => split.deferred.push(row),
            None => {
                let rewritten = (rules.forwarding.cache_tag_increment)(rules, statement);
                split.commit.push(rewritten.unwrap_or_else(|| statement.clone()));
            }
        }
    }
    split
}
