//! The object as the interpreter in it reaches it: capture on the primary, guard and collection on a replica.

use std::collections::BTreeMap;

use super::failure::Refusal;
use super::identity::{Identity, of};
use super::memory::{Collected, Interpreter};
use super::render::{RenderHost, Thrown};
use super::{Cx, Failure, SiteObject, Version, labels, store};
use crate::host::{Effect, End, Millis, Rows, Statement, Text};
use crate::json::Json;
use crate::lanes::bridge::{SqlExec, SqlTxn};
use crate::lanes::capability::Capability;
use crate::lanes::codec::decode;
use crate::lanes::forward::ForwardStatement;
use crate::lanes::guard::{Collector, GuardFacts, Guarded, SqlCall};
use crate::lanes::meta::Key;
use crate::lanes::partition::{PartitionFacts, Writer};
use crate::lanes::seal::TransactionFacts;
use crate::lanes::wire::Field;
use crate::number::Number;
use crate::sql::Bound;

/// What one render is lent.
pub(super) struct Lent<'l, 'c, 'h: 'c> {
    pub site: &'l mut SiteObject,
    pub version: &'l Version,
    pub cx: &'l mut Cx<'c, 'h>,
    pub identity: Identity,
}

/// How many bytes a site's hash salt is made of.
const SALT_BYTES: usize = 32;

impl SiteObject {
    /// Boots the interpreter, if it is not there: it keeps the settings of this moment (`lanes.md` 18).
    pub(super) fn boot(&mut self, version: &Version, cx: &mut Cx<'_, '_>) -> Result<(), Failure> {
        if self.interpreter.is_some() {
            return Ok(());
        }
        let identity = of(version, cx);
        let provisioned = Number::parse(store::meta(cx, Key::LANES.0)?.as_deref().unwrap_or("0"));
        let writer = (version.rules.partition.writer)(&PartitionFacts {
            write_forward: self.forwards(version),
            lane: identity.lane,
            provisioned,
        });
        let salt = match store::meta(cx, Key::HASH_SALT.0)? {
            Some(salt) => salt,
            // A replica's comes with its copy: one of its own would part it from its site.
            None if identity.is_replica() => Text::default(),
            None => {
                let minted = hex::encode(cx.entropy(SALT_BYTES));
                store::set(cx, Key::HASH_SALT.0, &minted)?;
                Text::from(minted)
            }
        };
        cx.work(version.policy.boot);
        cx.note(labels::BOOTED, format!("{} of {}", writer.lane, writer.lanes));
        self.interpreter = Some(Interpreter {
            writer,
            salt,
            memo: BTreeMap::new(),
        });
        Ok(())
    }
}

