//! Objects whose keys stand as in JavaScript.

use std::collections::BTreeMap;

use super::Json;
use crate::host::Text;

/// The own keys and values of an object, each key once, in JavaScript's order: keys that are array indices first,
/// ascending, then the others as they were first set (`lanes.md` 19.9).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Object(Vec<Entry>);

type Entry = (Text, Json);

impl Object {
    /// What the key holds, if it is there.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.0
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// Sets a key: in place of what it held, or where a new key stands. It looks at each key there is: collect an
    /// object of many keys instead, which takes `n log n`.
    pub fn set(&mut self, key: impl Into<Text>, value: impl Into<Json>) {
        let (key, value) = (key.into(), value.into());
        match self.0.iter_mut().find(|(name, _)| *name == key) {
            Some(entry) => entry.1 = value,
            None => self.0.insert(self.place(&key), (key, value)),
        }
    }

    /// Takes a key and its value out, if it is there.
    pub fn take(&mut self, key: &str) -> Option<Json> {
        let at = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(at).1)
    }

    /// How many keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys and values, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, (Text, Json)> {
        self.0.iter()
    }

    /// The entries whose keys are array indices, and the others.
    pub(crate) fn by_index(&self) -> (&[Entry], &[Entry]) {
        self.0
            .split_at(self.0.partition_point(|(name, _)| array_index(name).is_some()))
    }

    fn place(&self, key: &str) -> usize {
        let Some(index) = array_index(key) else {
            return self.0.len();
        };
        self.0
            .iter()
            .position(|(name, _)| array_index(name).is_none_or(|held| held > index))
            .unwrap_or(self.0.len())
    }
}

/// The array index that a key is: decimal digits as they are printed, below 2^32 - 1 (ECMA-262, array index).
fn array_index(key: &str) -> Option<u32> {
    let canonical = key == "0" || !key.starts_with('0') && key.bytes().all(|byte| byte.is_ascii_digit());
    let index = canonical.then(|| key.parse().ok()).flatten()?;
    (index != u32::MAX).then_some(index)
}

impl<'a> IntoIterator for &'a Object {
    type Item = &'a (Text, Json);
    type IntoIter = std::slice::Iter<'a, (Text, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Object {
    type Item = (Text, Json);
    type IntoIter = std::vec::IntoIter<(Text, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Sets each key in turn, in `n log n`: what a peer sends may have any number of keys.
impl<K: Into<Text>, V: Into<Json>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut builder = Builder::default();
        for (key, value) in entries {
            builder.set(key.into(), value.into());
        }
        builder.finish()
    }
}

/// An object in the making: its keys as they were first set, put in JavaScript's order once, at the end.
#[derive(Default)]
pub(super) struct Builder {
    entries: Vec<Entry>,
    /// Where each key stands; empty until there are too many to look at.
    places: BTreeMap<Text, usize>,
}

impl Builder {
    /// So many keys are compared one by one; most objects have fewer, and pay for no map.
    const FEW: usize = 16;

    /// Sets a key: in place of what it held, or behind the others.
    pub fn set(&mut self, key: Text, value: Json) {
        match self.place(&key) {
            Some(place) => self.entries[place].1 = value,
            None => self.append(key, value),
        }
    }

    /// The object.
    pub fn finish(self) -> Object {
        let mut entries = self.entries;
        // The sort is stable: keys that are no index stay as they were set.
        entries.sort_by_cached_key(|(name, _)| array_index(name).map_or((1, 0), |index| (0, index)));
        Object(entries)
    }

    fn place(&self, key: &str) -> Option<usize> {
        if self.places.is_empty() {
            self.entries.iter().position(|(name, _)| name == key)
        } else {
            self.places.get(key).copied()
        }
    }

    fn append(&mut self, key: Text, value: Json) {
        if !self.places.is_empty() {
            self.places.insert(key.clone(), self.entries.len());
        } else if self.entries.len() == Self::FEW {
            let names = self.entries.iter().map(|(name, _)| name).chain([&key]);
            self.places = names.cloned().zip(0..).collect();
        }
        self.entries.push((key, value));
    }
}
