//! Chance is addressable: taking an item out of a plan changes nothing that does not depend on it; and a world in
//! mid-run is a value: a clone of it goes on as the world itself does.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use protocol::host::{Shared, Text};
use sim::kernel::storage::model::ModelStore;
use sim::kernel::{
    ChoiceKey, Deployment, FaultKind, Micros, Observed, Observer, Origin, Service, StepId, What,
};
use sim::plan::{Act, Fault, Item};
use sim::run::Simulation;
use sim::scenario;
use sim::world::demonstration::{DemonstrationWorld, Operation};
use sim::world::{PlanOf, World};

fn plan(seed: u64) -> PlanOf<DemonstrationWorld> {
    let scenario = scenario::load("demonstration")
        .expect("the scenario is built in")
        .expect("it is readable");
    DemonstrationWorld::generate(&scenario, seed)
}

fn deployment() -> Deployment<<DemonstrationWorld as World>::Program> {
    DemonstrationWorld::deployment("hardened").expect("the variant is there")
}

/// Everything that was observed, in words, with what is needed to tell what depends on what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Witness {
    lines: Vec<Seen>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    step: StepId,
    at: Micros,
    who: Text,
    /// The time, and what happened, without the numbers of steps: those count all parties together.
    told: String,
    cause: Option<StepId>,
    item: Option<u32>,
    shared_write: bool,
    shared_read: bool,
}

impl Observer for Witness {
    fn observe(&mut self, seen: &Observed<'_>) {
        let (cause, item) = match seen.what {
            What::Delivered {
                cause,
                origin: &Origin::Item(item),
                ..
            } => (cause, Some(item)),
            What::Delivered { cause, .. } => (cause, None),
            What::Answered { item, cause, .. } => (Some(cause), Some(item)),
            What::Reset {
                origin: &Origin::Item(item),
                ..
            }
            | What::Trouble {
                origin: &Origin::Item(item),
                ..
            } => (None, Some(item)),
            _ => (None, None),
        };
        // Clients know nothing of each other.
        let who = match seen.what {
            What::Answered { item, .. } => Text::from(format!("the client of item {item}")),
            _ => seen.who.clone(),
        };
        let broker = matches!(
            seen.what,
            What::Fault {
                kind: FaultKind::BrokerRestarted | FaultKind::SubscriberDropped | FaultKind::MessageLost
            }
        );
        let service = |wanted: fn(&Service<'_>) -> bool| matches!(&seen.what, What::Began { service, .. } if wanted(service));
        self.lines.push(Seen {
            step: seen.step,
            at: seen.at,
            who,
            told: format!("{} {}", seen.at, seen.what),
            cause,
            item,
            // To read from the broker subscribes; whom it tells nothing any more, others' messages have brought that about.
            shared_write: broker
                || service(|service| matches!(service, Service::Put(..) | Service::Get(Shared::Broker, _))),
            shared_read: broker || service(|service| matches!(service, Service::Get(..))),
        });
    }
}

/// The item that is taken out of a plan.
type Removed = Item<Operation>;

/// From when on each party depends on an item, as far as is known.
type Touched = BTreeMap<Text, Micros>;

/// Spreads what is known through one run: a party depends on the item from the first thing on that the item begins
/// there, or that a party sent which already did. Answers whether more is known now.
fn spread(lines: &[Seen], removed: &Removed, touched: &mut Touched, items: &mut BTreeSet<u32>) -> bool {
    let before = touched.clone();
    let mut steps = BTreeSet::new();
    // A restart of the broker has no line of its own: it shows in those of its subscribers.
    let mut shared = matches!(removed.act, Act::Fault(Fault::BrokerRestart));
    for line in lines {
        let depends = line.item == Some(removed.id)
            || line.cause.is_some_and(|cause| steps.contains(&cause))
            || steps.contains(&line.step)
            || touched.get(&line.who).is_some_and(|since| *since <= line.at)
            || (shared && line.shared_read);
        if depends {
            steps.insert(line.step);
            items.extend(line.item);
            shared |= line.shared_write;
            let since = touched.entry(line.who.clone()).or_insert(line.at);
            *since = line.at.min(*since);
        }
    }
    *touched != before
}

/// What depends on an item, in the run with it and in the run without: an item can also hold up or prevent a message,
/// which then shows in the other run alone.
fn touched_by(removed: &Removed, with: &[Seen], without: &[Seen]) -> (Touched, BTreeSet<u32>) {
    let (mut touched, mut items) = (Touched::new(), BTreeSet::from([removed.id]));
    loop {
        let more = spread(with, removed, &mut touched, &mut items);
        if !(spread(without, removed, &mut touched, &mut items) || more) {
            return (touched, items);
        }
    }
}

/// What happened to each party before it depended on the item.
fn untouched<'a>(lines: &'a [Seen], touched: &Touched) -> BTreeMap<&'a Text, Vec<&'a str>> {
    let mut parties: BTreeMap<&Text, Vec<&str>> = BTreeMap::new();
    for line in lines
        .iter()
        .filter(|line| touched.get(&line.who).is_none_or(|since| line.at < *since))
    {
        parties.entry(&line.who).or_default().push(&line.told);
    }
    parties
}

