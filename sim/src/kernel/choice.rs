//! Chance is addressable: every draw has a key.
//!
//! The key of a choice says what it decides, which plan item or alarm chain it descends from, at which party and label,
//! and how many such choices that descent has made there before. The value is a function of the seed and the key alone. So removing
//! an operation from a plan leaves every choice of the events that do not descend from it as it was, a plan can fix
//! single choices, and shrinking, aimed faults and exploration are one mechanism.

mod descent;
mod purpose;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

use protocol::host::Text;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_secret;

use super::ratio::Ratio;
use super::words::padded;
use descent::Descent;
pub use purpose::Purpose;

/// What a chain of events descends from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The item of this number in the plan.
    Item(u32),
    /// The alarm of the object of this namespace and name, and all that its runs began.
    Alarm(Text),
    /// The making of a plan.
    Plan,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Item(item) => write!(f, "item {item}"),
            Origin::Alarm(object) => write!(f, "the alarm of {object}"),
            Origin::Plan => f.write_str("the plan"),
        }
    }
}

/// The address of one choice.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChoiceKey {
    /// What it decides.
    pub purpose: Purpose,
    /// What the event that needs it descends from.
    pub origin: Origin,
    /// The party at which it is made, as `namespace/name` or `front N`; empty where none has a part in it. Two branches
    /// of one descent that run at two parties do not count each other's choices.
    pub at: Text,
    /// The place in the protocol, where there is one.
    pub label: Text,
    /// How many choices of this purpose at this label the descent had made before.
    pub nth: u32,
}

impl fmt::Display for ChoiceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} of {} at {}, `{}` no. {}",
            self.purpose, self.origin, self.at, self.label, self.nth
        )
    }
}

/// A choice that a plan fixes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedChoice {
    /// Which choice.
    pub key: ChoiceKey,
    /// Which alternative it takes, counted from 0, which is the plainest. One past the last takes the last.
    pub alternative: u64,
}

/// Refers to an [`Origin`] within one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OriginId(u32);

/// Refers to a party at which choices are made, within one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceId(u32);

impl PlaceId {
    /// No party has a part in the choice.
    pub const NOWHERE: PlaceId = PlaceId(0);
}

/// Where a choice stands: what it descends from, and at which party it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source {
    /// What it descends from.
    pub origin: OriginId,
    /// Where it is made.
    pub place: PlaceId,
}

/// The source of all choices of a run.
#[derive(Clone, Debug)]
pub struct Chance {
    seed: u64,
    secret: Rc<[u8; SECRET_BYTES]>,
    fixed: BTreeMap<ChoiceKey, u64>,
    /// The fixed choices that came up.
    came_up: BTreeSet<ChoiceKey>,
    /// Shared with forks until one of them draws.
    descents: Vec<Rc<Descent>>,
    by_origin: Rc<BTreeMap<Origin, OriginId>>,
    places: Vec<Place>,
    /// The choices that were made, where somebody wants to know.
    kept: Option<Vec<(ChoiceKey, u64)>>,
}

/// A party, and what it contributes to a key's hash.
#[derive(Clone, Debug)]
struct Place {
    who: Text,
    digest: u64,
}

/// What XXH3 mixes with the key; at least 136 bytes are used.
const SECRET_BYTES: usize = 192;

/// A draw's key as bytes: purpose, count, origin, party, and a label of usual length without a second hash.
const KEY_BYTES: usize = 64;
const LABEL_AT: usize = 24;

impl Chance {
    /// All choices of a seed, but for those that a plan fixes.
    #[must_use]
    pub fn new(seed: u64, fixed: &[FixedChoice]) -> Self {
        let fixed = fixed
            .iter()
            .map(|choice| (choice.key.clone(), choice.alternative))
            .collect();
        let places = vec![Place {
            who: Text::default(),
            digest: 0,
        }];
        Chance {
            seed,
            secret: secret(seed, 0),
            fixed,
            came_up: BTreeSet::new(),
            descents: Vec::new(),
            by_origin: Rc::default(),
            places,
            kept: None,
        }
    }

