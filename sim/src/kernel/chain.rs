//! The two hashes of a run.
//!
//! *Full* covers everything that was observed, link by link, so that two runs which differ can be compared and the
//! first difference named. *Behaviour* covers what the protocol decided and what it answered, without times, numbers
//! of tasks or statements: it survives a refactoring that changes none of that.

use std::fmt;

use protocol::host::{
    Answer, CallError, CallOutcome, Cause, End, Entry, Event, Headers, Outcome, Request, Response, Rows,
    SqlError, Statement, Stub, Value,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::watch::{Observed, Observer, Service, What};

/// How many links lie between two anchors.
const ANCHOR_EVERY: u64 = 1024;

/// The digest of a whole run: SHA-256 over the anchors of a chain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunHash(pub [u8; 32]);

impl fmt::Display for RunHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for RunHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for RunHash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RunHash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut bytes = [0; 32];
        hex::decode_to_slice(&text, &mut bytes)
            .map_err(|error| serde::de::Error::custom(format!("expected 64 hexadecimal digits: {error}")))?;
        Ok(RunHash(bytes))
    }
}

/// A chain of links: its value depends on all of them, and on their order.
///
/// Links are gathered and hashed some at a time, so that one costs little more than the writing of its bytes.
#[derive(Clone)]
pub struct Chain {
    hasher: Xxh3,
    /// What was added and is not hashed yet.
    pending: Vec<u8>,
    links: u64,
    anchors: Sha256,
}

/// How many bytes are gathered before they are hashed.
const GATHERED: usize = 4096;

impl Default for Chain {
    fn default() -> Self {
        Chain {
            hasher: Xxh3::new(),
            pending: Vec::with_capacity(GATHERED + 1024),
            links: 0,
            anchors: Sha256::new(),
        }
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chain({} links, {:032x})", self.links, self.value())
    }
}

impl Chain {
    /// The value after the last link. Two chains that are equal here were equal all the way, but for a chance of
    /// about 2⁻¹²⁸ a link.
    #[must_use]
    pub fn value(&self) -> u128 {
        let mut hasher = self.hasher.clone();
        hasher.update(&self.pending);
        hasher.digest128()
    }

    /// How many links there are.
    #[must_use]
    pub fn links(&self) -> u64 {
        self.links
    }

    /// Adds a link; `write` says what it consists of.
    #[inline]
    pub fn add(&mut self, write: impl FnOnce(&mut Link<'_>)) {
        write(&mut Link(&mut self.pending));
        self.links += 1;
        if self.pending.len() >= GATHERED {
            self.hasher.update(&self.pending);
            self.pending.clear();
        }
        if self.links.is_multiple_of(ANCHOR_EVERY) {
            self.anchors.update(self.value().to_le_bytes());
        }
    }

    /// The digest of all links.
    #[must_use]
    pub fn finish(&self) -> RunHash {
        let mut anchors = self.anchors.clone();
        anchors.update(self.links.to_le_bytes());
        anchors.update(self.value().to_le_bytes());
        RunHash(anchors.finalize().into())
    }
}

/// The bytes of a link in the making. Everything is prefixed by its length or has a fixed one.
#[derive(Debug)]
pub struct Link<'a>(&'a mut Vec<u8>);

impl Link<'_> {
    /// A number.
    #[inline]
    pub fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// A digest.
    #[inline]
    pub fn wide(&mut self, number: u128) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// A text: itself when short, its hash when long.
    #[inline]
    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        if text.len() <= 32 {
            self.0.extend_from_slice(text.as_bytes());
        } else {
            self.number(xxh3_64(text.as_bytes()));
        }
    }
}

/// The chain of everything.
#[derive(Clone, Debug, Default)]
pub struct FullChain(pub Chain);

impl Observer for FullChain {
    fn observe(&mut self, seen: &Observed<'_>) {
        self.0.add(|link| write_seen(link, seen));
    }
}

/// The digest of one thing that was observed, by itself; `buffer` is overwritten.
pub(crate) fn digest_of(seen: &Observed<'_>, buffer: &mut Vec<u8>) -> u64 {
    buffer.clear();
    write_seen(&mut Link(buffer), seen);
    xxh3_64(buffer)
}