impl<'l, 'c, 'h: 'c> Lent<'l, 'c, 'h> {
    pub fn new(site: &'l mut SiteObject, version: &'l Version, cx: &'l mut Cx<'c, 'h>) -> Self {
        let identity = of(version, cx);
        Lent {
            site,
            version,
            cx,
            identity,
        }
    }

    /// Runs a call through the guard of a replica, or as it is on the primary.
    fn call(&mut self, capability: &str, call: SqlCall) -> Result<Rows, Thrown> {
        if !self.identity.is_replica() {
            return self.run(&call);
        }
        // What is made of texts and numbers can always be written.
        let payload = match &call {
            SqlCall::Exec(exec) => serde_json::to_string(exec),
            SqlCall::Transaction(transaction) => serde_json::to_string(transaction),
        };
        match self.guard(capability, &payload.unwrap_or_default())? {
            Guarded::Pass => Ok(Rows::default()),
            Guarded::PassSql(call) => self.run(&call),
            Guarded::Speculate {
                transaction,
                collected,
            } => {
                let rows = self.run(&SqlCall::Transaction(transaction))?;
                self.collect(collected)?;
                Ok(rows)
            }
        }
    }

    fn guard(&mut self, capability: &str, payload: &str) -> Result<Guarded, Thrown> {
        let collects = self.identity.is_lane() && self.site.forwards(self.version);
        let rules = &self.version.rules;
        let guarded = (rules.guard.call)(
            rules,
            &GuardFacts {
                capability,
                payload,
                collector: if collects {
                    Collector::Present
                } else {
                    Collector::Absent
                },
            },
        );
        guarded.map_err(|refused| {
            let refusal = Refusal::from(&refused);
            self.cx.note(labels::GUARDED, refusal.to_string());
            self.site.refusals.push(refusal.clone());
            Thrown::Requires(refusal)
        })
    }

    /// `collectForward`: pins the parent at the first transaction of an invocation (`lanes.md` 14.4).
    fn collect(&mut self, collected: Option<Vec<ForwardStatement>>) -> Result<(), Thrown> {
        let Some(statements) = collected else {
            return Ok(());
        };
        self.cx
            .note(labels::SPECULATED, format!("{} statements", statements.len()));
        let mut forward = match self.site.forward.take() {
            Some(forward) => forward,
            None => Collected {
                parent: self.site.sequence(self.cx)?,
                statements: Vec::new(),
            },
        };
        forward.statements.extend(statements);
        self.site.forward = Some(forward);
        Ok(())
    }

    /// `execSql`: runs the statements of a call, and notes each that has run.
    fn run(&mut self, call: &SqlCall) -> Result<Rows, Thrown> {
        match call {
            SqlCall::Exec(SqlExec { sql, params }) => {
                let bound = self.bind(sql, params)?;
                let rows = self.cx.sql(&executed(&bound))?;
                self.note(&bound)?;
                Ok(rows)
            }
            SqlCall::Transaction(transaction) => self.transact(transaction),
        }
    }

    fn transact(&mut self, transaction: &SqlTxn) -> Result<Rows, Thrown> {
        let statements = transaction
            .statements
            .iter()
            .map(|statement| (&statement.sql, &statement.params));
        let read = transaction.read.iter().map(|read| (&read.sql, &read.params));
        let (mut bound, mut unbound) = (Vec::new(), None);
        for (sql, params) in statements.chain(read) {
            match (self.version.rules.statements.capture)(sql, params.get().unwrap_or(&Json::Null)) {
                Ok(statement) => bound.push(statement),
                Err(error) => {
                    unbound = Some(error);
                    break;
                }
            }
        }
        let end = if unbound.is_none() {
            transaction.end
        } else {
            End::Rollback
        };
        let batch: Vec<Statement> = bound.iter().map(executed).collect();
        let outcome = self.cx.transaction(&batch, end);
        let facts = TransactionFacts {
            ran: outcome.as_ref().map_or_else(|failed| failed.at, |_| bound.len()),
            committed: outcome.is_ok() && unbound.is_none(),
        };
        if transaction.end == End::Commit {
            let noted = (self.version.rules.seal.noted)(&facts);
            for statement in bound.iter().take(noted) {
                self.note(statement)?;
            }
        }
        let mut answers = outcome.map_err(|failed| failed.error)?;
        if let Some(error) = unbound {
            return Err(error.into());
        }
        Ok(transaction
            .read
            .as_ref()
            .and_then(|_| answers.pop())
            .unwrap_or_default())
    }

    fn bind(&self, sql: &Text, params: &Field<Json>) -> Result<Bound<Json>, Thrown> {
        Ok((self.version.rules.statements.capture)(
            sql,
            params.get().unwrap_or(&Json::Null),
        )?)
    }

    fn note(&mut self, statement: &Bound<Json>) -> Result<(), Thrown> {
        (self.version.rules.flows.capture)(self.site, self.version, statement, self.cx)
            .map_err(|failure| Thrown::Capture(Text::from(failure.to_string())))
    }
}

/// A bound statement as the platform takes it.
pub(super) fn executed(bound: &Bound<Json>) -> Statement {
    Statement {
        sql: bound.sql.clone(),
        params: bound.params.iter().map(decode).collect(),
    }
}

impl RenderHost for Lent<'_, '_, '_> {
    fn exec(&mut self, call: &SqlExec) -> Result<Rows, Thrown> {
        self.call("cfwSqlExec", SqlCall::Exec(call.clone()))
    }

    fn transaction(&mut self, call: &SqlTxn) -> Result<Rows, Thrown> {
        self.call("cfwSqlTxn", SqlCall::Transaction(call.clone()))
    }

    fn capability(&mut self, name: &str, argument: &str) -> Result<(), Thrown> {
        let rules = &self.version.rules;
        let kind = (rules.guard.classify)(name);
        if self.identity.is_replica() {
            self.guard(name, argument)?;
        }
        if kind == Capability::Mutating {
            self.cx.effect(Effect {
                kind: Text::new(name),
                detail: Text::new(argument),
            });
        }
        Ok(())
    }

    fn work(&mut self, cost: Millis) {
        self.cx.work(cost);
    }

    fn writer(&self) -> Writer {
        let alone = Writer {
            lane: Number::ZERO,
            lanes: Number::ZERO,
        };
        self.site
            .interpreter
            .as_ref()
            .map_or(alone, |booted| booted.writer)
    }

    fn memo(&mut self) -> Option<&mut BTreeMap<Text, Number>> {
        self.site.interpreter.as_mut().map(|booted| &mut booted.memo)
    }

    fn now(&self) -> Millis {
        self.cx.now()
    }
}