    /// Draws all choices anew from now on, none of them fixed: another future of the same seed for each salt but 0. What was
    /// drawn stays drawn.
    pub fn reseed(&mut self, salt: u64) {
        self.secret = secret(self.seed, salt);
        self.fixed.clear();
    }

    /// The handle of a new party.
    pub fn place(&mut self, who: &Text) -> PlaceId {
        let id = PlaceId(u32::try_from(self.places.len()).expect("a run has fewer than 2^32 parties"));
        let digest = xxh3_64_with_secret(who.as_bytes(), &self.secret[..]);
        self.places.push(Place {
            who: who.clone(),
            digest,
        });
        id
    }

    /// The handle of an origin.
    pub fn origin(&mut self, origin: &Origin) -> OriginId {
        if let Some(known) = self.by_origin.get(origin) {
            return *known;
        }
        let id = OriginId(u32::try_from(self.descents.len()).expect("a run has fewer than 2^32 origins"));
        let digest = match origin {
            Origin::Item(item) => {
                xxh3_64_with_secret(&[&[0], &item.to_le_bytes()[..]].concat(), &self.secret[..])
            }
            Origin::Alarm(object) => {
                xxh3_64_with_secret(&[&[1], object.as_bytes()].concat(), &self.secret[..])
            }
            Origin::Plan => xxh3_64_with_secret(&[2], &self.secret[..]),
        };
        self.descents.push(Rc::new(Descent::new(origin.clone(), digest)));
        Rc::make_mut(&mut self.by_origin).insert(origin.clone(), id);
        id
    }

    /// What a handle refers to.
    #[must_use]
    pub fn origin_of(&self, id: OriginId) -> &Origin {
        &self.descents[id.0 as usize].origin
    }

    /// Which of `alternatives` (at least 1) the next choice of this kind takes, counted from 0.
    pub fn choose(&mut self, purpose: Purpose, source: Source, label: &Text, alternatives: u64) -> u64 {
        assert!(alternatives > 0, "a choice has at least one alternative");
        if alternatives == 1 {
            return 0;
        }
        let nth = self.count(purpose, source, label);
        let taken = match self.fixed_choice(purpose, source, label, nth) {
            Some(fixed) => fixed.min(alternatives - 1),
            None => scale(self.draw(purpose, source, label, nth), alternatives),
        };
        self.take_note(purpose, source, label, nth, taken)
    }

    /// Whether something that happens at this rate happens here. Alternative 0 is that it does not, 1 that it does.
    #[inline]
    pub fn happens(&mut self, purpose: Purpose, source: Source, label: &Text, rate: Ratio) -> bool {
        // Nearly every time.
        let cannot = rate.hits == 0 && self.is_plain();
        !cannot && self.happens_this_time(purpose, source, label, rate)
    }

    fn happens_this_time(&mut self, purpose: Purpose, source: Source, label: &Text, rate: Ratio) -> bool {
        let nth = self.count(purpose, source, label);
        let happens = match self.fixed_choice(purpose, source, label, nth) {
            Some(fixed) => fixed > 0,
            None if rate.hits == 0 => false,
            None => scale(self.draw(purpose, source, label, nth), u64::from(rate.of)) < u64::from(rate.hits),
        };
        self.take_note(purpose, source, label, nth, u64::from(happens)) > 0
    }

