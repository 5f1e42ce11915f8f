//! What crosses the seam, as JSON: one type for the arguments of each function, which also names its answer.
//!
//! A function of the seam is one import of the module, in the import module `seam`, of the type `(u32, u32) -> u64`:
//! address and length of the arguments, to address and length of the answer, packed as `address << 32 | length`. The
//! host writes the answer into memory that it gets from the export `allocate`.
//!
//! Arguments are written in the order of their fields, so that equal calls are equal texts. Numbers are written as
//! JavaScript writes them, bytes in hexadecimal, a result as `{"Ok": …}` or `{"Err": …}`.

#[cfg(test)]
mod tests;

use protocol::host::{
    CallId, Cause, End, Event, Failed, Label, Millis, Namespace, ObjectId, ObjectName, Outcome, Request,
    Rows, Shared, SqlError, Statement, Stub, TaskId, Text,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Hands all functions of the seam, as `Variant name`, to another macro: their one list.
macro_rules! seam_functions {
    ($consumer:ident) => {
        $consumer! {
            Now now,
            Entropy entropy,
            Work work,
            Effect effect,
            Call call,
            Get get,
            Put put,
            Sleep sleep,
            Started started,
            Running running,
            Finished finished,
            Note note,
            Name name,
            Id id,
            IdOf id_of,
            Sql sql,
            Transaction transaction,
            Digest digest,
            Alarm alarm,
            SetAlarm set_alarm,
            Abort abort,
        }
    };
}
#[cfg(target_arch = "wasm32")]
pub(crate) use seam_functions;

macro_rules! list_of_functions {
    ($($variant:ident $name:ident,)*) => {
        /// A function of the seam: a method of [`Platform`](protocol::host::Platform) or
        /// [`Object`](protocol::host::Object).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Function {
            $(#[doc = concat!("`", stringify!($name), "`")] $variant,)*
        }

        impl Function {
            /// The name of the method, of the import, and of the function in the shell.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Function::$variant => stringify!($name),)*
                }
            }
        }

        /// The names of all functions of the seam: what the module imports, and nothing else.
        pub const SEAM: &[&str] = &[$(stringify!($name),)*];
    };
}
seam_functions!(list_of_functions);

/// The name of the import module that holds the seam.
pub const IMPORT_MODULE: &str = "seam";

/// The arguments of one function of the seam.
pub trait Crosses: Serialize {
    /// The function.
    const FUNCTION: Function;
    /// What it answers.
    type Answer: Serialize + DeserializeOwned;
}

/// Writes a value as it crosses the seam.
///
/// # Panics
/// Never for the types of this module: all of them can be written as JSON.
#[must_use]
pub fn encode<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("what crosses the seam can be written as JSON")
}

