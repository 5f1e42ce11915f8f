//! How flows end: finally, catch, abort, cancel, answers of another life.

use super::toy::Act::{Abort, Await, Call, Enter, Release, Return, Say, Start, Take, Throw};
use super::toy::{Flow, Stage};
use crate::host::{Answer, CallId, Event, TaskId};

#[test]
fn a_finally_runs_on_return_and_its_own_return_does_not_count() {
    let flow = Flow::of([Return("kept")]).finally([Say("finally"), Return("dropped")]);
    let mut stage = Stage::new([("flow", flow)]);
    stage.begin("flow");
    assert_eq!(
        (stage.said(), stage.finished()),
        (vec!["finally"], vec![(0, "kept")])
    );
}

#[test]
fn a_finally_runs_on_failure_innermost_first_and_the_failure_goes_on() {
    let inner = Flow::of([Throw("oh")]).finally([Say("inner")]);
    let outer = Flow::of([Enter(inner), Say("never")]).finally([Say("outer")]);
    let mut stage = Stage::new([("flow", outer)]);
    stage.begin("flow");
    assert_eq!(
        (stage.said(), stage.finished()),
        (vec!["inner", "outer"], vec![(0, "thrown: oh")])
    );
}

#[test]
fn a_finally_can_await_and_enter_frames() {
    let tidy = Flow::of([Call("deep"), Await(0), Return("tidy")]);
    let flow = Flow::of([Throw("oh")]).finally([Call("wide"), Await(0), Enter(tidy), Say("end")]);
    let mut stage = Stage::new([("flow", flow)]);
    stage.begin("flow");
    stage.answer("wide");
    assert_eq!(stage.finished(), []);
    stage.answer("deep");
    assert_eq!(stage.said(), ["wide answered", "deep answered", "tidy", "end"]);
    assert_eq!(stage.finished(), [(0, "thrown: oh")]);
}

#[test]
fn what_a_finally_throws_takes_the_place_of_the_ending() {
    for first in [Return("fine"), Throw("first")] {
        let flow = Flow::of([first]).finally([Say("once"), Throw("second")]);
        let mut stage = Stage::new([("flow", flow)]);
        stage.begin("flow");
        assert_eq!(
            (stage.said(), stage.finished()),
            (vec!["once"], vec![(0, "thrown: second")])
        );
    }
}

#[test]
fn a_failed_await_in_a_finally_takes_the_place_of_the_ending() {
    let flow = Flow::of([Return("fine")]).finally([Call("tidy"), Await(0), Say("never")]);
    let mut stage = Stage::new([("flow", flow)]);
    stage.begin("flow");
    stage.fail("tidy");
    assert_eq!(
        (stage.said(), stage.finished()),
        (vec![], vec![(0, "thrown: tidy failed")])
    );
}

#[test]
fn a_frame_that_catches_goes_on_and_frames_between_run_their_finally() {
    let inner = Flow::of([Call("call"), Await(0)]);
    let middle = Flow::of([Enter(inner), Say("never")]).finally([Say("middle")]);
    let outer = Flow::of([Enter(middle), Say("on"), Return("fine")]).catching();
    let mut stage = Stage::new([("flow", outer)]);
    stage.begin("flow");
    stage.fail("call");
    assert_eq!(stage.said(), ["middle", "caught call failed", "on"]);
    assert_eq!(stage.finished(), [(0, "fine")]);
}

#[test]
fn a_frame_does_not_catch_its_own_failure_nor_one_of_its_finally() {
    let own = Flow::of([Throw("own")]).catching();
    let late = Flow::of([])
        .finally([Enter(Flow::of([Throw("late")])), Say("never")])
        .catching();
    let mut stage = Stage::new([("own", own), ("late", late)]);
    stage.begin("own");
    stage.begin("late");
    assert_eq!(stage.said(), [""; 0]);
    assert_eq!(stage.finished(), [(0, "thrown: own"), (0, "thrown: late")]);
}

