//! The bodies of the protocol's messages: JSON on the wire, shared values inside one process.

use std::sync::Arc;

use protocol::host::{Body, ObjectName, Payload, Response, Text};
use protocol::number::Number;
use serde::{Deserialize, Serialize};

/// Body of `POST /add`: add something to the counter, once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Add {
    /// How much: a whole number from 1 on.
    pub by: Number,
    /// Names this addition: whoever repeats it, by whatever way, adds once.
    pub token: Text,
}

/// Answer to `POST /add`: it has been added, now or before.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Added {
    /// The generation that the addition made.
    pub generation: Number,
    /// SHA-256 of `<generation>:<value>` with the value it led to.
    pub digest: Text,
}

/// Body of `POST /follow`: nudge this follower from now on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Follow {
    /// The follower's name.
    pub name: ObjectName,
}

/// One addition, sealed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Record {
    /// The generation that it leads to.
    pub generation: Number,
    /// The generation that it was added to.
    pub parent: Number,
    /// How much.
    pub by: Number,
    /// The client's name for it.
    pub token: Text,
    /// SHA-256 of `<generation>:<value>`.
    pub digest: Text,
}

/// Answer to `GET /log?since=G&limit=N`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LogPage {
    /// The newest sealed generation; 0 of an empty log.
    pub head: Number,
    /// The first records after G, by generation.
    pub records: Vec<Record>,
}

/// Answer to `GET /value`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Standing {
    /// The value.
    pub value: Number,
    /// The generation it is of.
    pub applied: Number,
}

/// Body of every answer that is not what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Problem {
    /// What is wrong, for people; where a rule refuses, its exact reason.
    pub error: Text,
    /// The field of the request that is wrong, where it is one field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<Text>,
}

impl Problem {
    /// A problem of no field in particular.
    #[must_use]
    pub fn new(error: impl ToString) -> Self {
        Problem {
            error: Text::from(error.to_string()),
            field: None,
        }
    }
}

/// A response that carries a value.
#[must_use]
pub fn answer<T: Payload>(status: u16, value: T) -> Response {
    Response::new(status, Body::typed(Arc::new(value)))
}

macro_rules! payloads {
    ($($type:ty),*) => {
        $(impl Payload for $type {
            fn encode(&self) -> String {
                serde_json::to_string(self).expect("a body has no maps with keys that are not texts")
            }
        })*
    };
}

payloads!(Add, Added, Follow, LogPage, Standing, Problem);
