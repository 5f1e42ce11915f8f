//! Objects that are taken away with all that they store: `platform.md` section 14, item 5.

use super::script::{Do, keep, write};
use super::world::{Setting, World, world};
use crate::kernel::FaultKind;

fn recreate(world: &mut World, at: u64, whom: &str) {
    world.at(at, whom, |kernel, item, whom, _| kernel.recreate(item, whom));
}

#[test]
fn platform_14_5_nothing_is_left_of_an_object_that_was_taken_away() {
    let mut world = world(Setting {
        alarm: |_| vec![write("rang")],
        ..Setting::default()
    });
    world.ask(0, "a", [keep("memory"), write("x"), Do::SetAlarm(500)]);
    recreate(&mut world, 100, "a");
    let after = world.ask(200, "a", [Do::Recall, Do::Read, Do::ReadAlarm]);
    world.run(1_000);
    assert_eq!(world.answer(after), " none");
    assert_eq!(world.times("a", "wakes"), [0_u64; 0], "its alarm is gone as well");
    assert_eq!(world.marks("a", FaultKind::Recreated), [100]);
}

#[test]
fn platform_14_5_who_waits_for_it_is_told() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "a", [write("x"), Do::Sleep(500)]);
    recreate(&mut world, 100, "a");
    let after = world.ask(200, "a", [write("y"), Do::Read]);
    world.run(1_000);
    assert!(world.answer(asked).contains("deleted"), "{}", world.answer(asked));
    assert_eq!(world.answer(after), "y", "what a new object writes stays");
}

#[test]
fn platform_14_5_a_run_of_its_alarm_is_not_tried_again() {
    let mut world = world(Setting {
        alarm: |_| vec![Do::Sleep(300), write("rang")],
        ..Setting::default()
    });
    world.ask(0, "a", [Do::SetAlarm(100)]);
    recreate(&mut world, 200, "a");
    world.run(60_000);
    assert_eq!(world.times("a", "wakes"), [100]);
    assert_eq!(world.rows("a"), "");
}
