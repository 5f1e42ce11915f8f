//! Which task runs when: gates, starts, joins, races.

use super::toy::Act::{
    Await, Call, Enter, First, Forget, Join, JoinTask, Release, Return, Say, Send, Start, Take, Throw,
};
use super::toy::{Flow, Stage};
use crate::host::{Cause, TaskId};

fn gated(name: &'static str) -> Flow {
    Flow::of([Take, Say(name), Call(name), Await(0)]).finally([Release, Say("out")])
}

#[test]
fn a_released_gate_runs_the_next_waiter_in_the_same_turn_first_in_first_out() {
    let mut stage = Stage::new([("a", gated("a")), ("b", gated("b")), ("c", gated("c"))]);
    for flow in ["a", "b", "c"] {
        stage.begin(flow);
    }
    assert_eq!(stage.said(), ["a"], "b and c wait");
    stage.answer("a");
    assert_eq!(
        stage.said(),
        ["a", "a answered", "out", "b"],
        "b is inside within a's last turn, c is not"
    );
    stage.answer("b");
    stage.answer("c");
    assert_eq!(stage.finished(), [(0, "done"), (1, "done"), (2, "done")]);
}

#[test]
fn a_gate_is_not_reentrant() {
    let mut stage = Stage::new([("twice", Flow::of([Take, Say("in"), Take, Say("in again")]))]);
    stage.begin("twice");
    assert_eq!(stage.said(), ["in"]);
    assert_eq!(
        stage.actor.waits().count(),
        1,
        "it waits for itself, and the waits show it"
    );
}

#[test]
fn a_gate_is_given_on_although_its_holder_has_failed() {
    let mut stage = Stage::new([("a", gated("a")), ("b", gated("b"))]);
    stage.begin("a");
    stage.begin("b");
    stage.fail("a");
    assert_eq!(stage.said(), ["a", "out", "b"]);
    assert_eq!(stage.finished(), [(0, "thrown: a failed")]);
}

#[test]
fn who_ends_inside_a_gate_keeps_it_and_its_number() {
    let mut stage = Stage::new([("lost", Flow::of([Take])), ("next", Flow::of([Take, Say("in")]))]);
    stage.begin("lost");
    assert_eq!(
        stage.begin("next"),
        TaskId(1),
        "number 0 still stands for the holder"
    );
    assert_eq!(stage.said(), [""; 0], "nobody gets in: the lock's owner is gone");
}

#[test]
fn a_started_task_runs_to_its_first_wait_before_its_starter_goes_on() {
    let child = Flow::of([Say("child 1"), Call("child"), Await(0), Say("child 2")]);
    let parent = Flow::of([Say("parent 1"), Start(child), Say("parent 2")]);
    let mut stage = Stage::new([("parent", parent)]);
    stage.begin("parent");
    assert_eq!(stage.said(), ["parent 1", "child 1", "parent 2"]);
    assert_eq!(
        stage.host.started,
        [(TaskId(0), Cause::Event), (TaskId(1), Cause::Task(TaskId(0)))]
    );
    assert_eq!(
        stage.finished(),
        [(0, "done")],
        "nobody is told of the end of a task that no event began"
    );
    stage.answer("child");
    assert_eq!(stage.said()[3..], ["child answered", "child 2"]);
    assert!(stage.actor.is_idle());
}

#[test]
fn nested_starts_run_innermost_first() {
    let inner = Flow::of([Say("inner"), Call("inner"), Await(0)]);
    let outer = Flow::of([
        Say("outer 1"),
        Start(inner),
        Say("outer 2"),
        Call("outer"),
        Await(0),
    ]);
    let mut stage = Stage::new([("parent", Flow::of([Start(outer), Say("parent")]))]);
    stage.begin("parent");
    assert_eq!(stage.said(), ["outer 1", "inner", "outer 2", "parent"]);
}

#[test]
fn what_nobody_caught_in_a_started_task_is_its_own_affair() {
    let mut stage = Stage::new([("parent", Flow::of([Start(Flow::of([Throw("oh")])), Say("on")]))]);
    stage.begin("parent");
    assert_eq!((stage.said(), stage.finished()), (vec!["on"], vec![(0, "done")]));
}

#[test]
fn a_join_gives_the_ending_of_a_task_that_ends_later() {
    let child = Flow::of([Call("child"), Await(0), Return("fruit")]);
    let mut stage = Stage::new([("parent", Flow::of([Start(child), Join(0)]))]);
    stage.begin("parent");
    stage.answer("child");
    assert_eq!(stage.said(), ["child answered", "fruit"]);
}

