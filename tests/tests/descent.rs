//! Chance is addressable: taking an item out of a plan changes nothing that does not depend on it; and a world in
//! mid-run is a value: a clone of it goes on as the world itself does.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use protocol::host::Text;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::{ChoiceKey, Observed, Observer, Origin, Service, StepId, What};
use sim::run::Simulation;
use sim::scenario;
use sim::world::demonstration::DemonstrationWorld;
use sim::world::{PlanOf, World};

fn plan(seed: u64) -> PlanOf<DemonstrationWorld> {
    let scenario = scenario::load("demonstration")
        .expect("the scenario is built in")
        .expect("it is readable");
    DemonstrationWorld::generate(&scenario, seed)
}

fn program() -> <DemonstrationWorld as World>::Program {
    DemonstrationWorld::program("documented").expect("the variant is there")
}

/// Everything that was observed, in words, with what is needed to tell what depends on what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Witness {
    lines: Vec<Seen>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    step: StepId,
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
            } => (None, Some(item)),
            _ => (None, None),
        };
        // Clients know nothing of each other.
        let who = match seen.what {
            What::Answered { item, .. } => Text::from(format!("the client of item {item}")),
            _ => seen.who.clone(),
        };
        let service = |wanted: fn(&Service<'_>) -> bool| matches!(&seen.what, What::Began { service, .. } if wanted(service));
        self.lines.push(Seen {
            step: seen.step,
            who,
            told: format!("{} {}", seen.at, seen.what),
            cause,
            item,
            shared_write: service(|service| matches!(service, Service::Put(..))),
            shared_read: service(|service| matches!(service, Service::Get(..))),
        });
    }
}

/// What of a history does not depend on an item, by party: on each party, everything before the first thing that does.
fn independent_of(lines: &[Seen], removed: u32) -> BTreeMap<Text, Vec<&str>> {
    let mut steps = BTreeSet::new();
    let mut parties = BTreeSet::new();
    let mut shared = false;
    let mut untouched: BTreeMap<Text, Vec<&str>> = BTreeMap::new();
    for line in lines {
        let depends = line.item == Some(removed)
            || line.cause.is_some_and(|cause| steps.contains(&cause))
            || steps.contains(&line.step)
            || parties.contains(&line.who)
            || (shared && line.shared_read);
        if depends {
            steps.insert(line.step);
            parties.insert(line.who.clone());
            shared |= line.shared_write;
        } else {
            untouched.entry(line.who.clone()).or_default().push(&line.told);
        }
    }
    untouched
}

fn by_party(lines: &[Seen]) -> BTreeMap<Text, Vec<&str>> {
    let mut parties: BTreeMap<Text, Vec<&str>> = BTreeMap::new();
    for line in lines {
        parties.entry(line.who.clone()).or_default().push(&line.told);
    }
    parties
}

/// A run's history, and all choices that were made in it.
fn witness(plan: &PlanOf<DemonstrationWorld>) -> (Vec<Seen>, BTreeMap<ChoiceKey, u64>) {
    let mut simulation = Simulation::<DemonstrationWorld, _, ModelStore, _>::new(
        plan,
        program(),
        &Default::default(),
        Witness::default(),
    );
    simulation.kernel().keep_choices();
    simulation.finish();
    let choices = simulation.kernel().chance().kept().iter().cloned().collect();
    (std::mem::take(&mut simulation.others().lines), choices)
}

/// The parties and the items that have a part in anything that depends on an item.
fn touched_by(lines: &[Seen], removed: u32) -> (BTreeSet<Text>, BTreeSet<u32>) {
    let untouched = independent_of(lines, removed);
    let parties: BTreeSet<_> = by_party(lines)
        .into_iter()
        .filter(|(who, lines)| untouched.get(who).map_or(0, Vec::len) < lines.len())
        .map(|(who, _)| who)
        .collect();
    let items = lines
        .iter()
        .filter(|line| parties.contains(&line.who))
        .filter_map(|line| line.item);
    let items = items.collect();
    (parties, items)
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
        let ((before, choices), (after, choices_after)) = (witness(&whole), witness(&without));
        let (parties, items) = touched_by(&before, removed.id);
        for (key, taken) in &choices {
            let apart = !parties.contains(&key.at)
                && matches!(key.origin, Origin::Item(item) if item != removed.id && !items.contains(&item));
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
        let after_by_party = by_party(&after);
        for (who, lines) in independent_of(&before, removed.id) {
            let now = after_by_party.get(&who).map_or(&[][..], Vec::as_slice);
            for (at, line) in lines.iter().enumerate() {
                prop_assert_eq!(
                    now.get(at),
                    Some(line),
                    "seed {}: without item {}, which it does not depend on, line {} of {} is another",
                    seed,
                    removed.id,
                    at,
                    who
                );
            }
            kept.set(kept.get() + lines.len());
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
            program(),
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
