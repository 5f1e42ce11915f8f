//! Explaining kept traces.

use std::num::NonZeroUsize;

use super::{Explanation, Rest, Settings, explain};
use crate::check::Verdict;
use crate::run::StoreKind;
use crate::trace;
use crate::world::World;
use crate::world::demonstration::DemonstrationWorld;
use crate::world::lanes::LanesWorld;

const LATE: &str = include_str!("../../../traces/demonstration/older-answer-last.jsonl");
const LOST: &str = include_str!("../../../traces/demonstration/nudge-lost-and-no-alarm.jsonl");
const FENCE: &str = include_str!("../../../traces/lanes/fast-while-serving.jsonl");
const CLASSES: &str = include_str!("../../../traces/lanes/partition-from-the-first.jsonl");
const ABANDONED: &str = include_str!("../../../traces/lanes/watch-the-copy.jsonl");
const TAKEN_BACK: &str = include_str!("../../../traces/lanes/log-what-committed.jsonl");
const CUT_OFF: &str = include_str!("../../../traces/lanes/arm-however-it-ends.jsonl");
const RACE: &str = include_str!("../../../traces/lanes/seal-in-one-turn.jsonl");

fn settings(jobs: usize, futures: u32) -> Settings {
    Settings {
        store: StoreKind::Model,
        jobs: NonZeroUsize::new(jobs).expect("some"),
        futures,
    }
}

fn explained<W: World>(file: &str, variant: &str, settings: Settings) -> Result<Explanation, Verdict> {
    let trace = trace::read::<W>(file.as_bytes()).expect("it is a trace");
    let deployment = || W::deployment(variant).expect("the variant is there");
    explain::<W, _>(&trace.plan, settings, deployment)
}

fn texts(explanation: &Explanation) -> Vec<String> {
    let lines = explanation.story.lines();
    lines.map(|line| format!("{} {}", line.who, line.text)).collect()
}

fn assert_in_order(told: &[String], expected: &[&str]) {
    let mut rest = told.iter();
    for one in expected {
        assert!(
            rest.any(|line| line.contains(one)),
            "expected {one:?}, in this order, in {told:#?}"
        );
    }
}

#[test]
fn the_story_is_told_in_order_and_in_words() {
    let explanation = explained::<DemonstrationWorld>(LATE, "documented", settings(1, 0)).expect("it fails");
    assert_eq!(explanation.violation.invariant, "DM-1");
    let told = texts(&explanation);
    assert_in_order(
        &told,
        &[
            "operator lets follower 1 follow",
            "client adds 5, as `first`",
            "the counter once the digest is there, seals record 1",
            "follower 1 asks the counter for the log",
            "follower 1 has the answer held up",
            "client adds 7, as `second`",
            "the counter before the log comes, digests a new record",
            "follower 1 once the log comes, applies records up to 2",
            "follower 1 once the log comes, applies records up to 1",
        ],
    );
    assert!(told.len() <= 24, "it fits on a screen: {told:#?}");
    assert!(
        explanation.story.elsewhere > 0,
        "what does not lead there is left out"
    );
}

#[test]
fn what_never_came_is_told() {
    let explanation =
        explained::<DemonstrationWorld>(LOST, "alarm-not-set-again", settings(1, 0)).expect("it fails");
    let told = texts(&explanation);
    assert_in_order(
        &told,
        &[
            "operator lets follower 1 follow",
            "has its request lost on the way",
        ],
    );
    let lost = explanation
        .story
        .lines()
        .find(|line| line.text.contains("lost on the way"));
    assert_eq!(
        lost.and_then(|line| line.item),
        Some(2),
        "it is the fault of the plan"
    );
}

#[test]
fn where_it_is_decided_is_where_the_odds_jump() {
    let explanation =
        explained::<LanesWorld>(RACE, "without-seal-in-one-turn", settings(2, 20)).expect("it fails");
    let futures = explanation.futures.as_ref().expect("they were asked for");
    assert_eq!(futures.rest, Rest::Operations);
    assert!(futures.at_first.fail < 10, "{:?}", futures.at_first);
    let (step, before, after) = futures.turning_point().expect("there is one");
    assert_eq!(
        before.fail, 0,
        "a fault of the plan is not certain before it strikes"
    );
    assert!(after.fail >= 5, "{after:?}");
    let line = explanation
        .story
        .lines()
        .find(|line| line.step == step)
        .expect("it is told");
    assert_eq!(line.text, "a machine fails, and with it the primary");
}

