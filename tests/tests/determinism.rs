//! A run is a function of its plan, its rules and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use protocol::host::{Event, Label, Namespace, Note, Object, Platform, TaskId, Text};
use protocol::task::{Program, Waiting};
use sim::check::Verdict;
use sim::kernel::storage::Store;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::run::{Report, run, run_twice};
use sim::scenario;
use sim::world::World;
use sim::world::demonstration::DemonstrationWorld;

const SEEDS: std::ops::RangeInclusive<u64> = 1..=40;

fn report<S: Store>(variant: &str, seed: u64) -> Report {
    report_in::<S>(&S::Pool::default(), variant, seed)
}

fn report_in<S: Store>(pool: &S::Pool, variant: &str, seed: u64) -> Report {
    let scenario = scenario::load("demonstration")
        .expect("the scenario is built in")
        .expect("it is readable");
    let plan = DemonstrationWorld::generate(&scenario, seed);
    let program = DemonstrationWorld::program(variant).expect("the variant is there");
    run::<DemonstrationWorld, _, S>(&plan, program, pool, ())
}

#[test]
fn a_plan_runs_alike_twice() {
    for seed in SEEDS {
        assert_eq!(
            report::<SqliteStore>("hardened", seed),
            report::<SqliteStore>("hardened", seed),
            "seed {seed}"
        );
    }
}

/// Databases that other runs have used, of other variants and seeds, are as good as new ones.
#[test]
fn a_plan_runs_alike_in_a_used_pool() {
    fn check<S: Store>() {
        let pool = S::Pool::default();
        for seed in SEEDS {
            for variant in ["documented", "hardened"] {
                assert_eq!(
                    report_in::<S>(&pool, variant, seed),
                    report::<S>(variant, seed),
                    "seed {seed} of {variant}"
                );
            }
        }
    }
    check::<SqliteStore>();
    check::<ModelStore>();
}

#[test]
fn both_stores_give_one_run() {
    for variant in ["hardened", "documented"] {
        for seed in SEEDS {
            let (sqlite, model) = (
                report::<SqliteStore>(variant, seed),
                report::<ModelStore>(variant, seed),
            );
            assert_eq!(
                sqlite, model,
                "seed {seed} of {variant} differs between the stores"
            );
        }
    }
}

#[test]
fn seeds_differ() {
    let hashes: std::collections::BTreeSet<_> = SEEDS
        .map(|seed| report::<ModelStore>("hardened", seed).full)
        .collect();
    assert_eq!(hashes.len(), SEEDS.count(), "two seeds gave one run");
}

#[test]
fn hardened_holds() {
    for seed in SEEDS {
        assert_eq!(
            report::<ModelStore>("hardened", seed).verdict,
            Verdict::Passed,
            "seed {seed}"
        );
    }
}

/// Which invariants each flawed variant is caught by, and that it is caught soon.
#[test]
fn every_flaw_is_found() {
    let expected = [
        ("documented", ["DM-1", "DM-2", "DM-L1"].as_slice()),
        ("token-not-checked", &["DM-4"]),
        ("gate-not-taken", &["DM-3", "DM-L1"]),
        ("alarm-not-set-again", &["DM-L1"]),
    ];
    for (variant, invariants) in expected {
        let found = (1..=300).find_map(|seed| match report::<ModelStore>(variant, seed).verdict {
            Verdict::Violated(violation) => Some(violation),
            _ => None,
        });
        let found = found.unwrap_or_else(|| panic!("300 seeds of {variant} found nothing"));
        assert!(
            invariants.contains(&found.invariant.as_str()),
            "{variant} is expected to violate one of {invariants:?}, and: {found}"
        );
    }
}

/// A protocol that keeps something beyond its run, as a static does.
#[derive(Clone, Debug)]
struct Leaky<P>(P, Arc<AtomicU32>);

impl<P: Program> Program for Leaky<P> {
    type Object = P::Object;
    type Front = P::Front;

    fn object(&self, namespace: &Namespace) -> Option<P::Object> {
        self.0.object(namespace)
    }

    fn front(&self) -> P::Front {
        self.0.front()
    }

    fn deliver(&self, object: &mut P::Object, event: Event, host: &mut dyn Object) -> Option<TaskId> {
        let delivered = self.1.fetch_add(1, Ordering::Relaxed);
        if delivered == 20 {
            host.note(
                TaskId(0),
                Note {
                    label: Label("leak"),
                    detail: Text::new_static("the twentieth ever"),
                },
            );
        }
        self.0.deliver(object, event, host)
    }

    fn deliver_front(&self, front: &mut P::Front, event: Event, host: &mut dyn Platform) -> Option<TaskId> {
        self.0.deliver_front(front, event, host)
    }

    fn waits<'a>(&self, object: &'a P::Object) -> Vec<(TaskId, Waiting<'a>)> {
        self.0.waits(object)
    }

    fn front_waits<'a>(&self, front: &'a P::Front) -> Vec<(TaskId, Waiting<'a>)> {
        self.0.front_waits(front)
    }
}

#[test]
fn what_outlives_a_run_is_noticed() {
    let scenario = scenario::load("demonstration")
        .expect("the scenario is built in")
        .expect("it is readable");
    let plan = DemonstrationWorld::generate(&scenario, 1);
    let program = DemonstrationWorld::program("hardened").expect("the variant is there");
    let honest = run_twice::<DemonstrationWorld, _, ModelStore>(&plan, &program, &Default::default());
    assert_eq!(honest.verdict, Verdict::Passed);
    let leaky = Leaky(program, Arc::default());
    let caught = run_twice::<DemonstrationWorld, _, ModelStore>(&plan, &leaky, &Default::default());
    assert!(
        matches!(caught.verdict, Verdict::NotDeterministic(_)),
        "{}",
        caught.verdict
    );
    assert_eq!(caught.verdict.exit_code(), 4);
}
