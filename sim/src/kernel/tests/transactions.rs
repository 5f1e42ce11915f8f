//! Asynchronous transactions: `platform.md` section 4, item 5; `workerd.md` T6 and I6. On either store, but for those
//! that want another platform than the usual.

use protocol::host::{CallError, SqlErrorKind, Statement, Text};

use super::order::{Within, all_runs};
use super::script::{Do, abort, call, keep, say, write};
use super::sections::{enter, leave, threw};
use super::world::{Setting, fixed, world};
use crate::kernel::{Changed, Purpose, SectionEnd, SectionKind};

fn begin() -> Do {
    Do::Enter(SectionKind::Transaction)
}

fn commit() -> Do {
    Do::Leave(SectionEnd::Done)
}

fn roll_back() -> Do {
    Do::Leave(SectionEnd::RollBack)
}

/// A transaction over three turns that writes in each but the last, and ends so at 20 ms.
fn over_three_turns(end: Do) -> Vec<Do> {
    vec![begin(), write("1"), Do::Sleep(10), write("2"), Do::Sleep(10), end]
}

on_both_stores! {
    /// Requests, and what another handler goes on with.
    workerd_t6_a_transaction_holds_every_other_event(world) {
        let sleeper = world.ask(0, "a", [Do::Sleep(50), Do::Now]);
        world.ask(10, "a", [begin(), write("x"), Do::Sleep(100), commit()]);
        let asked = world.ask(20, "a", [Do::Now]);
        world.run(1_000);
        assert_eq!((world.answer(sleeper), world.answer(asked)), ("110", "110"));
    }

    platform_4_5_a_rolled_back_transaction_has_written_nothing(world) {
        world.ask(0, "a", over_three_turns(roll_back()));
        world.run(1_000);
        assert_eq!(world.rows("a"), "");
    }

    platform_4_5_a_rolled_back_transaction_makes_no_commit(world) {
        world.ask(0, "a", over_three_turns(roll_back()));
        world.run(1_000);
        assert!(world.times("a", "commits").is_empty());
    }

    /// The code goes on, and its object is not reset.
    platform_4_5_a_throw_undoes_the_transaction_and_resets_nothing(world) {
        let script = [vec![keep("memory")], over_three_turns(threw("no")), vec![write("after"), Do::Recall]];
        let asked = world.ask(0, "a", script.concat());
        world.run(1_000);
        assert_eq!((world.rows("a").as_str(), world.answer(asked)), ("after", "memory"));
    }

    platform_4_5_the_alarm_that_was_set_within_is_undone_too(world) {
        let script = [Do::SetAlarm(5_000), begin(), Do::SetAlarm(500), Do::Sleep(10), roll_back(), Do::ReadAlarm];
        let asked = world.ask(0, "a", script);
        world.run(100);
        assert_eq!(world.answer(asked), "5000");
    }

    platform_4_5_a_transaction_that_only_sets_the_alarm_is_a_commit(world) {
        world.ask(0, "a", [begin(), Do::SetAlarm(500), Do::Sleep(10), commit()]);
        world.run(100);
        assert_eq!(world.times("a", "commits"), [10]);
    }

    platform_4_5_a_transaction_that_only_reads_makes_no_commit(world) {
        world.ask(0, "a", [write("x"), Do::Sleep(10), begin(), Do::Read, Do::Sleep(10), commit()]);
        world.run(1_000);
        assert_eq!(world.times("a", "commits"), [0]);
    }

    workerd_t6_an_abort_within_loses_the_transaction(world) {
        world.ask(0, "a", [vec![write("before"), Do::Sleep(10)], over_three_turns(abort("boom"))].concat());
        world.run(1_000);
        assert_eq!(world.rows("a"), "before");
    }

    platform_4_5_earlier_writes_stay_when_it_is_rolled_back(world) {
        world.ask(0, "a", [write("before"), begin(), write("lost"), Do::Sleep(10), roll_back()]);
        world.run(1_000);
        assert_eq!(world.rows("a"), "before");
    }

    platform_4_5_what_stands_before_and_behind_a_transaction_is_not_rolled_back(world) {
        world.ask(0, "a", [write("before"), begin(), write("lost"), roll_back(), write("after")]);
        world.run(1_000);
        assert_eq!(world.rows("a"), "before after");
    }

    /// And nothing before.
    platform_4_5_the_commit_is_made_at_the_end_as_one_unit_over_several_turns(world) {
        let asked = world.ask(0, "a", over_three_turns(commit()));
        world.run(1_000);
        assert_eq!((world.times("a", "commits"), world.answered_at(asked)), (vec![20], 40));
    }

    workerd_t2_writes_before_a_transaction_are_a_commit_of_their_own(world) {
        world.ask(0, "a", [write("before"), begin(), write("within"), Do::Sleep(100), commit()]);
        world.run(1_000);
        assert_eq!(world.times("a", "commits"), [0, 100]);
    }

    platform_3_1_a_message_from_within_waits_for_the_writes_before_the_transaction(world) {
        world.ask(0, "a", [write("before"), begin(), call("b", []), Do::Sleep(100), commit()]);
        world.run(1_000);
        assert_eq!(world.times("b", "receives"), [25]);
    }

    platform_3_1_a_message_after_a_transaction_waits_for_its_commit(world) {
        world.ask(0, "a", [over_three_turns(commit()), vec![call("b", [])]].concat());
        world.run(1_000);
        assert_eq!(world.times("b", "receives"), [45]);
    }

    platform_4_5_an_inner_rollback_takes_back_the_inner_writes_alone(world) {
        let inner = [begin(), write("inner"), Do::Sleep(10), roll_back()];
        let script = [&[begin(), write("outer"), Do::Sleep(10)], &inner[..], &[Do::Sleep(10), commit()]].concat();
        world.ask(0, "a", script);
        world.run(1_000);
        assert_eq!((world.rows("a").as_str(), world.times("a", "commits")), ("outer", vec![30]));
    }

    platform_4_5_an_outer_rollback_takes_back_the_inner_writes_too(world) {
        let inner = [begin(), write("inner"), Do::Sleep(10), commit()];
        let script = [&[begin(), Do::Sleep(10)], &inner[..], &[Do::Sleep(10), roll_back()]].concat();
        world.ask(0, "a", script);
        world.run(1_000);
        assert_eq!(world.rows("a"), "");
    }

    platform_4_5_what_only_an_inner_transaction_has_written_is_committed_with_the_outer_one(world) {
        let inner = [begin(), write("inner"), Do::Sleep(10), commit()];
        let script = [&[begin(), Do::Sleep(10)], &inner[..], &[Do::Sleep(10), commit()]].concat();
        world.ask(0, "a", script);
        world.run(1_000);
        assert_eq!((world.rows("a").as_str(), world.times("a", "commits")), ("inner", vec![30]));
    }

    /// They are not committed: what ends a commit unit elsewhere ends none within a transaction.
    platform_4_5_what_the_outer_one_has_written_before_an_inner_one_stays_its(world) {
        let script = [
            begin(), Do::Sleep(10), write("outer"), begin(), write("inner"), Do::Sleep(10), roll_back(),
            Do::Sleep(10), commit(),
        ];
        world.ask(0, "a", script);
        world.run(1_000);
        assert_eq!((world.rows("a").as_str(), world.times("a", "commits")), ("outer", vec![30]));
    }

    platform_4_5_a_block_within_a_transaction_does_not_end_it(world) {
        let block = [enter(), write("x"), Do::Sleep(10), leave()];
        world.ask(0, "a", [&[begin()], &block[..], &[Do::Sleep(10), roll_back()]].concat());
        world.run(1_000);
        assert_eq!(world.rows("a"), "");
    }

    workerd_t6_an_abort_within_does_not_lose_what_was_written_before(world) {
        world.ask(0, "a", [write("before"), begin(), write("lost"), abort("boom")]);
        world.run(1_000);
        assert_eq!(world.rows("a"), "before");
    }

    workerd_t6_an_abort_behind_it_does_not_lose_it(world) {
        world.ask(0, "a", [begin(), write("1"), commit(), write("lost"), abort("boom")]);
        world.run(1_000);
        assert_eq!(world.rows("a"), "1");
    }

    /// The work before it is not done yet: `platform.md` 13.2.
    platform_4_5_a_transaction_does_not_begin_where_the_storage_is_another_s(world) {
        let asked = world.ask(0, "a", [Do::Work(50), begin(), write("x"), commit()]);
        world.displace(10, "a", 1_000);
        world.run(2_000);
        assert_eq!(
            (world.rows("a").as_str(), world.answer(asked)),
            ("", "[Network connection lost., remote, retryable, reset]")
        );
    }

    workerd_t1_a_reset_in_the_middle_loses_all_of_it_and_nothing_before(world) {
        world.ask(0, "a", [write("before"), begin(), write("1"), Do::Sleep(50), write("2"), Do::Sleep(50), commit()]);
        world.reset(70, "a");
        world.run(1_000);
        assert_eq!((world.rows("a").as_str(), world.times("a", "commits")), ("before", vec![0]));
    }

    /// Of a commit that was made before it, and is not confirmed.
    platform_3_1_a_commit_that_fails_takes_the_open_transaction_with_it(world) {
        world.ask(0, "a", [write("before"), Do::Sleep(1), begin(), write("1"), Do::Sleep(100), commit()]);
        world.at(10, "a", |kernel, item, object, _| {
            kernel.fail_commit(item, object).expect("it has storage");
        });
        world.run(1_000);
        assert_eq!(world.rows("a"), "");
    }

    platform_4_7_a_statement_that_breaks_the_object_loses_the_open_transaction(world) {
        let struck = Do::Sql(Statement::new("SELECT v FROM t", []));
        world.ask(
            0,
            "a",
            [write("before"), Do::Sleep(30), begin(), write("1"), Do::Sleep(10), struck, commit()],
        );
        world.at(35, "a", |kernel, item, object, _| {
            let armed = kernel.strike_statement(item, object, 0, SqlErrorKind::Io);
            armed.expect("it has storage");
        });
        world.run(1_000);
        assert_eq!((world.rows("a").as_str(), world.incarnation("a")), ("before", 1));
    }

    a_copy_of_a_world_in_mid_transaction_has_a_transaction_of_its_own(world) {
        world.ask(0, "a", [vec![write("before"), Do::Sleep(30)], over_three_turns(commit())].concat());
        world.run(45);
        let mut copy = world.fork();
        world.ask(45, "a", [say("held")]);
        world.reset(46, "a");
        world.run(1_000);
        copy.run(1_000);
        assert_eq!((world.rows("a").as_str(), copy.rows("a").as_str()), ("before", "before 1 2"));
    }

    /// Of the tables that were written, and taken back.
    what_a_transaction_has_written_counts_as_changed_while_it_is_open_and_when_it_ends(world) {
        // What nobody has asked about yet may all have changed: asking once makes the later looks count.
        world.at(0, "a", |kernel, _, object, _| drop(kernel.changed(object)));
        world.ask(1, "a", [begin(), write("x"), Do::Sleep(20), roll_back()]);
        for at in [10, 30] {
            world.at(at, "a", move |kernel, _, object, _| {
                let nothing = matches!(kernel.changed(object), Changed::Tables(tables) if tables.is_empty());
                assert!(!nothing, "at {at} ms nothing is told to have changed");
            });
        }
        world.run(1_000);
    }

    the_commit_of_a_transaction_tells_the_tables_of_all_its_turns(world) {
        world.ask(0, "a", over_three_turns(commit()));
        world.run(1_000);
        let commits: Vec<_> = world.lines("a", "commits").map(|(_, line)| line.to_owned()).collect();
        assert_eq!(commits, ["commits no. 0: sqlite_schema, t"]);
    }

    /// `workerd.md` I10's timeout is the transaction's too.
    platform_4_5_a_transaction_of_30_s_resets_the_object_and_is_lost(world) {
        let asked = world.ask(0, "a", [begin(), write("x"), Do::Sleep(40_000), commit()]);
        world.run(100_000);
        assert_eq!((world.rows("a").as_str(), world.answered_at(asked)), ("", 30_000));
    }

    platform_2_5_too_many_sections_within_a_transaction_lose_it(world) {
        let deep = [vec![enter(); 64], vec![leave(); 64]].concat();
        world.ask(0, "a", [&[begin(), write("x"), Do::Sleep(10)], &deep[..], &[commit()]].concat());
        world.run(1_000);
        assert_eq!((world.rows("a").as_str(), world.incarnation("a")), ("", 1));
    }

    platform_4_5_a_block_that_throws_within_a_transaction_loses_it(world) {
        let asked = world.ask(0, "a", [begin(), write("x"), Do::Sleep(10), enter(), threw("no"), commit()]);
        world.run(1_000);
        assert_eq!((world.rows("a").as_str(), world.answer(asked)), ("", "[no, remote, reset]"));
    }
}

