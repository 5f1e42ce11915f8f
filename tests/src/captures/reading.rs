//! One request, as a lane's driver would run it and the rules would judge it.

use std::collections::{BTreeMap, BTreeSet};

use protocol::host::Text;
use protocol::json::Json;
use protocol::lanes::bind::{captured, positional};
use protocol::lanes::bridge::{SqlExec, SqlStatement, SqlTxn};
use protocol::lanes::forward::{
    ForwardFacts, ForwardPlan, ForwardRefusal, ForwardStatement, Hazard, Origin, hazard_class,
    partitioned_tables, plan_forward, split_forward,
};
use protocol::lanes::guard::{Collector, GuardFacts, Guarded, SqlCall, guard_call};
use protocol::lanes::inventory::{StateKey, enters_log};
use protocol::lanes::minting::{HighestIds, MintFacts, mint, unbuffered};
use protocol::lanes::partition::{Writer, next_lane_id};
use protocol::number::Number;
use protocol::sql::{expiry_sweep, is_definition, is_proven_read, write_target};

use super::{Captures, Step, Stream};
use protocol::lanes::rules::Rules;

const RULES: &Rules = &Rules::DOCUMENTED;

/// How a stream is read: as the contract has it, or as the independent reading did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lens {
    /// The names of indexes in definitions.
    pub qualifier: Qualifier,
    /// How definitions outside of a transaction are sent.
    pub definitions: Definitions,
    /// Which form of a bound a sweep may have.
    pub sweeps: Sweeps,
    /// Where the entry is found that a write of a key-value table is for.
    pub entries: Entries,
}

/// Before an index's name, the application writes `main.`; the streams have it stripped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Qualifier {
    /// As the streams have it.
    Stripped,
    /// As the application wrote it.
    Restored,
}

/// Two ways of a definition to the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Definitions {
    /// By itself (`lanes.md` 18): the guard refuses it there, and nothing is forwarded.
    ByThemselves,
    /// Like any other write, in a transaction, and so forwarded.
    Forwarded,
}

/// Two readings of "the question mark is literal" (`lanes.md` 11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sweeps {
    /// Only `?` itself, as the vectors have it; the application writes a name.
    Literal,
    /// Also a name, which is bound first.
    Bound,
}

/// Two readings of which collection a write is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entries {
    /// Only an insert tells (`keyValueTarget`), so an update or a delete is for none, and originates.
    OfInserts,
    /// The conditions of an update or a delete tell as well.
    OfConditions,
}

impl Lens {
    /// As the contract says, of the streams as they are.
    pub const CONTRACT: Lens = Lens {
        qualifier: Qualifier::Stripped,
        definitions: Definitions::ByThemselves,
        sweeps: Sweeps::Literal,
        entries: Entries::OfInserts,
    };
}

/// What becomes of a request on a lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Statements that were run and did not fail; transaction control does not count.
    pub statements: usize,
    /// Proven reads.
    pub reads: usize,
    /// Other statements that the lane may run.
    pub local: usize,
    /// What the guard refuses: the reason, and how often.
    pub refused_by_guard: BTreeMap<String, usize>,
    /// Statements in the batch that is sent to the primary.
    pub forwarded: usize,
    /// Of those, the ones that are appended later.
    pub deferred: usize,
    /// Tables into which ids were minted, as the primary admits them.
    pub minted: BTreeSet<String>,
    /// What the primary refuses: each origin.
    pub refused_by_primary: BTreeSet<String>,
    /// Statements that the primary would log, had it run them itself.
    pub logged: usize,
    /// Where the two scanners differ, or either fails.
    pub scanners: Vec<String>,
}

/// Reads a request.
///
/// # Errors
/// A payload that the guard cannot read, or a plan that is neither commit nor refusal: neither may happen.
pub fn read(captures: &Captures, stream: &Stream, lens: Lens) -> Result<Reading, String> {
    let mut lane = Lane {
        captures,
        lens,
        reading: Reading::default(),
        buffer: None,
        batch: Vec::new(),
        ids: BTreeMap::new(),
    };
    for step in &stream.steps {
        lane.step(step)?;
    }
    lane.judge_batch()?;
    Ok(lane.reading)
}

