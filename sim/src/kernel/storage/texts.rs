//! Finds what belongs to a statement's text, at the cost of one look at where it lies, or one short hash.

use std::collections::BTreeMap;

use protocol::host::Text;
use xxhash_rust::xxh3::xxh3_64;

/// Slots of the tables that are looked into first. A world uses a few dozen texts.
const SLOTS: usize = 128;
/// Slots that are looked into before a text is taken for one that lies somewhere else.
const NEAR: usize = 4;

/// A map from texts to dense numbers: the order in which the texts first came.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    /// Texts by where they lie. One that stands in the code lies in one place; a text that is kept here and lies
    /// there is that very text.
    by_place: Slots,
    /// Texts by their hash.
    by_hash: Slots,
    texts: Vec<Text>,
    by_text: BTreeMap<Text, u32>,
}

/// Numbers plus one, or 0 in an empty slot. A number stands where it belongs or a little further on, in the first slot
/// that was free, or nowhere when none was.
#[derive(Clone, Debug, Default)]
struct Slots(Vec<u32>);

/// What the slots tell of a text.
enum Found {
    Number(usize),
    /// It has never come: its first free slot is still free.
    Nowhere,
    /// Others hold all the slots that it could stand in.
    Perhaps,
}

impl Slots {
    /// What stands in the slot where a text belongs.
    fn first(&self, at: usize) -> Option<usize> {
        (*self.0.get(at)? as usize).checked_sub(1)
    }

    fn find(&self, at: usize, is_it: impl Fn(usize) -> bool) -> Found {
        for at in (at..at + NEAR).map(|at| at % SLOTS) {
            match self
                .0
                .get(at)
                .and_then(|number| (*number as usize).checked_sub(1))
            {
                Some(number) if is_it(number) => return Found::Number(number),
                Some(_) => {}
                None => return Found::Nowhere,
            }
        }
        Found::Perhaps
    }

    fn insert(&mut self, at: usize, number: usize) {
        self.0.resize(SLOTS, 0);
        let mut near = (at..at + NEAR).map(|at| at % SLOTS);
        if let Some(free) = near.find(|at| self.0[*at] == 0) {
            self.0[free] = number as u32 + 1;
        }
    }
}

impl Texts {
    /// The number of a text, if it has one.
    #[inline]
    pub(super) fn find(&self, text: &str) -> Option<usize> {
        let place = place_of(text);
        // Nearly every time: it stands in the first slot.
        if let Some(number) = self.by_place.first(place)
            && self.lies_there(number, text)
        {
            return Some(number);
        }
        self.find_further(place, text)
    }

    fn lies_there(&self, number: usize, text: &str) -> bool {
        std::ptr::eq(self.texts[number].as_str(), text)
    }

    fn find_further(&self, place: usize, text: &str) -> Option<usize> {
        let lies_here = |number: usize| self.lies_there(number, text);
        // An equal text may lie elsewhere.
        if let Found::Number(number) = self.by_place.find(place, lies_here) {
            return Some(number);
        }
        let equal = |number: usize| self.texts[number] == text;
        match self.by_hash.find(hash_of(text), equal) {
            Found::Number(number) => Some(number),
            Found::Nowhere => None,
            Found::Perhaps => self.by_text.get(text).map(|number| *number as usize),
        }
    }

    /// Gives a new text the next number.
    pub(super) fn insert(&mut self, text: &Text) -> usize {
        let number = self.texts.len();
        self.by_place.insert(place_of(text), number);
        self.by_hash.insert(hash_of(text), number);
        self.texts.push(text.clone());
        self.by_text.insert(text.clone(), number as u32);
        number
    }
}

fn hash_of(text: &str) -> usize {
    xxh3_64(text.as_bytes()) as usize % SLOTS
}

fn place_of(text: &str) -> usize {
    let start = text.as_ptr().addr();
    (start ^ start >> 7) % SLOTS
}

#[cfg(test)]
mod tests {
    use super::{SLOTS, Texts};
    use protocol::host::Text;

    /// More than the slots hold, each asked for by a text that lies elsewhere.
    #[test]
    fn a_text_keeps_its_number() {
        let text = |number: usize| Text::from(format!("SELECT a FROM t WHERE b = {number}"));
        let mut texts = Texts::default();
        for number in 0..3 * SLOTS {
            assert_eq!(texts.find(&text(number)), None);
            assert_eq!(texts.insert(&text(number)), number);
        }
        for number in 0..3 * SLOTS {
            assert_eq!(texts.find(&text(number)), Some(number));
        }
    }
}
