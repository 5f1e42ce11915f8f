//! The functions by which a statement would learn the real time or draw real chance, made to tell what the kernel
//! says.
//!
//! The dates are computed by SQLite itself, on a second connection that has its own functions still: only `now` is
//! replaced, by the text of the simulated instant. `CURRENT_TIMESTAMP` and its like are functions of these names too.

use std::sync::{Arc, Mutex};

use protocol::number::Number;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value as Raw, ValueRef};
use rusqlite::{Connection, Error, Result};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::connection::Shared;

/// A date function, and which of its arguments are instants.
const DATES: [(&str, &[usize]); 7] = [
    ("date", &[0]),
    ("time", &[0]),
    ("datetime", &[0]),
    ("julianday", &[0]),
    ("unixepoch", &[0]),
    ("strftime", &[1]),
    ("timediff", &[0, 1]),
];

/// The keywords, and the function that each is.
const CURRENT: [(&str, &str); 3] = [
    ("current_date", "date"),
    ("current_time", "time"),
    ("current_timestamp", "datetime"),
];

/// Where the dates are computed, opened when the first is asked for.
type Calendar = Arc<Mutex<Option<Connection>>>;

/// Puts ours in the place of SQLite's.
pub(super) fn override_in(connection: &Connection, shared: &Arc<Shared>, row_bytes: usize) {
    override_chance(connection, shared, row_bytes).expect("a connection takes functions");
    override_dates(connection, shared).expect("a connection takes functions");
}

fn override_chance(connection: &Connection, shared: &Arc<Shared>, row_bytes: usize) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
    let of = Arc::clone(shared);
    connection.create_scalar_function("random", 0, flags, move |_| Ok(word(&of).cast_signed()))?;
    let of = Arc::clone(shared);
    connection.create_scalar_function("randomblob", 1, flags, move |context| {
        let wanted = match context.get_raw(0) {
            ValueRef::Integer(wanted) => wanted,
            ValueRef::Real(wanted) => Number::from_f64(wanted)
                .trunc()
                .to_i64_exact()
                .unwrap_or(i64::MAX),
            _ => 1,
        };
        let wanted = usize::try_from(wanted.max(1)).unwrap_or(usize::MAX);
        if wanted > row_bytes {
            return Err(too_big());
        }
        let words = std::iter::repeat_with(|| word(&of).to_le_bytes());
        Ok(words.flatten().take(wanted).collect::<Vec<u8>>())
    })
}

fn word(shared: &Shared) -> u64 {
    xxh3_64_with_seed(b"random", shared.draw())
}

fn too_big() -> Error {
    Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_TOOBIG), None)
}

fn override_dates(connection: &Connection, shared: &Arc<Shared>) -> Result<()> {
    // SQLite holds them for deterministic as well, and an index may use one.
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS | FunctionFlags::SQLITE_DETERMINISTIC;
    let calendar = Calendar::default();
    for (name, instants) in DATES {
        let (of, calendar) = (Arc::clone(shared), Arc::clone(&calendar));
        connection.create_scalar_function(name, -1, flags, move |context| {
            let arguments = arguments(context, &of, &calendar, instants)?;
            compute(&calendar, name, arguments)
        })?;
    }
    for (keyword, name) in CURRENT {
        let (of, calendar) = (Arc::clone(shared), Arc::clone(&calendar));
        connection.create_scalar_function(keyword, 0, flags, move |_| {
            let now = now(&of, &calendar)?;
            compute(&calendar, name, vec![now])
        })?;
    }
    Ok(())
}

/// The arguments with `now` written out, and without the two modifiers that ask for the machine's time zone: the
/// platform's is UTC, where they change nothing.
fn arguments(
    context: &Context<'_>,
    shared: &Shared,
    calendar: &Calendar,
    instants: &[usize],
) -> Result<Vec<Raw>> {
    let mut arguments = Vec::with_capacity(context.len() + 1);
    for at in 0..context.len() {
        let argument = context.get::<Raw>(at)?;
        let is = |word: &str| matches!(&argument, Raw::Text(text) if text.eq_ignore_ascii_case(word));
        let instant = instants.contains(&at);
        if instant && is("now") {
            arguments.push(now(shared, calendar)?);
        } else if instant || !(is("localtime") || is("utc")) {
            arguments.push(argument);
        }
    }
    // `date()` is `date('now')`, and `strftime(f)` is `strftime(f, 'now')`.
    if instants == [context.len()] {
        arguments.push(now(shared, calendar)?);
    }
    Ok(arguments)
}

/// The present instant as a text, to the millisecond.
fn now(shared: &Shared, calendar: &Calendar) -> Result<Raw> {
    let millis = shared.surroundings().now.0;
    // SQLite's calendar ends with the year 9999.
    let millis = i64::try_from(millis).unwrap_or(i64::MAX).min(253_402_300_799_999);
    let (seconds, rest) = (millis / 1000, millis % 1000);
    match compute(
        calendar,
        "datetime",
        vec![Raw::Integer(seconds), Raw::Text("unixepoch".to_owned())],
    )? {
        Raw::Text(text) => Ok(Raw::Text(format!("{text}.{rest:03}"))),
        other => Ok(other),
    }
}

fn compute(calendar: &Calendar, function: &str, arguments: Vec<Raw>) -> Result<Raw> {
    let mut calendar = calendar.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let connection = match &mut *calendar {
        Some(connection) => connection,
        closed => closed.insert(Connection::open_in_memory()?),
    };
    let marks = vec!["?"; arguments.len()].join(", ");
    let mut statement = connection.prepare(&format!("SELECT {function}({marks})"))?;
    statement.query_row(rusqlite::params_from_iter(arguments), |row| row.get(0))
}
