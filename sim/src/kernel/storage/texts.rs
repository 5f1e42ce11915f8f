//! Finds what belongs to a statement's text, at the cost of one short hash.

use std::collections::BTreeMap;

use protocol::host::Text;
use xxhash_rust::xxh3::xxh3_64;

/// Slots of the table that is looked into first. A world uses a few dozen texts.
const SLOTS: usize = 128;

/// A map from texts to dense numbers: the order in which the texts first came.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    /// Where a text was found last, by its hash: the number of the text plus one, or 0.
    slots: Vec<u32>,
    texts: Vec<Text>,
    by_text: BTreeMap<Text, u32>,
}

impl Texts {
    /// The number of a text, if it has one.
    pub(super) fn find(&self, text: &str) -> Option<usize> {
        let slot = *self.slots.get(slot_of(text))?;
        let near = (slot as usize).checked_sub(1)?;
        if self.texts[near] == text {
            return Some(near);
        }
        // Another text holds the slot.
        self.by_text.get(text).map(|number| *number as usize)
    }

    /// Gives a new text the next number.
    pub(super) fn insert(&mut self, text: &Text) -> usize {
        let number = self.texts.len();
        self.slots.resize(SLOTS, 0);
        let slot = &mut self.slots[slot_of(text)];
        if *slot == 0 {
            *slot = number as u32 + 1;
        }
        self.texts.push(text.clone());
        self.by_text.insert(text.clone(), number as u32);
        number
    }
}

fn slot_of(text: &str) -> usize {
    xxh3_64(text.as_bytes()) as usize % SLOTS
}
