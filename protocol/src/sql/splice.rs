//! A literal put in front of the columns and values of an insert.

use super::token::{Name, Token, Tokens};
use crate::ecma::is_word;
use crate::host::Text;

/// An insert with one more column and value, at the front of both lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spliced {
    /// The text.
    pub sql: Text,
    /// The table, without quotes: [`write_target`](super::write_target) of the text.
    pub table: Text,
}

/// The names by which SQLite knows the row id of any table (SQLite's documentation, "ROWIDs and the INTEGER PRIMARY
/// KEY").
const ROW_ID: [&str; 3] = ["rowid", "_rowid_", "oid"];

/// The parts of an insert that a splice needs.
struct Insert<'a> {
    /// The word behind `OR`.
    or: Option<&'a str>,
    table: Name<'a>,
    columns: Vec<Name<'a>>,
    /// What stands behind the parenthesis that opens the values.
    values: &'a str,
}

/// Puts `column` and `literal` in front of an insert's columns and values (`lanes.md` 18: "an insert without an explicit
/// id", "spliced in as literal first column and value").
///
/// Nothing when the text is anything else than one insert of one row with a list of columns, or when that list names
/// the column already, by its name or as the row id. So nothing for several tuples, for a `SELECT` or `DEFAULT VALUES`
/// in place of values, and where another statement follows; `ON CONFLICT`, `RETURNING` and a `;` may follow.
///
/// Unlike [`PlainInsert`](super::PlainInsert) it reads what SQLite reads, because what it writes is run: a `)` in a
/// literal must not shift the place, nor a comment hide an id. But what it writes is a `PlainInsert`, for by that shape,
/// and by no other, the lane marks the id as used and the primary finds the table that it judges (`lanes.md` 10, 11 and
/// 14.4). An id without a mark would be given twice. So all in front of the values is written anew, without comments,
/// and the table in double quotes if in any.
///
/// Nothing, too, for what that shape cannot say: a table that is no word, is given another name, or stands behind its
/// schema, and a column with a `)` in its name. A schema in particular is part of the name to the contract's patterns
/// and lists, so that `main.sequences` would pass for a table that may be partitioned; without an id it is a table that
/// nobody knows, which a lane may not write.
pub fn splice_first(sql: &str, column: &str, literal: &str) -> Option<Spliced> {
    let insert = insert(sql)?;
    let (id, _) = Tokens::new(column).name()?;
    let is_id = |name: &Name<'_>| {
        let mut ids = ROW_ID.into_iter().chain([&*id.plain]);
        ids.any(|id| name.plain.eq_ignore_ascii_case(id))
    };
    let columns: Vec<&str> = [column]
        .into_iter()
        .chain(insert.columns.iter().map(|name| name.written))
        .collect();
    if insert.columns.iter().any(is_id) || columns.iter().any(|column| column.contains(')')) {
        return None;
    }
    let table = plain_table(&insert.table)?;
    let or = insert.or.map(|word| format!("OR {word} ")).unwrap_or_default();
    let (columns, values) = (columns.join(", "), insert.values);
    Some(Spliced {
        sql: format!("INSERT {or}INTO {table} ({columns}) VALUES ({literal}, {values}").into(),
        table: Text::new(&insert.table.plain),
    })
}

/// A table as a plain insert writes it; nothing when the name is no word.
fn plain_table(table: &Name<'_>) -> Option<String> {
    let (name, is_quoted) = (&*table.plain, table.plain != table.written);
    let is_plain = !name.is_empty() && name.chars().all(is_word);
    is_plain.then(|| {
        if is_quoted {
            format!("\"{name}\"")
        } else {
            name.to_owned()
        }
    })
}