fn write_seen(link: &mut Link<'_>, seen: &Observed<'_>) {
    link.number(seen.step.0);
    link.number(seen.at.0);
    link.text(seen.who);
    write_what(link, &seen.what);
}

/// The chain of decisions and answers.
#[derive(Clone, Debug, Default)]
pub struct BehaviourChain(pub Chain);

impl Observer for BehaviourChain {
    fn observe(&mut self, seen: &Observed<'_>) {
        match seen.what {
            What::Noted { note, .. } => self.0.add(|link| {
                link.number(1);
                link.text(seen.who);
                link.text(note.label.0);
                link.text(&note.detail);
            }),
            What::Finished { outcome, .. } => self.0.add(|link| {
                link.number(2);
                link.text(seen.who);
                write_outcome(link, outcome);
            }),
            What::Answered { item, outcome, .. } => self.0.add(|link| {
                link.number(3);
                link.number(u64::from(item));
                write_outcome(link, outcome);
            }),
            _ => {}
        }
    }
}

fn write_what(link: &mut Link<'_>, what: &What<'_>) {
    match what {
        What::Delivered {
            incarnation,
            event,
            cause,
            ..
        } => {
            link.number(1);
            link.number(u64::from(*incarnation));
            link.number(cause.map_or(u64::MAX, |step| step.0));
            write_event(link, event);
        }
        What::Started { task, cause } => {
            link.number(2);
            link.number(u64::from(task.0));
            link.number(if let Cause::Task(by) = cause {
                u64::from(by.0)
            } else {
                u64::MAX
            });
        }
        What::Ran { statement, outcome } => {
            link.number(3);
            write_statement(link, statement);
            match outcome {
                Ok(rows) => write_rows(link, rows),
                Err(error) => write_sql_error(link, error),
            }
        }
        What::Transacted { batch, end, outcome } => {
            link.number(if *end == End::Commit { 4 } else { 5 });
            link.number(batch.len() as u64);
            batch
                .iter()
                .for_each(|statement| write_statement(link, statement));
            match outcome {
                Ok(rows) => rows.iter().for_each(|rows| write_rows(link, rows)),
                Err(failed) => {
                    link.number(failed.at as u64);
                    write_sql_error(link, &failed.error);
                }
            }
        }
        What::Called {
            call,
            label,
            stub,
            request,
        } => {
            link.number(6);
            link.number(u64::from(call.task.0) << 32 | u64::from(call.nth));
            link.text(label.0);
            write_stub(link, stub);
            write_request(link, request);
        }
        What::Began { call, label, service } => {
            link.number(7);
            link.number(u64::from(call.task.0) << 32 | u64::from(call.nth));
            link.text(label.0);
            write_service(link, service);
        }
        What::Finished { task, outcome } => {
            link.number(8);
            link.number(u64::from(task.0));
            write_outcome(link, outcome);
        }
        What::AlarmSet(at) => {
            link.number(9);
            link.number(at.map_or(u64::MAX, |at| at.0));
        }
        What::Noted { task, note } => {
            link.number(10);
            link.number(u64::from(task.0));
            link.text(note.label.0);
            link.text(&note.detail);
        }
        What::Acted(effect) => {
            link.number(11);
            link.text(&effect.kind);
            link.text(&effect.detail);
        }
        What::Committed { nth, tables } => {
            link.number(12);
            link.number(*nth);
            link.number(tables.len() as u64);
        }
        What::Confirmed { nth } => {
            link.number(13);
            link.number(*nth);
        }
        What::Reset {
            reason, survivors, ..
        } => {
            link.number(14);
            link.text(reason);
            link.number(*survivors);
        }
        What::Trouble { kind, to, .. } => {
            link.number(18);
            link.number(*kind as u64);
            link.text(to);
        }
        What::Fault { kind } => {
            link.number(15);
            link.number(*kind as u64);
        }
        What::Left { item } => {
            link.number(17);
            link.number(u64::from(*item));
        }
        What::Answered { item, outcome, .. } => {
            link.number(16);
            link.number(u64::from(*item));
            write_outcome(link, outcome);
        }
    }
}

