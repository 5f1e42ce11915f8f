//! What the shell can be told to do in a test: write everything down, break some calls, give known entropy.
//!
//! The shell reads it, as JSON, from the binding `CONFORMANCE`. Without that binding none of it exists.

use std::collections::BTreeMap;

use protocol::host::{CallError, Millis, Text};
use serde::{Deserialize, Serialize};

use crate::abi::Hexadecimal;

/// The text of the binding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Conformance {
    /// What happens to some calls.
    pub faults: Vec<Fault>,
    /// By who asks (see [`who`](crate::abi::who); the front Worker is `front`): the bytes that
    /// [`entropy`](protocol::host::Platform::entropy) gives, in order. Who is not listed gets real ones; who runs out
    /// is trapped.
    pub entropy: BTreeMap<Text, Hexadecimal>,
}

/// What happens to one call. All of it can be combined; nothing of it is the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fault {
    /// Who calls: see [`who`](crate::abi::who).
    pub from: Text,
    /// At which place.
    pub label: Text,
    /// The how manieth call of that caller at that place, counted from 0 over all its incarnations.
    pub nth: u32,
    /// How long the request is under way.
    pub delay: Millis,
    /// How long the answer is under way, or the error in its place.
    pub answer_delay: Millis,
    /// The request does not arrive, and this is what the caller gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<CallError>,
    /// The request arrives and its answer does not; this is what the caller gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_lost: Option<CallError>,
}
