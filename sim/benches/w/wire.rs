//! The bodies of W's messages: typed, shared, each with a digest that costs next to nothing.

use std::sync::Arc;

use protocol::host::Payload;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::workload::{Ask, Change, Record};

/// What the client is to ask at a tick: the plan's, not the protocol's.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tick {
    /// The number of the first ask.
    pub first: u32,
    pub asks: Vec<Ask>,
}

/// Body of `POST /log`: the records after this generation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Since(pub u32);

/// Answer to `GET /head`, and to a write.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Head(pub u32);

/// Answer to `POST /log`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Records(pub Vec<Arc<Record>>);

fn digest_of_change(change: &Change) -> u128 {
    let rows = change.nodes.iter().chain([&change.config]);
    rows.fold(0, |sum: u128, (key, text)| {
        let row = u128::from(xxh3_64(key.as_bytes())) << 64 | u128::from(xxh3_64(text.as_bytes()));
        sum.rotate_left(1) ^ row
    })
}

/// A record's fingerprint is over everything, so its first digits stand for it.
fn digest_of_record(record: &Record) -> u128 {
    u128::from(xxh3_64(record.fingerprint.as_bytes())) << 64 | u128::from(record.generation)
}

macro_rules! payloads {
    ($($type:ty: $digest:expr;)*) => {
        $(impl Payload for $type {
            fn encode(&self) -> String {
                serde_json::to_string(self).expect("a body has no maps with keys that are not texts")
            }

            fn digest(&self) -> u128 {
                let digest: fn(&$type) -> u128 = $digest;
                digest(self)
            }
        })*
    };
}

payloads! {
    Tick: |tick| u128::from(tick.first) << 32 | tick.asks.len() as u128;
    Change: digest_of_change;
    Since: |since| u128::from(since.0) << 8 | 1;
    Head: |head| u128::from(head.0) << 8 | 2;
    Records: |records| records.0.iter().fold(3, |sum: u128, record| sum.rotate_left(7) ^ digest_of_record(record));
}