#[test]
fn a_starter_can_join_a_task_that_has_ended_before() {
    let fails = Flow::of([Throw("oh")]);
    let waits = Flow::of([Call("child"), Await(0), Return("fruit")]);
    let parent = Flow::of([
        Start(fails),
        Start(waits),
        Call("parent"),
        Await(0),
        Join(0),
        Join(1),
        Join(1),
    ]);
    let mut stage = Stage::new([("parent", parent)]);
    stage.begin("parent");
    stage.answer("child");
    stage.answer("parent");
    assert_eq!(
        stage.said(),
        ["child answered", "parent answered", "caught oh", "fruit", "fruit"]
    );
    assert_eq!(stage.actor.waits().count(), 0);
    assert_eq!(
        stage.begin("parent"),
        TaskId(0),
        "the endings go with the starter"
    );
}

#[test]
fn many_can_wait_for_one() {
    let one = Flow::of([Call("page"), Await(0), Return("page")]);
    let mut stage = Stage::new([("one", one), ("herd", Flow::of([JoinTask(0)]))]);
    stage.begin("one");
    stage.begin("herd");
    stage.begin("herd");
    stage.answer("page");
    assert_eq!(stage.said(), ["page answered", "page", "page"]);
    assert_eq!(stage.finished(), [(0, "page"), (1, "done"), (2, "done")]);
}

#[test]
#[should_panic(expected = "task 0 joined task 5, which had ended")]
fn a_join_of_nobody_is_a_bug_of_the_flow() {
    Stage::new([("odd", Flow::of([JoinTask(5)]))]).begin("odd");
}

#[test]
fn the_first_answer_ends_the_wait_and_the_others_stay_awaitable() {
    let race = Flow::of([Call("slow"), Call("fast"), First(vec![0, 1]), Say("on"), Await(0)]);
    let mut stage = Stage::new([("race", race)]);
    stage.begin("race");
    stage.answer("fast");
    assert_eq!(stage.said(), ["fast answered", "on"]);
    stage.answer("slow");
    assert_eq!(stage.said()[2..], ["slow answered"]);
}

#[test]
fn of_answers_that_have_come_the_first_named_wins() {
    let race = Flow::of([Call("a"), Call("b"), Call("c"), Await(2), First(vec![0, 1])]);
    let mut stage = Stage::new([("race", race)]);
    stage.begin("race");
    for label in ["b", "a", "c"] {
        stage.answer(label);
    }
    assert_eq!(stage.said(), ["c answered", "a answered"]);
}

#[test]
fn an_answer_can_come_before_it_is_awaited() {
    let both = Flow::of([Call("a"), Call("b"), Await(0), Await(1)]);
    let mut stage = Stage::new([("both", both)]);
    stage.begin("both");
    stage.answer("b");
    assert_eq!(stage.said(), [""; 0]);
    stage.answer("a");
    assert_eq!(stage.said(), ["a answered", "b answered"]);
}

#[test]
fn numbers_are_the_lowest_free_ones_and_not_reused_while_an_answer_is_to_come() {
    let mut stage = Stage::new([
        ("sends", Flow::of([Send("sent")])),
        ("waits", Flow::of([Call("call"), Await(0)])),
        ("ends", Flow::of([])),
    ]);
    assert_eq!(stage.begin("sends"), TaskId(0));
    assert!(
        stage.actor.is_idle(),
        "an answer that nobody awaits is no task under way"
    );
    assert_eq!(stage.begin("waits"), TaskId(1));
    assert_eq!(stage.begin("ends"), TaskId(2));
    assert_eq!(stage.begin("ends"), TaskId(2));
    stage.answer("sent");
    assert_eq!(stage.begin("ends"), TaskId(0));
    assert_eq!(
        stage.said(),
        [""; 0],
        "the answer of a call that nobody awaits reaches nobody"
    );
}

#[test]
fn an_answer_that_was_given_up_reaches_nobody() {
    let early = Flow::of([Call("a"), Call("b"), Forget(0), Await(1)]);
    let late = Flow::of([Call("c"), Call("d"), Await(1), Forget(0), Call("e"), Await(2)]);
    let mut stage = Stage::new([("early", early), ("late", late)]);
    stage.begin("early");
    stage.answer("a");
    stage.answer("b");
    stage.begin("late");
    for label in ["c", "d", "e"] {
        stage.answer(label);
    }
    assert_eq!(stage.said(), ["b answered", "d answered", "e answered"]);
    assert_eq!(stage.actor.waits().count(), 0);
}

#[test]
fn a_frame_goes_on_with_what_the_frame_it_entered_returned() {
    let inner = Flow::of([Call("inner"), Await(0), Return("fruit")]);
    let mut stage = Stage::new([("outer", Flow::of([Enter(inner), Say("on")]))]);
    stage.begin("outer");
    stage.answer("inner");
    assert_eq!(stage.said(), ["inner answered", "fruit", "on"]);
}
