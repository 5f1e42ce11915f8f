//! The two hashes of a run.
//!
//! *Full* covers everything that was observed, link by link, so that two runs which differ can be compared and the
//! first difference named. *Behaviour* covers what the protocol decided and what it answered, without times, numbers
//! of tasks or statements: it survives a refactoring that changes none of that.

mod encode;

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::watch::{Observed, Observer, What};
use encode::{write_outcome, write_what};

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
