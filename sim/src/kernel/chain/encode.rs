//! What a link consists of: everything that was observed, each kind with a number of its own.

use protocol::host::{
    Answer, CallError, CallId, CallOutcome, Cause, End, Entry, Event, Headers, Method, Outcome, Request,
    Response, Rows, SqlError, Statement, Stub, Value,
};
use xxhash_rust::xxh3::xxh3_64;

use super::Link;
use crate::kernel::watch::{Service, What};

/// What a link begins with that says where it is. What is seen has the numbers below.
pub(super) const PLACE: u8 = 19;

pub(super) fn write_what(link: &mut Link<'_>, what: &What<'_>) {
    match what {
        What::Delivered {
            incarnation,
            event,
            cause,
            ..
        } => {
            link.tagged(1, u64::from(*incarnation));
            link.number(cause.map_or(u64::MAX, |step| step.0));
            write_event(link, event);
        }
        What::Started { task, cause } => {
            link.tagged(2, u64::from(task.0));
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
            let tag = if *end == End::Commit { 4 } else { 5 };
            link.tagged(tag, batch.len() as u64);
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
            link.number(call_as_number(*call));
            link.text(label.0);
            write_stub(link, stub);
            write_request(link, request);
        }
        What::Began { call, label, service } => {
            link.number(7);
            link.number(call_as_number(*call));
            link.text(label.0);
            write_service(link, service);
        }
        What::Finished { task, outcome } => {
            link.tagged(8, u64::from(task.0));
            write_outcome(link, outcome);
        }
        What::AlarmSet(at) => {
            link.number(9);
            link.number(at.map_or(u64::MAX, |at| at.0));
        }
        What::Noted { task, note } => {
            link.tagged(10, u64::from(task.0));
            link.text(note.label.0);
            link.text(&note.detail);
        }
        What::Acted(effect) => {
            link.number(11);
            link.text(&effect.kind);
            link.text(&effect.detail);
        }
        What::Committed { nth, tables } => {
            link.tagged(12, tables.len() as u64);
            link.number(*nth);
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
            link.tagged(18, *kind as u64);
            link.text(to);
        }
        What::Fault { kind } => {
            link.tagged(15, *kind as u64);
        }
        What::Left { item } => {
            link.tagged(17, u64::from(*item));
        }
        What::Answered { item, outcome, .. } => {
            link.tagged(16, u64::from(*item));
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
            link.number(call_as_number(*call));
            write_call_outcome(link, outcome);
        }
        Event::Cancel { task } => {
            link.tagged(4, u64::from(task.0));
        }
    }
}

fn write_service(link: &mut Link<'_>, service: &Service<'_>) {
    match service {
        Service::Get(store, key) => {
            link.tagged(1, *store as u64);
            link.text(key);
        }
        Service::Put(store, key, value) => {
            link.tagged(2, *store as u64);
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

fn call_as_number(call: CallId) -> u64 {
    u64::from(call.task.0) << 32 | u64::from(call.nth)
}

fn write_headers(link: &mut Link<'_>, headers: &Headers) {
    for (name, value) in headers.iter() {
        link.text(name);
        link.text(value);
    }
}

fn write_request(link: &mut Link<'_>, request: &Request) {
    let method = match request.method {
        Method::Get => 1,
        Method::Head => 2,
        Method::Post => 3,
        Method::Other(_) => 4,
    };
    link.tagged(method, request.headers.iter().count() as u64);
    if let Method::Other(name) = &request.method {
        link.text(name);
    }
    link.text(&request.path);
    write_headers(link, &request.headers);
    link.wide(request.body.digest());
}

fn write_response(link: &mut Link<'_>, response: &Response) {
    link.number(u64::from(response.status) << 32 | response.headers.iter().count() as u64);
    write_headers(link, &response.headers);
    link.wide(response.body.digest());
}

fn write_error(link: &mut Link<'_>, error: &CallError) {
    link.text(&error.message);
    let flags = [error.remote, error.retryable, error.overloaded, error.reset];
    link.number(flags.iter().fold(2, |bits, flag| bits << 1 | u64::from(*flag)));
}

pub(super) fn write_outcome(link: &mut Link<'_>, outcome: &Outcome) {
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
            link.tagged_text(3, value);
        }
        Ok(Answer::Digest(digest)) => {
            link.tagged_text(4, digest);
        }
        Ok(Answer::Done) => link.number(5),
        Err(error) => {
            link.number(6);
            write_error(link, error);
        }
    }
}

fn write_statement(link: &mut Link<'_>, statement: &Statement) {
    link.known_text(&statement.sql, statement.params.len());
    for value in &statement.params {
        write_value(link, value);
    }
}

fn write_rows(link: &mut Link<'_>, rows: &Rows) {
    link.number((rows.columns.len() as u64) << 32 | rows.rows.len() as u64);
    for row in &rows.rows {
        for value in row {
            write_value(link, value);
        }
    }
}

/// The kind of an error, and what it concerns; not its words.
fn write_sql_error(link: &mut Link<'_>, error: &SqlError) {
    link.number(u64::MAX);
    link.number(error.kind as u64);
    link.text(error.table.as_deref().unwrap_or_default());
    link.text(error.column.as_deref().unwrap_or_default());
}

/// Each kind has a byte of its own before it.
#[inline]
fn write_value(link: &mut Link<'_>, value: &Value) {
    match value {
        Value::Text(text) => link.tagged_text(3, text),
        Value::Number(number) => link.marked(2, number.to_f64().to_bits()),
        Value::Null => link.marked(1, 0),
        Value::Bytes(bytes) => {
            link.marked(4, bytes.0.len() as u64);
            link.number(xxh3_64(&bytes.0));
        }
    }
}
