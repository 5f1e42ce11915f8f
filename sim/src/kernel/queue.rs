//! Events that are still to come, in the order in which they would.

use std::collections::BTreeMap;

use super::time::Micros;

/// Where an event stands in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventKey {
    /// When it is due.
    pub at: Micros,
    /// Drawn for each event, so that those of one instant come in any order, and in the same one whenever the plan's
    /// other items change.
    pub tie: u64,
    /// Makes keys distinct when the other two are equal: how many events were scheduled before.
    pub serial: u64,
}

/// A queue of events.
#[derive(Clone, Debug)]
pub(super) struct Queue<E> {
    events: BTreeMap<EventKey, E>,
    scheduled: u64,
}

impl<E> Queue<E> {
    pub fn new() -> Self {
        Queue { events: BTreeMap::new(), scheduled: 0 }
    }

    pub fn schedule(&mut self, at: Micros, tie: u64, event: E) -> EventKey {
        let key = EventKey { at, tie, serial: self.scheduled };
        self.scheduled += 1;
        self.events.insert(key, event);
        key
    }

    pub fn first(&self) -> Option<EventKey> {
        self.events.first_key_value().map(|(key, _)| *key)
    }

    pub fn take(&mut self, key: EventKey) -> Option<E> {
        self.events.remove(&key)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&EventKey, &E)> {
        self.events.iter()
    }
}
