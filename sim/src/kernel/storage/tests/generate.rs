//! Statements of the model's shapes over the tables of `tables`, with values that have caught databases out.

use protocol::host::{Statement, Value};

use super::tables::{CHANGES, CREATE, OF_SCHEMA, SEQUENCE, TABLES, Table};
use super::{blob, number, statement};

macro_rules! long {
    ($text:literal) => {
        concat!(
            $text, $text, $text, $text, $text, $text, $text, $text, $text, $text
        )
    };
}

/// A stream of small numbers that decides what is generated. Where it ends, zeros follow, which are the simplest
/// choices: so proptest shrinks by shortening it.
pub(super) struct Draws<'a>(pub(super) std::slice::Iter<'a, u16>);

impl Draws<'_> {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % bound
    }

    fn of(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len())]
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == bound - 1
    }
}

fn value(draws: &mut Draws<'_>) -> Value {
    // Mostly a few plain values, so that keys meet; the odd ones often enough.
    match draws.below(24) {
        0..=6 => number(draws.of(&["1", "2", "3", "4"])),
        7..=12 => Value::text(draws.of(&["a", "b", "c", "B", ""])),
        13 => Value::Null,
        14 => blob(&[]),
        15 => blob(b"a"),
        16 => Value::text("7"),
        17 => Value::text("7.0"),
        18 => number(draws.of(&["-0", "9007199254740992", "-1e300", "4503599627370497.5"])),
        19 => number("7"),
        20 => number(draws.of(&["0", "0.5", "-2.5", "123456.25"])),
        21 => number(draws.of(&[
            "9007199254740993",
            "9223372036854775808",
            "1e300",
            "NaN",
            "Infinity",
            "-9223372036854775808",
        ])),
        22 => Value::text(draws.of(&[
            "é",
            "a\0b",
            "-3",
            "07",
            "1.50",
            "x7",
            " 7",
            "7 ",
            "1e3",
            "0x10",
            "+5",
            "-0",
            ".5",
            "5.",
            "Infinity",
            "nan",
            "9007199254740993",
            "9223372036854775808",
            LONG,
        ])),
        _ => number(draws.of(&["-1", "100", "999999999999999", "9223372036854775807"])),
    }
}

/// Longer than a page of the database, of which the rest goes elsewhere.
const LONG: &str = long!(
    "a text that is long, longer than anything that a page of the database holds beside others, and that goes on and on; "
);

fn of_schema(draws: &mut Draws<'_>) -> Statement {
    let sql = draws.of(&OF_SCHEMA);
    let name = draws.of(&["auto", "loose", "by_w", "twice", "sqlite_sequence", "nowhere"]);
    let params = if sql.contains('?') {
        vec![Value::text(name)]
    } else {
        Vec::new()
    };
    statement(sql, &params)
}

/// Text under construction and its parameters.
struct Writing<'d, 'a> {
    draws: &'d mut Draws<'a>,
    sql: String,
    params: Vec<Value>,
}

/// One statement.
pub(super) fn any_statement(draws: &mut Draws<'_>) -> Statement {
    if draws.one_in(24) {
        return statement(draws.of(&CREATE), &[]);
    }
    if draws.one_in(16) {
        return statement(draws.of(&CHANGES), &[]);
    }
    if draws.one_in(24) {
        return of_schema(draws);
    }
    let table = if draws.one_in(30) {
        SEQUENCE
    } else {
        TABLES[draws.below(TABLES.len())]
    };
    // To SQLite a name is one however it is written.
    let table = if draws.one_in(80) {
        Table {
            name: draws.of(&["Node", "LOG", "paIr", "Loose"]),
            ..table
        }
    } else {
        table
    };
    let table = &table;
    let mut writing = Writing {
        draws,
        sql: String::new(),
        params: Vec::new(),
    };
    match writing.draws.below(8) {
        0..=2 => writing.insert(table),
        3 => writing.update(table),
        4 if !writing.draws.one_in(4) => writing.select(table),
        4 => writing.delete(table),
        5 => writing.aggregate(table),
        _ => writing.select(table),
    }
    if writing.draws.one_in(40) {
        writing.params.push(Value::Null);
    }
    statement(&writing.sql, &writing.params)
}

impl Writing<'_, '_> {
    fn push(&mut self, text: &str) {
        self.sql.push_str(text);
    }

    fn operand(&mut self) {
        if self.draws.one_in(5) {
            let literal = self.draws.of(&[
                "1",
                "'a'",
                "NULL",
                "-2",
                "x'61'",
                "2.5",
                "'7'",
                "4",
                "9223372036854775807",
            ]);
            self.push(literal);
        } else {
            self.push("?");
            let value = value(self.draws);
            self.params.push(value);
        }
    }

