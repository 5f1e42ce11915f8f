//! Critical sections: `blockConcurrencyWhile`. `platform.md` section 2, items 4 and 5; `workerd.md` I5 to I12.

use protocol::host::{CallError, Text};

use super::order::{Within, all_runs};
use super::script::{Do, abort, call, keep, say, write};
use super::world::{Setting, World, fixed, world};
use crate::kernel::{Purpose, SectionEnd, SectionKind};

const TOO_LONG: &str = "[A call to blockConcurrencyWhile() in a Durable Object waited for too long. The call was \
                        canceled and the Durable Object was reset., remote, overloaded, reset]";

pub fn enter() -> Do {
    Do::Enter(SectionKind::Block)
}

pub fn leave() -> Do {
    Do::Leave(SectionEnd::Done)
}

pub fn threw(what: &str) -> Do {
    Do::Leave(SectionEnd::Threw(CallError::thrown(what)))
}

/// These deeds within a block.
fn block(deeds: impl Into<Vec<Do>>) -> Vec<Do> {
    [vec![enter()], deeds.into(), vec![leave()]].concat()
}

/// Says that something is not there, 1 ms later.
fn look() -> Do {
    Do::Get(Text::new_static("k"))
}

fn calm() -> World {
    world(Setting::default())
}

#[test]
fn platform_2_5_a_request_waits_until_the_block_ends() {
    let mut world = calm();
    world.ask(0, "a", [block([Do::Sleep(100)]), vec![keep("block")]].concat());
    let asked = world.ask(10, "a", [Do::Recall]);
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), ("block", 100));
}

#[test]
fn workerd_i5_after_a_block_requests_are_served_in_the_order_they_came() {
    let mut world = calm();
    world.ask(0, "a", block([Do::Sleep(500)]));
    for at in 0..300 {
        world.ask(10 + at, "a", [keep(&at.to_string())]);
    }
    let asked = world.ask(400, "a", [Do::Recall]);
    world.run(1_000);
    let in_order: Vec<String> = (0..300).map(|at| at.to_string()).collect();
    assert_eq!(world.answer(asked), in_order.join(" "));
}

/// The units are apart, and yet nobody is let in between them.
#[test]
fn workerd_i5_nothing_comes_in_when_a_block_is_entered_or_left() {
    let told = all_runs(Within::AllTime, calm, |world| {
        let script = [vec![keep("1")], block([keep("2")]), vec![keep("3"), Do::Recall]];
        let asked = world.ask(0, "a", script.concat());
        world.ask(0, "a", [keep("other")]);
        (asked, 50)
    });
    assert_eq!(told.into_iter().collect::<Vec<_>>(), ["1 2 3", "other 1 2 3"]);
}

#[test]
fn workerd_t2_a_block_that_is_entered_or_left_ends_the_commit_unit() {
    let scripts: [(&[Do], &str); 3] = [
        (&[write("1"), enter(), write("2"), abort("boom")], "1"),
        (&[write("1"), enter(), leave(), write("2"), abort("boom")], "1"),
        (
            &[
                write("1"),
                enter(),
                write("2"),
                leave(),
                write("3"),
                abort("boom"),
            ],
            "1 2",
        ),
    ];
    for (script, left) in scripts {
        let mut world = calm();
        world.ask(0, "a", script);
        world.run(1_000);
        assert_eq!(world.rows("a"), left, "{script:?}");
    }
}

/// What was written before is handed over when the code that holds the thread has done, and not when it is run.
#[test]
fn workerd_t2_a_block_is_entered_when_the_work_before_it_is_done() {
    let mut world = calm();
    let script = [write("1"), Do::Work(10), enter(), Do::Now, leave()];
    let asked = world.ask(0, "a", script);
    world.run(1_000);
    assert_eq!(
        (world.answer(asked), world.times("a", "commits")),
        ("10", vec![10])
    );
}

/// A machine may fail between the two.
#[test]
fn workerd_t2_the_units_before_and_in_a_block_are_lost_apart() {
    let mut world = world(Setting {
        fixed: vec![fixed(Purpose::Survivors, 1, "a", 1)],
        ..Setting::default()
    });
    world.ask(0, "a", [write("1"), enter(), write("2"), Do::Sleep(100), leave()]);
    world.reset(5, "a");
    world.run(1_000);
    assert_eq!(world.rows("a"), "1");
}

#[test]
fn workerd_i5_blocks_of_several_requests_come_one_after_another() {
    let mut world = calm();
    let asked: Vec<u32> = (0..4)
        .map(|at| world.ask(at, "a", block([Do::Sleep(100)])))
        .collect();
    world.run(1_000);
    let ends: Vec<u64> = asked.iter().map(|item| world.answered_at(*item)).collect();
    assert_eq!(ends, [100, 200, 300, 400]);
}