/// A lane's driver while it runs one request.
struct Lane<'a> {
    captures: &'a Captures,
    lens: Lens,
    reading: Reading,
    /// The transaction that is open.
    buffer: Option<Vec<SqlStatement>>,
    batch: Vec<ForwardStatement>,
    ids: BTreeMap<Text, Number>,
}

impl Lane<'_> {
    fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Begin => self.buffer = Some(Vec::new()),
            Step::Commit => {
                let statements = self.buffer.take().ok_or("a commit without a begin")?;
                self.call(SqlCall::Transaction(SqlTxn {
                    statements,
                    read: None,
                    end: protocol::host::End::Commit,
                }))?;
            }
            // What fails on a lane fails before it is collected. A savepoint is the driver's nesting.
            Step::Run { failed: true, .. } => {}
            Step::Run { sql, .. } if sql.starts_with("SAVEPOINT") || sql.starts_with("RELEASE") => {}
            Step::Run { sql, params, .. } => self.run(sql, params)?,
        }
        Ok(())
    }

    fn run(&mut self, sql: &Text, params: &Json) -> Result<(), String> {
        self.reading.statements += 1;
        self.scan(sql, params);
        if is_proven_read(sql) {
            return self.call(SqlCall::Exec(SqlExec {
                sql: sql.clone(),
                params: params.clone().into(),
            }));
        }
        let seen = self.seen(sql, params);
        self.reading.logged += usize::from(write_target(&seen).is_some_and(|table| enters_log(RULES, table)));
        let statement = self.minted(SqlStatement::new(seen, params.clone().into()));
        match &mut self.buffer {
            Some(buffer) => buffer.push(statement),
            None if is_definition(sql) && self.lens.definitions == Definitions::Forwarded => {
                let transaction = SqlTxn {
                    statements: vec![statement],
                    read: None,
                    end: protocol::host::End::Commit,
                };
                self.call(SqlCall::Transaction(transaction))?;
            }
            None => self.call(unbuffered(RULES, statement))?,
        }
        Ok(())
    }

    /// The text as the lens shows it.
    fn seen(&self, sql: &Text, params: &Json) -> Text {
        let verb = ["CREATE INDEX ", "CREATE UNIQUE INDEX ", "DROP INDEX "]
            .into_iter()
            .find(|verb| sql.starts_with(verb));
        if let (Qualifier::Restored, Some(verb)) = (self.lens.qualifier, verb) {
            return format!("{verb}main.{}", &sql[verb.len()..]).into();
        }
        let bound = positional(sql, params).map(|bound| bound.sql);
        match (self.lens.sweeps, bound) {
            (Sweeps::Bound, Ok(bound)) if expiry_sweep(&bound).is_some() => bound,
            _ => sql.clone(),
        }
    }

    /// Both scanners must bind each statement, and alike.
    fn scan(&mut self, sql: &Text, params: &Json) {
        let (applied, logged) = (positional(sql, params), captured(sql, params));
        if applied.is_err() || applied != logged {
            let said = |bound: Result<_, protocol::sql::BindError>| {
                bound.map_or_else(|error| error.to_string(), |_| "binds".into())
            };
            self.reading
                .scanners
                .push(format!("{sql}: {} / {}", said(applied), said(logged)));
        }
    }

    /// The driver of lane 1 of 256. Its copy is empty: which ids it gives does not matter here.
    fn minted(&mut self, statement: SqlStatement) -> SqlStatement {
        let target = write_target(&statement.sql).map(Text::new);
        let Some((table, id_column)) =
            target.and_then(|table| Some((table.clone(), self.captures.id_columns.get(table.as_str())?)))
        else {
            return statement;
        };
        let last = self.ids.get(&table).copied().unwrap_or_default();
        let highest = HighestIds {
            buffered: last,
            ..HighestIds::default()
        };
        let writer = Writer {
            lane: Number::from(1),
            lanes: Number::from(256),
        };
        let id = next_lane_id(RULES, highest.base(), writer);
        match mint(&MintFacts {
            sql: &statement.sql,
            id_column,
            id,
        }) {
            Some(minted) => {
                self.ids.insert(table, minted.id);
                SqlStatement {
                    sql: minted.sql,
                    minted: Some(minted.table),
                    ..statement
                }
            }
            None => statement,
        }
    }

    fn call(&mut self, call: SqlCall) -> Result<(), String> {
        let (capability, payload) = match &call {
            SqlCall::Exec(exec) => ("cfwSqlExec", serde_json::to_string(exec)),
            SqlCall::Transaction(transaction) => ("cfwSqlTxn", serde_json::to_string(transaction)),
        };
        let payload = payload.map_err(|error| error.to_string())?;
        let facts = GuardFacts {
            capability,
            payload: &payload,
            collector: Collector::Present,
        };
        let reads = call.texts().into_iter().filter(|sql| is_proven_read(sql)).count();
        let all = call.texts().len();
        let collected = match guard_call(RULES, &facts) {
            Ok(Guarded::Speculate { collected, .. }) => collected.unwrap_or_default(),
            Ok(Guarded::Pass | Guarded::PassSql(_)) => Vec::new(),
            Err(refusal) => {
                let reason = refusal.detail.to_string();
                *self.reading.refused_by_guard.entry(reason).or_default() += all;
                return Ok(());
            }
        };
        self.reading.reads += reads;
        self.reading.local += all - reads - collected.len();
        self.reading.forwarded += collected.len();
        self.batch.extend(collected);
        Ok(())
    }

    /// The primary's side. Each statement on its own too: a plan names only the first that it refuses.
    fn judge_batch(&mut self) -> Result<(), String> {
        let partitioned = partitioned_tables(RULES, &self.batch);
        let split = split_forward(RULES, &self.batch);
        self.reading.deferred = split.deferred.len();
        self.reading.minted = partitioned.iter().map(Text::to_string).collect();
        let generation = Number::from(7);
        let plan = |statements| {
            plan_forward(
                RULES,
                &ForwardFacts {
                    statements,
                    parent: generation,
                    primary_generation: generation,
                    partitioned: &partitioned,
                },
            )
        };
        for statement in &split.commit {
            match plan(std::slice::from_ref(statement)) {
                ForwardPlan::Commit => {}
                _ if self.lens.entries == Entries::OfConditions && is_ordering_by_conditions(statement) => {}
                ForwardPlan::Refuse(ForwardRefusal::Originates(Origin::Unnamed)) => {
                    let sql = statement.sql.as_str().unwrap_or_default();
                    let words: Vec<&str> = sql.split(' ').take(2).collect();
                    self.reading
                        .refused_by_primary
                        .insert(format!("no table: {}", words.join(" ")));
                }
                ForwardPlan::Refuse(ForwardRefusal::Originates(origin)) => {
                    self.reading.refused_by_primary.insert(origin.to_string());
                }
                other => return Err(format!("{}: {other:?}", statement.sql.to_text())),
            }
        }
        let whole = plan(&split.commit);
        let refuses = matches!(whole, ForwardPlan::Refuse(ForwardRefusal::Originates(_)));
        if self.lens.entries == Entries::OfInserts && refuses == self.reading.refused_by_primary.is_empty() {
            return Err(format!(
                "the plan of the batch is {whole:?}, those of its statements differ"
            ));
        }
        Ok(())
    }
}

/// Whether an update or delete of a key-value table needs ordering only, by the entry that its conditions name.
fn is_ordering_by_conditions(statement: &ForwardStatement) -> bool {
    let sql = statement.sql.as_str().unwrap_or_default();
    let condition = |column: &str| {
        let forms = [format!("\"{column}\" = "), format!("\"{column}\" IN (")];
        let (_, after) = forms.iter().find_map(|form| sql.rsplit_once(form.as_str()))?;
        let name = after.split([')', ',', ' ', '\n']).next()?;
        Some(
            statement
                .params
                .get()?
                .as_object()?
                .get(name)?
                .as_text()?
                .as_str(),
        )
    };
    let key = StateKey {
        table: statement.table_name(),
        collection: condition("collection"),
        name: condition("name"),
    };
    !sql.starts_with("INSERT") && hazard_class(RULES, &key) != Hazard::Origination
}
