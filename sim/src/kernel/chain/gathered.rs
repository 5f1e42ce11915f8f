//! The bytes of links, gathered before they are hashed.

use protocol::host::Text;
use xxhash_rust::xxh3::xxh3_64;

/// The most bytes of a text that stands in a link itself, and what it takes there with what is put before it.
pub(super) const SHORT: usize = 64;
const SHORT_ROOM: usize = SHORT + 2;
/// Put in the place of the length of a text that is longer.
pub(super) const LONG: u8 = u8::MAX;
// The length of a short text fits into one byte, and is never taken for that.
const _: () = assert!(SHORT < LONG as usize);

/// How many bytes are gathered before they are hashed.
pub(super) const GATHERED: usize = 4096;
/// How many there is room for at first: those, and nearly every link.
const ROOM: usize = GATHERED + 1024;

/// The bytes of links, in a vector that is as long as it has room: to put a word there is one comparison and one store.
#[derive(Debug)]
pub(crate) struct Gathered {
    bytes: Vec<u8>,
    pub(super) filled: usize,
    pub(super) hashes: Hashes,
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
pub(super) struct Hashes(Vec<Option<(Text, u64)>>);

/// A world uses a few dozen texts of statements.
const HASHES: usize = 256;

impl Hashes {
    #[inline]
    pub(super) fn of(&mut self, text: &Text) -> u64 {
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
    pub(super) fn filled(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }

    #[inline]
    pub(super) fn put(&mut self, word: u64) {
        let room = self.bytes.get_mut(self.filled..);
        match room.and_then(<[u8]>::first_chunk_mut) {
            Some(room) => {
                *room = word.to_le_bytes();
                self.filled += size_of::<u64>();
            }
            None => self.put_in_more_room(word),
        }
    }

    /// Puts a small number in one byte, and a word.
    #[inline]
    pub(super) fn put_byte_and_word(&mut self, tag: u8, word: u64) {
        let room = self.bytes.get_mut(self.filled..);
        match room.and_then(<[u8]>::first_chunk_mut::<9>) {
            Some(room) => {
                room[0] = tag;
                room[1..].copy_from_slice(&word.to_le_bytes());
                self.filled += room.len();
            }
            None => {
                self.make_room();
                self.put_byte_and_word(tag, word);
            }
        }
    }

    /// Puts a small number, the length of a short text and the text itself, which the length ends: most of what links
    /// hold.
    #[inline]
    pub(super) fn put_short(&mut self, tag: u8, text: &[u8]) {
        if self.bytes.len() - self.filled < SHORT_ROOM {
            self.make_room();
        }
        let room = self.bytes.get_mut(self.filled..);
        let room = room.and_then(<[u8]>::first_chunk_mut::<SHORT_ROOM>);
        let room = room.expect("room was made");
        // SHORT at most.
        room[..2].copy_from_slice(&[tag, text.len() as u8]);
        room[2..2 + text.len()].copy_from_slice(text);
        self.filled += 2 + text.len();
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
