//! How an object stands, as its database has it.

use std::collections::BTreeMap;
use std::sync::Arc;

use protocol::host::{Rows, SqlErrorKind, Statement, Text, Value};
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;
use protocol::number::Number;
use protocol::task::Program;

use super::contents::{Contents, Table, is_truth};
use crate::kernel::storage::{Store, StoreError};
use crate::kernel::{Changed, Kernel, PartyId};

/// A generation of a site, as the truth counts them: whole and not negative.
pub type Generation = u64;

/// One record of the primary's log, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The generation that it builds on.
    pub parent: Number,
    /// The schema text.
    pub schema: Option<Text>,
    /// The fingerprint.
    pub fingerprint: Text,
    /// Whether it overflowed.
    pub overflowed: bool,
    /// Its statements, as JSON.
    pub statements: Text,
}

/// An object's database. Clones share what is large.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// In which incarnation it was read.
    pub incarnation: u32,
    /// `cfw_meta`.
    pub meta: Arc<BTreeMap<Text, Text>>,
    /// The tables of the site's state.
    pub contents: Contents,
    /// The log; empty on lanes.
    pub log: Arc<BTreeMap<Generation, Arc<Record>>>,
    /// The pages and render-cache rows that it keeps, by table.
    pub kept: BTreeMap<&'static str, Arc<Table>>,
    /// Whether it will wake by itself: its alarm is set, runs, or is to run again.
    pub wakes: bool,
}

/// The tables of what is derived from the state and kept.
pub const KEPT: [&str; 2] = ["cache_render", "cfw_page"];

impl Standing {
    /// What is stored under a key; the empty text is nothing.
    #[must_use]
    pub fn meta(&self, key: Key) -> Option<&Text> {
        self.meta.get(key.0).filter(|text| !text.is_empty())
    }

    /// A number under a key; 0 where there is nothing.
    #[must_use]
    pub fn number(&self, key: Key) -> Number {
        self.meta(key).map_or(Number::ZERO, |text| Number::parse(text))
    }

    /// A generation under a key, if it is one.
    #[must_use]
    pub fn generation(&self, key: Key) -> Option<Generation> {
        self.number(key).to_u64_exact()
    }

    /// The schema text; none where it is not known.
    #[must_use]
    pub fn schema(&self) -> Option<&Text> {
        self.meta.get("schema_version").filter(|text| !text.is_empty())
    }

    /// The lane's stage; none where another text is stored.
    #[must_use]
    pub fn stage(&self) -> Option<Stage> {
        self.meta(Key::STAGE)
            .map_or(Some(Stage::Created), |name| Stage::named(name))
    }

    /// The generation of the newest record.
    #[must_use]
    pub fn sealed(&self) -> Option<Generation> {
        self.log.keys().next_back().copied()
    }

    /// How an object stands, read from scratch: somebody else may have asked before what has changed.
    pub fn of<P: Program, S: Store>(kernel: &mut Kernel<P, S>, object: PartyId) -> Self {
        kernel.changed(object);
        let mut standing = Standing {
            incarnation: kernel.incarnation(object),
            wakes: kernel.has_alarm(object),
            ..Standing::default()
        };
        standing.read_all(kernel, object);
        standing
    }

    /// Takes in what has changed. Whether anything has.
    pub fn refresh<P: Program, S: Store>(&mut self, kernel: &mut Kernel<P, S>, object: PartyId) -> bool {
        let incarnation = kernel.incarnation(object);
        let reborn = incarnation != self.incarnation;
        self.incarnation = incarnation;
        self.wakes = kernel.has_alarm(object);
        match kernel.changed(object) {
            Changed::Everything => self.read_all(kernel, object),
            Changed::Tables(writes) if writes.is_empty() => return reborn,
            Changed::Tables(writes) if writes.schema() => self.read_all(kernel, object),
            Changed::Tables(writes) => {
                for table in writes.tables() {
                    self.read_table(kernel, object, table, None);
                }
            }
        }
        true
    }

