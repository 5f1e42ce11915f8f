//! A record without what differs between a simulated run and the real runtime, so that the rest can be compared.

#[cfg(test)]
mod tests;

use std::fmt;

use protocol::host::{Entry, Event, Headers, Millis, Rows};
use serde::Deserialize;

use super::{Moment, RecordLine};
use crate::abi::{BatchFailure, Crosses, Function, SetAlarm, Sql, SqlFailure, Transaction, encode};

/// Header fields that an HTTP client adds on its own.
const CLIENT: &[&str] = &[
    "accept",
    "accept-encoding",
    "content-length",
    "host",
    "user-agent",
];

/// What happened to one object or isolate, one line a moment, in an order and a form that are alike wherever the run
/// took place:
///
/// - clocks: a time that the seam carries stands relative to its event's time (`set_alarm`), or only as *there is one*
///   where it comes from outside and real time has moved on (`now`, `alarm`, an alarm run's `scheduled`);
/// - the words of SQL errors, of which only kind, table and column are compared;
/// - header fields that a client's HTTP library adds.
///
/// A time that the protocol itself writes into a row or a body stays as it is.
#[must_use]
pub fn story(who: &str, record: &[RecordLine]) -> Vec<String> {
    let mut at = Millis::ZERO;
    let own = record.iter().filter(|line| line.who == who);
    own.map(|line| format!("life {}: {}", line.life, tell(&line.what, &mut at)))
        .collect()
}

fn tell(what: &Moment, at: &mut Millis) -> String {
    match what {
        Moment::Event { now, event } => {
            *at = *now;
            match serde_json::from_str::<Event>(event.get()) {
                Ok(event) => format!("event {}", encode(&plain(event))),
                Err(error) => format!("event {} ({error})", event.get()),
            }
        }
        Moment::Cross {
            function,
            args,
            answer,
        } => {
            let answer = answer.get();
            let (args, answer) = match function {
                Function::Now => (args.get().to_owned(), "a time".to_owned()),
                Function::Alarm => (args.get().to_owned(), presence(answer)),
                Function::Id | Function::IdOf => (args.get().to_owned(), "an id".to_owned()),
                Function::SetAlarm => (relative(args.get(), *at), answer.to_owned()),
                Function::Sql => (args.get().to_owned(), rows::<Sql>(answer)),
                Function::Transaction => (args.get().to_owned(), rows::<Transaction>(answer)),
                _ => (args.get().to_owned(), answer.to_owned()),
            };
            format!("{} {args} -> {answer}", function.name())
        }
        Moment::Returned(delivered) => format!("returned {}", encode(delivered)),
        Moment::Trapped { message } => format!("trapped: {message}"),
    }
}

fn plain(event: Event) -> Event {
    let mut event = event;
    match &mut event {
        Event::Begin(Entry::Alarm(run)) => run.scheduled = Millis::ZERO,
        Event::Begin(Entry::Request(request)) => request.headers = without_client(&request.headers),
        Event::Answer {
            outcome: Ok(protocol::host::Answer::Response(response)),
            ..
        } => response.headers = without_client(&response.headers),
        Event::Answer { .. } | Event::Cancel { .. } => {}
    }
    event
}

fn without_client(headers: &Headers) -> Headers {
    let mut kept = Headers::default();
    for (name, value) in headers.iter().filter(|(name, _)| !CLIENT.contains(name)) {
        kept.set(name, value);
    }
    kept
}

fn presence(answer: &str) -> String {
    if answer == "null" {
        "none".to_owned()
    } else {
        "a time".to_owned()
    }
}

fn relative(args: &str, event: Millis) -> String {
    #[derive(Deserialize)]
    struct Args {
        at: Option<Millis>,
    }
    match serde_json::from_str(args) {
        Ok(Args { at: None }) => encode(&SetAlarm { at: None }),
        Ok(Args { at: Some(at) }) if at >= event => format!("in {}", at.since(event)),
        Ok(Args { at: Some(at) }) => format!("{} ago", event.since(at)),
        Err(error) => format!("{args} ({error})"),
    }
}

/// Rows, or what went wrong, without the database's words for it.
fn rows<C>(answer: &str) -> String
where
    C: Crosses,
    C::Answer: Told,
{
    match serde_json::from_str::<C::Answer>(answer) {
        Ok(answer) => answer.told(),
        Err(error) => format!("{answer} ({error})"),
    }
}

trait Told {
    fn told(self) -> String;
}

impl Told for Result<Rows, SqlFailure> {
    fn told(self) -> String {
        self.map_or_else(error, |rows| encode(&rows))
    }
}

impl Told for Result<Vec<Rows>, BatchFailure> {
    fn told(self) -> String {
        self.map_or_else(
            |failure| format!("statement {}: {}", failure.at, error(failure.error)),
            |rows| encode(&rows),
        )
    }
}

fn error(failure: SqlFailure) -> String {
    let mut error = protocol::host::SqlError::from(failure);
    error.detail = None;
    error.to_string()
}

/// Where two stories part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// How many lines they have in common.
    pub at: usize,
    /// What the first tells next.
    pub left: Option<String>,
    /// What the second tells next.
    pub right: Option<String>,
}

impl fmt::Display for Parting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |line: &Option<String>| line.clone().unwrap_or_else(|| "(nothing more)".to_owned());
        writeln!(f, "the stories part at line {}:", self.at + 1)?;
        writeln!(f, "  one:   {}", line(&self.left))?;
        write!(f, "  other: {}", line(&self.right))
    }
}

impl std::error::Error for Parting {}

/// Where two stories part, if they do.
#[must_use]
pub fn part_at(left: &[String], right: &[String]) -> Option<Parting> {
    let at = left
        .iter()
        .zip(right)
        .take_while(|(left, right)| left == right)
        .count();
    let parting = Parting {
        at,
        left: left.get(at).cloned(),
        right: right.get(at).cloned(),
    };
    (parting.left != parting.right).then_some(parting)
}
