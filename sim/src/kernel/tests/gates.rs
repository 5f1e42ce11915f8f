//! The output gate: `platform.md` section 3.

use protocol::host::Text;

use super::script::{Do, abort, call, keep, say, throw, write};
use super::world::{Setting, fixed, world};
use crate::kernel::Purpose;

#[test]
fn platform_3_1_messages_wait_for_the_writes_before_them_and_for_no_others() {
    let mut world = world(Setting::default());
    let asked = world.ask(
        0,
        "a",
        [
            call("b", [keep("1")]),
            write("x"),
            call("c", [keep("2")]),
            say("done"),
        ],
    );
    world.run(100);
    assert_eq!(world.times("b", "receives"), [5], "sent before the write");
    assert_eq!(world.times("c", "receives"), [25], "sent behind the write");
    assert_eq!((world.answer(asked), world.answered_at(asked)), ("done", 20));
}

#[test]
fn platform_3_1_messages_wait_for_the_writes_of_earlier_turns() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [write("x"), Do::Sleep(7), call("b", [])]);
    let asked = world.ask(10, "a", [say("from memory")]);
    let later = world.ask(21, "a", [say("from memory")]);
    world.run(100);
    assert_eq!(world.times("b", "receives"), [25]);
    assert_eq!(world.answered_at(asked), 20);
    assert_eq!(world.answered_at(later), 21, "all writes are confirmed");
}

#[test]
fn platform_3_1_what_waits_for_a_commit_that_is_lost_never_leaves() {
    let mut world = world(Setting {
        fixed: vec![fixed(Purpose::Survivors, 1, "a", 1)],
        ..Setting::default()
    });
    let asked = world.ask(
        0,
        "a",
        [write("x"), call("b", []), Do::Act(Text::new("mail")), say("done")],
    );
    world.reset(10, "a");
    world.run(1_000);
    assert_eq!(world.rows("a"), "", "the commit is lost");
    assert!(!world.exists("b"), "the call never left");
    assert!(world.times("a", "acts").is_empty());
    let error = "[Durable Object reset because its machine failed., remote, retryable, reset]";
    assert_eq!((world.answer(asked), world.answered_at(asked)), (error, 10));
    assert_eq!(world.incarnation("a"), 1);
}

/// The commit survives; its messages need not.
#[test]
fn platform_3_1_a_caller_whose_write_has_survived_gets_the_error_too() {
    let mut world = world(Setting {
        fixed: vec![fixed(Purpose::Survivors, 1, "a", 0)],
        ..Setting::default()
    });
    let asked = world.ask(0, "a", [write("x"), say("done")]);
    world.reset(10, "a");
    world.run(1_000);
    assert_eq!(world.rows("a"), "x");
    assert_eq!(
        world.answer(asked),
        "[Durable Object reset because its machine failed., remote, retryable, reset]"
    );
}

#[test]
fn platform_3_2_everything_that_is_seen_outside_is_held() {
    let mut world = world(Setting::default());
    let put = Do::Put(Text::new("k"), Text::new("v"));
    let ok = world.ask(0, "a", [write("x"), Do::Act(Text::new("mail")), put, say("done")]);
    let failed = world.ask(100, "b", [write("x"), throw("no")]);
    let early = world.ask(19, "front 0", [Do::Get(Text::new("k"))]);
    let late = world.ask(21, "front 0", [Do::Get(Text::new("k"))]);
    world.run(1_000);
    assert_eq!(world.answered_at(ok), 20, "a response");
    assert_eq!(world.times("a", "acts: mail"), [20], "an effect");
    assert_eq!(world.answer(early), "nothing", "a put");
    assert_eq!(world.answer(late), "v");
    assert_eq!(
        (world.answer(failed), world.answered_at(failed)),
        ("[no]", 120),
        "an error response"
    );
}

/// A sleep, a digest and a read of a shared service show nobody anything.
#[test]
fn platform_3_2_what_nobody_outside_sees_is_not_held() {
    let mut world = world(Setting::default());
    let get = Do::Get(Text::new("k"));
    world.ask(
        0,
        "a",
        [write("x"), Do::Sleep(3), Do::Act(Text::new("m")), Do::Digest, get],
    );
    world.run(1_000);
    assert_eq!(
        world.times("a", "call"),
        [0, 3, 3, 4, 4, 5],
        "each begins and ends while the commit is under way"
    );
    assert_eq!(world.times("a", "acts"), [20]);
}

#[test]
fn platform_3_3_another_request_reads_what_is_not_confirmed_and_its_answer_waits_in_turn() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [write("x")]);
    let asked = world.ask(10, "a", [Do::Read]);
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), ("x", 20));
}

#[test]
fn platform_3_6_what_is_only_in_memory_waits_for_nothing() {
    let mut world = world(Setting::default());
    let asked = world.ask(3, "a", [keep("x"), say("ok")]);
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), ("ok", 3));
    assert!(world.times("a", "commits").is_empty());
}

/// `workerd.md` T10.
#[test]
fn workerd_t10_a_call_behind_a_write_of_an_aborted_turn_is_not_sent() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [write("x"), call("b", []), abort("boom")]);
    world.run(1_000);
    assert!(!world.exists("b"));
    assert_eq!(world.rows("a"), "");
}
