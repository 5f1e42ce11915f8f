//! Which party is the object of a name.

use std::collections::BTreeMap;

use protocol::host::{Namespace, ObjectName};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::party::PartyId;

/// All objects, by namespace and name.
#[derive(Clone, Debug, Default)]
pub(super) struct Directory {
    objects: BTreeMap<(Namespace, ObjectName), PartyId>,
    /// The same by a hash of the name, for every call asks: twice as many slots as objects at least, each one's in the
    /// first that was free from its own on. Nobody walks through them.
    slots: Vec<Option<PartyId>>,
}

impl Directory {
    /// The object of this name; `is_it` tells of one whether that is its name.
    pub fn find(
        &self,
        namespace: &Namespace,
        name: &ObjectName,
        is_it: impl Fn(PartyId) -> bool,
    ) -> Option<PartyId> {
        let mut slots = self.slots_from(hash_of(namespace, name));
        slots.find_map(|slot| match slot {
            None => Some(None),
            Some(object) => is_it(object).then_some(Some(object)),
        })?
    }

    /// Takes in an object whose name is new.
    pub fn insert(&mut self, address: (Namespace, ObjectName), object: PartyId) {
        if self.slots.len() < 2 * (self.objects.len() + 1) {
            let slots = 4 * (self.objects.len() + 1).next_power_of_two();
            self.slots = vec![None; slots];
            for ((namespace, name), object) in &self.objects {
                put(&mut self.slots, hash_of(namespace, name), *object);
            }
        }
        put(&mut self.slots, hash_of(&address.0, &address.1), object);
        self.objects.insert(address, object);
    }

    /// All of them, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&Namespace, &ObjectName, PartyId)> {
        let objects = self.objects.iter();
        objects.map(|((namespace, name), object)| (namespace, name, *object))
    }

    /// The slots from that of a hash on, around to it.
    fn slots_from(&self, hash: u64) -> impl Iterator<Item = Option<PartyId>> {
        let (before, from) = self.slots.split_at(start(self.slots.len(), hash));
        from.iter().chain(before).copied()
    }
}

fn put(slots: &mut [Option<PartyId>], hash: u64, object: PartyId) {
    let (before, from) = slots.split_at_mut(start(slots.len(), hash));
    let mut around = from.iter_mut().chain(before);
    let free = around.find(|slot| slot.is_none());
    *free.expect("there are more slots than objects") = Some(object);
}

/// The slot of a hash among so many.
fn start(slots: usize, hash: u64) -> usize {
    hash as usize & slots.saturating_sub(1)
}

fn hash_of(namespace: &Namespace, name: &ObjectName) -> u64 {
    xxh3_64_with_seed(name.0.as_bytes(), namespace.0.len() as u64)
}
