//! Clocks that are not the true one, and instances that do not know their name: `platform.md` section 15 and 1.4,
//! `workerd.md` A12.

use std::collections::BTreeSet;

use protocol::host::Text;

use super::script::{Do, NS, say};
use super::world::{Setting, World, fixed, world};
use crate::kernel::{ChoiceKey, FixedChoice, Micros, Origin, Purpose};

const MOST: u64 = 500;

/// A world in which clocks are up to half a second from the true one: by chance, or as fixed.
fn skewed(fixed: Vec<FixedChoice>) -> World {
    let mut setting = Setting {
        alarm: |_| vec![Do::Act(Text::new_static("rings"))],
        fixed,
        ..Setting::default()
    };
    setting.knobs.clock_skew = Micros::from_millis(MOST);
    world(setting)
}

/// The alternative that sets a clock ahead by so many milliseconds; behind where it is negative.
fn by(millis: i64) -> u64 {
    let micros = millis.unsigned_abs() * 1_000;
    if millis > 0 { 2 * micros - 1 } else { 2 * micros }
}

/// An object's first incarnation has this clock.
fn first_clock(object: &str, millis: i64) -> FixedChoice {
    let who = Text::from(format!("{NS}/{object}"));
    let key = ChoiceKey {
        purpose: Purpose::ClockSkew,
        origin: Origin::Alarm(who.clone()),
        at: who,
        label: Text::default(),
        nth: 0,
    };
    FixedChoice {
        key,
        alternative: by(millis),
    }
}

fn clock(world: &World, item: u32) -> u64 {
    world.answer(item).parse().expect("the object says its clock")
}

#[test]
fn platform_15_objects_have_clocks_of_their_own() {
    let mut world = skewed(Vec::new());
    let asked: Vec<u32> = (0..20)
        .map(|object| world.ask(10_000, &object.to_string(), [Do::Now]))
        .collect();
    world.run(20_000);
    let shown: BTreeSet<u64> = asked.iter().map(|item| clock(&world, *item)).collect();
    assert!(shown.len() > 10, "{shown:?}");
}

#[test]
fn platform_15_no_clock_is_further_from_the_true_one_than_the_knob_says() {
    let mut world = skewed(Vec::new());
    let asked: Vec<u32> = (0..50)
        .map(|object| world.ask(10_000, &object.to_string(), [Do::Now]))
        .collect();
    world.run(20_000);
    let within = 10_000 - MOST..=10_000 + MOST;
    assert!(asked.iter().all(|item| within.contains(&clock(&world, *item))));
}

#[test]
fn platform_15_each_incarnation_has_a_clock_of_its_own() {
    let mut world = skewed(Vec::new());
    let mut shown = BTreeSet::new();
    let mut asked = Vec::new();
    for nth in 0..10 {
        world.reset(10_000 + nth * 1_000, "a");
        asked.push(world.ask(10_500 + nth * 1_000, "a", [Do::Now]));
    }
    world.run(30_000);
    shown.extend(
        (0..)
            .zip(&asked)
            .map(|(nth, item)| clock(&world, *item) - nth * 1_000),
    );
    assert!(shown.len() > 5, "{shown:?}");
}

#[test]
fn platform_15_a_skewed_clock_stands_still_within_a_turn_too() {
    let mut world = skewed(vec![first_clock("a", 300)]);
    let asked = world.ask(
        1_000,
        "a",
        [Do::Now, Do::Work(50), Do::Now, Do::Sleep(10), Do::Now],
    );
    world.run(2_000);
    assert_eq!(world.answer(asked), "1300 1300 1360");
}

#[test]
fn platform_6_11_an_alarm_runs_by_the_clock_of_its_object() {
    for (skew, at) in [(300, 1_700), (-300, 2_300)] {
        let mut world = skewed(vec![first_clock("a", skew)]);
        world.ask(0, "a", [Do::SetAlarm(2_000)]);
        world.run(10_000);
        assert_eq!(world.times("a", "acts"), [at], "{skew}");
    }
}

/// The manager goes by the clock of the incarnation that has set the alarm; the next one's shows less.
#[test]
fn platform_6_11_never_early_by_the_clock_of_the_incarnation_that_runs_it() {
    let second = FixedChoice {
        alternative: by(-200),
        ..fixed(Purpose::ClockSkew, 1, "a", 0)
    };
    let mut world = skewed(vec![first_clock("a", 300), second]);
    world.ask(0, "a", [Do::SetAlarm(2_000)]);
    world.reset(500, "a");
    world.run(10_000);
    assert_eq!(world.times("a", "acts"), [2_200]);
}

fn nameless() -> World {
    let mut setting = Setting {
        alarm: |_| vec![Do::Name, Do::Act(Text::new_static("rings"))],
        ..Setting::default()
    };
    setting.knobs.name_missing = true;
    world(setting)
}

const NAME: [Do; 2] = [Do::Say(Text::new_static("name:")), Do::Name];

/// Also to an instance that is not told its name.
#[test]
fn platform_1_1_equal_names_have_one_id_and_an_object_knows_its_own() {
    let ids = [
        Do::Name,
        Do::IsOwnId(Text::new_static("a")),
        Do::IsOwnId(Text::new_static("b")),
    ];
    let mut world = nameless();
    let told = world.ask(0, "a", [&ids[1..], &[Do::SetAlarm(1_000)]].concat());
    let other = world.ask(0, "b", &ids[1..]);
    world.reset(500, "a");
    let woken = world.ask(2_000, "a", ids.clone());
    world.run(3_000);
    let answers = [told, other, woken].map(|item| world.answer(item).to_owned());
    assert_eq!(answers, ["true false", "false true", "true false"]);
}

/// Not even when a call by name comes later.
#[test]
fn workerd_a12_an_instance_that_its_alarm_has_woken_never_knows_its_name() {
    let mut world = nameless();
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.reset(500, "a");
    let asked = world.ask(2_000, "a", NAME);
    world.run(3_000);
    assert_eq!(world.answer(asked), "name:");
}

#[test]
fn platform_1_4_an_instance_that_a_call_has_woken_knows_its_name_also_after_an_alarm() {
    let mut world = nameless();
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    let asked = world.ask(2_000, "a", NAME);
    world.run(3_000);
    assert_eq!(world.answer(asked), "name: a");
}

#[test]
fn platform_1_4_the_next_instance_that_a_call_wakes_knows_its_name_again() {
    let mut world = nameless();
    world.ask(0, "a", [Do::SetAlarm(1_000)]);
    world.reset(500, "a");
    world.reset(2_000, "a");
    let asked = world.ask(3_000, "a", NAME);
    world.run(4_000);
    assert_eq!(world.answer(asked), "name: a");
}

/// As the runtime has had it since mid-2026.
#[test]
fn platform_1_4_without_the_knob_an_instance_that_its_alarm_has_woken_knows_its_name() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [Do::SetAlarm(1_000), say("set")]);
    world.reset(500, "a");
    let asked = world.ask(2_000, "a", NAME);
    world.run(3_000);
    assert_eq!(world.answer(asked), "name: a");
}
