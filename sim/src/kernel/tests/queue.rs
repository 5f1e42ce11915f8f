//! The queue against a map.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::kernel::Micros;
use crate::kernel::queue::{EventKey, Queue};

#[derive(Clone, Debug)]
enum Op {
    Schedule {
        at: u64,
        tie: u64,
    },
    TakeFirst,
    /// Takes by some key that there was, whether its event is there or not.
    Take(prop::sample::Index),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let schedule = (0..20_u64, 0..3_u64).prop_map(|(at, tie)| Op::Schedule { at, tie });
    let take = any::<prop::sample::Index>().prop_map(Op::Take);
    prop::collection::vec(
        prop_oneof![4 => schedule, 1 => Just(Op::TakeFirst), 3 => take],
        0..400,
    )
}

proptest! {
    #[test]
    fn a_queue_is_a_map_from_keys_to_events(ops in ops()) {
        let mut queue = Queue::new();
        let mut model = BTreeMap::new();
        let mut made: Vec<EventKey> = Vec::new();
        for (event, op) in ops.into_iter().enumerate() {
            match op {
                Op::Schedule { at, tie } => {
                    let key = queue.schedule(Micros(at), tie, event);
                    prop_assert_eq!(model.insert(key, event), None, "keys are distinct");
                    made.push(key);
                }
                Op::TakeFirst => {
                    let first = queue.first();
                    prop_assert_eq!(first.and_then(|key| queue.take(key)), model.pop_first().map(|(_, event)| event));
                }
                Op::Take(_) if made.is_empty() => {}
                Op::Take(which) => {
                    let key = *which.get(&made);
                    prop_assert_eq!(queue.take(key), model.remove(&key));
                }
            }
            prop_assert_eq!(queue.first(), model.keys().next().copied());
            let in_order: Vec<_> = queue.in_order().into_iter().map(|(key, event)| (key, *event)).collect();
            prop_assert_eq!(in_order, model.iter().map(|(key, event)| (*key, *event)).collect::<Vec<_>>());
        }
    }
}

/// Timeouts are mostly cancelled: the first event stays, and all others are taken out of the middle.
#[test]
fn the_keys_of_cancelled_events_are_forgotten() {
    let mut queue = Queue::new();
    queue.schedule(Micros(0), 0, ());
    for nth in 1..10_000 {
        let key = queue.schedule(Micros(nth), 0, ());
        queue.take(key);
    }
    assert!(queue.size() < 100, "{}", queue.size());
}
