//! Isolates of the front Worker: `platform.md` section 19.

use super::script::{Do, call, keep, say, write};
use super::world::{LOST, Setting, World, knobs, world};
use crate::kernel::{Episode, FaultKind, Knobs, Ratio, Span};

fn restart(world: &mut World, at: u64, whom: &str) {
    world.at(at, whom, |kernel, item, whom, _| kernel.restart(item, whom));
}

#[test]
fn platform_19_an_isolate_that_ends_forgets_what_it_knew_and_others_do_not() {
    let mut world = world(Setting::default());
    world.ask(0, "front 0", [keep("known")]);
    world.ask(0, "front 1", [keep("known")]);
    restart(&mut world, 100, "front 0");
    let asked = ["front 0", "front 1"].map(|whom| world.ask(200, whom, [Do::Recall]));
    world.run(1_000);
    assert_eq!(asked.map(|item| world.answer(item)), ["", "known"]);
    assert_eq!(world.marks("front 0", FaultKind::FrontRestarted), [100]);
    assert_eq!(world.faults(), ["front-restarted"]);
}

#[test]
fn platform_19_who_waits_for_an_isolate_that_ends_is_told_and_what_it_has_sent_is_executed() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "front 0", [call("a", [Do::Sleep(10), write("x")]), Do::Await]);
    restart(&mut world, 3, "front 0");
    let next = world.ask(4, "front 0", [Do::Sleep(50), say("ok")]);
    world.run(1_000);
    assert_eq!(world.answer(asked), LOST);
    assert_eq!(world.rows("a"), "x");
    assert_eq!(
        world.answer(next),
        "ok",
        "the answer to the old isolate's call is nobody's"
    );
}

#[test]
fn platform_19_an_isolate_that_has_not_begun_has_nothing_to_lose() {
    let mut world = world(Setting::default());
    restart(&mut world, 0, "front 0");
    world.run(1_000);
    assert_eq!(world.faults(), [""; 0]);
    assert_eq!(world.incarnation("front 0"), 0);
}

#[test]
fn platform_19_isolates_end_by_themselves_too() {
    let mut world = world(Setting {
        knobs: Knobs {
            front_restart: Episode::once(Ratio::ALWAYS),
            reset_after: Span::millis(7, 7),
            ..knobs()
        },
        ..Setting::default()
    });
    world.ask(0, "front 0", [keep("known")]);
    let after = world.ask(10, "front 0", [Do::Recall]);
    world.run(1_000);
    assert_eq!(world.marks("front 0", FaultKind::FrontRestarted), [7, 17]);
    assert_eq!(world.answer(after), "");
}
