//! Objects whose keys stand as in JavaScript.

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

    /// Sets a key: in place of what it held, or where a new key stands.
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

impl<K: Into<Text>, V: Into<Json>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut object = Object::default();
        for (key, value) in entries {
            object.set(key, value);
        }
        object
    }
}
