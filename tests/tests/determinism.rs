//! A run is a function of its plan, its rules and nothing else.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;

use demonstration::wire::Add;
use protocol::host::{Body, Entry, Event, Label, Namespace, Note, Object, Platform, TaskId, Text};
use protocol::number::Number;
use protocol::task::{Program, Waiting};
use sim::check::Verdict;
use sim::kernel::storage::Store;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::run::{Report, run, run_twice};
use sim::scenario;
use sim::world::World;
use sim::world::demonstration::DemonstrationWorld;

/// For what runs on SQLite too, or several times: SQLite takes longer.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=40;

/// For what runs on `model` only.
const MANY_SEEDS: std::ops::RangeInclusive<u64> = 1..=500;

/// What many seeds show, each once, on one thread.
static MANY: LazyLock<Vec<Report>> = LazyLock::new(|| {
    MANY_SEEDS
        .map(|seed| report::<ModelStore>("hardened", seed))
        .collect()
});

fn report<S: Store>(variant: &str, seed: u64) -> Report {
    report_in::<S>(&S::Pool::default(), variant, seed)
}

fn report_in<S: Store>(pool: &S::Pool, variant: &str, seed: u64) -> Report {
    let scenario = scenario::load("demonstration")
        .expect("the scenario is built in")
        .expect("it is readable");
    let plan = DemonstrationWorld::generate(&scenario, seed);
    let deployment = DemonstrationWorld::deployment(variant).expect("the variant is there");
    run::<DemonstrationWorld, _, S>(&plan, deployment, pool, ())
}

#[test]
fn a_plan_runs_alike_twice() {
    for (seed, once) in MANY_SEEDS.zip(&*MANY) {
        let again = report::<ModelStore>("hardened", seed);
        assert_eq!(
            *once, again,
            "seed {seed} runs otherwise the second time, see `run_twice`"
        );
    }
}

#[test]
fn a_plan_runs_alike_twice_on_sqlite() {
    for seed in SEEDS {
        assert_eq!(
            report::<SqliteStore>("hardened", seed),
            report::<SqliteStore>("hardened", seed),
            "seed {seed} runs otherwise the second time, see `run_twice`"
        );
    }
}

