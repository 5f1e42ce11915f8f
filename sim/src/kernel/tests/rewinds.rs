//! Objects whose storage goes back, or is copied from another one: `platform.md` section 14, items 3 and 4.

use protocol::host::Text;

use super::script::{Do, keep, say, write};
use super::world::{Setting, World, knobs, world};
use crate::kernel::storage::Store;
use crate::kernel::{FaultKind, Knobs};

/// Puts what one object stores in the place of what another one does.
fn clone<S: Store>(world: &mut World<S>, at: u64, from: &'static str, to: &str) {
    world.at(at, to, move |kernel, item, to, _| {
        let from = kernel.named(&Text::from(format!("toy/{from}")));
        kernel.clone_storage(item, from.expect("it was reached"), to);
    });
}

on_both_stores! {
    platform_14_3_a_restore_moves_an_object_backwards_and_no_other(world) {
        world.rewind(300, "a", 100);
        for object in ["a", "b"] {
            world.ask(0, object, [keep("memory"), write("x")]);
            world.ask(200, object, [write("y")]);
        }
        let a = world.ask(400, "a", [Do::Recall, Do::Read, write("z"), Do::Read]);
        let b = world.ask(400, "b", [Do::Recall, Do::Read]);
        world.run(1_000);
        assert_eq!(world.answer(a), " x x z");
        assert_eq!(world.answer(b), "memory x y");
        assert_eq!(world.marks("a", FaultKind::Rewound), [300]);
    }

    /// A commit that was not confirmed at that instant is not among what the object goes back to.
    platform_14_2_a_restore_brings_back_what_was_confirmed(world) {
        world.rewind(300, "a", 70);
        world.ask(0, "a", [write("x")]);
        world.ask(60, "a", [write("y")]);
        world.run(1_000);
        assert_eq!(world.rows("a"), "x");
    }

    platform_14_2_a_restore_brings_nothing_back_of_a_turn_that_is_under_way(world) {
        world.rewind(300, "a", 100);
        world.ask(0, "a", [write("x")]);
        world.ask(90, "a", [write("y"), Do::Work(50)]);
        world.run(1_000);
        assert_eq!(world.rows("a"), "x");
    }

    platform_14_3_what_is_under_way_at_a_restore_ends(world) {
        world.rewind(300, "a", 100);
        let asked = world.ask(0, "a", [write("x"), Do::Sleep(500), write("late")]);
        let held = world.ask(290, "a", [write("y"), say("done")]);
        world.run(1_000);
        for item in [asked, held] {
            let told = world.answer(item);
            assert!(told.contains("restored"), "{told}");
        }
        assert_eq!(world.rows("a"), "x");
    }

    platform_14_4_a_clone_carries_all_rows_and_the_other_goes_on(world) {
        world.ask(0, "a", [write("a's")]);
        world.ask(0, "b", [keep("memory"), write("b's")]);
        clone(&mut world, 100, "a", "b");
        let b = world.ask(200, "b", [Do::Recall, Do::Read, write("more")]);
        let a = world.ask(300, "a", [Do::Read]);
        world.run(1_000);
        assert_eq!((world.answer(a), world.answer(b)), ("a's", " a's"));
        assert_eq!(world.rows("b"), "a's more");
        assert_eq!(world.marks("b", FaultKind::Cloned), [100]);
    }
}

#[test]
fn platform_14_3_a_restore_can_be_taken_back() {
    let mut world = world(Setting::default());
    world.rewind(300, "a", 100);
    world.rewind(400, "a", 250);
    world.ask(0, "a", [write("x")]);
    world.ask(200, "a", [write("y")]);
    let between = world.ask(350, "a", [Do::Read, write("z")]);
    world.run(1_000);
    assert_eq!(world.answer(between), "x");
    assert_eq!(world.rows("a"), "x y");
}

/// It stands in the same database.
#[test]
fn platform_14_3_a_restore_brings_the_alarm_back() {
    let mut world = world(Setting {
        alarm: |_| vec![write("rang")],
        ..Setting::default()
    });
    world.rewind(300, "a", 100);
    world.ask(0, "a", [Do::SetAlarm(150)]);
    world.rewind(300, "b", 100);
    world.ask(0, "b", [say("no alarm")]);
    world.ask(200, "b", [Do::SetAlarm(400)]);
    world.run(1_000);
    assert_eq!(world.times("a", "wakes"), [150, 300]);
    assert!(world.times("b", "wakes").is_empty());
}

#[test]
fn platform_14_4_whether_a_clone_carries_the_alarm_is_a_knob() {
    let woken = |alarm_not_cloned| {
        let mut world = world(Setting {
            alarm: |_| vec![write("rang")],
            knobs: Knobs {
                alarm_not_cloned,
                ..knobs()
            },
            ..Setting::default()
        });
        world.ask(0, "a", [write("x"), Do::SetAlarm(500)]);
        world.ask(0, "b", [Do::SetAlarm(400)]);
        clone(&mut world, 100, "a", "b");
        world.run(1_000);
        (world.times("a", "wakes"), world.times("b", "wakes"))
    };
    assert_eq!(woken(false), (vec![500], vec![500]));
    assert_eq!(woken(true), (vec![500], vec![]));
}

#[test]
fn an_object_that_nobody_had_reached_has_nothing_to_go_back_to() {
    let mut world = world(Setting::default());
    world.rewind(300, "a", 100);
    world.ask(200, "a", [keep("memory")]);
    let after = world.ask(400, "a", [Do::Recall]);
    world.run(1_000);
    assert_eq!(world.answer(after), "memory");
    assert!(world.faults().is_empty());
}
