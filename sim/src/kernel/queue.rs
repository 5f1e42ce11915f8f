//! Events that are still to come, in the order in which they would.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::time::Micros;

/// Where an event stands in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventKey {
    /// When it is due.
    pub at: Micros,
    /// Below 2^32, drawn for each event, so that those of one instant come in any order, and in the same one whenever the plan's
    /// other items change.
    pub tie: u64,
    /// Makes keys distinct when the other two are equal: how many events were scheduled before.
    pub serial: u64,
    /// Where the queue keeps it.
    slot: u32,
}

/// The same in one number, beside where the event stands: a heap compares it some ten times an event.
#[derive(Clone, Copy, Debug)]
struct Due {
    order: u128,
    slot: u32,
}

impl Due {
    #[inline]
    fn of(key: EventKey) -> Self {
        let low = |number: u64| u128::from(u32::try_from(number).expect("fewer than 2^32 in a run"));
        Due {
            order: u128::from(key.at.0) << 64 | low(key.tie) << 32 | low(key.serial),
            slot: key.slot,
        }
    }

    #[inline]
    fn key(self) -> EventKey {
        let low = |bits: u128| (bits & u128::from(u32::MAX)) as u64;
        EventKey {
            at: Micros((self.order >> 64) as u64),
            tie: low(self.order >> 32),
            serial: low(self.order),
            slot: self.slot,
        }
    }
}

impl Ord for Due {
    /// The earliest is the greatest: the heap gives the greatest first.
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        other.order.cmp(&self.order)
    }
}

impl PartialOrd for Due {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}

impl Eq for Due {}

/// A queue of events: a heap of keys, beside the events themselves, which stay where they are until they are taken.
#[derive(Clone, Debug)]
pub(super) struct Queue<E> {
    /// The key of each event that is there, and of some that are not there any more; the first is of one that is.
    keys: BinaryHeap<Due>,
    slots: Vec<Option<(u64, E)>>,
    free: Vec<u32>,
    scheduled: u64,
}

impl<E> Queue<E> {
    pub fn new() -> Self {
        Queue {
            keys: BinaryHeap::new(),
            slots: Vec::new(),
            free: Vec::new(),
            scheduled: 0,
        }
    }

    pub fn schedule(&mut self, at: Micros, tie: u64, event: E) -> EventKey {
        let serial = self.scheduled;
        self.scheduled += 1;
        let slot = match self.free.pop() {
            Some(free) => {
                self.slots[free as usize] = Some((serial, event));
                free
            }
            None => {
                self.slots.push(Some((serial, event)));
                u32::try_from(self.slots.len() - 1).expect("fewer than 2^32 events are to come at a time")
            }
        };
        let key = EventKey {
            at,
            tie,
            serial,
            slot,
        };
        self.keys.push(Due::of(key));
        key
    }

    pub fn first(&self) -> Option<EventKey> {
        self.keys.peek().map(|due| due.key())
    }

    /// Takes an event out. None when it is not there any more.
    pub fn take(&mut self, key: EventKey) -> Option<E> {
        if !self.holds(key) {
            return None;
        }
        let (_, event) = self.slots[key.slot as usize].take()?;
        self.free.push(key.slot);
        while let Some(first) = self.keys.peek()
            && !self.holds(first.key())
        {
            self.keys.pop();
        }
        self.forget_keys();
        Some(event)
    }

    /// Drops the keys of events that are not there any more, once they are most of all.
    fn forget_keys(&mut self) {
        let there = self.slots.len() - self.free.len();
        if self.keys.len() > 2 * there + 64 {
            let slots = &self.slots;
            self.keys.retain(|due| {
                let key = due.key();
                let slot = slots[key.slot as usize].as_ref();
                slot.is_some_and(|(serial, _)| *serial == key.serial)
            });
        }
    }

    /// All events, earliest first.
    pub fn in_order(&self) -> Vec<(EventKey, &E)> {
        let there = self.keys.iter().filter_map(|due| {
            let key = due.key();
            let (serial, event) = self.slots[key.slot as usize].as_ref()?;
            (*serial == key.serial).then_some((key, event))
        });
        let mut there: Vec<_> = there.collect();
        there.sort_unstable_by_key(|(key, _)| *key);
        there
    }

    /// How many places and keys it has: for a test that it does not grow.
    #[cfg(test)]
    pub fn size(&self) -> usize {
        self.slots.len() + self.keys.len()
    }

    fn holds(&self, key: EventKey) -> bool {
        let slot = self.slots.get(key.slot as usize);
        slot.and_then(Option::as_ref)
            .is_some_and(|(serial, _)| *serial == key.serial)
    }
}