#[test]
fn workerd_i7_the_continuation_of_another_handler_is_held_too() {
    let waits = [vec![Do::Sleep(50)], vec![call("b", [Do::Sleep(40)]), Do::Await]];
    for wait in waits {
        let mut world = calm();
        let first = world.ask(0, "a", [wait.clone(), vec![Do::Now]].concat());
        world.ask(20, "a", block([Do::Sleep(100)]));
        world.run(1_000);
        assert_eq!(world.answer(first), "120", "{wait:?}");
    }
}

/// The earlier one's timer is due within the block. (I11: the old runtime got stuck here.)
#[test]
fn workerd_i11_an_earlier_timer_of_another_handler_does_not_keep_a_block_from_ending() {
    let mut world = calm();
    world.ask(0, "a", [Do::Sleep(60)]);
    let blocks = world.ask(10, "a", block([Do::Sleep(100)]));
    world.run(40_000);
    assert_eq!(world.answered_at(blocks), 110);
}

/// The answer from outside has come long before the one from inside.
#[test]
fn platform_2_5_within_a_block_only_what_was_begun_there_is_delivered() {
    let mut world = calm();
    let script = [
        vec![call("b", [say("outside")])],
        block([Do::Sleep(100), look()]),
        vec![Do::Await],
    ];
    let asked = world.ask(0, "a", script.concat());
    world.run(1_000);
    assert_eq!(world.answer(asked), "nothing outside");
}

#[test]
fn platform_2_5_an_inner_block_holds_what_the_outer_one_has_begun() {
    let mut world = calm();
    let script = block(
        [
            vec![call("b", [say("outer")])],
            block([Do::Sleep(100), look()]),
            vec![Do::Await],
        ]
        .concat(),
    );
    let asked = world.ask(0, "a", script);
    world.run(1_000);
    assert_eq!(world.answer(asked), "nothing outer");
}

#[test]
fn platform_2_5_what_an_inner_block_has_begun_is_delivered_within_the_outer_one() {
    let mut world = calm();
    let asked = world.ask(
        0,
        "a",
        block([block([call("b", [say("x")])]), vec![Do::Await]].concat()),
    );
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), ("x", 10));
}

#[test]
fn platform_2_5_awaiting_what_was_begun_outside_deadlocks_until_the_timeout() {
    let mut world = calm();
    let asked = world.ask(500, "a", [vec![call("b", [])], block([Do::Await])].concat());
    world.run(100_000);
    assert_eq!(
        (world.answer(asked), world.answered_at(asked)),
        (TOO_LONG, 30_500)
    );
}

#[test]
fn workerd_i10_a_call_that_comes_back_deadlocks_until_the_timeout() {
    let mut world = calm();
    let back = call("b", [call("a", [say("back")]), Do::Await]);
    let asked = world.ask(0, "a", block([back, Do::Await]));
    world.run(100_000);
    assert_eq!(
        (world.answer(asked), world.answered_at(asked)),
        (TOO_LONG, 30_000)
    );
}

/// `workerd.md` I9.
#[test]
fn platform_12_6_outside_a_block_a_call_that_comes_back_is_served() {
    let mut world = calm();
    let back = call("b", [call("a", [say("back")]), Do::Await]);
    let asked = world.ask(0, "a", [back, Do::Await]);
    world.run(1_000);
    assert_eq!(world.answer(asked), "back");
}

#[test]
fn platform_2_5_a_request_that_a_block_holds_is_told_of_the_timeout() {
    let mut world = calm();
    world.ask(0, "a", block([Do::Sleep(40_000)]));
    let held = world.ask(10, "a", [say("held")]);
    world.run(100_000);
    assert_eq!(world.answer(held), TOO_LONG);
}

#[test]
fn platform_2_5_after_the_timeout_the_object_starts_anew() {
    let mut world = calm();
    world.ask(0, "a", [vec![keep("old")], block([Do::Sleep(40_000)])].concat());
    let after = world.ask(31_000, "a", [say("new:"), Do::Recall]);
    world.run(100_000);
    assert_eq!(world.answer(after), "new: ");
}

#[test]
fn platform_2_5_a_block_of_less_than_30_s_ends_well() {
    let mut world = calm();
    let asked = world.ask(0, "a", [block([Do::Sleep(29_999)]), vec![say("done")]].concat());
    world.run(100_000);
    assert_eq!(world.answer(asked), "done");
}

/// The block's timeout would strike the next incarnation's block, 10 ms after it began.
#[test]
fn platform_2_5_the_timeout_ends_with_its_incarnation() {
    let mut world = calm();
    world.ask(0, "a", block([Do::Sleep(40_000)]));
    world.reset(1_000, "a");
    let later = world.ask(29_990, "a", [block([Do::Sleep(100)]), vec![say("done")]].concat());
    world.run(100_000);
    assert_eq!(world.answer(later), "done");
}