/// Two threads at once, each with every other seed.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "several runs at once, each on one thread, as in a sweep"
)]
fn a_plan_runs_alike_beside_another_thread() {
    let every_other = |first: usize| {
        let seeds = MANY_SEEDS.skip(first).step_by(2);
        seeds
            .map(|seed| report::<ModelStore>("hardened", seed))
            .collect::<Vec<_>>()
    };
    let (odd, even) = thread::scope(|scope| {
        let odd = scope.spawn(|| every_other(0));
        let even = every_other(1);
        (odd.join().expect("no run panics"), even)
    });
    let both = odd.iter().zip(&even).flat_map(|(one, next)| [one, next]);
    for ((seed, alone), beside) in MANY_SEEDS.zip(&*MANY).zip(both) {
        assert_eq!(
            alone, beside,
            "seed {seed} runs otherwise while another thread runs others"
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

/// A protocol that keeps something beyond its run, as a static does: how many events objects ever took.
#[derive(Clone, Debug)]
struct Leaky<P> {
    honest: P,
    taken: Arc<AtomicU32>,
    leak: Leak,
}

/// What a leaky protocol does with the number of an event among all that ever were.
type Leak = fn(u32, &mut Event, &mut dyn Object);

/// Says a thing once in the life of the process.
fn says_it_once(nth: u32, _: &mut Event, host: &mut dyn Object) {
    if nth == 20 {
        host.note(
            TaskId(0),
            Note {
                label: Label("leak"),
                detail: Text::new_static("the twentieth ever"),
            },
        );
    }
}

/// Says how many there ever were.
fn says_how_many(nth: u32, _: &mut Event, host: &mut dyn Object) {
    if nth.is_multiple_of(20) {
        host.note(
            TaskId(0),
            Note {
                label: Label("leak"),
                detail: Text::from(format!("{nth} ever")),
            },
        );
    }
}

/// Adds another amount than it was asked to, which no line of a history tells.
fn adds_how_many(nth: u32, event: &mut Event, _: &mut dyn Object) {
    if let Event::Begin(Entry::Request(request)) = event
        && let Ok(add) = request.body.read::<Add>()
    {
        let token = add.token.clone();
        request.body = Body::typed(Arc::new(Add {
            by: Number::from(nth + 1),
            token,
        }));
    }
}

impl<P: Program> Program for Leaky<P> {
    type Object = P::Object;
    type Front = P::Front;

    fn object(&self, namespace: &Namespace) -> Option<P::Object> {
        self.honest.object(namespace)
    }

    fn front(&self) -> P::Front {
        self.honest.front()
    }

    fn deliver(&self, object: &mut P::Object, mut event: Event, host: &mut dyn Object) -> Option<TaskId> {
        let nth = self.taken.fetch_add(1, Ordering::Relaxed);
        (self.leak)(nth, &mut event, host);
        self.honest.deliver(object, event, host)
    }

    fn deliver_front(&self, front: &mut P::Front, event: Event, host: &mut dyn Platform) -> Option<TaskId> {
        self.honest.deliver_front(front, event, host)
    }

    fn waits<'a>(&self, object: &'a P::Object) -> Vec<(TaskId, Waiting<'a>)> {
        self.honest.waits(object)
    }

    fn front_waits<'a>(&self, front: &'a P::Front) -> Vec<(TaskId, Waiting<'a>)> {
        self.honest.front_waits(front)
    }
}

/// What is said of two runs of seed 1 under a leaky protocol.
fn caught(leak: Leak) -> String {
    let scenario = scenario::load("demonstration")
        .expect("the scenario is built in")
        .expect("it is readable");
    let plan = DemonstrationWorld::generate(&scenario, 1);
    let honest = DemonstrationWorld::deployment("hardened").expect("the variant is there");
    let leaky = honest.map(|honest| Leaky {
        honest: honest.clone(),
        taken: Arc::default(),
        leak,
    });
    let report = run_twice::<DemonstrationWorld, _, ModelStore>(&plan, &leaky, &Default::default());
    assert_eq!(
        report.verdict.exit_code(),
        4,
        "what outlives a run makes the next one differ, and no verdict comes before that: {}",
        report.verdict
    );
    report.verdict.to_string()
}

/// Each part of a report on two runs, in this order.
#[track_caller]
fn assert_tells(told: &str, parts: &[&str]) {
    let mut rest = told;
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else {
            panic!("expected {part:?} in {rest:?}, the rest of:\n{told}\nsee `run::twice`");
        };
        rest = after;
    }
}

#[test]
fn an_honest_protocol_is_not_caught() {
    let scenario = scenario::load("demonstration")
        .expect("the scenario is built in")
        .expect("it is readable");
    let plan = DemonstrationWorld::generate(&scenario, 1);
    let deployment = DemonstrationWorld::deployment("hardened").expect("the variant is there");
    let honest = run_twice::<DemonstrationWorld, _, ModelStore>(&plan, &deployment, &Default::default());
    assert_eq!(honest.verdict, Verdict::Passed);
}

/// The second run does not do it again, and neither would a third.
#[test]
fn what_happens_once_in_a_process_is_named() {
    assert_tells(
        &caught(says_it_once),
        &[
            "two runs of one plan part at line ",
            ": step ",
            " at ",
            " s, ",
            "/",
            ": `notes leak",
            "the twentieth ever",
            "`; and step ",
            " at ",
            " s, ",
            ": `",
        ],
    );
}

#[test]
fn what_counts_on_in_a_process_is_named_as_each_run_has_it() {
    assert_tells(
        &caught(says_how_many),
        &[
            "two runs of one plan part at line ",
            ": step ",
            "/main",
            ": `notes leak",
            " 0 ever",
            "`; and step ",
            ": `",
        ],
    );
}

#[test]
fn what_only_a_hash_shows_is_named() {
    assert_tells(
        &caught(adds_how_many),
        &[
            "two runs of one plan part at line ",
            ", step ",
            " at ",
            " s, ",
            "/main",
            ": `",
            "`: the lines are one, and what they do not tell",
        ],
    );
}
