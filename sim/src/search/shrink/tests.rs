//! Shrinking a toy, of which it can be told at once whether it fails: operations are numbers.

use std::cell::Cell;
use std::num::NonZeroUsize;

use protocol::host::Text;

use super::account::Account;
use super::trials::{Ran, Tried, with_trials};
use super::{Ended, Plainer, Search, Smallest, Watcher};
use crate::check::Identity;
use crate::kernel::{Knobs, Micros};
use crate::plan::{Act, Item, Plan, plainer};
use crate::scenario;
use crate::trace::{Certificate, Instead, Part};
use crate::world::World;
use crate::world::demonstration::DemonstrationWorld;
use crate::world::lanes::LanesWorld;

type Toy = Plan<u32, u32>;

/// A plan that does these, in this order.
fn toy(operations: impl IntoIterator<Item = u32>) -> Toy {
    let items = (0..).zip(operations).map(|(id, operation)| Item {
        id,
        at: Micros::ZERO,
        act: Act::Operation(operation),
    });
    Plan {
        scenario: Text::new_static("toy"),
        seed: 1,
        lasts: Micros::ZERO,
        settles: Micros::ZERO,
        knobs: Knobs::calm(),
        shape: 0,
        items: items.collect(),
        fixed: Vec::new(),
    }
}

fn operations(plan: &Toy) -> Vec<u32> {
    let operations = plan.items.iter().map(|item| match item.act {
        Act::Operation(operation) => operation,
        Act::Fault(_) => unreachable!("a toy has no faults"),
    });
    operations.collect()
}

/// Ends a search once so many runs are done.
struct Patience(Cell<u64>);

impl Watcher for Patience {
    fn is_over(&self) -> bool {
        self.0.get() == 0
    }

    fn ran(&self, _: u64) {
        self.0.set(self.0.get().saturating_sub(1));
    }

    fn shrunk(&self, _: usize) {}
}

fn forever() -> Patience {
    Patience(Cell::new(u64::MAX))
}

/// Shrinks a plan that fails where this says so.
fn shrunk(
    plan: &Toy,
    jobs: usize,
    most: u64,
    watcher: &Patience,
    fails: impl Fn(&Toy) -> Result<(), Instead> + Sync,
) -> Option<Smallest<u32, u32>> {
    shrunk_and_kept(plan, jobs, most, watcher, fails, &|_| {})
}

/// Shrinks it too, and keeps what is smaller.
fn shrunk_and_kept(
    plan: &Toy,
    jobs: usize,
    most: u64,
    watcher: &Patience,
    fails: impl Fn(&Toy) -> Result<(), Instead> + Sync,
    keep: &dyn Fn(&Toy),
) -> Option<Smallest<u32, u32>> {
    let jobs = NonZeroUsize::new(jobs).expect("some");
    let trial = || {
        |plan: &Toy| Ran {
            tried: match fails(plan) {
                Ok(()) => Tried::Fails(Micros::ZERO),
                Err(instead) => Tried::Else(instead),
            },
            events: 1,
        }
    };
    let plainer = Plainer {
        shapes: |shape| plainer::numbers(*shape, 0).collect(),
        operations: |_| Vec::new(),
        account: &|_| Account::default(),
    };
    with_trials(jobs, most, trial, watcher, |trials| {
        Search::begin(plan, plainer, trials, keep).map(Search::finish)
    })
}

/// Fails where all of these are done, in any order.
fn needs(all: &'static [u32]) -> impl Fn(&Toy) -> Result<(), Instead> + Sync {
    move |plan| match all.iter().all(|one| operations(plan).contains(one)) {
        true => Ok(()),
        false => Err(Instead::Passed),
    }
}

#[test]
fn what_the_failure_does_not_need_goes() {
    let smallest = shrunk(&toy(0..200), 1, 10_000, &forever(), needs(&[3, 77, 150])).expect("it fails");
    assert_eq!(operations(&smallest.plan), [3, 77, 150]);
    assert_eq!(smallest.ended, Ended::Minimal);
    assert!(smallest.is_1_minimal());
    let certificate = |item| Certificate {
        of: Part::Item(item),
        instead: Instead::Passed,
    };
    assert_eq!(smallest.certificates, [3, 77, 150].map(certificate));
    assert!(
        smallest.runs < 100,
        "halves first: {} runs for 200 items",
        smallest.runs
    );
}

#[test]
fn what_does_not_fail_is_not_shrunk() {
    assert_eq!(
        shrunk(&toy(0..5), 2, 100, &forever(), needs(&[7])),
        None,
        "there is no 7"
    );
}

#[test]
fn it_goes_round_until_nothing_can_go() {
    // Only the last one can go by itself, and then the one before it.
    let fails = |plan: &Toy| match (0..).zip(operations(plan)).all(|(at, operation)| at == operation) {
        true if !plan.items.is_empty() => Ok(()),
        _ => Err(Instead::Passed),
    };
    let smallest = shrunk(&toy(0..23), 1, 1_000, &forever(), fails).expect("it fails");
    assert_eq!(operations(&smallest.plan), [0]);
    assert!(smallest.is_1_minimal());
}

