//! What descends from one origin, and how many choices it has made of each kind.

use protocol::host::Text;

use super::{Origin, PlaceId, Purpose};

/// One descent, and how many choices of each kind it has made.
#[derive(Clone, Debug)]
pub(super) struct Descent {
    pub(super) origin: Origin,
    /// What the origin contributes to a key's hash: a digest, so that an object's name costs nothing at a draw.
    pub(super) digest: u64,
    counts: Vec<Count>,
    /// Where they stand, by a few bits of what they count: see [`Descent::place_of`].
    slots: [u8; SLOTS],
}

/// Slots of a descent's counts: most have a few dozen.
const SLOTS: usize = 128;
/// Slots that are looked into before all counts are.
const NEAR: usize = 4;
/// Counts whose numbers plus one the slots can hold.
const NUMBERED: usize = u8::MAX as usize;

/// How many choices of one kind were made.
#[derive(Clone, Debug)]
struct Count {
    /// Purpose, place, and what of the label fits beside them: nearly always enough to tell it from the others.
    sort: u64,
    label: Text,
    made: u32,
}

impl Descent {
    pub(super) fn new(origin: Origin, digest: u64) -> Self {
        Descent {
            origin,
            digest,
            counts: Vec::new(),
            slots: [0; SLOTS],
        }
    }

    /// How many choices of this kind it has made before this one.
    pub(super) fn count(&mut self, purpose: Purpose, place: PlaceId, label: &Text) -> u32 {
        let sort = sort_of(purpose, place, label);
        match self.place_of(sort, label) {
            Some(at) => {
                let nth = self.counts[at].made;
                self.counts[at].made += 1;
                nth
            }
            None => {
                self.add(sort, label);
                0
            }
        }
    }

    /// Where the count of this sort stands. Its number plus one is in the slot where it belongs or a little further on, in
    /// the first that was free, or nowhere when none was.
    #[inline]
    fn place_of(&self, sort: u64, label: &str) -> Option<usize> {
        let first = first_slot(sort);
        for slot in first..first + NEAR {
            match self.slots[slot % SLOTS].checked_sub(1) {
                Some(at) if self.counts[usize::from(at)].is_of(sort, label) => return Some(usize::from(at)),
                Some(_) => {}
                None if self.counts.len() <= NUMBERED => return None,
                None => break,
            }
        }
        self.counts.iter().position(|count| count.is_of(sort, label))
    }

    fn add(&mut self, sort: u64, label: &Text) {
        self.counts.push(Count {
            sort,
            label: label.clone(),
            made: 1,
        });
        let near = first_slot(sort)..first_slot(sort) + NEAR;
        let free = near.map(|slot| slot % SLOTS).find(|slot| self.slots[*slot] == 0);
        if let (Some(free), Ok(number)) = (free, u8::try_from(self.counts.len())) {
            self.slots[free] = number;
        }
    }
}

/// The slot where a count of this sort belongs.
fn first_slot(sort: u64) -> usize {
    (sort.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57) as usize
}

impl Count {
    /// Whether it is this one. No other label than the empty one has its sort.
    #[inline]
    fn is_of(&self, sort: u64, label: &str) -> bool {
        // Nearly every label stands in the code, and lies in one place.
        let lies_there = std::ptr::eq(self.label.as_str(), label);
        self.sort == sort && (label.is_empty() || lies_there || self.label == *label)
    }
}

fn sort_of(purpose: Purpose, place: PlaceId, label: &str) -> u64 {
    let bytes = label.as_bytes();
    let last = bytes.last().map_or(0, |last| u64::from(*last));
    let length = bytes.len().min(0xff) as u64;
    (purpose as u64) << 48 | length << 40 | last << 32 | u64::from(place.0)
}
