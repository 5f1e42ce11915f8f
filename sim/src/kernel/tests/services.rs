//! KV and the edge caches: `platform.md` sections 18 and 19.

use protocol::host::{Shared, Text};

use super::script::Do;
use super::world::{Setting, World, fixed_at, knobs, lasting, world};
use crate::kernel::{Episode, FaultKind, Knobs, Micros, Purpose, Ratio, Span};

/// Two locations, in each of which a copy lasts for a second. `front 0` is in the first one, `front 1` in the second.
fn copied() -> Setting {
    Setting {
        knobs: Knobs {
            locations: 2,
            kv_copy: Span::millis(1_000, 1_000),
            ..knobs()
        },
        ..Setting::default()
    }
}

fn get() -> [Do; 1] {
    [Do::Get(Text::new_static("k"))]
}

fn put(value: &str) -> [Do; 2] {
    [Do::Put(Text::new_static("k"), Text::new(value)), Do::Await]
}

fn get_edge() -> [Do; 1] {
    [Do::GetFrom(Shared::EdgeCache, Text::new_static("k"))]
}

fn put_edge(keep: Option<u64>) -> [Do; 2] {
    let (key, value) = (Text::new_static("k"), Text::new_static("v"));
    [Do::PutTo(Shared::EdgeCache, key, value, keep), Do::Await]
}

/// Asks both front Workers at some instants. What each was told, in that order.
fn told<const N: usize, const K: usize>(
    world: &mut World,
    asked: [(u64, &str, [Do; K]); N],
    until: u64,
) -> [String; N] {
    let asked = asked.map(|(at, whom, script)| world.ask(at, whom, script));
    world.run(until);
    asked.map(|item| world.answer(item).to_owned())
}

#[test]
fn platform_18_a_write_is_seen_at_once_where_it_was_made_and_elsewhere_when_the_copy_is_over() {
    let mut setting = copied();
    let seen = |item| fixed_at(Purpose::KvOwnCopy, item, "front 0", "put", 0);
    setting.fixed = vec![seen(0), seen(2)];
    let mut world = world(setting);
    world.ask(0, "front 0", put("old"));
    let first = world.ask(10, "front 1", get());
    world.ask(100, "front 0", put("new"));
    let asked = [
        (102, "front 0", get()),
        (103, "front 1", get()),
        (1_010, "front 1", get()),
    ];
    let told = told(&mut world, asked, 5_000);
    assert_eq!(world.answer(first), "old");
    assert_eq!(told, ["new", "old", "new"]);
    assert_eq!(world.marks("front 1", FaultKind::KvStale), [103]);
    assert_eq!(world.faults(), ["kv-stale"]);
}

#[test]
fn platform_18_that_there_is_no_such_key_is_cached_too() {
    let mut world = world(copied());
    let before = world.ask(0, "front 1", get());
    world.ask(100, "front 0", put("v"));
    let told = told(
        &mut world,
        [(200, "front 1", get()), (1_001, "front 1", get())],
        5_000,
    );
    assert_eq!(world.answer(before), "nothing");
    assert_eq!(told, ["nothing", "v"]);
    assert_eq!(world.marks("front 1", FaultKind::KvStale), [200]);
}

#[test]
fn platform_18_copies_of_two_locations_are_over_independently() {
    let mut setting = copied();
    setting.knobs.locations = 3;
    let mut world = world(setting);
    world.ask(0, "front 0", put("old"));
    world.ask(10, "front 1", get());
    // The object is where it was called from first.
    let from_a = |at, world: &mut World| world.ask(at, "a", get());
    from_a(500, &mut world);
    world.at(600, "front 0", |kernel, _, _, _| {
        kernel.configure(Shared::Kv, "k", Some("new"))
    });
    let asked = [
        (1_020, "front 1", get()),
        (1_021, "front 0", get()),
        (1_600, "front 0", get()),
    ];
    let told = told(&mut world, asked, 5_000);
    assert_eq!(
        told,
        ["new", "new", "new"],
        "the first location's copy was made by the write at 0"
    );
    assert_eq!(
        world.faults(),
        [""; 0],
        "nobody has read between the change and the ends of the copies"
    );
}