#[test]
fn two_things_that_make_up_for_each_other_go_together() {
    // One of 2 and 3 without the other does something else.
    let fails = |plan: &Toy| match operations(plan) {
        all if !all.contains(&9) || all.contains(&2) != all.contains(&3) => Err(Instead::Passed),
        _ => Ok(()),
    };
    let smallest = shrunk(&toy([2, 9, 3]), 1, 1_000, &forever(), fails).expect("it fails");
    assert_eq!(operations(&smallest.plan), [9]);
}

#[test]
fn a_certificate_says_what_happens_instead() {
    let other = Identity {
        invariant: Text::new_static("TOY-2"),
        roles: Default::default(),
        class: Text::default(),
    };
    let there = other.clone();
    let does = |plan: &Toy, one| operations(plan).contains(&one);
    let fails = move |plan: &Toy| match (does(plan, 1), does(plan, 2)) {
        (true, true) => Ok(()),
        (true, false) => Err(Instead::Violated(there.clone())),
        (false, _) => Err(Instead::Void(Text::new_static("nothing was done"))),
    };
    let smallest = shrunk(&toy(0..9), 2, 1_000, &forever(), fails).expect("it fails");
    let instead: Vec<_> = smallest
        .certificates
        .into_iter()
        .map(|certificate| certificate.instead)
        .collect();
    let void = Instead::Void(Text::new_static("nothing was done"));
    assert_eq!(instead, [void, Instead::Violated(other)]);
}

#[test]
fn threads_make_no_difference_however_many_runs_there_are() {
    let plan = toy(0..60);
    for most in [1, 5, 10, 20, 25, 1_000] {
        let run = |jobs| shrunk(&plan, jobs, most, &forever(), needs(&[0, 21, 22, 59]));
        let alone = run(1).expect("it fails");
        assert!(alone.runs <= most);
        assert_eq!(alone.ended == Ended::Minimal, most == 1_000, "{most} runs");
        assert_eq!(alone.is_1_minimal(), most == 1_000, "{most} runs");
        for jobs in [2, 5] {
            assert_eq!(Some(&alone), run(jobs).as_ref(), "{jobs} threads, {most} runs");
        }
    }
}

#[test]
fn who_waits_may_end_it_and_has_the_smallest_so_far() {
    let patience = Patience(Cell::new(4));
    let smallest = shrunk(&toy(0..64), 1, 1_000, &patience, needs(&[0])).expect("it fails");
    assert_eq!(smallest.ended, Ended::Interrupted);
    assert!(!smallest.is_1_minimal());
    let left = smallest.plan.items.len();
    assert!((2..64).contains(&left), "{left} items are left");
}

#[test]
fn each_smaller_plan_is_kept_and_fails() {
    let kept = std::cell::RefCell::new(Vec::new());
    let keep = |plan: &Toy| kept.borrow_mut().push(plan.clone());
    let fails = needs(&[3, 5]);
    let smallest = shrunk_and_kept(&toy(0..40), 2, 1_000, &forever(), &fails, &keep).expect("it fails");
    let kept = kept.into_inner();
    assert!(kept.len() > 3, "{} were kept", kept.len());
    assert!(kept.iter().all(|plan| fails(plan).is_ok()));
    assert!(kept.is_sorted_by(|one, next| one.items.len() >= next.items.len()));
    assert_eq!(kept.last(), Some(&smallest.plan));
}

#[test]
fn a_plan_is_tried_once() {
    let tried = std::sync::Mutex::new(Vec::new());
    let fails = |plan: &Toy| {
        tried.lock().expect("nobody panics").push(format!("{plan:?}"));
        needs(&[3, 5])(plan)
    };
    let smallest = shrunk(&toy(0..8), 1, 1_000, &forever(), fails).expect("it fails");
    let mut tried = tried.into_inner().expect("nobody panics");
    // What is tried ahead of its turn may come to nothing.
    assert!(tried.len() as u64 >= smallest.runs);
    let all = tried.len();
    tried.sort();
    tried.dedup();
    assert_eq!(tried.len(), all, "no plan is tried twice");
}

/// Steps that a shrinker takes again and again must come to an end.
fn every_way_to_plainer_ends<W: World>(scenarios: &[&str]) {
    const STEPS_MOST: usize = 2_000;
    for scenario in scenarios {
        let scenario = scenario::load::<W::Scenario>(scenario).expect("it is built in");
        let plan = W::generate(&scenario.expect("it can be read"), 1);
        let operations = plan.items.into_iter().filter_map(|item| match item.act {
            Act::Operation(operation) => Some(operation),
            Act::Fault(_) => None,
        });
        for begun in operations {
            // The last ones are the smallest steps.
            let last = |operation: &W::Operation| W::plainer_operations(operation).pop();
            let steps = std::iter::successors(Some(begun.clone()), last).take(STEPS_MOST);
            assert!(steps.count() < STEPS_MOST, "{begun:?}");
        }
        let last = |shape: &W::Shape| W::plainer_shapes(shape).pop();
        let steps = std::iter::successors(Some(plan.shape), last).take(STEPS_MOST);
        assert!(steps.count() < STEPS_MOST);
    }
}

#[test]
fn every_way_to_a_plainer_operation_ends() {
    every_way_to_plainer_ends::<DemonstrationWorld>(&["demonstration"]);
    every_way_to_plainer_ends::<LanesWorld>(&["lanes/chaos", "lanes/copy", "lanes/ids"]);
}