/// Whichever event is taken next.
#[test]
fn workerd_i6_no_request_ever_sees_half_a_transaction() {
    let make = || world(Setting::default());
    let told = all_runs(Within::AllTime, make, |world| {
        world.ask(0, "a", over_three_turns(commit()));
        (world.ask(0, "a", [say("saw"), Do::Read]), 50)
    });
    assert_eq!(told.into_iter().collect::<Vec<_>>(), ["saw", "saw 1 2"]);
}

/// Both turns of a transaction are lost with its commit, and only they.
#[test]
fn workerd_t1_a_reset_after_the_end_loses_a_transaction_as_one_unit() {
    let mut world = world(Setting {
        fixed: vec![fixed(Purpose::Survivors, 1, "a", 1)],
        ..Setting::default()
    });
    world.ask(
        0,
        "a",
        [vec![write("before"), Do::Sleep(30)], over_three_turns(commit())].concat(),
    );
    world.reset(60, "a");
    world.run(1_000);
    assert_eq!(world.rows("a"), "before");
}

/// It would wake the object at a time that is no more.
#[test]
fn platform_6_2_the_manager_does_not_hear_of_an_alarm_within_a_transaction_before_its_commit() {
    let mut world = world(Setting::default());
    let within = [begin(), Do::SetAlarm(500), Do::Sleep(100), roll_back()];
    world.ask(0, "a", [&[Do::SetAlarm(5_000)], &within[..]].concat());
    world.run(10_000);
    assert_eq!(
        (world.times("a", "fault").len(), world.times("a", "wakes")),
        (0, vec![5_000])
    );
}

#[test]
fn platform_6_2_an_alarm_that_a_transaction_has_set_wakes_the_object_after_its_commit() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [begin(), Do::SetAlarm(500), Do::Sleep(1_000), commit()]);
    world.run(10_000);
    assert_eq!(world.times("a", "wakes"), [1_000]);
}

/// What is thrown is an error of the code's, and no end of anybody's connection.
#[test]
fn platform_4_5_what_a_transaction_throws_can_be_thrown_on() {
    let mut world = world(Setting::default());
    let thrown = Do::Throw(CallError::thrown(Text::new_static("no")));
    let asked = world.ask(0, "a", [begin(), write("x"), threw("no"), thrown]);
    world.run(1_000);
    assert_eq!((world.incarnation("a"), world.answer(asked)), (0, "[no]"));
}