#[test]
fn a_fault_that_is_aimed_is_where_it_was_decided() {
    let explanation = explained::<DemonstrationWorld>(LATE, "documented", settings(2, 10)).expect("it fails");
    let futures = explanation.futures.as_ref().expect("they were asked for");
    assert_eq!(futures.rest, Rest::Operations);
    assert_eq!(futures.at_first.fail, 0, "without the fault nothing is wrong");
    let (step, ..) = futures.turning_point().expect("there is one");
    let line = explanation
        .story
        .lines()
        .find(|line| line.step == step)
        .expect("it is told");
    assert_eq!(line.text, "asks the counter for the log");
    assert_eq!(line.item, Some(2), "that call is what the fault is aimed at");
}

#[test]
fn where_all_futures_come_to_it_the_operations_decide() {
    let explanation = explained::<LanesWorld>(CLASSES, "without-partition-from-the-first", settings(2, 10))
        .expect("it fails");
    let futures = explanation.futures.as_ref().expect("they were asked for");
    assert_eq!(futures.rest, Rest::IsLeftOut);
    assert_eq!(futures.at_first.fail, 0, "without the plan nothing happens");
    let (step, ..) = futures.turning_point().expect("there is one");
    let line = explanation.story.lines().find(|line| line.step == step);
    assert!(line.expect("it is told").item.is_some(), "the plan does it");
}

#[test]
fn the_answer_that_is_wrong_is_told_and_the_story_ends_with_it() {
    let explanation =
        explained::<LanesWorld>(FENCE, "without-fast-while-serving", settings(1, 0)).expect("it fails");
    let told = texts(&explanation);
    let last = told.last().expect("there is a story");
    assert!(
        last.starts_with("lane 1 ") && last.ends_with("answers 200"),
        "{told:#?}"
    );
}

#[test]
fn what_others_do_is_told_where_it_leaves_alone_whom_the_violation_is_about() {
    let explanation =
        explained::<LanesWorld>(ABANDONED, "without-watch-the-copy", settings(1, 0)).expect("it fails");
    assert_in_order(
        &texts(&explanation),
        &[
            "the primary once the chunk is answered, sends lane 1 a chunk",
            "has its request lost on the way",
            "the primary gets an error for an answer of lane 1",
        ],
    );
}

#[test]
fn a_transaction_that_was_taken_back_and_an_answer_that_failed_are_told() {
    let explanation =
        explained::<LanesWorld>(TAKEN_BACK, "without-log-what-committed", settings(1, 0)).expect("it fails");
    let told = texts(&explanation);
    assert_in_order(&told, &["takes a transaction back that has failed"]);
    assert_in_order(&told, &["answers 500"]);
}

#[test]
fn a_fault_that_began_by_chance_is_told_where_it_began() {
    let explanation =
        explained::<LanesWorld>(CUT_OFF, "without-arm-however-it-ends", settings(1, 0)).expect("it fails");
    assert_in_order(
        &texts(&explanation),
        &["is cut off from", "does not get its message through"],
    );
}

#[test]
fn jobs_and_repetition_make_no_difference() {
    let with = |jobs| explained::<LanesWorld>(RACE, "without-seal-in-one-turn", settings(jobs, 7));
    assert_eq!(with(1), with(1));
    assert_eq!(with(1), with(3));
}

#[test]
fn what_does_not_fail_is_not_explained() {
    let explained = explained::<LanesWorld>(RACE, "hardened", settings(1, 5));
    assert_eq!(explained, Err(Verdict::Passed));
}

#[test]
fn an_arrow_leads_from_what_came_before() {
    let explanation =
        explained::<LanesWorld>(RACE, "without-seal-in-one-turn", settings(1, 0)).expect("it fails");
    let told = texts(&explanation);
    let at = |text: &str| told.iter().position(|line| line.contains(text)).expect(text);
    let arrow = |from, to| explanation.arrows.contains(&(at(from), at(to)));
    assert!(arrow("creates a node", "asks the primary"));
    assert!(arrow("asks the primary", "digests its state"));
    assert!(arrow("a machine fails", "loses its memory"));
    assert!(
        !arrow("creates a node", "digests its state"),
        "it follows from the others"
    );
}