#[test]
fn platform_18_not_even_the_writers_location_is_promised_what_was_written() {
    let mut setting = copied();
    let last = 3;
    setting.fixed = vec![fixed_at(Purpose::KvOwnCopy, 1, "front 0", "put", last)];
    let mut world = world(setting);
    world.ask(0, "front 0", get());
    world.ask(100, "front 0", put("v"));
    let told = told(
        &mut world,
        [(200, "front 0", get()), (1_001, "front 0", get())],
        5_000,
    );
    assert_eq!(told, ["nothing", "v"]);
    assert_eq!(world.marks("front 0", FaultKind::KvStale), [200]);
}

#[test]
fn platform_18_the_last_writer_wins() {
    let mut world = world(Setting::default());
    world.ask(0, "front 0", put("first"));
    world.ask(0, "front 1", put("second"));
    world.ask(10, "front 0", put("third"));
    let told = told(&mut world, [(10, "front 1", get()), (20, "front 1", get())], 100);
    assert_ne!(told[0], "third", "it has not landed");
    assert_eq!(told[1], "third");
}

#[test]
fn platform_18_reads_and_writes_fail_in_an_outage_and_then_no_more() {
    let mut world = world(Setting::default());
    world.at(0, "front 0", |kernel, item, _, _| {
        kernel.kv_outage(item, Micros::from_millis(100))
    });
    let put_in_it = world.ask(10, "front 0", put("v"));
    let asked = [(20, "front 1", get()), (200, "front 1", get())];
    let told = told(&mut world, asked, 1_000);
    assert_eq!(
        world.answer(put_in_it),
        "[KV PUT failed: 503 Service Unavailable]"
    );
    assert_eq!(told, ["[KV GET failed: 503 Service Unavailable]", "nothing"]);
    assert_eq!(world.faults(), ["kv-failed"]);
}

#[test]
fn platform_18_a_key_is_written_once_a_second() {
    let mut world = world(Setting {
        knobs: Knobs {
            kv_write_interval: Micros::from_millis(1_000),
            ..knobs()
        },
        ..Setting::default()
    });
    let other_key = [
        Do::Put(Text::new_static("other"), Text::new_static("v")),
        Do::Await,
    ];
    let asked = [
        (0, "front 0", put("first")),
        (999, "front 1", put("refused")),
        (999, "front 1", other_key),
        (1_000, "front 1", put("second")),
    ];
    let told = told(&mut world, asked, 2_000);
    assert_eq!(told, ["", "[KV PUT failed: 429 Too Many Requests]", "", ""]);
    assert_eq!(world.marks("front 1", FaultKind::KvTooOften), [999]);
    let read = world.ask(2_000, "front 0", get());
    world.run(3_000);
    assert_eq!(world.answer(read), "second");
}

#[test]
fn platform_18_some_requests_fail_by_themselves() {
    let mut world = world(Setting {
        knobs: Knobs {
            kv_failure: lasting(50, Ratio::ALWAYS),
            ..knobs()
        },
        ..Setting::default()
    });
    let asked = [(0, "front 0", get()), (20, "front 0", get())];
    let told = told(&mut world, asked, 1_000);
    assert!(
        told.iter().all(|told| told.starts_with("[KV GET failed")),
        "{told:?}"
    );
    assert_eq!(world.marks("front 0", FaultKind::KvFailed), [0, 20]);
}

#[test]
fn platform_19_what_an_edge_cache_holds_is_its_data_centres() {
    let mut world = world(copied());
    world.ask(0, "front 0", put_edge(None));
    let asked = [(10, "front 0", get_edge()), (10, "front 1", get_edge())];
    assert_eq!(told(&mut world, asked, 100), ["v", "nothing"]);
    assert_eq!(world.faults(), [""; 0]);
}

#[test]
fn platform_19_an_edge_cache_keeps_an_entry_for_as_long_as_it_was_asked_to() {
    let mut world = world(Setting::default());
    world.ask(0, "front 0", put_edge(Some(100)));
    let asked = [(100, "front 1", get_edge()), (102, "front 1", get_edge())];
    assert_eq!(told(&mut world, asked, 200), ["v", "nothing"]);
}

#[test]
fn platform_19_an_edge_cache_may_drop_an_entry_before() {
    let mut world = world(Setting {
        knobs: Knobs {
            edge_loss: Episode::once(Ratio::ALWAYS),
            ..knobs()
        },
        ..Setting::default()
    });
    world.ask(0, "front 0", put_edge(None));
    assert_eq!(told(&mut world, [(10, "front 0", get_edge())], 100), ["nothing"]);
    assert_eq!(world.faults(), ["edge-dropped"]);
    assert_eq!(world.marks("front 0", FaultKind::EdgeDropped), [10]);
}