macro_rules! arguments {
    ($(#[$doc:meta])* $name:ident $(<$life:lifetime>)? { $($field:ident: $type:ty),* $(,)? } -> $answer:ty) => {
        $(#[$doc])*
        #[derive(Debug, Serialize)]
        #[expect(missing_docs, reason = "the fields are the parameters of the method, under the same names")]
        pub struct $name $(<$life>)? { $(pub $field: $type,)* }
        arguments!(@crosses $name $(<$life>)? -> $answer);
    };
    ($(#[$doc:meta])* $name:ident -> $answer:ty) => {
        $(#[$doc])*
        #[derive(Debug, Serialize)]
        pub struct $name {}
        arguments!(@crosses $name -> $answer);
    };
    (@crosses $name:ident $(<$life:lifetime>)? -> $answer:ty) => {
        impl $(<$life>)? Crosses for $name $(<$life>)? {
            const FUNCTION: Function = Function::$name;
            type Answer = $answer;
        }
    };
}

arguments! {
    /// [`Platform::now`](protocol::host::Platform::now).
    Now -> Millis
}
arguments! {
    /// [`Platform::entropy`](protocol::host::Platform::entropy).
    Entropy { bytes: usize } -> Hexadecimal
}
arguments! {
    /// [`Platform::work`](protocol::host::Platform::work).
    Work { cost: Millis } -> ()
}
arguments! {
    /// [`Platform::effect`](protocol::host::Platform::effect).
    Effect<'a> { task: TaskId, effect: &'a protocol::host::Effect } -> ()
}
arguments! {
    /// [`Platform::call`](protocol::host::Platform::call).
    Call<'a> { call: CallId, label: Label, stub: &'a Stub, request: &'a Request } -> ()
}
arguments! {
    /// [`Platform::get`](protocol::host::Platform::get).
    Get<'a> { call: CallId, label: Label, store: Shared, key: &'a str } -> ()
}
arguments! {
    /// [`Platform::put`](protocol::host::Platform::put).
    Put<'a> {
        call: CallId,
        label: Label,
        store: Shared,
        key: &'a str,
        value: &'a str,
        keep: Option<Millis>,
    } -> ()
}
arguments! {
    /// [`Platform::sleep`](protocol::host::Platform::sleep).
    Sleep { call: CallId, label: Label, delay: Millis } -> ()
}
arguments! {
    /// [`Platform::started`](protocol::host::Platform::started).
    Started { task: TaskId, cause: Cause } -> ()
}
arguments! {
    /// [`Platform::running`](protocol::host::Platform::running).
    Running { task: TaskId } -> ()
}
arguments! {
    /// [`Platform::finished`](protocol::host::Platform::finished).
    Finished<'a> { task: TaskId, outcome: &'a Outcome } -> ()
}
arguments! {
    /// [`Platform::note`](protocol::host::Platform::note).
    Note<'a> { task: TaskId, note: &'a protocol::host::Note } -> ()
}
arguments! {
    /// [`Object::name`](protocol::host::Object::name); asked once a turn at most.
    Name -> Option<ObjectName>
}
arguments! {
    /// [`Object::id`](protocol::host::Object::id).
    Id -> ObjectId
}
arguments! {
    /// [`Object::id_of`](protocol::host::Object::id_of).
    IdOf<'a> { name: &'a ObjectName } -> ObjectId
}
arguments! {
    /// [`Object::sql`](protocol::host::Object::sql).
    Sql<'a> { statement: &'a Statement } -> Result<Rows, SqlFailure>
}
arguments! {
    /// [`Object::transaction`](protocol::host::Object::transaction).
    Transaction<'a> { batch: &'a [Statement], end: End } -> Result<Vec<Rows>, BatchFailure>
}
arguments! {
    /// [`Object::digest`](protocol::host::Object::digest).
    Digest<'a> { call: CallId, label: Label, bytes: HexadecimalOf<'a> } -> ()
}
arguments! {
    /// [`Object::alarm`](protocol::host::Object::alarm).
    Alarm -> Option<Millis>
}
arguments! {
    /// [`Object::set_alarm`](protocol::host::Object::set_alarm).
    SetAlarm { at: Option<Millis> } -> ()
}
arguments! {
    /// [`Object::abort`](protocol::host::Object::abort). The shell does not answer it: the incarnation is over.
    Abort<'a> { why: &'a str } -> ()
}

/// Bytes, as two hexadecimal digits each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hexadecimal(#[serde(with = "hex")] pub Vec<u8>);

/// Bytes that somebody else holds, as two hexadecimal digits each.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub struct HexadecimalOf<'a>(#[serde(serialize_with = "hex::serialize")] pub &'a [u8]);

/// Why a statement failed: as the simulator's stores say it, or in the real runtime's words, out of which the kind
/// must be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SqlFailure {
    /// An error whose kind is known.
    Known(SqlError),
    /// What the runtime has thrown.
    Thrown {
        /// Its message.
        message: Text,
    },
}

impl From<SqlFailure> for SqlError {
    fn from(failure: SqlFailure) -> Self {
        match failure {
            SqlFailure::Known(error) => error,
            SqlFailure::Thrown { message } => SqlError::from_message(&message),
        }
    }
}

/// Which statement of a batch failed, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchFailure {
    /// Which statement, counted from 0.
    pub at: usize,
    /// Why.
    pub error: SqlFailure,
}

impl From<BatchFailure> for Failed {
    fn from(failure: BatchFailure) -> Self {
        Failed {
            at: failure.at,
            error: failure.error.into(),
        }
    }
}

/// What a delivery returns: the task that the event began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivered {
    /// The task; `None` where the event began none.
    pub began: Option<TaskId>,
}

/// Reads an event as the shell delivers it.
///
/// # Errors
/// Where the text is not JSON, or not an event.
pub fn read_event(text: &str) -> Result<Event, serde_json::Error> {
    serde_json::from_str(text)
}

/// Who an object is, in a record and in a list of faults: `namespace/name`.
#[must_use]
pub fn who(namespace: &Namespace, name: Option<&ObjectName>) -> Text {
    match name {
        Some(name) => Text::from(format!("{namespace}/{name}")),
        None => Text::from(format!("{namespace}/?")),
    }
}
