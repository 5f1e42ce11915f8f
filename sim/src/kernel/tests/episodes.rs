//! Faults that last, how they end, and healing.

use protocol::host::{SqlErrorKind, Statement, Text};

use super::script::{Do, call, say, write};
use super::world::{LOST, Setting, World, fixed, fixed_at, knobs, lasting, world};
use crate::kernel::{Episode, FaultKind, Knobs, Purpose, Ratio, Span, Trouble, Way};

/// One that begins only where a choice is fixed, and lasts for 100 ms.
fn once_for_100_ms() -> Episode {
    lasting(100, Ratio::ALWAYS).at_rate(Ratio::NEVER)
}

fn with(knobs: Knobs) -> World {
    world(Setting {
        knobs,
        ..Setting::default()
    })
}

fn ask_a(world: &mut World, at: u64) -> u32 {
    world.ask(at, "front 0", [call("a", [say("ok")]), Do::Await])
}

/// The first call of item 0 begins it.
fn cut_by_chance(ends: &[u64]) -> Setting {
    let mut setting = Setting::default();
    setting.knobs.partition = once_for_100_ms();
    let at = |purpose, label, nth, alternative| {
        let mut choice = fixed_at(purpose, 0, "front 0", label, alternative);
        choice.key.nth = nth;
        choice
    };
    setting.fixed = vec![
        at(Purpose::Partition, "call", 0, 1),
        at(Purpose::PartitionWay, "call", 0, 1),
    ];
    for (nth, ends) in (0..).zip(ends) {
        setting
            .fixed
            .push(at(Purpose::EpisodeEnds, "partitioned", nth, *ends));
    }
    setting
}

#[test]
fn an_episode_strikes_all_that_it_could_until_it_ends() {
    let mut world = world(cut_by_chance(&[]));
    let asked = [0, 50, 101].map(|at| ask_a(&mut world, at));
    world.run(1_000);
    assert_eq!(
        asked.map(|item| world.answer(item).to_owned()),
        [LOST, LOST, "ok"]
    );
    assert_eq!(world.marks("front 0", FaultKind::Partitioned), [0, 50]);
}

/// Twice it does not end.
#[test]
fn an_episode_lasts_for_its_length_again_each_time_that_it_does_not_end() {
    let mut world = world(cut_by_chance(&[0, 0, 1]));
    let asked = [0, 150, 299, 301].map(|at| ask_a(&mut world, at));
    world.run(1_000);
    assert_eq!(
        asked.map(|item| world.answer(item).to_owned()),
        [LOST, LOST, LOST, "ok"]
    );
}

/// Nothing but its own length ends it, and nothing but a new strike begins it again.
#[test]
fn an_episode_that_always_begins_lasts_and_ends() {
    let mut knobs = knobs();
    knobs.commit_stall = lasting(100, Ratio::ALWAYS);
    let mut world = with(knobs);
    let asked = [0, 50, 150].map(|at| world.ask(at, "a", [write("x")]));
    world.run(100_000);
    assert_eq!(asked.map(|item| world.answered_at(item)), [100, 100, 250]);
    assert_eq!(world.marks("a", FaultKind::CommitStalled), [0, 50, 150]);
    assert!(world.enabled().is_empty(), "a run comes to its end");
}

#[test]
fn an_episode_that_ends_at_a_rate_ends_some_time() {
    let mut knobs = knobs();
    knobs.clog = lasting(100, Ratio { hits: 1, of: 3 });
    let mut world = with(knobs);
    let asked: Vec<_> = (0..20).map(|nth| ask_a(&mut world, nth * 1_000)).collect();
    world.run(1_000_000);
    assert!(asked.iter().all(|item| world.answer(*item) == "ok"));
    assert!(world.enabled().is_empty());
    let took = (0..)
        .zip(&asked)
        .map(|(nth, item)| world.answered_at(*item) - nth * 1_000);
    let took: std::collections::BTreeSet<_> = took.collect();
    assert!(took.len() > 3, "they do not all last equally long: {took:?}");
}

/// What cuts the first call off cuts the answer of an earlier one off, or does not.
#[test]
fn a_partition_by_chance_cuts_both_ways_or_one() {
    for (way, cut) in [(0, vec![25]), (1, vec![])] {
        let mut setting = cut_by_chance(&[]);
        setting.fixed[1].alternative = way;
        let mut world = world(setting);
        ask_a(&mut world, 10);
        world.ask(0, "front 0", [call("a", [Do::Sleep(20)]), Do::Await]);
        let other = world.ask(0, "front 1", [call("a", [Do::Sleep(20), say("ok")]), Do::Await]);
        world.run(1_000);
        assert_eq!(world.marks("front 0", FaultKind::Partitioned), [10]);
        assert_eq!(world.marks("a", FaultKind::Partitioned), cut);
        assert_eq!(world.answer(other), "ok", "it is between these two");
    }
}

#[test]
fn what_only_holds_things_up_does_nothing_where_it_has_no_length() {
    let mut knobs = knobs();
    knobs.clog = Episode::once(Ratio::ALWAYS);
    knobs.commit_stall = Episode::once(Ratio::ALWAYS);
    let mut world = with(knobs);
    let asked = world.ask(0, "front 0", [call("a", [write("x"), say("ok")]), Do::Await]);
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), ("ok", 30));
    assert!(world.faults().is_empty());
}