/// Where two histories part first.
fn parting(one: &BTreeMap<&Text, Vec<&str>>, other: &BTreeMap<&Text, Vec<&str>>) -> Option<String> {
    let (who, at) = one.iter().find_map(|(who, lines)| {
        let others = other.get(who).map_or(&[][..], Vec::as_slice);
        let same = lines
            .iter()
            .zip(others)
            .take_while(|(one, other)| one == other)
            .count();
        (same < lines.len().max(others.len())).then_some((who, same))
    })?;
    let line = |lines: Option<&Vec<&str>>| {
        lines
            .and_then(|lines| lines.get(at).copied())
            .unwrap_or("nothing")
            .to_owned()
    };
    Some(format!(
        "line {at} of {who} is `{}` and not `{}`",
        line(other.get(who)),
        line(one.get(who))
    ))
}

/// A run's history, and all choices that were made in it.
fn witness(plan: &PlanOf<DemonstrationWorld>) -> (Vec<Seen>, BTreeMap<ChoiceKey, u64>) {
    let mut simulation = Simulation::<DemonstrationWorld, _, ModelStore, _>::new(
        plan,
        deployment(),
        &Default::default(),
        Witness::default(),
    );
    simulation.kernel().keep_choices();
    simulation.finish();
    let choices = simulation.kernel().chance().kept().iter().cloned().collect();
    (std::mem::take(&mut simulation.others().lines), choices)
}

#[test]
fn removing_an_item_leaves_what_does_not_depend_on_it() {
    let (kept, same, changed) = (Cell::new(0_usize), Cell::new(0_usize), Cell::new(0_usize));
    let strategy = (any::<u64>(), any::<prop::sample::Index>());
    let mut runner = TestRunner::new_with_rng(
        Config {
            cases: 128,
            ..Config::default()
        },
        deterministic(),
    );
    let result = runner.run(&strategy, |(seed, which)| {
        let whole = plan(seed);
        let mut without = whole.clone();
        let removed = without.items.remove(which.index(whole.items.len()));
        // On a deploy everything depends: it reaches each party without a line of its own.
        if matches!(removed.act, Act::Fault(Fault::Deploy { .. })) {
            return Ok(());
        }
        let ((before, choices), (after, choices_after)) = (witness(&whole), witness(&without));
        let (touched, items) = touched_by(&removed, &before, &after);
        let (lines, lines_after) = (untouched(&before, &touched), untouched(&after, &touched));
        if let Some(parting) = parting(&lines, &lines_after) {
            prop_assert!(
                false,
                "seed {}: without item {}, on which it does not depend, {}",
                seed,
                removed.id,
                parting
            );
        }
        kept.set(kept.get() + lines.values().map(Vec::len).sum::<usize>());
        for (key, taken) in &choices {
            let apart = !touched.contains_key(&key.at)
                && matches!(key.origin, Origin::Item(item) if !items.contains(&item));
            if apart {
                prop_assert_eq!(
                    choices_after.get(key),
                    Some(taken),
                    "seed {}: the choice {} is another",
                    seed,
                    key
                );
                same.set(same.get() + 1);
            }
        }
        changed.set(changed.get() + usize::from(before != after));
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.unwrap_err());
    assert!(
        kept.get() > 1_000,
        "only {} lines were independent: the test shows nothing",
        kept.get()
    );
    assert!(
        same.get() > 1_000,
        "only {} choices were apart: the test shows nothing",
        same.get()
    );
    assert!(
        changed.get() > 64,
        "only {} removals changed anything: the test shows nothing",
        changed.get()
    );
}

#[test]
fn a_clone_of_a_world_goes_on_as_the_world_does() {
    let compared = Cell::new(0_usize);
    let mut runner = TestRunner::new_with_rng(
        Config {
            cases: 64,
            ..Config::default()
        },
        deterministic(),
    );
    let result = runner.run(&(any::<u64>(), 1..400_usize), |(seed, steps)| {
        let plan = plan(seed);
        let mut world = Simulation::<DemonstrationWorld, _, ModelStore, _>::new(
            &plan,
            deployment(),
            &Default::default(),
            Witness::default(),
        );
        for _ in 0..steps {
            if world.advance().is_some() {
                return Ok(());
            }
        }
        let mut clone = world.fork();
        prop_assert_eq!(
            world.kernel().state_digest(),
            clone.kernel().state_digest(),
            "a clone hashes alike"
        );
        let (verdict, verdict_of_clone) = (world.finish(), clone.finish());
        prop_assert_eq!(
            &world.others().lines,
            &clone.others().lines,
            "seed {}: the histories part",
            seed
        );
        let (report, report_of_clone) = (world.report(verdict), clone.report(verdict_of_clone));
        prop_assert_eq!(report, report_of_clone);
        compared.set(compared.get() + 1);
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.unwrap_err());
    assert!(
        compared.get() > 16,
        "only {} runs were long enough: the test shows nothing",
        compared.get()
    );
}

/// The same cases on every machine and every day: a failure here is a change of ours.
fn deterministic() -> proptest::test_runner::TestRng {
    proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha)
}