    fn column(&mut self, table: &Table) {
        let column = if self.draws.one_in(100) {
            self.draws.of(&["nowhere", "extra", "more"])
        } else {
            self.draws.of(table.columns)
        };
        self.push(column);
    }

    fn insert(&mut self, table: &Table) {
        let verb = self.draws.of(&[
            "INSERT",
            "INSERT",
            "INSERT OR IGNORE",
            "INSERT OR REPLACE",
            "REPLACE",
        ]);
        let upserts = verb == "INSERT" && self.draws.one_in(2);
        // Sometimes the last column is left to its default.
        let width = table.columns.len() - self.draws.below(2);
        self.push(&format!(
            "{verb} INTO {} ({}) VALUES ",
            table.name,
            table.columns[..width].join(", ")
        ));
        for row in 0..=self.draws.below(2) {
            self.push(if row == 0 { "(" } else { ", (" });
            for at in 0..width {
                self.push(if at == 0 { "" } else { ", " });
                self.operand();
            }
            self.push(")");
        }
        if upserts {
            self.push(" ON CONFLICT ");
            let names_nothing = table.key.is_empty() && table.unique.is_empty() || self.draws.one_in(8);
            if !names_nothing {
                self.target(table);
            }
            self.push("DO ");
            if names_nothing || self.draws.one_in(4) {
                self.push("NOTHING");
            } else {
                self.push("UPDATE SET ");
                self.assignment(table, true);
            }
        }
    }

    fn target(&mut self, table: &Table) {
        let key = table.key.join(", ");
        let columns = if table.key.is_empty() || !table.unique.is_empty() && self.draws.one_in(3) {
            self.draws.of(table.unique)
        } else {
            &key
        };
        self.push(&format!("({columns}) "));
    }

    fn assignment(&mut self, table: &Table, upsert: bool) {
        let others: Vec<&'static str> = table
            .columns
            .iter()
            .copied()
            .filter(|name| !table.key.contains(name))
            .collect();
        let column = self.draws.of(&others);
        self.push(&format!("{column} = "));
        match self.draws.below(4) {
            0 if upsert => self.push(&format!("excluded.{column}")),
            1 => {
                let sign = self.draws.of(&["+", "-"]);
                self.push(&format!("{column} {sign} "));
                self.operand();
            }
            2 => self.column(table),
            _ => self.operand(),
        }
    }

    fn update(&mut self, table: &Table) {
        self.push(&format!("UPDATE {} SET ", table.name));
        self.assignment(table, false);
        self.filter(table);
    }

    fn delete(&mut self, table: &Table) {
        self.push(&format!("DELETE FROM {}", table.name));
        self.filter(table);
    }

    fn filter(&mut self, table: &Table) {
        for at in 0..self.draws.below(3) {
            self.push(if at == 0 { " WHERE " } else { " AND " });
            self.column(table);
            let operator = self.draws.of(&["=", "<", "<=", ">", ">="]);
            self.push(&format!(" {operator} "));
            self.operand();
        }
    }

    fn aggregate(&mut self, table: &Table) {
        if self.draws.one_in(2) {
            self.push("SELECT COUNT(*)");
        } else {
            self.push("SELECT max(");
            self.column(table);
            self.push(") AS top");
        }
        self.push(&format!(" FROM {}", table.name));
        self.filter(table);
    }

    fn select(&mut self, table: &Table) {
        self.push("SELECT ");
        if self.draws.one_in(2) {
            self.push("*");
        } else {
            for at in 0..=self.draws.below(2) {
                self.push(if at == 0 { "" } else { ", " });
                self.column(table);
            }
        }
        self.push(&format!(" FROM {}", table.name));
        self.filter(table);
        for at in 0..self.draws.below(3) {
            self.push(if at == 0 { " ORDER BY " } else { ", " });
            self.column(table);
            let direction = self.draws.of(&["", " DESC", " ASC"]);
            self.push(direction);
        }
        if self.draws.one_in(3) {
            self.push(" LIMIT ");
            self.window();
            if self.draws.one_in(2) {
                self.push(" OFFSET ");
                self.window();
            }
        }
    }

    fn window(&mut self) {
        let odd = self.draws.one_in(12);
        let wanted = self.draws.of(if odd {
            &["-1", "1.5", "0", "1000"]
        } else {
            &["1", "2", "3"]
        });
        self.push("?");
        self.params.push(number(wanted));
    }
}