    fn read_all<P: Program, S: Store>(&mut self, kernel: &mut Kernel<P, S>, object: PartyId) {
        let schema = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name";
        let found = read(kernel, object, &Statement::new(schema, [])).unwrap_or_default();
        // A table that is gone with the commit that made it holds nothing.
        self.meta = Arc::default();
        self.log = Arc::default();
        self.kept.clear();
        let mut names = Vec::new();
        for row in &found.rows {
            if let [Value::Text(name), Value::Text(ddl)] = row.as_slice() {
                self.read_table(kernel, object, name, Some(ddl));
                names.push(name.clone());
            }
        }
        self.contents.keep_only(&names);
    }

    fn read_table<P: Program, S: Store>(
        &mut self,
        kernel: &mut Kernel<P, S>,
        object: PartyId,
        name: &Text,
        ddl: Option<&Text>,
    ) {
        match name.as_str() {
            "cfw_meta" => {
                let rows = read(kernel, object, &Statement::new("SELECT k, v FROM cfw_meta", []));
                let rows = rows.unwrap_or_default().rows.into_iter();
                self.meta = Arc::new(rows.filter_map(entry).collect());
            }
            "cfw_repl_log" => self.read_log(kernel, object, ddl.is_some()),
            other => {
                let kept = KEPT.iter().find(|kept| **kept == other);
                if kept.is_none() && !is_truth(other) {
                    return;
                }
                let all = Statement {
                    sql: Text::from(format!("SELECT * FROM \"{other}\"")),
                    params: Vec::new(),
                };
                let known = ddl
                    .cloned()
                    .or_else(|| self.contents.table(other).map(|table| table.ddl.clone()));
                let Some(found) = read(kernel, object, &all) else {
                    return;
                };
                let before = match kept {
                    Some(kept) => self.kept.get(kept),
                    None => self.contents.table(other),
                };
                let table = Table::beside(before.map(Arc::as_ref), known.unwrap_or_default(), found);
                match kept {
                    Some(kept) => drop(self.kept.insert(kept, Arc::new(table))),
                    None => self.contents.set(name.clone(), table),
                }
            }
        }
    }

    /// Reads the log anew: all of it, or from its newest record on, which is all that a seal writes.
    fn read_log<P: Program, S: Store>(&mut self, kernel: &mut Kernel<P, S>, object: PartyId, whole: bool) {
        let newest = self.sealed().filter(|_| !whole);
        let since = newest.map_or(-1, |newest| i64::try_from(newest).unwrap_or(i64::MAX) - 1);
        let statement = Statement::new(
            "SELECT generation, parent, schema_version, fingerprint, overflowed, statements FROM cfw_repl_log \
             WHERE generation > ? ORDER BY generation LIMIT ?",
            [
                Value::Number(Number::integer(since)),
                Value::Number(Number::integer(1 << 40)),
            ],
        );
        let found = read(kernel, object, &statement).unwrap_or_default();
        let log = Arc::make_mut(&mut self.log);
        log.split_off(&newest.unwrap_or(0));
        for row in found.rows {
            if let Some((generation, record)) = record(&row) {
                log.insert(generation, Arc::new(record));
            }
        }
    }
}

fn entry(row: Vec<Value>) -> Option<(Text, Text)> {
    match <[Value; 2]>::try_from(row) {
        Ok([Value::Text(key), Value::Text(value)]) => Some((key, value)),
        _ => None,
    }
}

fn record(row: &[Value]) -> Option<(Generation, Record)> {
    let text = |at: usize| row.get(at).and_then(Value::as_text).map(Text::new);
    let number = |at: usize| row.get(at).and_then(Value::as_number);
    Some((
        number(0)?.to_u64_exact()?,
        Record {
            parent: number(1).unwrap_or(Number::NAN),
            schema: text(2),
            fingerprint: text(3).unwrap_or_default(),
            overflowed: number(4).is_some_and(|flag| !flag.js_eq(Number::ZERO)),
            statements: text(5).unwrap_or_default(),
        },
    ))
}

/// Reads an object's table; nothing where the table is not there.
fn read<P: Program, S: Store>(
    kernel: &mut Kernel<P, S>,
    object: PartyId,
    statement: &Statement,
) -> Option<Rows> {
    match kernel.read(object, statement) {
        Ok(rows) => Some(rows),
        Err(StoreError::Sql(error)) if error.kind == SqlErrorKind::NoSuchTable => None,
        Err(error) => panic!("the world cannot read {}: {error}", kernel.who(object)),
    }
}