fn insert(sql: &str) -> Option<Insert<'_>> {
    let verb = Tokens::new(sql).keyword("INSERT")?;
    let (or, verb) = match verb.keyword("OR") {
        Some(or) => match or.next()? {
            (Token::Word(word), after) => (Some(word), after),
            _ => return None,
        },
        None => (None, verb),
    };
    let (table, after) = verb.keyword("INTO")?.name()?;
    let (columns, after) = names(after.mark('(')?)?;
    let values = after.keyword("VALUES")?.mark('(')?;
    ends(behind_tuple(values)?).then(|| Insert {
        or,
        table,
        columns,
        values: values.rest(),
    })
}

/// The names up to the parenthesis that closes their list, and the place behind it.
fn names(list: Tokens<'_>) -> Option<(Vec<Name<'_>>, Tokens<'_>)> {
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

/// Behind the parenthesis that closes a tuple of at least one value: an empty one has no place before its first. Nothing
/// where a vertical tab is no white space: SQLite refuses it there, and would not behind the literal.
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
            Token::Mark('\u{b}') => return None,
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
        let spliced = Spliced {
            sql: minted.into(),
            table: "node".into(),
        };
        assert_eq!(
            splice_first(sql, "\"nid\"", "258"),
            Some(spliced),
            "{sql} is one insert without an id: it gets one (lanes.md 18)"
        );
    }

    #[track_caller]
    fn leaves(sql: &str) {
        assert_eq!(
            splice_first(sql, "\"nid\"", "258"),
            None,
            "{sql} has an id, or is no single insert of one row, or no mark could be read from it (lanes.md 10, 18)"
        );
    }

    #[test]
    fn a_comment_in_the_columns_is_not_a_column() {
        mints(
            "INSERT INTO node (/* a, nid, b */ title -- nid, )\n) VALUES (?)",
            "INSERT INTO node (\"nid\", title) VALUES (258, ?)",
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
            "INSERT INTO node (\"nid\", title) VALUES (258, ?)",
        );
    }

    #[test]
    fn a_name_has_any_of_the_four_quotes() {
        for (table, title) in [
            ("`node`", "`title`"),
            ("[node]", "[title]"),
            ("'node'", "'title'"),
            ("\"node\"", "\"title\""),
        ] {
            mints(
                &format!("INSERT INTO{table}({title})VALUES(?)"),
                &format!("INSERT INTO \"node\" (\"nid\", {title}) VALUES (258, ?)"),
            );
        }
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
            "INSERT INTO node (\"a, nid\") VALUES ('x')",
            "INSERT INTO node (\"nid\", \"a, nid\") VALUES (258, 'x')",
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
    fn what_a_plain_insert_could_not_be_is_left_alone() {
        for sql in [
            "INSERT INTO main.node (title) VALUES (?)",
            "INSERT INTO main . [node] (title) VALUES (?)",
            "INSERT INTO \"main.node\" (title) VALUES (?)",
            "INSERT INTO node AS n (title) VALUES (?)",
            "INSERT INTO [no de] (title) VALUES (?)",
            "INSERT INTO nodé (title) VALUES (?)",
            "INSERT INTO \"\" (title) VALUES (?)",
            "INSERT INTO node (\"a)b\") VALUES (?)",
            ";INSERT INTO node (title) VALUES (?)",
        ] {
            leaves(sql);
        }
        assert_eq!(
            splice_first("INSERT INTO node (title) VALUES (?)", "\"n)id\"", "1"),
            None
        );
    }

    /// Behind the literal it would be white space, and the text would run that SQLite refuses.
    #[test]
    fn a_vertical_tab_that_sqlite_refuses_is_left_alone() {
        leaves("INSERT INTO node (title) VALUES (\u{b}?)");
        leaves("\u{b}INSERT INTO node (title) VALUES (?)");
        mints(
            "INSERT \u{b}INTO node (title) VALUES ( \u{b}?)",
            "INSERT INTO node (\"nid\", title) VALUES (258,  \u{b}?)",
        );
    }

    #[test]
    fn a_conflict_clause_in_front_is_kept() {
        mints(
            "insert or/**/ignore into node (title) values (?)",
            "INSERT OR ignore INTO node (\"nid\", title) VALUES (258, ?)",
        );
    }
}
