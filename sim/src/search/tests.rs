//! Sweeps of the demonstration, on one thread and on several.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use demonstration::Demonstration;
use protocol::host::{Event, Label, Namespace, Note, Object, Platform, Statement, TaskId, Text};
use protocol::task::{Program, Waiting};

use super::{Ended, Judgement, Least, Settings, Swept, Watcher, judge, sweep};
use crate::check::Verdict;
use crate::kernel::storage::model::LIE;
use crate::run::StoreKind;
use crate::scenario::{self, Scenario};
use crate::world::World;
use crate::world::demonstration::{DemonstrationWorld, Generate};

/// Has no clock, and ends a sweep after so many runs.
struct Patience {
    left: AtomicU64,
}

impl Watcher for Patience {
    fn time(&self) -> Duration {
        Duration::ZERO
    }

    fn is_over(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    fn is_interrupted(&self) -> bool {
        false
    }

    fn done(&self, _: u64) {
        // Several threads may be done at once, and the last of them must not begin anew.
        let _ = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
    }
}

static FOREVER: Patience = Patience {
    left: AtomicU64::new(u64::MAX),
};

/// The demonstration three times, the second one with twice the weight.
fn scenarios() -> Vec<Scenario<Generate>> {
    let scenario: Scenario<Generate> = scenario::load("demonstration")
        .expect("it is built in")
        .expect("it can be read");
    let named = |name, weight| Scenario {
        name: Text::new_static(name),
        weight,
        ..scenario.clone()
    };
    vec![named("one", 1), named("two", 2), named("three", 1)]
}

fn settings(scenarios: &[Scenario<Generate>], jobs: usize, seeds: u64) -> Settings<'_, Generate> {
    Settings {
        scenarios,
        from: 1,
        seeds,
        least: Least::One,
        jobs: NonZeroUsize::new(jobs).expect("some"),
        store: StoreKind::Model,
        keep_going: false,
        known: &[],
    }
}

fn swept(settings: &Settings<'_, Generate>, variant: &str, watcher: &Patience) -> Swept {
    let deployment = || DemonstrationWorld::deployment(variant).expect("the variant is there");
    sweep::<DemonstrationWorld, _>(settings, deployment, watcher, &mut |_| {})
}

#[test]
fn threads_make_no_difference() {
    let scenarios = scenarios();
    for (variant, keep_going) in [("hardened", false), ("documented", true), ("documented", false)] {
        let run = |jobs| {
            let settings = Settings {
                keep_going,
                ..settings(&scenarios, jobs, 60)
            };
            swept(&settings, variant, &FOREVER)
        };
        let alone = run(1);
        for jobs in [2, 5] {
            assert_eq!(alone, run(jobs), "{variant} on {jobs} threads");
        }
    }
}

#[test]
fn scenarios_share_seeds_by_weight() {
    let scenarios = scenarios();
    let swept = swept(&settings(&scenarios, 2, 80), "hardened", &FOREVER);
    let seeds: Vec<_> = swept.tallies.iter().map(|tally| tally.seeds).collect();
    assert_eq!(seeds, [20, 40, 20]);
    assert_eq!(swept.ended, Ended::Whole);
    let repeated = swept
        .tallies
        .iter()
        .map(|tally| (tally.on_other_store, tally.twice));
    assert_eq!(repeated.collect::<Vec<_>>(), [(1, 1), (2, 2), (1, 1)]);
}

#[test]
fn it_stops_at_the_first_violation_of_the_schedule() {
    let scenarios = scenarios();
    let all = Settings {
        keep_going: true,
        known: &[],
        ..settings(&scenarios, 1, 40)
    };
    let all = swept(&all, "documented", &FOREVER);
    let first = swept(&settings(&scenarios, 4, 40), "documented", &FOREVER);
    assert_eq!(first.ended, Ended::AtFinding);
    let [found] = &first.findings[..] else {
        panic!("one finding, and not {:?}", first.findings);
    };
    let same = &all.findings[0];
    assert_eq!(
        (found.scenario, found.seed, &found.verdict),
        (same.scenario, same.seed, &same.verdict)
    );
    assert!(all.findings.len() > 1, "there is more than one way to fail");
    assert!(same.count > 1, "what is found again is counted, not listed");
    let violated: u64 = all.tallies.iter().flat_map(|tally| tally.violated.values()).sum();
    let counted: u64 = all.findings.iter().map(|finding| finding.count).sum();
    assert_eq!(violated, counted);
}

