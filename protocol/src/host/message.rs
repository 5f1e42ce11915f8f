//! What is sent and received: requests, responses, answers, errors, events.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Body, CallId, Millis, TaskId, Text};

/// How a request is meant. Only what the protocols use; everything else is [`Method::Other`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Text", into = "Text")]
pub enum Method {
    /// A read.
    Get,
    /// A read of which only the headers are wanted.
    Head,
    /// A write.
    Post,
    /// Any other method, as written by the sender.
    Other(Text),
}

impl Method {
    /// The method's name as it is sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Method::Get => "GET",
            Method::Head => "HEAD",
            Method::Post => "POST",
            Method::Other(name) => name,
        }
    }
}

impl From<Text> for Method {
    fn from(name: Text) -> Self {
        match name.as_str() {
            "GET" => Method::Get,
            "HEAD" => Method::Head,
            "POST" => Method::Post,
            _ => Method::Other(name),
        }
    }
}

impl From<Method> for Text {
    fn from(method: Method) -> Text {
        Text::new(method.as_str())
    }
}

/// Header fields: names in lower case, ordered by name, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<(Text, Text)>", into = "Vec<(Text, Text)>")]
pub struct Headers(Vec<(Text, Text)>);

impl Headers {
    /// The value of a field, if it is there; `name` in any case.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Sets a field, in place of what it held.
    pub fn set(&mut self, name: &str, value: impl Into<Text>) {
        let name = if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Text::new(name.to_ascii_lowercase())
        } else {
            Text::new(name)
        };
        match self.0.binary_search_by(|(field, _)| field.cmp(&name)) {
            Ok(at) => self.0[at].1 = value.into(),
            Err(at) => self.0.insert(at, (name, value.into())),
        }
    }

    /// All fields, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl From<Vec<(Text, Text)>> for Headers {
    fn from(fields: Vec<(Text, Text)>) -> Self {
        let mut headers = Headers::default();
        for (name, value) in fields {
            headers.set(&name, value);
        }
        headers
    }
}

impl From<Headers> for Vec<(Text, Text)> {
    fn from(headers: Headers) -> Self {
        headers.0
    }
}

/// What a caller asks of an object or a front Worker.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Request {
    /// How it is meant.
    pub method: Method,
    /// Path and query, beginning with `/`. What a call between objects uses for a host is the shell's business.
    pub path: Text,
    /// Header fields.
    #[serde(default)]
    pub headers: Headers,
    /// The body.
    #[serde(default)]
    pub body: Body,
}

impl Request {
    /// A GET request without headers and body.
    #[must_use]
    pub fn get(path: impl Into<Text>) -> Self {
        Request {
            method: Method::Get,
            path: path.into(),
            headers: Headers::default(),
            body: Body::default(),
        }
    }

    /// A POST request without headers.
    #[must_use]
    pub fn post(path: impl Into<Text>, body: Body) -> Self {
        Request {
            method: Method::Post,
            path: path.into(),
            headers: Headers::default(),
            body,
        }
    }
}

/// What is answered to a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// Header fields.
    #[serde(default)]
    pub headers: Headers,
    /// The body.
    #[serde(default)]
    pub body: Body,
}

impl Response {
    /// A response without headers.
    #[must_use]
    pub fn new(status: u16, body: Body) -> Self {
        Response {
            status,
            headers: Headers::default(),
            body,
        }
    }
}

/// An error as a caller sees it: what the callee threw, or what the platform says in its place.
///
/// None of the flags tells whether the callee ran, all of them can be forged by the callee's code, and the message is
/// no contract (`platform.md` section 11).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct CallError {
    /// The text, for people.
    pub message: Text,
    /// It was thrown in the callee, or by the platform on its behalf.
    #[serde(default)]
    pub remote: bool,
    /// The connection was lost.
    #[serde(default)]
    pub retryable: bool,
    /// The callee, or its queue, had too much to do: do not repeat.
    #[serde(default)]
    pub overloaded: bool,
    /// The callee's incarnation ended.
    #[serde(default)]
    pub reset: bool,
}

impl CallError {
    /// An error that code has thrown: a text and no flags. The platform adds the flags on the way to the caller.
    #[must_use]
    pub fn thrown(message: impl Into<Text>) -> Self {
        CallError {
            message: message.into(),
            remote: false,
            retryable: false,
            overloaded: false,
            reset: false,
        }
    }
}

/// What ends something that was begun.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// A call was answered.
    Response(Response),
    /// A key of a shared service was read; `None` where it holds nothing.
    Entry(Option<Text>),
    /// A digest, 64 lower-case hexadecimal digits.
    Digest(Text),
    /// A sleep is over, or a shared service has taken a value.
    Done,
}

/// How something that was begun has ended.
pub type CallOutcome = Result<Answer, CallError>;

/// How a task that an event began has ended: a response to a request, nothing for an alarm, or what was thrown.
pub type Outcome = Result<Option<Response>, CallError>;

/// One run of an alarm, as the platform describes it (`platform.md` section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AlarmRun {
    /// When it was due.
    pub scheduled: Millis,
    /// How many counted runs of it failed before.
    pub retry_count: u32,
    /// Whether this is a run after a failed one.
    pub is_retry: bool,
}

/// What begins a task from outside.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// A request whose body has arrived.
    Request(Request),
    /// The alarm is due.
    Alarm(AlarmRun),
}

/// What the platform delivers to an incarnation. Each delivery is one turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// Begins a task.
    Begin(Entry),
    /// Ends something that a task began.
    Answer {
        /// What ended.
        call: CallId,
        /// How.
        outcome: CallOutcome,
    },
    /// Ends a front Worker's task because its client went away: none of its code runs again, what it has sent is
    /// sent (`platform.md` section 16). The platform never does this to an object.
    Cancel {
        /// The task that ends.
        task: TaskId,
    },
}

/// What a task was started by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The event that is being delivered.
    Event,
    /// Another task, which does not wait for it.
    Task(TaskId),
}

/// An act upon the outside world.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Effect {
    /// What kind of act, for example `mail`.
    pub kind: Text,
    /// What it carries.
    pub detail: Text,
}

/// A decision that the protocol tells of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Note {
    /// Which decision: part of a mark's name.
    pub label: super::Label,
    /// What was decided, with its reason.
    pub detail: Text,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.label, self.detail)
    }
}
