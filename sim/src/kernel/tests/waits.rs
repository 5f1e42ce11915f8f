//! The wait-for graph: `platform.md` section 12, item 6.

use super::script::{Do, call, say};
use super::world::{Setting, knobs, world};
use crate::kernel::{Episode, Knobs, Micros, Ratio, SectionEnd, SectionKind, WaitLink};

/// `a` calls `b` in a section, and `b` calls `a`, whose section lets nothing in.
fn call_in_a_section() -> Vec<Do> {
    vec![
        Do::Enter(SectionKind::Block),
        call("b", [call("a", [say("in")]), Do::Await]),
        Do::Await,
        Do::Leave(SectionEnd::Done),
    ]
}

#[test]
fn platform_12_6_a_cycle_of_calls_waits_for_itself_inside_a_section() {
    let mut world = world(Setting::default());
    world.ask(0, "a", call_in_a_section());
    world.run(100);
    let circle = world.deadlock().expect("each waits for the other");
    let told: Vec<_> = circle
        .iter()
        .map(|wait| (wait.who.as_str(), wait.on.as_ref().map(|(on, _)| on.as_str())))
        .collect();
    assert_eq!(told, [("toy/a", Some("toy/b")), ("toy/b", Some("toy/a"))]);
    assert!(
        matches!(circle[0].link, WaitLink::Call(_)) && matches!(circle[1].link, WaitLink::Section(_)),
        "{circle:?}"
    );
    world.run(40_000);
    assert_eq!(world.deadlock(), None, "the section's timeout has ended it");
}

#[test]
fn platform_12_6_a_cycle_of_calls_works_while_the_gate_is_open() {
    let mut world = world(Setting::default());
    let asked = world.ask(
        0,
        "a",
        [
            call("b", [call("a", [Do::Sleep(50), say("in")]), Do::Await]),
            Do::Await,
        ],
    );
    for until in [20, 100] {
        world.run(until);
        assert_eq!(
            (world.deadlock(), world.waits_in_vain()),
            (None, None),
            "at {until}"
        );
    }
    assert_eq!(world.answer(asked), "in");
}

/// Whatever holds an answer up: it is on its way.
#[test]
fn what_is_on_its_way_is_not_waited_for_in_vain() {
    let mut world = world(Setting {
        knobs: Knobs {
            commit_stall: Episode {
                begins: Ratio::ALWAYS,
                ends: Ratio::ALWAYS,
                least: Micros::from_millis(5_000),
            },
            ..knobs()
        },
        ..Setting::default()
    });
    let held = call("a", [super::script::write("x"), Do::Work(30), say("held")]);
    let asked = world.ask(
        0,
        "front 0",
        [held, Do::Await, Do::Sleep(10), call("b", []), Do::Await],
    );
    let listens = Do::GetFrom(
        protocol::host::Shared::Broker,
        protocol::host::Text::new_static("topic"),
    );
    world.ask(0, "front 1", [listens]);
    while world.now() < 7_000 && world.take_step() {
        assert_eq!(
            (world.deadlock(), world.waits_in_vain()),
            (None, None),
            "at {}",
            world.now()
        );
    }
    assert_eq!(world.answer(asked), "held");
}
