//! The publish/subscribe broker.

use protocol::host::{Shared, Text};

use super::script::{Do, keep};
use super::world::{LOST, Setting, World, knobs, world};
use crate::kernel::{Episode, FaultKind, Knobs, Ratio};

fn topic() -> Text {
    Text::new_static("topic")
}

/// Waits for the next message.
fn next() -> Do {
    Do::GetFrom(Shared::Broker, topic())
}

fn publish(message: &str) -> [Do; 1] {
    [Do::PutTo(Shared::Broker, topic(), Text::new(message), None)]
}

#[test]
fn a_message_is_brought_to_each_subscriber_once_and_in_order() {
    let mut world = world(Setting::default());
    let readers = ["front 0", "front 1", "a"].map(|whom| world.ask(0, whom, [next(), next()]));
    world.ask(10, "b", publish("one"));
    world.ask(12, "b", publish("two"));
    world.run(1_000);
    for reader in readers {
        assert_eq!((world.answer(reader), world.answered_at(reader)), ("one two", 17));
    }
}

#[test]
fn who_subscribes_later_is_not_brought_what_was_published_before() {
    let mut world = world(Setting::default());
    world.ask(0, "b", publish("early"));
    let reader = world.ask(1, "front 0", [next()]);
    world.ask(10, "b", publish("late"));
    world.run(1_000);
    assert_eq!(world.answer(reader), "late");
}

#[test]
fn what_comes_while_a_subscriber_does_not_read_waits_for_it() {
    let mut world = world(Setting::default());
    let reader = world.ask(0, "front 0", [next(), Do::Sleep(100), next()]);
    world.ask(10, "b", publish("one"));
    world.ask(20, "b", publish("two"));
    world.run(1_000);
    assert_eq!(
        (world.answer(reader), world.answered_at(reader)),
        ("one two", 115)
    );
}

#[test]
fn a_slow_subscriber_loses_its_subscription_and_what_waited_for_it() {
    let mut world = world(Setting {
        knobs: Knobs {
            broker_buffer: 1,
            ..knobs()
        },
        ..Setting::default()
    });
    let slow = world.ask(0, "front 0", [next(), Do::Sleep(100), next(), next()]);
    let quick = world.ask(0, "front 1", [next(), next(), next(), next()]);
    for (at, message) in [(10, "one"), (20, "two"), (30, "three"), (150, "four")] {
        world.ask(at, "b", publish(message));
    }
    world.run(1_000);
    assert_eq!(
        world.answer(slow),
        "one [the broker has ended the subscription: its reader is too slow] four",
        "it is told when it reads, and subscribes anew"
    );
    assert_eq!(
        world.answer(quick),
        "one two three four",
        "it is nobody else's trouble"
    );
    assert_eq!(world.marks("front 0", FaultKind::SubscriberDropped), [30]);
    assert_eq!(world.faults(), ["subscriber-dropped"]);
}

#[test]
fn a_message_that_is_lost_leaves_a_gap_that_nobody_is_told_of() {
    let mut world = world(Setting::default());
    let reader = world.ask(0, "front 0", [next()]);
    world.at(5, "front 0", |kernel, _, _, _| {
        kernel.set_knobs(Knobs {
            message_loss: Episode::once(Ratio::ALWAYS),
            ..knobs()
        });
    });
    world.ask(10, "b", publish("one"));
    world.at(15, "front 0", |kernel, _, _, _| kernel.set_knobs(knobs()));
    world.ask(20, "b", publish("two"));
    world.run(1_000);
    assert_eq!(world.answer(reader), "two");
    assert_eq!(world.marks("front 0", FaultKind::MessageLost), [10]);
    assert_eq!(world.faults(), ["message-lost"]);
}

#[test]
fn a_broker_that_restarts_knows_nobody_and_who_waits_is_told() {
    let mut world = world(Setting::default());
    let waits = world.ask(0, "front 0", [next(), next()]);
    world.at(10, "front 0", |kernel, item, _, _| kernel.restart_broker(item));
    // Before the subscriber is told it has not subscribed anew.
    world.ask(30, "b", publish("in the gap"));
    world.ask(100, "b", publish("after it"));
    world.run(1_000);
    assert_eq!(world.answer(waits), format!("{LOST} after it"));
    assert_eq!(world.marks("front 0", FaultKind::BrokerRestarted), [10]);
}

#[test]
fn a_broker_restarts_by_itself_too_and_the_message_is_lost_with_it() {
    let mut world = world(Setting {
        knobs: Knobs {
            broker_restart: Episode::once(Ratio::ALWAYS),
            ..knobs()
        },
        ..Setting::default()
    });
    let waits = world.ask(0, "front 0", [next()]);
    world.ask(10, "b", publish("one"));
    world.run(1_000);
    assert_eq!(world.answer(waits), LOST);
    assert_eq!(world.faults(), ["broker-restarted"]);
}

/// What is published behind a write is published when that is durable (`platform.md` section 3).
#[test]
fn a_message_waits_for_the_writes_before_it() {
    let mut world = world(Setting::default());
    let reader = world.ask(0, "front 0", [next()]);
    let behind = [super::script::write("x")].into_iter().chain(publish("one"));
    world.ask(10, "a", behind.collect::<Vec<_>>());
    world.run(1_000);
    assert_eq!(
        world.answered_at(reader),
        35,
        "20 ms for the commit, 5 for the message"
    );
}

#[test]
fn a_subscription_ends_with_its_incarnation() {
    let mut world: World = world(Setting::default());
    world.ask(0, "a", [keep("x"), next()]);
    world.reset(10, "a");
    world.ask(20, "b", publish("one"));
    let again = world.ask(30, "a", [next(), Do::Recall]);
    world.ask(40, "b", publish("two"));
    world.run(1_000);
    assert_eq!(world.answer(again), "two ");
}
