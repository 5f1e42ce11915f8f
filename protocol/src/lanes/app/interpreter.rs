//! Runs a render program, step by step.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::driver::{self, Buffered, Prepared, first, replay};
use super::page::{Evidence, Finished, Page, digest_rows};
use super::program::{
    Act, Arguments, Condition, Item, OnRefusal, Operand, Query, Register, RenderProgram, Transaction, Write,
};
use crate::host::{End, Millis, Rows, Statement, Text, Value};
use crate::json::Json;
use crate::lanes::bridge::{SqlExec, SqlStatement, SqlTxn};
use crate::lanes::codec::{decode, encode};
use crate::lanes::object::{RenderHost, Thrown};
use crate::lanes::rules::Rules;
use crate::lanes::wire::Field;
use crate::number::Number;

/// One render under way: a plain value, so that it can stand on a task's stack while other events come in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Interpreter {
    program: Arc<RenderProgram>,
    began: Millis,
    /// The step that runs next.
    next: usize,
    registers: BTreeMap<Register, Value>,
    status: u16,
    session: Option<Value>,
    evidence: Vec<Evidence>,
    /// What was written since the last read: it becomes evidence when something is read again.
    unread: Vec<Statement>,
}

/// How a render stands after a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Progress {
    /// It can go on at once.
    Going,
    /// It goes on after so long, and holds nothing meanwhile.
    Paused(Millis),
    /// It is over.
    Ended(Ending),
}

/// How a render ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// With a page. Also with an error page, where the application caught a refusal.
    Page(Finished),
    /// With a refusal that the application did not catch.
    Refused(Thrown),
}

impl Interpreter {
    /// A render that begins now.
    #[must_use]
    pub fn new(program: Arc<RenderProgram>, now: Millis) -> Self {
        Interpreter {
            program,
            began: now,
            next: 0,
            registers: BTreeMap::new(),
            status: 200,
            session: None,
            evidence: Vec::new(),
            unread: Vec::new(),
        }
    }

    /// Runs until the render pauses or ends.
    pub fn run(&mut self, rules: &Rules, host: &mut dyn RenderHost) -> Progress {
        loop {
            match self.advance(rules, host) {
                Progress::Going => {}
                stopped => return stopped,
            }
        }
    }

    /// Runs one step. A render that has ended ends again, in the same way as a program that has no more steps.
    pub fn advance(&mut self, rules: &Rules, host: &mut dyn RenderHost) -> Progress {
        let program = Arc::clone(&self.program);
        let Some(step) = program.steps.get(self.next) else {
            return self.end();
        };
        self.next += 1;
        if !step.when.iter().all(|condition| self.holds(condition)) {
            return Progress::Going;
        }
        let acted = match &step.act {
            Act::Pause(length) => return Progress::Paused(*length),
            act => self.act(act, rules, host),
        };
        match (acted, step.on_refusal) {
            (Ok(()), OnRefusal::Ignore { told: Some(told) }) => self.put(told, Value::from(0)),
            (Ok(()), _) | (Err(_), OnRefusal::Ignore { told: None }) => {}
            (Err(_), OnRefusal::Ignore { told: Some(told) }) => self.put(told, Value::from(1)),
            (Err(refusal), OnRefusal::Pass) => {
                self.next = program.steps.len();
                return Progress::Ended(Ending::Refused(refusal));
            }
            (Err(_), OnRefusal::Swallow) => {
                self.next = program.steps.len();
                self.status = 500;
                return self.end();
            }
        }
        Progress::Going
    }

    fn act(&mut self, act: &Act, rules: &Rules, host: &mut dyn RenderHost) -> Result<(), Thrown> {
        match act {
            Act::Read(query) => {
                let read = self.query(query);
                let rows = host.exec(&read)?;
                self.has_read(rules, query, &read, &[], &rows);
            }
            Act::Write(write) => {
                let prepared = self.prepare(write);
                let written = driver::write(rules, host, prepared)?;
                self.unread
                    .push(bound(rules, &written.sent.sql, &written.sent.params));
                self.has_id(write, written.id);
            }
            Act::Transaction(transaction) => self.transact(transaction, rules, host)?,
            Act::Capability { name, detail } => host.capability(name, detail)?,
            Act::Work(cost) => host.work(*cost),
            Act::Status(status) => self.status = *status,
            Act::SetSession(value) => self.session = Some(self.value(value)),
            // The caller has done it.
            Act::Pause(_) => {}
        }
        Ok(())
    }