#[test]
fn platform_2_5_a_throw_resets_the_object_even_if_it_is_caught() {
    let mut world = calm();
    let script = [keep("memory"), enter(), threw("no"), say("caught")];
    let asked = world.ask(0, "a", script);
    let after = world.ask(10, "a", [say("new:"), Do::Recall]);
    world.run(1_000);
    assert_eq!(world.answer(asked), "[no, remote, reset]");
    assert_eq!(world.answer(after), "new: ");
}

/// As with an abort (`workerd.md` T1): those of the turn before it are a commit of their own.
#[test]
fn platform_2_5_a_throw_loses_the_writes_of_its_turn() {
    let mut world = calm();
    let script = [enter(), write("kept"), Do::Sleep(10), write("lost"), threw("no")];
    world.ask(0, "a", script);
    world.run(1_000);
    assert_eq!(world.rows("a"), "kept");
}

#[test]
fn platform_2_5_a_throw_frees_nobody_who_waited_but_with_an_error() {
    let mut world = calm();
    world.ask(0, "a", [enter(), Do::Sleep(100), threw("no")]);
    let held = world.ask(10, "a", [say("held")]);
    world.run(1_000);
    assert_eq!(world.answer(held), "[no, remote, reset]");
}

fn nested(depth: usize) -> World {
    let mut world = calm();
    world.ask(
        0,
        "a",
        [vec![enter(); depth], vec![leave(); depth], vec![say("done")]].concat(),
    );
    world.run(1_000);
    world
}

#[test]
fn platform_2_5_64_blocks_can_be_within_one_another() {
    assert_eq!(nested(64).answer(0), "done");
}

#[test]
fn platform_2_5_65_blocks_cannot() {
    let told = "[too many critical sections within one another, remote, reset]";
    assert_eq!(nested(65).answer(0), told);
}

#[test]
fn platform_2_5_the_timeout_of_a_block_that_has_ended_strikes_nobody() {
    let mut world = calm();
    world.ask(0, "a", block([Do::Sleep(100)]));
    world.run(40_000);
    assert_eq!(world.incarnation("a"), 0);
}

#[test]
fn workerd_i12_during_a_block_the_alarm_waits() {
    let mut world = world(Setting {
        alarm: |_| vec![keep("rung")],
        ..Setting::default()
    });
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.ask(900, "a", block([Do::Sleep(500)]));
    world.run(10_000);
    assert_eq!(world.times("a", "wakes"), [1_400]);
}

/// `platform.md` 13.1: the block is the stale incarnation's, and holds nothing of the next one's.
#[test]
fn platform_2_5_a_block_is_no_affair_of_the_next_incarnation() {
    let mut world = calm();
    world.ask(0, "a", block([Do::Sleep(500)]));
    world.displace(50, "a", 1_000);
    let asked = world.ask(100, "a", [say("new")]);
    world.run(10_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), ("new", 100));
}

/// A child of the block goes before a request that has waited for longer.
#[test]
fn platform_2_4_the_children_of_a_block_go_before_others_who_wait() {
    let mut world = calm();
    let script = [
        block([
            call("b", []),
            Do::Sleep(1),
            Do::Work(100),
            Do::Await,
            keep("child"),
        ]),
        vec![Do::Sleep(1)],
    ];
    world.ask(0, "a", script.concat());
    let asked = world.ask(1, "a", [keep("request"), Do::Recall]);
    world.run(1_000);
    assert_eq!(world.answer(asked), "child request");
}

/// The first two answers come while the code holds the thread, the third when it has done.
#[test]
fn platform_2_4_the_children_of_a_block_are_served_in_the_order_they_came() {
    let told = all_runs(Within::OneInstant, calm, |world| {
        let calls = [
            call("b", [say("1")]),
            call("c", [Do::Sleep(1), say("2")]),
            call("d", [Do::Sleep(91), say("3")]),
        ];
        let holds = [Do::Sleep(1), Do::Work(100), Do::Await];
        let asked = world.ask(0, "a", block([&calls[..], &holds[..]].concat()));
        (asked, 1_000)
    });
    assert_eq!(told.into_iter().collect::<Vec<_>>(), ["1 2 3"]);
}

#[test]
fn a_copy_of_a_world_in_mid_block_has_a_block_of_its_own() {
    let mut world = calm();
    let blocks = world.ask(
        0,
        "a",
        [block([write("x"), Do::Sleep(100)]), vec![Do::Read]].concat(),
    );
    world.run(50);
    let mut copy = world.fork();
    world.reset(60, "a");
    world.run(40_000);
    copy.run(40_000);
    assert_eq!(copy.answer(blocks), "x");
}
