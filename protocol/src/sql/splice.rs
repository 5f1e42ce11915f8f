//! A literal put in front of the columns and values of an insert.

use std::borrow::Cow;

use super::token::{Token, Tokens};
use crate::host::Text;

/// An insert with one more column and value, at the front of both lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spliced {
    /// The text.
    pub sql: Text,
    /// The table, without quotes; with its schema before a `.` where that is written.
    pub table: Text,
}

/// The names by which SQLite knows the row id of any table (SQLite's documentation, "ROWIDs and the INTEGER PRIMARY
/// KEY").
const ROW_ID: [&str; 3] = ["rowid", "_rowid_", "oid"];

/// The parts of an insert that a splice needs; the places as offsets in its text.
struct Places<'a> {
    table: String,
    columns: usize,
    listed: Vec<Cow<'a, str>>,
    values: usize,
}

/// Puts `column` and `literal` in front of an insert's columns and values (`lanes.md` 18: "an insert without an explicit
/// id", "spliced in as literal first column and value").
///
/// Nothing when the text is anything else than one insert of one row with a list of columns, or when that list names
/// the column already, by its name or as the row id. So nothing for several tuples, for a `SELECT` or `DEFAULT VALUES`
/// in place of values, and where another statement follows; `ON CONFLICT`, `RETURNING` and a `;` may follow.
///
/// The contract's patterns for inserts are those of its section 10, not of minting, and this does not go by them:
/// unlike [`PlainInsert`](super::PlainInsert) it reads what SQLite reads, because what it writes is run. A `)` in a
/// literal must not shift the place, nor a comment hide an id. So it can mint where those patterns see no insert; the
/// statement still reports it.
pub fn splice_first(sql: &str, column: &str, literal: &str) -> Option<Spliced> {
    let places = places(sql)?;
    let (id, _) = Tokens::new(column).name()?;
    let is_id = |name: &Cow<'_, str>| {
        let mut ids = ROW_ID.into_iter().chain([&*id]);
        ids.any(|id| name.eq_ignore_ascii_case(id))
    };
    if places.listed.iter().any(is_id) {
        return None;
    }
    let text = format!(
        "{}{column}, {}{literal}, {}",
        &sql[..places.columns],
        &sql[places.columns..places.values],
        &sql[places.values..]
    );
    Some(Spliced {
        sql: text.into(),
        table: places.table.into(),
    })
}

fn places(sql: &str) -> Option<Places<'_>> {
    let offset = |at: Tokens<'_>| sql.len() - at.rest().len();
    let verb = Tokens::new(sql).keyword("INSERT")?;
    let verb = match verb.keyword("OR") {
        Some(or) => or.name()?.1,
        None => verb,
    };
    let (table, after) = table(verb.keyword("INTO")?)?;
    let after = match after.keyword("AS") {
        Some(alias) => alias.name()?.1,
        None => after,
    };
    let columns = after.mark('(')?;
    let (listed, after) = names(columns)?;
    let values = after.keyword("VALUES")?.mark('(')?;
    let after = behind_tuple(values)?;
    ends(after).then(|| Places {
        table,
        columns: offset(columns),
        listed,
        values: offset(values),
    })
}

/// A table, perhaps with its schema.
fn table(at: Tokens<'_>) -> Option<(String, Tokens<'_>)> {
    let (first, after) = at.name()?;
    let Some(dot) = after.mark('.') else {
        return Some((first.into_owned(), after));
    };
    let (table, after) = dot.name()?;
    Some((format!("{first}.{table}"), after))
}

/// The names up to the parenthesis that closes their list, and the place behind it.
fn names(list: Tokens<'_>) -> Option<(Vec<Cow<'_, str>>, Tokens<'_>)> {
    let mut names = Vec::new();
    let mut at = list;
    loop {
        let (name, after) = at.name()?;
        names.push(name);
        match after.next()? {
            (Token::Mark(','), after) => at = after,
            (Token::Mark(')'), after) => return Some((names, after)),
            _ => return None,
        }
    }
}

