//! Scripts: what a test has objects and front Workers do, and what they say of it. Both arms read the same JSON; the
//! real runtime's reader is `object.mjs`.

use protocol::host::{CallError, End, SqlError, SqlErrorKind, Statement, Text, Value};
use serde::{Deserialize, Serialize};

/// One thing that code can do. What it learns, it says.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Do {
    /// Says a text.
    Say(Text),
    /// Adds to the memory.
    Keep(Text),
    /// Says what is in the memory, or `nothing`.
    Recall,
    /// Says the object's own name, or `nothing`.
    Name,
    /// Says whether the clock has moved since it was last looked at.
    Clock,
    /// Holds the thread for so many milliseconds.
    Work(u64),

    /// Inserts a row.
    Write(Text),
    /// Inserts each text that was said so far as a row, and forgets all of it.
    Store,
    /// Says the rows, or `nothing`.
    Read,
    /// Runs a statement; says its rows where it has columns, and why it was refused where it was.
    Sql(Sql),
    /// Runs statements as one synchronous transaction; says which was refused, and why.
    Transact(Vec<Statement>, End),
    /// Runs a script as one synchronous transaction, and says what it threw.
    TransactScript(Vec<Do>),

    /// Sets the alarm to so many milliseconds from now.
    SetAlarm(u64),
    /// Clears the alarm.
    DeleteAlarm,
    /// Says whether the alarm is `set`, or `none` is.
    GetAlarm,
    /// Stores what the alarm's runs do: the first, the second …; the last of them is done again by all later ones.
    OnAlarm(Vec<Vec<Do>>),
    /// Says how many runs of this alarm have failed before, as the platform tells it.
    RetryCount,

    /// Waits for so many milliseconds.
    Sleep(u64),
    /// Waits for a digest.
    Digest,
    /// Waits for something that only the real runtime has.
    Await(Only),
    /// Begins a call, under a label.
    Call(Text, Stub, Vec<Do>),
    /// Waits for the call of this label, and says how it was answered.
    Answer(Text),
    /// Waits for the calls of these labels, and says nothing.
    Join(Vec<Text>),
    /// Asks and waits: both of the above.
    Ask(Stub, Vec<Do>),
    /// Begins a call and goes away from it.
    GoAway(Stub, Vec<Do>),

    /// Throws.
    Throw(CallError),
    /// Runs a script, and says what it throws.
    Catch(Vec<Do>),
    /// Ends this incarnation.
    Abort(Text),
    /// Runs a script while everything else waits.
    Block(Vec<Do>),
    /// Runs a script as one asynchronous transaction.
    Transaction(Vec<Do>),
    /// Has the asynchronous transaction take its writes back when it ends.
    RollBack,
    /// Takes the object's gate, a lock of its own making: first come, first served.
    Lock,
    /// Gives it to the next.
    Unlock,
}

/// What only the real runtime has: the seam has no such await, as its code must not rely on one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Only {
    /// `await null`: a microtask.
    Microtask,
    /// A read of the asynchronous key-value interface.
    StorageGet,
    /// A write of it.
    StoragePut,
    /// `storage.sync()`.
    StorageSync,
    /// `storage.deleteAll()`.
    StorageDeleteAll,
    /// The request's own body.
    Body,
}

/// A statement. `?` stands for a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sql {
    /// The text.
    pub sql: Text,
    /// To how many bytes it is filled up with blanks.
    #[serde(default)]
    pub length: usize,
    /// The parameters.
    #[serde(default)]
    pub params: Vec<Param>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Param {
    /// A value.
    Is(Value),
    /// A text of so many bytes.
    Long(usize),
}

/// A stub: those of one holder, one name and one serial are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stub {
    /// The object's name.
    pub object: Text,
    /// Which stub of it.
    #[serde(default)]
    pub serial: u32,
}

/// What code says.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// A text.
    Text(Text),
    /// Rows of the database.
    Rows(Vec<Vec<Value>>),
    /// A statement was refused: its position in a transaction, and why.
    Refused(Option<usize>, Refusal),
    /// A call was answered: what its callee said.
    Answered(Vec<Said>),
    /// Something was thrown.
    Failed(CallError),
}

/// Why a statement was refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// As the simulator tells it.
    Kind(SqlErrorKind),
    /// As the real runtime words it.
    Message(String),
}

impl Said {
    /// One line, alike in both arms: numbers as JavaScript prints them, errors by their kind and flags. Of an error's
    /// text only what the test's own code has thrown is compared (it begins with `!`): the platform's is no contract.
    #[must_use]
    pub fn line(&self) -> String {
        match self {
            Said::Text(text) => text.to_string(),
            Said::Rows(rows) => {
                let rows: Vec<_> = rows.iter().map(|row| row_line(row)).collect();
                format!("({})", rows.join("; "))
            }
            Said::Refused(at, refusal) => {
                let kind = match refusal {
                    Refusal::Kind(kind) => *kind,
                    Refusal::Message(message) => SqlError::from_message(message).kind,
                };
                at.map_or(format!("{kind:?}"), |at| format!("{kind:?} at {at}"))
            }
            Said::Answered(said) if said.is_empty() => "done".to_owned(),
            Said::Answered(said) => said.iter().map(Said::line).collect::<Vec<_>>().join(" "),
            Said::Failed(error) => error_line(error),
        }
    }
}

fn row_line(row: &[Value]) -> String {
    let values = row.iter().map(|value| match value {
        Value::Text(text) => text.to_string(),
        other => serde_json::to_string(other).expect("a value is JSON"),
    });
    values.collect::<Vec<_>>().join(", ")
}

fn error_line(error: &CallError) -> String {
    let message = if error.message.starts_with('!') {
        error.message.as_str()
    } else {
        "the platform's error"
    };
    let flags = [
        (error.remote, "remote"),
        (error.retryable, "retryable"),
        (error.overloaded, "overloaded"),
        (error.reset, "reset"),
    ];
    let set = flags.iter().filter(|(set, _)| *set).map(|(_, flag)| *flag);
    let parts: Vec<_> = std::iter::once(message).chain(set).collect();
    format!("[{}]", parts.join(", "))
}

/// The same script with every object's name in a scope of its own, so that cases can share a runtime.
pub(super) fn scoped(script: &[Do], scope: &str) -> String {
    let mut json = serde_json::to_value(script).expect("a script is JSON");
    prefix(&mut json, scope);
    json.to_string()
}

fn prefix(json: &mut serde_json::Value, scope: &str) {
    match json {
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| prefix(item, scope)),
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    serde_json::Value::String(name) if key == "object" => *name = format!("{scope}|{name}"),
                    other => prefix(other, scope),
                }
            }
        }
        _ => {}
    }
}

/// What a test calls an object that has this name in its scope.
pub(super) fn unscoped(name: &str) -> &str {
    name.rsplit_once('|').map_or(name, |(_, own)| own)
}