    /// Whether no choice is fixed and none is kept, so that what can only come out in one way need not be counted.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.fixed.is_empty() && self.kept.is_none()
    }

    /// Bytes for keys and ids.
    pub fn entropy(&mut self, source: Source, bytes: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes);
        let label = Text::default();
        while out.len() < bytes {
            let nth = self.count(Purpose::Entropy, source, &label);
            let drawn = self.draw(Purpose::Entropy, source, &label, nth).to_le_bytes();
            out.extend_from_slice(&drawn[..drawn.len().min(bytes - out.len())]);
        }
        out
    }

    /// How many choices of this kind the descent has made before this one.
    #[inline]
    fn count(&mut self, purpose: Purpose, source: Source, label: &Text) -> u32 {
        Rc::make_mut(&mut self.descents[source.origin.0 as usize]).count(purpose, source.place, label)
    }

    #[inline]
    fn fixed_choice(&mut self, purpose: Purpose, source: Source, label: &Text, nth: u32) -> Option<u64> {
        if self.fixed.is_empty() {
            return None;
        }
        let key = self.key(purpose, source, label, nth);
        let alternative = *self.fixed.get(&key)?;
        self.came_up.insert(key);
        Some(alternative)
    }

    fn key(&self, purpose: Purpose, source: Source, label: &Text, nth: u32) -> ChoiceKey {
        let origin = self.descents[source.origin.0 as usize].origin.clone();
        let at = self.places[source.place.0 as usize].who.clone();
        ChoiceKey {
            purpose,
            origin,
            at,
            label: label.clone(),
            nth,
        }
    }

    /// Fixes choices, of those that are made from now on.
    pub fn fix(&mut self, fixed: &[FixedChoice]) {
        let fixed = fixed.iter();
        self.fixed = fixed
            .map(|choice| (choice.key.clone(), choice.alternative))
            .collect();
    }

    /// Whether a choice of this key, which is fixed, was made.
    #[must_use]
    pub fn has_come_up(&self, key: &ChoiceKey) -> bool {
        self.came_up.contains(key)
    }

    /// Keeps all choices that are made from now on, to be looked at when the run has ended.
    pub fn keep(&mut self) {
        self.kept.get_or_insert_default();
    }

    /// The choices that were kept, in the order they were made, each with the alternative that it took.
    #[must_use]
    pub fn kept(&self) -> &[(ChoiceKey, u64)] {
        self.kept.as_deref().unwrap_or_default()
    }

    fn take_note(
        &mut self,
        purpose: Purpose,
        source: Source,
        label: &Text,
        nth: u32,
        alternative: u64,
    ) -> u64 {
        if self.kept.is_some() {
            let key = self.key(purpose, source, label, nth);
            self.kept.get_or_insert_default().push((key, alternative));
        }
        alternative
    }

    /// 64 bits that depend on the seed and the key, and on nothing else.
    fn draw(&self, purpose: Purpose, source: Source, label: &Text, nth: u32) -> u64 {
        let mut key = [0; KEY_BYTES];
        key[0] = purpose as u8;
        key[4..8].copy_from_slice(&nth.to_le_bytes());
        key[8..16].copy_from_slice(&self.descents[source.origin.0 as usize].digest.to_le_bytes());
        key[16..LABEL_AT].copy_from_slice(&self.places[source.place.0 as usize].digest.to_le_bytes());
        let label = label.as_bytes();
        if label.len() <= 8 {
            key[LABEL_AT..LABEL_AT + 8].copy_from_slice(&padded(label).to_le_bytes());
        } else if label.len() <= KEY_BYTES - LABEL_AT {
            key[LABEL_AT..LABEL_AT + label.len()].copy_from_slice(label);
        } else {
            key[1] = 1;
            key[LABEL_AT..LABEL_AT + 8]
                .copy_from_slice(&xxh3_64_with_secret(label, &self.secret[..]).to_le_bytes());
        }
        xxh3_64_with_secret(&key, &self.secret[..])
    }
}

/// What XXH3 mixes with the keys of a seed's choices.
fn secret(seed: u64, salt: u64) -> Rc<[u8; SECRET_BYTES]> {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&salt.to_le_bytes());
    let mut secret = [0; SECRET_BYTES];
    ChaCha20Rng::from_seed(key).fill_bytes(&mut secret[..]);
    Rc::new(secret)
}

/// Maps 64 random bits to `0..alternatives`, evenly.
fn scale(drawn: u64, alternatives: u64) -> u64 {
    let wide = (u128::from(drawn) * u128::from(alternatives)) >> 64;
    u64::try_from(wide).expect("the high half of a product of two 64-bit numbers has 64 bits")
}

#[cfg(test)]
mod tests;