    /// Runs a transaction: its writes are kept back, a read is a replay of those before it, and a read at its end goes
    /// with the call that commits.
    fn transact(
        &mut self,
        transaction: &Transaction,
        rules: &Rules,
        host: &mut dyn RenderHost,
    ) -> Result<(), Thrown> {
        let commits = !transaction.rolls_back;
        let mut buffered = Buffered::default();
        let (items, last) = match transaction.items.split_last() {
            Some((Item::Read(query), items)) if commits => (items, Some(query)),
            _ => (transaction.items.as_slice(), None),
        };
        for item in items {
            match item {
                Item::Write(write) => {
                    let prepared = self.prepare(write);
                    let id = driver::buffer(rules, host, &mut buffered, prepared)?;
                    self.has_id(write, id);
                }
                Item::Read(query) => {
                    let read = self.query(query);
                    let rows = replay(host, &buffered, read.clone())?;
                    self.has_read(rules, query, &read, &buffered.statements, &rows);
                }
            }
        }
        if commits {
            let read = last.map(|query| self.query(query));
            let rows = host.transaction(&SqlTxn {
                statements: buffered.statements.clone(),
                read: read.clone(),
                end: End::Commit,
            })?;
            if let (Some(query), Some(read)) = (last, read) {
                self.has_read(rules, query, &read, &buffered.statements, &rows);
            }
            let written = buffered.statements.iter();
            self.unread
                .extend(written.map(|statement| bound(rules, &statement.sql, &statement.params)));
        }
        Ok(())
    }

    fn end(&self) -> Progress {
        let account = self.program.account.map_or(Value::Null, |at| self.get(at));
        let mut page = Page {
            token: self.program.token.clone(),
            digest: Text::default(),
            evidence: self.evidence.clone(),
            account,
            error: Text::default(),
        };
        page.digest = Page::digest_of(page.reads());
        Progress::Ended(Ending::Page(Finished {
            status: self.status,
            session: self.session.clone(),
            page,
        }))
    }

    fn has_read(
        &mut self,
        rules: &Rules,
        query: &Query,
        read: &SqlExec,
        behind: &[SqlStatement],
        rows: &Rows,
    ) {
        if !self.unread.is_empty() {
            self.evidence
                .push(Evidence::Wrote(std::mem::take(&mut self.unread)));
        }
        self.evidence.push(Evidence::Read {
            statement: bound(rules, &read.sql, &read.params),
            behind: behind
                .iter()
                .map(|statement| bound(rules, &statement.sql, &statement.params))
                .collect(),
            digest: digest_rows(rows),
        });
        if let Some(into) = query.into {
            self.put(into, first(rows));
        }
    }

    fn has_id(&mut self, write: &Write, id: Option<Value>) {
        let into = write.new_id.as_ref().and_then(|new_id| new_id.into);
        if let (Some(into), Some(id)) = (into, id) {
            self.put(into, id);
        }
    }

    fn prepare(&self, write: &Write) -> Prepared {
        Prepared {
            statement: SqlStatement::new(&write.sql, self.params(&write.params)),
            new_id: write.new_id.clone(),
        }
    }

    fn query(&self, query: &Query) -> SqlExec {
        SqlExec {
            sql: query.sql.clone(),
            params: self.params(&query.params),
        }
    }

    fn params(&self, arguments: &Arguments) -> Field<Json> {
        let encoded = |operand| encode(&self.value(operand));
        match arguments {
            Arguments::List(list) if list.is_empty() => Field::Missing,
            Arguments::List(list) => Field::Is(Json::Array(list.iter().map(encoded).collect())),
            Arguments::Named(entries) => {
                let entries = entries
                    .iter()
                    .map(|(name, operand)| (name.clone(), encoded(operand)));
                Field::Is(Json::Object(entries.collect()))
            }
        }
    }

    fn value(&self, operand: &Operand) -> Value {
        match operand {
            Operand::Value(value) => value.clone(),
            Operand::Register(at) => self.get(*at),
            Operand::Sum { register, by } => {
                Value::Number(self.get(*register).as_number().unwrap_or(Number::ZERO) + *by)
            }
            Operand::Now { plus } => Value::Number(Number::from(self.began.0 / 1_000) + *plus),
        }
    }

    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Missing(at) => self.get(*at) == Value::Null,
            Condition::Present(at) => self.get(*at) != Value::Null,
            Condition::Equal(at, value) => self.get(*at) == *value,
            Condition::Below(at, bound) => self
                .get(*at)
                .as_number()
                .is_some_and(|number| number.js_lt(*bound)),
        }
    }

    fn get(&self, at: Register) -> Value {
        self.registers.get(&at).cloned().unwrap_or(Value::Null)
    }

    fn put(&mut self, at: Register, value: Value) {
        self.registers.insert(at, value);
    }
}

/// The statement as a checker can run it. It has run, so it could be bound.
fn bound(rules: &Rules, sql: &Text, params: &Field<Json>) -> Statement {
    match (rules.statements.capture)(sql, params.get().unwrap_or(&Json::Null)) {
        Ok(bound) => Statement {
            sql: bound.sql,
            params: bound.params.iter().map(decode).collect(),
        },
        Err(_) => Statement {
            sql: sql.clone(),
            params: Vec::new(),
        },
    }
}