fn write_event(link: &mut Link<'_>, event: &Event) {
    match event {
        Event::Begin(Entry::Request(request)) => {
            link.number(1);
            write_request(link, request);
        }
        Event::Begin(Entry::Alarm(run)) => {
            link.number(2);
            link.number(run.scheduled.0);
            link.number(u64::from(run.retry_count));
        }
        Event::Answer { call, outcome } => {
            link.number(3);
            link.number(u64::from(call.task.0) << 32 | u64::from(call.nth));
            write_call_outcome(link, outcome);
        }
        Event::Cancel { task } => {
            link.number(4);
            link.number(u64::from(task.0));
        }
    }
}

fn write_service(link: &mut Link<'_>, service: &Service<'_>) {
    match service {
        Service::Get(store, key) => {
            link.number(1);
            link.number(*store as u64);
            link.text(key);
        }
        Service::Put(store, key, value) => {
            link.number(2);
            link.number(*store as u64);
            link.text(key);
            link.text(value);
        }
        Service::Sleep(length) => {
            link.number(3);
            link.number(length.0);
        }
        Service::Digest(bytes) => {
            link.number(4);
            link.number(*bytes as u64);
        }
    }
}

fn write_stub(link: &mut Link<'_>, stub: &Stub) {
    link.text(&stub.namespace.0);
    link.text(&stub.name.0);
    link.number(u64::from(stub.serial));
}

fn write_headers(link: &mut Link<'_>, headers: &Headers) {
    link.number(headers.iter().count() as u64);
    for (name, value) in headers.iter() {
        link.text(name);
        link.text(value);
    }
}

fn write_request(link: &mut Link<'_>, request: &Request) {
    link.text(request.method.as_str());
    link.text(&request.path);
    write_headers(link, &request.headers);
    link.wide(request.body.digest());
}

fn write_response(link: &mut Link<'_>, response: &Response) {
    link.number(u64::from(response.status));
    write_headers(link, &response.headers);
    link.wide(response.body.digest());
}

fn write_error(link: &mut Link<'_>, error: &CallError) {
    link.text(&error.message);
    let flags = [error.remote, error.retryable, error.overloaded, error.reset];
    link.number(flags.iter().fold(2, |bits, flag| bits << 1 | u64::from(*flag)));
}

fn write_outcome(link: &mut Link<'_>, outcome: &Outcome) {
    match outcome {
        Ok(Some(response)) => {
            link.number(1);
            write_response(link, response);
        }
        Ok(None) => link.number(2),
        Err(error) => {
            link.number(3);
            write_error(link, error);
        }
    }
}

fn write_call_outcome(link: &mut Link<'_>, outcome: &CallOutcome) {
    match outcome {
        Ok(Answer::Response(response)) => {
            link.number(1);
            write_response(link, response);
        }
        Ok(Answer::Entry(None)) => link.number(2),
        Ok(Answer::Entry(Some(value))) => {
            link.number(3);
            link.text(value);
        }
        Ok(Answer::Digest(digest)) => {
            link.number(4);
            link.text(digest);
        }
        Ok(Answer::Done) => link.number(5),
        Err(error) => {
            link.number(6);
            write_error(link, error);
        }
    }
}

fn write_statement(link: &mut Link<'_>, statement: &Statement) {
    link.text(&statement.sql);
    link.number(statement.params.len() as u64);
    statement.params.iter().for_each(|value| write_value(link, value));
}

fn write_rows(link: &mut Link<'_>, rows: &Rows) {
    link.number(rows.columns.len() as u64);
    link.number(rows.rows.len() as u64);
    rows.rows
        .iter()
        .flatten()
        .for_each(|value| write_value(link, value));
}

/// The kind of an error, and what it concerns; not its words.
fn write_sql_error(link: &mut Link<'_>, error: &SqlError) {
    link.number(u64::MAX);
    link.number(error.kind as u64);
    link.text(error.table.as_deref().unwrap_or_default());
    link.text(error.column.as_deref().unwrap_or_default());
}

fn write_value(link: &mut Link<'_>, value: &Value) {
    match value {
        Value::Null => link.number(1),
        Value::Number(number) => {
            link.number(2);
            link.number(number.to_f64().to_bits());
        }
        Value::Text(text) => {
            link.number(3);
            link.text(text);
        }
        Value::Bytes(bytes) => {
            link.number(4);
            link.number(bytes.0.len() as u64);
            link.number(xxh3_64(&bytes.0));
        }
    }
}