#[test]
fn an_abort_ends_everything_at_once() {
    let waits = Flow::of([Take, Call("call"), Await(0)]).finally([Say("never"), Release]);
    let child = Flow::of([Abort]).finally([Say("never")]);
    let aborts = Flow::of([Say("before"), Start(child), Say("never")]).finally([Say("never")]);
    let mut stage = Stage::new([("waits", waits), ("aborts", aborts)]);
    stage.begin("waits");
    assert_eq!(stage.begin("aborts"), TaskId(1));
    assert_eq!(stage.host.aborted.as_deref(), Some("enough"));
    assert_eq!((stage.said(), stage.finished()), (vec!["before"], vec![]));
    assert!(stage.actor.is_idle());
    assert_eq!(stage.actor.waits().count(), 0);
}

#[test]
#[should_panic(expected = "an aborted incarnation takes no more events")]
fn an_aborted_incarnation_takes_no_more_events() {
    let mut stage = Stage::new([("aborts", Flow::of([Abort]))]);
    stage.begin("aborts");
    stage.begin("aborts");
}

#[test]
fn a_cancelled_task_runs_no_more_code_not_even_its_finally() {
    let flow = Flow::of([Call("call"), Await(0), Say("never")]).finally([Say("never")]);
    let mut stage = Stage::new([("flow", flow)]);
    let task = stage.begin("flow");
    stage.cancel(task);
    assert!(stage.actor.is_idle());
    assert_eq!(
        stage.begin("flow"),
        TaskId(1),
        "an answer is still to come for number 0"
    );
    stage.deliver(answer(0, 0));
    assert_eq!(stage.begin("flow"), TaskId(0));
    assert_eq!((stage.said(), stage.finished()), (vec![], vec![]));
    stage.cancel(TaskId(9));
}

#[test]
fn a_cancelled_task_leaves_the_queue_of_a_gate() {
    let flow = Flow::of([Take, Call("call"), Await(0), Release]);
    let mut stage = Stage::new([("flow", flow)]);
    stage.begin("flow");
    let second = stage.begin("flow");
    stage.begin("flow");
    stage.cancel(second);
    stage.answer("call");
    assert_eq!(
        stage.host.calls.last(),
        Some(&(
            CallId {
                task: TaskId(2),
                nth: 0
            },
            "call"
        ))
    );
}

#[test]
fn a_task_cancelled_inside_a_gate_keeps_it() {
    let flow = Flow::of([Take, Say("in"), Call("call"), Await(0), Release]);
    let mut stage = Stage::new([("flow", flow)]);
    let holder = stage.begin("flow");
    stage.begin("flow");
    stage.cancel(holder);
    stage.answer("call");
    assert_eq!(
        stage.begin("flow"),
        TaskId(2),
        "number 0 still stands for the holder"
    );
    assert_eq!(stage.said(), ["in"]);
}

#[test]
fn a_cancelled_task_is_not_woken_by_the_one_it_joined() {
    let one = Flow::of([Call("page"), Await(0), Return("page")]);
    let herd = Flow::of([super::toy::Act::JoinTask(0)]);
    let mut stage = Stage::new([("one", one), ("herd", herd)]);
    stage.begin("one");
    let first = stage.begin("herd");
    stage.cancel(first);
    assert_eq!(stage.begin("herd"), first, "nothing refers to it any more");
    stage.answer("page");
    assert_eq!(
        stage.said(),
        ["page answered", "page"],
        "the new one is woken once"
    );
}

#[test]
fn a_cancelled_task_leaves_the_tasks_it_started() {
    let child = Flow::of([Call("child"), Await(0), Say("child")]);
    let parent = Flow::of([Start(child), Call("parent"), Await(0), Say("never")]);
    let mut stage = Stage::new([("parent", parent)]);
    let task = stage.begin("parent");
    stage.cancel(task);
    stage.answer("parent");
    stage.answer("child");
    assert_eq!(stage.said(), ["child answered", "child"]);
    assert_eq!(stage.begin("parent"), TaskId(0));
}

#[test]
fn answers_that_nobody_expects_are_ignored() {
    let mut stage = Stage::new([("waits", Flow::of([Call("call"), Await(0)]))]);
    let before = stage.clone();
    stage.deliver(answer(0, 0));
    assert_eq!(stage, before, "there is no such task");
    stage.begin("waits");
    let before = stage.clone();
    stage.deliver(answer(0, 7));
    assert_eq!(stage, before, "there is no such call");
}

fn answer(task: u32, nth: u32) -> Event {
    Event::Answer {
        call: CallId {
            task: TaskId(task),
            nth,
        },
        outcome: Ok(Answer::Done),
    }
}
