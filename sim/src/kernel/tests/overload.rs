//! Objects that are asked for more than they can do: `platform.md` section 10.

use super::script::{Do, call_on, say, stub, write};
use super::world::{Setting, World, knobs, world};
use crate::kernel::{AutoRetry, FaultKind, Knobs, Micros};

const TOO_MANY: &str = "[Durable Object is overloaded. Too many requests queued., remote, overloaded]";
const TOO_MUCH: &str = "[Durable Object is overloaded. Too much data queued., remote, overloaded]";
const TOO_LONG: &str = "[Durable Object is overloaded. Requests queued for too long., remote, overloaded]";

const TOO_OFTEN: &str = "[Durable Object is overloaded. Too many requests for the same object within a 10 second window., \
                         remote, overloaded]";

fn under(knobs: Knobs) -> World {
    world(Setting {
        knobs,
        ..Setting::default()
    })
}

/// A world in which so many requests may wait for an object.
fn at_most(queue_most: u32) -> World {
    under(Knobs {
        queue_most: Some(queue_most),
        ..knobs()
    })
}

#[test]
fn platform_10_a_request_that_finds_the_queue_full_does_not_run() {
    let mut world = at_most(2);
    world.ask(0, "a", [Do::Work(100)]);
    let asked: Vec<u32> = (1..5)
        .map(|nth| world.ask(10 * nth, "a", [write(&nth.to_string())]))
        .collect();
    let later = world.ask(150, "a", [write("later")]);
    world.run(1_000);
    let told: Vec<_> = asked.iter().map(|item| world.answer(*item)).collect();
    assert_eq!(told, ["", "", TOO_MANY, TOO_MANY]);
    assert_eq!(world.answer(later), "");
    assert_eq!(world.rows("a"), "1 2 later");
    assert_eq!(world.marks("a", FaultKind::Overloaded), [30, 40]);
    assert_eq!(
        world.times("a", "receives").len(),
        4,
        "what is rejected has no turn"
    );
}

#[test]
fn platform_10_the_queue_is_first_in_first_out() {
    let mut world = at_most(3);
    world.ask(0, "a", [Do::Work(100)]);
    for nth in 1..=3 {
        world.ask(10 * nth, "a", [Do::Work(50), write(&nth.to_string())]);
    }
    world.run(1_000);
    assert_eq!(world.rows("a"), "1 2 3");
}

#[test]
fn platform_10_too_much_data_is_rejected() {
    let mut world = under(Knobs {
        queue_bytes: Some(2_500),
        ..knobs()
    });
    world.ask(0, "a", [Do::Work(100)]);
    let long = "x".repeat(1_000);
    let asked: Vec<u32> = (1..4)
        .map(|nth| world.ask(10 * nth, "a", [say(&long), write("x")]))
        .collect();
    let short = world.ask(40, "a", [write("y")]);
    world.run(1_000);
    let told: Vec<_> = asked.iter().map(|item| world.answer(*item)).collect();
    assert_eq!(told, [&*long, &*long, TOO_MUCH]);
    assert_eq!(world.answer(short), "");
    assert_eq!(world.rows("a"), "x x y");
}

#[test]
fn platform_10_a_request_that_has_waited_for_too_long_is_rejected() {
    let mut world = under(Knobs {
        queue_age: Some(Micros::from_millis(50)),
        ..knobs()
    });
    world.ask(0, "a", [Do::Work(100)]);
    let long = [10, 20].map(|at| world.ask(at, "a", [write("x")]));
    let short = world.ask(60, "a", [write("y")]);
    world.run(1_000);
    assert_eq!(
        long.map(|item| world.answer(item).to_owned()),
        [TOO_LONG, TOO_LONG]
    );
    assert_eq!(long.map(|item| world.answered_at(item)), [60, 70]);
    assert_eq!(world.answer(short), "");
    assert_eq!(world.rows("a"), "y");
}

#[test]
fn platform_10_so_many_requests_run_in_ten_seconds_and_no_more() {
    let mut world = under(Knobs {
        window_most: Some(2),
        ..knobs()
    });
    let asked: Vec<u32> = [0, 100, 200, 9_999, 10_000, 10_050, 10_100]
        .map(|at| world.ask(at, "a", [write(&at.to_string())]))
        .into();
    let of_another = world.ask(200, "b", [write("b")]);
    world.run(11_000);
    let told: Vec<_> = asked.iter().map(|item| world.answer(*item)).collect();
    assert_eq!(told, ["", "", TOO_OFTEN, TOO_OFTEN, "", TOO_OFTEN, ""]);
    assert_eq!(world.answer(of_another), "");
    assert_eq!(world.rows("a"), "0 100 10000 10100");
    assert_eq!(world.marks("a", FaultKind::Overloaded), [200, 9_999, 10_050]);
}

/// What awaits something lets others run: nothing waits in the queue.
#[test]
fn platform_10_what_has_begun_is_not_in_the_queue() {
    let mut world = at_most(0);
    let asked: Vec<u32> = (0..5)
        .map(|nth| world.ask(nth, "a", [Do::Sleep(100), say("done")]))
        .collect();
    world.run(1_000);
    for item in asked {
        assert_eq!(world.answer(item), "done");
    }
    assert!(world.faults().is_empty());
}

#[test]
fn platform_10_answers_and_alarms_are_never_rejected() {
    let mut world = world(Setting {
        alarm: |_| vec![write("rang")],
        knobs: Knobs {
            queue_most: Some(0),
            ..knobs()
        },
        ..Setting::default()
    });
    let asked = world.ask(0, "a", [Do::SetAlarm(50), Do::Sleep(40), say("woke")]);
    world.ask(30, "a", [Do::Work(100)]);
    world.run(1_000);
    assert_eq!(world.answer(asked), "woke");
    assert_eq!(world.rows("a"), "rang");
}

/// 11.3: it says "do not retry". The stub is as good as before.
#[test]
fn platform_11_3_a_caller_is_told_that_its_callee_is_overloaded() {
    let mut world = under(Knobs {
        queue_most: Some(0),
        auto_retry: AutoRetry::Fetch,
        ..knobs()
    });
    world.ask(0, "a", [Do::Work(100)]);
    let stub = stub("a");
    let ask = |script: [Do; 1]| call_on(&stub, script);
    let script = [
        ask([write("x")]),
        Do::Await,
        Do::Sleep(200),
        ask([say("ok")]),
        Do::Await,
    ];
    let asked = world.ask(10, "b", script);
    world.run(1_000);
    assert_eq!(world.answer(asked), format!("{TOO_MANY} ok"));
    assert_eq!(world.rows("a"), "");
    assert_eq!(world.faults(), ["overloaded"], "nothing is tried again");
}

#[test]
fn a_front_worker_has_no_queue_that_is_bounded() {
    let mut world = at_most(0);
    world.ask(0, "front 0", [Do::Work(100)]);
    let asked = world.ask(10, "front 0", [say("done")]);
    world.run(1_000);
    assert_eq!(world.answer(asked), "done");
}

#[test]
fn without_a_bound_any_number_waits() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [Do::Work(100)]);
    for nth in 0..500 {
        world.ask(1 + nth / 10, "a", [write("x")]);
    }
    world.run(1_000);
    assert_eq!(world.rows("a").split(' ').count(), 500);
}