#[test]
fn a_watcher_ends_it_after_what_is_under_way() {
    let scenarios = scenarios();
    let patience = Patience {
        left: AtomicU64::new(10),
    };
    let swept = swept(&settings(&scenarios, 2, u64::MAX), "hardened", &patience);
    assert_eq!(swept.ended, Ended::Early);
    let seeds: u64 = swept.tallies.iter().map(|tally| tally.seeds).sum();
    assert!((10..=12).contains(&seeds), "{seeds} runs are told of");
}

#[test]
fn each_scenario_has_a_seed_however_little_time_there_is() {
    let scenarios = scenarios();
    let patience = Patience {
        left: AtomicU64::new(0),
    };
    let swept = swept(&settings(&scenarios, 1, u64::MAX), "hardened", &patience);
    assert_eq!(swept.ended, Ended::Early);
    let seeds = |swept: Swept| swept.tallies.iter().map(|tally| tally.seeds).collect::<Vec<_>>();
    assert_eq!(seeds(swept), vec![1; scenarios.len()]);
    let judged = Settings {
        least: Least::Judged,
        ..settings(&scenarios, 1, u64::MAX)
    };
    let least = scenarios.iter().map(|scenario| scenario.least_seeds);
    assert_eq!(
        seeds(self::swept(&judged, "hardened", &patience)),
        least.collect::<Vec<_>>()
    );
}

/// A protocol in which something more happens in each turn of an object.
#[derive(Clone, Debug)]
struct Spoiled<P> {
    honest: P,
    spoil: Spoil,
}

/// What more happens.
#[derive(Clone, Debug)]
enum Spoil {
    /// The turns of all runs are counted, as a static would, and told.
    Counts(Arc<AtomicU64>),
    /// A statement runs that only one of the stores knows.
    RunsWhatFewKnow,
    /// A statement runs that the model answers falsely.
    RunsWhatTheModelGetsWrong,
    /// The simulator fails: this file is part of it.
    Fails,
}

impl Spoil {
    fn happen(&self, host: &mut dyn Object) {
        match self {
            Spoil::Counts(turns) => {
                let turn = turns.fetch_add(1, Ordering::Relaxed);
                let note = Note {
                    label: Label("leak"),
                    detail: Text::from(format!("turn {turn} ever")),
                };
                host.note(TaskId(0), note);
            }
            Spoil::RunsWhatFewKnow => {
                let statement = Statement::new("SELECT group_concat(name) FROM sqlite_schema", []);
                // It may meet an error of the storage, as any statement.
                let _ = host.sql(&statement);
            }
            Spoil::RunsWhatTheModelGetsWrong => {
                let _ = host.sql(&Statement::new(LIE, []));
            }
            Spoil::Fails => panic!("on purpose"),
        }
    }
}

impl<P: Program> Program for Spoiled<P> {
    type Object = P::Object;
    type Front = P::Front;

    fn object(&self, namespace: &Namespace) -> Option<P::Object> {
        self.honest.object(namespace)
    }

    fn front(&self) -> P::Front {
        self.honest.front()
    }

