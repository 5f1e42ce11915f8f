//! Parties that do not reach each other: `platform.md` sections 12 and 13.

use super::script::{Do, call, call_on, say, stub, write};
use super::world::{LOST, Setting, World, world};
use crate::kernel::{Episode, FaultKind, Ratio, Trouble, Way};

/// From `front 0` to `a`, and perhaps back, for 100 ms.
fn partition(world: &mut World, at: u64, (from, to): (&str, &str), way: Way) {
    world.trouble(at, (from, to), 100, move |from, to| {
        Trouble::Partition(from, to, way)
    });
}

fn ask_and_tell_when() -> Vec<Do> {
    vec![call("a", [write("x"), say("ok")]), Do::Await, Do::Now]
}

#[test]
fn platform_12_3_a_request_that_does_not_get_through_is_told_after_the_notice_and_has_not_run() {
    for way in [Way::There, Way::Both] {
        let mut world = world(Setting::default());
        partition(&mut world, 0, ("front 0", "a"), way);
        let asked = world.ask(10, "front 0", ask_and_tell_when());
        world.run(1_000);
        assert_eq!(world.answer(asked), format!("{LOST} 60"), "{way:?}");
        assert!(world.times("a", "receives").is_empty(), "{way:?}");
        assert_eq!(world.marks("front 0", FaultKind::Partitioned), [10], "{way:?}");
        assert_eq!(world.faults(), ["partitioned"], "{way:?}");
    }
}

/// The answer leaves when the write is durable, 25 ms after the request.
#[test]
fn platform_12_3_an_answer_that_does_not_get_through_is_told_after_the_notice_and_has_run() {
    let mut world = world(Setting::default());
    partition(&mut world, 0, ("a", "front 0"), Way::There);
    let asked = world.ask(10, "front 0", ask_and_tell_when());
    world.run(1_000);
    assert_eq!(world.answer(asked), format!("{LOST} 85"));
    assert_eq!(world.rows("a"), "x");
    assert_eq!(world.marks("a", FaultKind::Partitioned), [35]);
    assert_eq!(world.faults(), ["partitioned"]);
}

/// The request got through before it began.
#[test]
fn a_partition_of_both_ways_cuts_the_way_back_too() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "front 0", [call("a", [Do::Sleep(20)]), Do::Await, Do::Now]);
    partition(&mut world, 10, ("front 0", "a"), Way::Both);
    world.run(1_000);
    assert_eq!(world.answer(asked), format!("{LOST} 75"));
    assert_eq!(world.marks("a", FaultKind::Partitioned), [25]);
}

#[test]
fn a_partition_is_between_two_and_ends() {
    let mut world = world(Setting::default());
    partition(&mut world, 0, ("front 0", "a"), Way::Both);
    let others = [
        world.ask(10, "front 1", ask_and_tell_when()),
        world.ask(10, "front 0", [call("b", [say("ok")]), Do::Await, Do::Now]),
        world.ask(10, "a", [call("b", [say("ok")]), Do::Await, Do::Now]),
    ];
    let after = world.ask(101, "front 0", ask_and_tell_when());
    world.run(1_000);
    let answers = others.map(|other| world.answer(other).to_owned());
    assert_eq!(answers, ["ok 40", "ok 20", "ok 20"]);
    assert_eq!(world.answer(after), "ok 131");
    assert!(world.faults().is_empty());
}

/// The lost call breaks its stub, as any that fails with its connection does.
#[test]
fn platform_12_2_all_that_is_in_flight_on_the_stub_fails_with_the_call_that_was_cut_off() {
    let mut world = world(Setting::default());
    let script = [
        call("a", [Do::Sleep(200), say("slow")]),
        Do::Sleep(20),
        call("a", [say("cut off")]),
        Do::Sleep(100),
        Do::Now,
        call("a", [say("at once")]),
        call_on(&stub("a").fresh(), [say("new")]),
        Do::Await,
        Do::Now,
    ];
    let asked = world.ask(0, "front 0", script);
    partition(&mut world, 10, ("front 0", "a"), Way::There);
    world.run(1_000);
    assert_eq!(world.answer(asked), format!("{LOST} {LOST} 120 {LOST} new 130"));
}

/// Both would have lost it: one does, and is told of.
#[test]
fn a_request_that_is_cut_off_is_not_lost_a_second_time() {
    let mut setting = Setting::default();
    setting.knobs.request_loss = Episode::once(Ratio::ALWAYS);
    let mut world = world(setting);
    partition(&mut world, 0, ("front 0", "a"), Way::There);
    world.ask(10, "front 0", ask_and_tell_when());
    world.run(1_000);
    assert_eq!(world.faults(), ["partitioned"]);
}

/// The caller of an object that is reset hears of the reset only where it is reached.
#[test]
fn platform_12_3_the_error_of_a_reset_can_be_cut_off_too() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "front 0", [call("a", [Do::Sleep(500)]), Do::Await, Do::Now]);
    partition(&mut world, 10, ("a", "front 0"), Way::There);
    world.reset(50, "a");
    world.run(1_000);
    assert_eq!(world.answer(asked), format!("{LOST} 100"));
}