/// Behind the parenthesis that closes a tuple of at least one value: an empty one has no place before its first.
fn behind_tuple(values: Tokens<'_>) -> Option<Tokens<'_>> {
    if values.mark(')').is_some() {
        return None;
    }
    let (mut depth, mut at) = (1_usize, values);
    while depth > 0 {
        let (token, after) = at.next()?;
        match token {
            Token::Mark('(') => depth += 1,
            Token::Mark(')') => depth -= 1,
            _ => {}
        }
        at = after;
    }
    Some(at)
}

/// Whether nothing follows a tuple but clauses of the same insert: no other tuple, which would need a value of its own,
/// no `UNION`, no other statement.
fn ends(tuple: Tokens<'_>) -> bool {
    let clause = ["ON", "RETURNING"]
        .into_iter()
        .any(|word| tuple.keyword(word).is_some());
    let (mut at, mut is_over) = (tuple, !clause);
    while let Some((token, after)) = at.next() {
        let ends_statement = token == Token::Mark(';');
        if is_over && !ends_statement {
            return false;
        }
        is_over |= ends_statement;
        at = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn mints(sql: &str, minted: &str) {
        let spliced = splice_first(sql, "\"nid\"", "258").map(|spliced| (spliced.sql, spliced.table));
        assert_eq!(
            spliced,
            Some((minted.into(), "node".into())),
            "{sql} is one insert without an id: it gets one (lanes.md 18)"
        );
    }

    #[track_caller]
    fn leaves(sql: &str) {
        assert_eq!(
            splice_first(sql, "\"nid\"", "258"),
            None,
            "{sql} has an id, or is no single insert of one row: it must be left as it is (lanes.md 18)"
        );
    }

    #[test]
    fn a_comment_in_the_columns_is_not_a_column() {
        mints(
            "INSERT INTO node (/* a, nid, b */ title -- nid, )\n) VALUES (?)",
            "INSERT INTO node (\"nid\", /* a, nid, b */ title -- nid, )\n) VALUES (258, ?)",
        );
    }

    #[test]
    fn a_comment_beside_the_id_does_not_hide_it() {
        leaves("INSERT INTO node (nid /* the id */, title) VALUES (?, ?)");
        leaves("INSERT INTO node (title, -- the id\nnid) VALUES (?, ?)");
    }

    #[test]
    fn a_comment_before_the_table_is_white_space() {
        mints(
            "/* q */ INSERT INTO /* x */ node/**/(title)/**/VALUES/**/(?)",
            "/* q */ INSERT INTO /* x */ node/**/(\"nid\", title)/**/VALUES/**/(258, ?)",
        );
    }

    #[test]
    fn a_name_has_any_of_the_four_quotes() {
        for (table, title) in [
            ("`node`", "`title`"),
            ("[node]", "[title]"),
            ("'node'", "'title'"),
        ] {
            mints(
                &format!("INSERT INTO {table} ({title}) VALUES (?)"),
                &format!("INSERT INTO {table} (\"nid\", {title}) VALUES (258, ?)"),
            );
        }
        mints(
            "INSERT INTO\"node\"(\"t\")VALUES(?)",
            "INSERT INTO\"node\"(\"nid\", \"t\")VALUES(258, ?)",
        );
    }

    #[test]
    fn an_id_is_known_in_any_quotes_and_as_the_row_id() {
        for id in ["`nid`", "[NID]", "'nid'", "rowid", "_ROWID_", "\"oid\""] {
            leaves(&format!("INSERT INTO node (title, {id}) VALUES (?, ?)"));
        }
    }

    #[test]
    fn several_tuples_are_left_alone() {
        leaves("INSERT INTO node (title) VALUES (?), (?)");
        leaves("INSERT INTO node (title) VALUES (?) /* and */ , (?)");
        leaves("INSERT INTO node (title) VALUES (?) UNION ALL VALUES (?)");
    }

    #[test]
    fn a_second_statement_is_left_alone() {
        leaves("INSERT INTO node (title) VALUES (?); DELETE FROM node");
        leaves("INSERT INTO node (title) VALUES (?) ON CONFLICT DO NOTHING;;SELECT 1;");
    }

    #[test]
    fn a_semicolon_and_comments_may_follow() {
        for tail in [
            ";",
            " ; -- done",
            " /* ; */",
            ";;",
            " ON CONFLICT DO NOTHING;",
            " RETURNING 'a;b'",
        ] {
            mints(
                &format!("INSERT INTO node (title) VALUES (?){tail}"),
                &format!("INSERT INTO node (\"nid\", title) VALUES (258, ?){tail}"),
            );
        }
    }

    #[test]
    fn a_literal_with_a_parenthesis_or_a_comma_is_one_value() {
        mints(
            "INSERT INTO node (title, body) VALUES ('a), (''b', '/* ; ')",
            "INSERT INTO node (\"nid\", title, body) VALUES (258, 'a), (''b', '/* ; ')",
        );
        mints(
            "INSERT INTO node (\"a), nid\") VALUES ('x')",
            "INSERT INTO node (\"nid\", \"a), nid\") VALUES (258, 'x')",
        );
    }

    #[test]
    fn what_is_no_insert_of_one_row_is_left_alone() {
        for sql in [
            "INSERT INTO node (title) VALUES ()",
            "INSERT INTO node (title) VALUES (/* ? */)",
            "INSERT INTO node (/* title */) VALUES (?)",
            "INSERT INTO node (title) VALUES (?",
            "INSERT INTO node (title VALUES (?)",
            "INSERT INTO node (title)",
            "INSERT INTO node VALUES (?)",
            "INSERTINTO node (title) VALUES (?)",
            "",
        ] {
            leaves(sql);
        }
    }

    #[test]
    fn a_schema_is_part_of_the_table_and_an_alias_is_not() {
        let table = |sql| splice_first(sql, "nid", "1").map(|spliced| spliced.table);
        assert_eq!(
            table("INSERT OR IGNORE INTO main.node AS n (title) VALUES (?)"),
            Some("main.node".into()),
            "the table is what writeTargetTable would call it"
        );
    }
}
