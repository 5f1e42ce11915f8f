//! Finds what belongs to a statement's text, at the cost of one look at where it lies, or one short hash.

use std::collections::BTreeMap;

use protocol::host::Text;
use xxhash_rust::xxh3::xxh3_64;

/// Slots of the tables that are looked into first. A world uses a few dozen texts.
const SLOTS: usize = 128;

/// A map from texts to dense numbers: the order in which the texts first came.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    /// Which text was found there last, by where it lies: its number plus one, or 0. A text that stands in the code
    /// lies in one place; a text that is kept here and lies there is that very text.
    by_place: Vec<u32>,
    /// The same by a text's hash.
    by_hash: Vec<u32>,
    texts: Vec<Text>,
    by_text: BTreeMap<Text, u32>,
}

impl Texts {
    /// The number of a text, if it has one.
    pub(super) fn find(&self, text: &str) -> Option<usize> {
        if let Some(near) = slot(&self.by_place, place_of(text))
            && std::ptr::eq(self.texts[near].as_str(), text)
        {
            return Some(near);
        }
        let near = slot(&self.by_hash, hash_of(text))?;
        if self.texts[near] == text {
            return Some(near);
        }
        // Another text holds the slot.
        self.by_text.get(text).map(|number| *number as usize)
    }

    /// Gives a new text the next number.
    pub(super) fn insert(&mut self, text: &Text) -> usize {
        let number = self.texts.len();
        for (slots, at) in [
            (&mut self.by_place, place_of(text)),
            (&mut self.by_hash, hash_of(text)),
        ] {
            slots.resize(SLOTS, 0);
            if slots[at] == 0 {
                slots[at] = number as u32 + 1;
            }
        }
        self.texts.push(text.clone());
        self.by_text.insert(text.clone(), number as u32);
        number
    }
}

fn slot(slots: &[u32], at: usize) -> Option<usize> {
    (*slots.get(at)? as usize).checked_sub(1)
}

fn hash_of(text: &str) -> usize {
    xxh3_64(text.as_bytes()) as usize % SLOTS
}

fn place_of(text: &str) -> usize {
    let start = text.as_ptr().addr();
    (start ^ start >> 7) % SLOTS
}
