//! Which events can come next: every order that the platform admits, and no other. Items 2.4, 4.2 and 12.1 of
//! `platform.md`.

use std::collections::BTreeSet;

use protocol::host::Text;

use super::script::{Do, call, call_on, keep, stub, write};
use super::world::{Setting, World, late, world};
use crate::kernel::EventKey;

/// Which of the events that could come next do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// Those that are due at the same instant as the earliest.
    OneInstant,
    /// Any.
    AllTime,
}

/// Makes a world and has something asked in it, again and again, until every way to pick the next event was gone.
/// What the client was told in each: the plan says which item it is, and until when the world runs.
pub fn all_runs(
    within: Within,
    make: impl Fn() -> World,
    plan: impl Fn(&mut World) -> (u32, u64),
) -> BTreeSet<String> {
    let mut told = BTreeSet::new();
    // Which alternative was taken at each step of the last run, of how many.
    let mut picks: Vec<(usize, usize)> = Vec::new();
    loop {
        let mut world = make();
        let (item, until) = plan(&mut world);
        let mut taken = 0;
        while let Some(enabled) = Some(choices(&world, within, until)).filter(|keys| !keys.is_empty()) {
            if taken == picks.len() {
                picks.push((0, enabled.len()));
            }
            world.step(enabled[picks[taken].0]);
            taken += 1;
        }
        told.insert(world.answer(item).to_owned());
        while let Some((pick, of)) = picks.pop() {
            if pick + 1 < of {
                picks.push((pick + 1, of));
                break;
            }
        }
        if picks.is_empty() {
            return told;
        }
    }
}

fn choices(world: &World, within: Within, until: u64) -> Vec<EventKey> {
    let mut enabled = world.enabled();
    enabled.retain(|key| key.at.0 <= until * 1_000);
    let first = enabled.first().map(|key| key.at);
    if within == Within::OneInstant {
        enabled.retain(|key| Some(key.at) == first);
    }
    enabled
}

fn calm() -> World {
    world(Setting::default())
}

/// Three requests of one instant, and what one that comes later finds.
fn three_requests(world: &mut World) -> (u32, u64) {
    for name in ["1", "2", "3"] {
        world.ask(0, "a", [keep(name)]);
    }
    (world.ask(10, "a", [Do::Recall]), 20)
}

const ORDERS: [&str; 6] = ["1 2 3", "1 3 2", "2 1 3", "2 3 1", "3 1 2", "3 2 1"];

#[test]
fn requests_of_one_instant_come_in_every_order_that_can_be_picked() {
    let told = all_runs(Within::OneInstant, calm, three_requests);
    assert_eq!(told.into_iter().collect::<Vec<_>>(), ORDERS);
}

#[test]
fn requests_of_one_instant_come_in_every_order_by_some_seed() {
    let of_seed = |seed| {
        let mut world = world(Setting {
            seed,
            ..Setting::default()
        });
        let (asked, until) = three_requests(&mut world);
        world.run(until);
        world.answer(asked).to_owned()
    };
    let told: BTreeSet<String> = (0..100).map(of_seed).collect();
    assert_eq!(told.into_iter().collect::<Vec<_>>(), ORDERS);
}

/// `front 0` calls twice; what is said is what one that comes much later finds.
fn two_calls(world: &mut World, second: Do) -> (u32, u64) {
    world.ask(0, "front 0", [call("a", [keep("1")]), second, Do::Await]);
    (world.ask(100, "a", [Do::Recall]), 150)
}

/// Whichever event is taken next, and however late the first one is.
#[test]
fn platform_12_1_calls_on_one_stub_never_overtake() {
    for by in [0, 20] {
        let make = || {
            world(Setting {
                aims: vec![late(0, by)],
                ..Setting::default()
            })
        };
        let told = all_runs(Within::AllTime, make, |world| {
            two_calls(world, call("a", [keep("2")]))
        });
        assert!(told.contains("1 2"), "{told:?}");
        assert!(!told.contains("2 1"), "{told:?}");
    }
}

#[test]
fn platform_12_1_calls_on_two_stubs_overtake() {
    let another = stub("a").fresh();
    let told = all_runs(Within::AllTime, calm, |world| {
        two_calls(world, call_on(&another, [keep("2")]))
    });
    assert!(told.contains("1 2") && told.contains("2 1"), "{told:?}");
}

/// Has a world run with the last of all events that could come next picked each time.
fn run_by_last(world: &mut World, mut after: impl FnMut(&World)) {
    while let Some(last) = world.enabled().last().copied() {
        world.step(last);
        after(world);
    }
}

#[test]
fn platform_4_2_confirmations_never_overtake() {
    let mut world = calm();
    for at in 0..5 {
        world.ask(at, "a", [write("x")]);
    }
    run_by_last(&mut world, |_| {});
    let confirmed = world.lines("a", "commit no.").map(|(_, line)| line);
    let in_order: Vec<String> = (0..5).map(|nth| format!("commit no. {nth} is durable")).collect();
    assert_eq!(confirmed.collect::<Vec<_>>(), in_order);
}

#[test]
fn items_of_the_plan_never_overtake() {
    let mut world = calm();
    for at in 0..5 {
        world.ask(at, "a", [Do::Act(Text::from(at.to_string()))]);
    }
    let asked = world.ask(5, "a", [Do::Now]);
    let mut items = Vec::new();
    while let Some(last) = world.enabled().last().copied() {
        items.extend(world.step(last));
    }
    assert_eq!(items, [0, 1, 2, 3, 4, asked]);
}

/// A sleep of a minute is picked before all that is due earlier.
#[test]
fn an_event_that_is_picked_early_does_not_make_time_run_back() {
    let mut world = calm();
    world.ask(0, "a", [write("x"), Do::Sleep(60_000), call("b", []), Do::Await]);
    world.ask(10, "a", [Do::Sleep(1_000)]);
    let mut now = 0;
    run_by_last(&mut world, |world| {
        assert!(world.now() >= now, "{} after {now}", world.now());
        now = world.now();
    });
    assert!(now >= 60_000, "{now}");
}
