//! The two hashes of a run.
//!
//! *Full* covers everything that was observed, link by link, so that two runs which differ can be compared and the
//! first difference named. *Behaviour* covers what the protocol decided and what it answered, without times, numbers
//! of tasks or statements: it survives a refactoring that changes none of that.

mod encode;
mod gathered;

use std::fmt;

use protocol::host::Text;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::time::Micros;
use super::watch::{Observed, Observer, StepId, What};
use encode::{PLACE, write_outcome, write_what};
pub(crate) use gathered::Gathered;
use gathered::{GATHERED, LONG, SHORT};

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
/// Links are gathered and hashed some at a time, so that one costs little more than the writing of its words.
#[derive(Clone)]
pub struct Chain {
    hasher: Xxh3,
    /// What was added and is not hashed yet.
    pending: Gathered,
    links: u64,
    anchors: Sha256,
}

impl Default for Chain {
    fn default() -> Self {
        Chain {
            hasher: Xxh3::new(),
            pending: Gathered::default(),
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
        hasher.update(self.pending.filled());
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
        if self.pending.filled >= GATHERED {
            self.hasher.update(self.pending.filled());
            self.pending.filled = 0;
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

/// The words and texts of a link in the making. Everything is prefixed by its length or has a fixed one. A text with a
/// small number may stand only where the alternative is a word below 256 with another value: its first byte tells them
/// apart.
#[derive(Debug)]
pub struct Link<'a>(&'a mut Gathered);

/// What fits beside a small number in one word.
const SMALL: u64 = 1 << 56;

#[inline]
fn tagged(tag: u8, number: u64) -> u64 {
    debug_assert!(number < SMALL, "{number} does not fit beside its tag");
    u64::from(tag) << 56 | number
}

impl Link<'_> {
    /// A number.
    #[inline]
    pub fn number(&mut self, number: u64) {
        self.0.put(number);
    }

    /// A small number, which says what follows, and another in the same word.
    #[inline]
    pub fn tagged(&mut self, tag: u8, number: u64) {
        self.0.put(tagged(tag, number));
    }

    /// A small number in one byte, which says what follows, and a number.
    #[inline]
    pub fn marked(&mut self, mark: u8, number: u64) {
        self.0.put_byte_and_word(mark, number);
    }

    /// A digest.
    #[inline]
    pub fn wide(&mut self, number: u128) {
        self.number(number as u64);
        self.number((number >> 64) as u64);
    }

    /// A text: itself when short, its hash when long.
    #[inline]
    pub fn text(&mut self, text: &str) {
        self.tagged_text(0, text);
    }

    /// A text that comes again and again, and is hashed once, and how many of something follow it.
    #[inline]
    pub(crate) fn known_text(&mut self, text: &Text, followed_by: usize) {
        self.number((text.len() as u64) << 32 | followed_by as u64);
        let hash = self.0.hashes.of(text);
        self.number(hash);
    }

    /// A small number, which says what the text is, and the text.
    #[inline]
    pub fn tagged_text(&mut self, tag: u8, text: &str) {
        let bytes = text.as_bytes();
        if bytes.len() <= SHORT {
            self.0.put_short(tag, bytes);
        } else {
            // The same two bytes first, and the length in the others of the word.
            self.number((bytes.len() as u64) << 16 | u64::from(LONG) << 8 | u64::from(tag));
            self.number(xxh3_64(bytes));
        }
    }
}

/// The chain of everything.
#[derive(Clone, Debug, Default)]
pub struct FullChain(pub Chain, Place);

/// Where and when the last link was: what follows within the same turn need not say so again.
#[derive(Clone, Debug, Default)]
struct Place {
    step: StepId,
    at: Micros,
    who: Text,
}

impl Place {
    #[inline]
    fn is_of(&self, seen: &Observed<'_>) -> bool {
        self.step == seen.step && self.at == seen.at && self.who == *seen.who
    }

    fn of(seen: &Observed<'_>) -> Self {
        Place {
            step: seen.step,
            at: seen.at,
            who: seen.who.clone(),
        }
    }
}

impl Observer for FullChain {
    #[inline]
    fn observe(&mut self, seen: &Observed<'_>) {
        let FullChain(chain, place) = self;
        // No link is of step 0 and of nobody, so that the first one says where it is.
        let moved = !place.is_of(seen);
        if moved {
            *place = Place::of(seen);
        }
        chain.add(|link| {
            if moved {
                write_place(link, seen);
            }
            write_what(link, &seen.what);
        });
    }
}

/// The digest of one thing that was observed, by itself; `buffer` is overwritten.
pub(crate) fn digest_of(seen: &Observed<'_>, buffer: &mut Gathered) -> u64 {
    buffer.filled = 0;
    let link = &mut Link(buffer);
    write_place(link, seen);
    write_what(link, &seen.what);
    xxh3_64(buffer.filled())
}

/// Begins with a number that nothing begins with which is seen (`write_what`).
fn write_place(link: &mut Link<'_>, seen: &Observed<'_>) {
    link.tagged(PLACE, seen.step.0);
    link.number(seen.at.0);
    link.text(seen.who);
}

/// The chain of decisions and answers.
#[derive(Clone, Debug, Default)]
pub struct BehaviourChain(pub Chain);

impl Observer for BehaviourChain {
    fn observe(&mut self, seen: &Observed<'_>) {
        match seen.what {
            What::Noted { note, .. } => self.0.add(|link| {
                link.tagged_text(1, seen.who);
                link.text(note.label.0);
                link.text(&note.detail);
            }),
            What::Finished { outcome, .. } => self.0.add(|link| {
                link.tagged_text(2, seen.who);
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
