//! An incarnation between two turns is a plain value.

use std::hash::{Hash, Hasher};

use super::toy::Act::{Await, Call, Enter, First, Release, Say, Send, Start, Take};
use super::toy::{Flow, GATE, Stage};
use crate::host::{CallId, Label, TaskId};
use crate::task::Waiting;

/// Two tasks in the middle of everything: a gate held and awaited, a finally, an entered frame, a started task.
fn busy() -> Stage {
    let inner = Flow::of([Call("inner"), Await(0), Say("inner")]).finally([Call("tidy"), Await(1)]);
    let child = Flow::of([Call("x"), Call("y"), First(vec![0, 1])]);
    let flow = Flow::of([Take, Send("sent"), Start(child), Enter(inner), Say("on")]).finally([Release]);
    let mut stage = Stage::new([("flow", flow)]);
    stage.begin("flow");
    stage.begin("flow");
    stage
}

/// A hash with a fixed seed.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = xxhash_rust::xxh3::Xxh3::with_seed(0);
    value.hash(&mut hasher);
    hasher.finish()
}

fn finish(stage: &mut Stage) {
    for label in ["inner", "tidy", "inner", "tidy"] {
        stage.answer(label);
    }
}

#[test]
fn a_clone_in_mid_flow_goes_on_as_the_original_does() {
    let mut original = busy();
    let mut clone = original.clone();
    assert_eq!(original, clone);
    assert_eq!(hash(&original.actor), hash(&clone.actor));

    finish(&mut original);
    assert_ne!(original, clone, "the clone has not moved");
    assert_ne!(hash(&original.actor), hash(&clone.actor));
    finish(&mut clone);
    assert_eq!(original, clone);
    assert_eq!(hash(&original.actor), hash(&clone.actor));
    assert_eq!(format!("{:?}", original.actor), format!("{:?}", clone.actor));
    assert_eq!(original.finished(), [(0, "done"), (2, "done")]);
}

#[test]
fn states_that_will_do_the_same_are_equal_whatever_led_to_them() {
    let mut stage = Stage::new([(
        "flow",
        Flow::of([Take, Call("call"), Await(0)]).finally([Release]),
    )]);
    let mut fresh = stage.clone();
    stage.begin("flow");
    stage.begin("flow");
    stage.fail("call");
    stage.fail("call");
    fresh.begin("flow");
    stage.begin("flow");
    assert_eq!(stage.actor, fresh.actor);
}

#[test]
fn each_wait_can_be_named() {
    let stage = busy();
    let waits: Vec<_> = stage.actor.waits().collect();
    let [x, y] = [1, 2].map(|nth| CallId {
        task: TaskId(1),
        nth: nth - 1,
    });
    assert_eq!(
        waits,
        [
            (
                TaskId(0),
                Waiting::Call(
                    CallId {
                        task: TaskId(0),
                        nth: 1
                    },
                    Label("inner")
                )
            ),
            (TaskId(1), Waiting::First(&[x, y])),
            (TaskId(2), Waiting::Gate(GATE, Some(TaskId(0)))),
        ]
    );
}
