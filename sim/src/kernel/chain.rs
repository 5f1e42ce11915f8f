//! The two hashes of a run.
//!
//! *Full* covers everything that was observed, link by link, so that two runs which differ can be compared and the
//! first difference named. *Behaviour* covers what the protocol decided and what it answered, without times, numbers
//! of tasks or statements: it survives a refactoring that changes none of that.

mod encode;

use std::fmt;

use protocol::host::Text;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::watch::{Observed, Observer, What};
use super::words::padded;
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
/// Links are gathered and hashed some at a time, so that one costs little more than the writing of its words.
#[derive(Clone)]
pub struct Chain {
    hasher: Xxh3,
    /// What was added and is not hashed yet.
    pending: Gathered,
    links: u64,
    anchors: Sha256,
}

/// How many bytes are gathered before they are hashed.
const GATHERED: usize = 4096;
/// How many there is room for at first: those, and nearly every link.
const ROOM: usize = GATHERED + 1024;

/// The bytes of links, in a vector that is as long as it has room: to put a word there is one comparison and one store.
#[derive(Debug)]
pub(crate) struct Gathered {
    bytes: Vec<u8>,
    filled: usize,
    hashes: Hashes,
}

impl Clone for Gathered {
    /// What is known of texts is known anew soon.
    fn clone(&self) -> Self {
        Gathered {
            bytes: self.bytes.clone(),
            filled: self.filled,
            hashes: Hashes::default(),
        }
    }
}

/// The hashes of texts that come again and again, each kept with its text: one that lies where that does is that text.
/// No slots until the first is asked for.
#[derive(Debug, Default)]
struct Hashes(Vec<Option<(Text, u64)>>);

/// A world uses a few dozen texts of statements.
const HASHES: usize = 256;

impl Hashes {
    #[inline]
    fn of(&mut self, text: &Text) -> u64 {
        let start = text.as_ptr().addr();
        match self.0.get(Self::slot(start)) {
            Some(Some((known, hash))) if std::ptr::eq(known.as_str(), text.as_str()) => *hash,
            _ => self.learn(text),
        }
    }

    #[cold]
    fn learn(&mut self, text: &Text) -> u64 {
        self.0.resize(HASHES, None);
        // The copy that is kept is the one that lies in one place as long as it is.
        let known = text.clone();
        let hash = xxh3_64(known.as_bytes());
        let slot = Self::slot(known.as_ptr().addr());
        self.0[slot] = Some((known, hash));
        hash
    }

    fn slot(start: usize) -> usize {
        (start ^ start >> 8) % HASHES
    }
}

impl Default for Gathered {
    fn default() -> Self {
        Gathered {
            bytes: vec![0; ROOM],
            filled: 0,
            hashes: Hashes::default(),
        }
    }
}

impl Gathered {
    fn filled(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }

    #[inline]
    fn put(&mut self, word: u64) {
        let room = self.bytes.get_mut(self.filled..);
        match room.and_then(<[u8]>::first_chunk_mut) {
            Some(room) => {
                *room = word.to_le_bytes();
                self.filled += size_of::<u64>();
            }
            None => self.put_in_more_room(word),
        }
    }

    /// Puts a word, and a short text behind it: in whole words, the last one with zeros at its end. Most links consist of
    /// such texts, so that all of it is one comparison.
    #[inline]
    fn put_short(&mut self, first: u64, text: &[u8]) {
        if self.bytes.len() - self.filled < SHORT_ROOM {
            self.make_room();
        }
        let room = self.bytes.get_mut(self.filled..);
        let room = room.and_then(<[u8]>::first_chunk_mut::<SHORT_ROOM>);
        let room = room.expect("room was made");
        room[..8].copy_from_slice(&first.to_le_bytes());
        let (words, rest) = text.as_chunks::<8>();
        // What is put behind the end is overwritten.
        let last = padded(rest).to_le_bytes();
        match words {
            [] => room[8..16].copy_from_slice(&last),
            [a] => {
                room[8..16].copy_from_slice(a);
                room[16..24].copy_from_slice(&last);
            }
            [a, b] => {
                room[8..16].copy_from_slice(a);
                room[16..24].copy_from_slice(b);
                room[24..32].copy_from_slice(&last);
            }
            [a, b, c, fourth @ ..] => {
                room[8..16].copy_from_slice(a);
                room[16..24].copy_from_slice(b);
                room[24..32].copy_from_slice(c);
                room[32..40].copy_from_slice(fourth.first().unwrap_or(&last));
            }
        }
        self.filled += size_of::<u64>() * (1 + text.len().div_ceil(8));
    }

    #[cold]
    fn put_in_more_room(&mut self, word: u64) {
        self.make_room();
        self.put(word);
    }

    #[cold]
    fn make_room(&mut self) {
        self.bytes.resize(2 * self.bytes.len() + ROOM, 0);
    }
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

/// The words of a link in the making. Everything is prefixed by its length or has a fixed one.
#[derive(Debug)]
pub struct Link<'a>(&'a mut Gathered);

/// The most bytes of a text that stands in a link itself, and what it takes there with the word before it.
const SHORT: usize = 32;
const SHORT_ROOM: usize = SHORT + size_of::<u64>();

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

    /// The same for a text that comes again and again: it is hashed once.
    #[inline]
    pub(crate) fn known_text(&mut self, text: &Text) {
        if text.len() <= SHORT {
            return self.text(text);
        }
        self.tagged(0, text.len() as u64);
        let hash = self.0.hashes.of(text);
        self.number(hash);
    }

    /// A small number, which says what the text is, and the text: in whole words when short.
    pub fn tagged_text(&mut self, tag: u8, text: &str) {
        let bytes = text.as_bytes();
        let first = tagged(tag, bytes.len() as u64);
        if bytes.len() > SHORT {
            self.number(first);
            self.number(xxh3_64(bytes));
        } else {
            self.0.put_short(first, bytes);
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
pub(crate) fn digest_of(seen: &Observed<'_>, buffer: &mut Gathered) -> u64 {
    buffer.filled = 0;
    write_seen(&mut Link(buffer), seen);
    xxh3_64(buffer.filled())
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
                link.tagged_text(1, seen.who);
                link.text(note.label.0);
                link.text(&note.detail);
            }),
            What::Finished { outcome, .. } => self.0.add(|link| {
                link.tagged_text(2, seen.who);
                write_outcome(link, outcome);
            }),
            What::Answered { item, outcome, .. } => self.0.add(|link| {
                link.tagged(3, u64::from(item));
                write_outcome(link, outcome);
            }),
            _ => {}
        }
    }
}