    fn deliver(&self, object: &mut P::Object, event: Event, host: &mut dyn Object) -> Option<TaskId> {
        self.spoil.happen(host);
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

fn spoiled(settings: &Settings<'_, Generate>, spoil: &Spoil) -> Swept {
    let spoiled = |honest: &Demonstration| Spoiled {
        honest: honest.clone(),
        spoil: spoil.clone(),
    };
    let deployment = || {
        let honest = DemonstrationWorld::deployment("hardened").expect("the variant is there");
        honest.map(spoiled)
    };
    sweep::<DemonstrationWorld, _>(settings, deployment, &FOREVER, &mut |_| {})
}

#[test]
fn what_outlives_a_run_is_caught() {
    let scenarios = scenarios();
    let swept = spoiled(&settings(&scenarios, 2, 40), &Spoil::Counts(Arc::default()));
    let verdicts = swept.findings.iter().map(|finding| &finding.verdict);
    assert!(
        matches!(verdicts.collect::<Vec<_>>()[..], [Verdict::NotDeterministic(_)]),
        "{:?}",
        swept.findings
    );
}

/// It is no violation and no difference: it is counted and named, on whichever store it is.
#[test]
fn what_a_store_does_not_run_is_named() {
    let scenarios = &scenarios()[..1];
    let on = |store| {
        let settings = Settings {
            store,
            ..settings(scenarios, 2, 40)
        };
        let swept = spoiled(&settings, &Spoil::RunsWhatFewKnow);
        assert_eq!(swept.findings, [], "nothing is found on {}", store.name());
        swept.tallies[0].clone()
    };
    let sqlite = on(StoreKind::Sqlite);
    assert_eq!(sqlite.void.len(), 0);
    let there: Vec<_> = sqlite.void_there.iter().collect();
    assert!(
        matches!(there[..], [(why, 2)] if why.contains("group_concat")),
        "both runs that are repeated on the other store: {there:?}"
    );
    let model = on(StoreKind::Model);
    let here: Vec<_> = model.void.iter().collect();
    assert!(
        matches!(here[..], [(why, 40)] if why.contains("group_concat")),
        "all runs: {here:?}"
    );
    assert_eq!(model.void_there.len(), 0);
}

/// On either store: the share that is repeated on the other one shows it, and its first seed is named.
#[test]
fn what_only_one_store_gets_wrong_fails_the_sweep() {
    let scenarios = &scenarios()[..1];
    for store in [StoreKind::Model, StoreKind::Sqlite] {
        let settings = Settings {
            store,
            keep_going: true,
            ..settings(scenarios, 2, 40)
        };
        let swept = spoiled(&settings, &Spoil::RunsWhatTheModelGetsWrong);
        let [found] = &swept.findings[..] else {
            panic!("one finding, and not {:?}", swept.findings);
        };
        let Verdict::NotDeterministic(told) = &found.verdict else {
            panic!("the two stores part, and not {}", found.verdict);
        };
        assert!(
            told.contains("none of this name"),
            "it names the statement: {told}"
        );
        assert_eq!(
            (found.seed, found.count),
            (1, 2),
            "of the two seeds that are repeated on the other store"
        );
        let judged = judge(scenarios, &swept, 0).judgement;
        assert_eq!(judged, Judgement::NotDeterministic, "on {}", store.name());
        assert_eq!(judged.exit_code(), 4);
    }
}

/// The seeds have no end, and the sweep has.
#[test]
#[should_panic(expected = "a scoped thread panicked")]
fn a_simulator_that_fails_ends_the_sweep() {
    let scenarios = scenarios();
    spoiled(&settings(&scenarios, 2, u64::MAX), &Spoil::Fails);
}

#[test]
fn what_is_found_is_told_while_the_sweep_goes_on() {
    const SEEDS: u64 = 3_000;
    let scenarios = scenarios();
    let settings = Settings {
        keep_going: true,
        ..settings(&scenarios, 1, SEEDS)
    };
    let watcher = Patience {
        left: AtomicU64::new(SEEDS),
    };
    let deployment = || DemonstrationWorld::deployment("documented").expect("the variant is there");
    let mut told = Vec::new();
    let swept = sweep::<DemonstrationWorld, _>(&settings, deployment, &watcher, &mut |finding| {
        told.push((finding.scenario, finding.seed));
        watcher.left.store(0, Ordering::Relaxed);
    });
    let findings = swept.findings.iter();
    let found: Vec<_> = findings.map(|finding| (finding.scenario, finding.seed)).collect();
    assert_eq!(told, found, "each once, in their order");
    assert!(!found.is_empty(), "the documented rules fail");
    assert_eq!(swept.ended, Ended::Early, "whoever hears of it can end the sweep");
}