/// It strikes the first call and the second, which begins none.
#[test]
fn an_episode_of_any_kind_strikes_more_than_once() {
    type Set = fn(&mut Knobs) -> &mut Episode;
    let kinds: [(FaultKind, Purpose, Set); 5] = [
        (FaultKind::RequestLost, Purpose::RequestLoss, |knobs| {
            &mut knobs.request_loss
        }),
        (FaultKind::AnswerLost, Purpose::AnswerLoss, |knobs| {
            &mut knobs.answer_loss
        }),
        (FaultKind::RequestLate, Purpose::RequestLate, |knobs| {
            &mut knobs.late
        }),
        (FaultKind::Duplicated, Purpose::Duplicate, |knobs| {
            &mut knobs.duplicate
        }),
        (FaultKind::Cancelled, Purpose::Cancel, |knobs| &mut knobs.cancel),
    ];
    for (kind, purpose, set) in kinds {
        let mut setting = Setting {
            fixed: vec![fixed_at(purpose, 0, "front 0", "call", 1)],
            ..Setting::default()
        };
        setting.knobs.late_by = Span::millis(1, 1);
        setting.knobs.cancel_after = Span::millis(3, 3);
        *set(&mut setting.knobs) = once_for_100_ms();
        let mut world = world(setting);
        for at in [0, 60, 161] {
            ask_a(&mut world, at);
        }
        world.run(10_000);
        let marks = world.marks("front 0", kind).len() + world.marks("a", kind).len();
        assert_eq!(marks, 2, "{kind:?}");
    }
}

/// Reset, eviction and displacement are of one object.
#[test]
fn an_episode_at_an_object_strikes_more_than_once() {
    type Set = fn(&mut Knobs) -> &mut Episode;
    let kinds: [(FaultKind, Purpose, Set); 3] = [
        (FaultKind::Reset, Purpose::Reset, |knobs| &mut knobs.reset),
        (FaultKind::Evicted, Purpose::Eviction, |knobs| &mut knobs.eviction),
        (FaultKind::Displaced, Purpose::Displacement, |knobs| {
            &mut knobs.displacement
        }),
    ];
    for (kind, purpose, set) in kinds {
        let mut setting = Setting {
            fixed: vec![fixed(purpose, 0, "a", 1)],
            ..Setting::default()
        };
        setting.knobs.idle = Span::millis(10, 10);
        *set(&mut setting.knobs) = once_for_100_ms();
        let mut world = world(setting);
        for at in [0, 60, 101] {
            world.ask(at, "a", [say("ok")]);
        }
        world.run(100_000);
        assert_eq!(world.marks("a", kind).len(), 2, "{kind:?}");
    }
}

#[test]
fn a_trouble_takes_the_place_of_the_one_that_stands_there() {
    let mut world = world(Setting::default());
    for (at, lasts) in [(0, 100), (50, 200)] {
        world.trouble(at, ("front 0", "a"), lasts, |from, to| {
            Trouble::Partition(from, to, Way::There)
        });
    }
    let asked = [120, 251].map(|at| ask_a(&mut world, at));
    world.run(1_000);
    assert_eq!(asked.map(|item| world.answer(item).to_owned()), [LOST, "ok"]);
}

#[test]
fn healing_ends_all_that_stands() {
    let mut world = world(Setting::default());
    let long = 1_000_000;
    world.trouble(0, ("front 0", "a"), long, |from, to| {
        Trouble::Partition(from, to, Way::Both)
    });
    world.trouble(0, ("front 0", "b"), long, Trouble::Clog);
    world.trouble(0, ("c", "c"), long, |object, _| Trouble::CommitStall(object));
    world.trouble(0, ("d", "d"), long, |object, _| {
        Trouble::StorageError(object, SqlErrorKind::Full)
    });
    let clogged = world.ask(10, "front 0", [call("b", [say("ok")]), Do::Await]);
    let stalled = world.ask(10, "c", [write("x"), say("ok")]);
    world.at(100, "a", |kernel, _, _, seen| kernel.clear_troubles(seen));
    let cut = ask_a(&mut world, 101);
    let create = Do::Sql(Statement::new("CREATE TABLE u (v TEXT)", []));
    let refused = world.ask(101, "d", [create, say("ok")]);
    world.run(1_000);
    for (item, at) in [(clogged, 105), (stalled, 100), (cut, 111), (refused, 121)] {
        assert_eq!((world.answer(item), world.answered_at(item)), ("ok", at));
    }
}

/// What had been armed and has not struck.
#[test]
fn healing_disarms_what_is_aimed_at_statements_and_commits() {
    let mut world = world(Setting::default());
    world.at(0, "a", |kernel, item, object, _| {
        kernel.strike_statement(item, object, 0, SqlErrorKind::Full);
        kernel.fail_commit(item, object);
    });
    world.at(10, "a", |kernel, _, _, _| kernel.disarm_aims());
    let asked = world.ask(
        20,
        "a",
        [write("x"), Do::Act(Text::new_static("mail")), say("ok")],
    );
    world.run(1_000);
    assert_eq!(world.answer(asked), "ok");
    assert!(world.faults().is_empty());
}

/// The episode's own end was to come much later.
#[test]
fn an_episode_that_stands_does_not_begin_anew_on_a_healed_platform() {
    let mut knobs = knobs();
    knobs.clog = lasting(100, Ratio { hits: 1, of: 1_000 });
    let healed = knobs.healed();
    let mut world = with(knobs);
    let clogged = ask_a(&mut world, 0);
    world.at(350, "a", |kernel, _, _, _| kernel.set_knobs(healed));
    world.run(10_000);
    assert_eq!((world.answer(clogged), world.answered_at(clogged)), ("ok", 405));
    assert!(world.enabled().is_empty());
}
