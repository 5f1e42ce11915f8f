//! Calls that the runtime tries again by itself: `platform.md` section 12, item 4.

use protocol::host::{CallError, Millis, Text};

use super::script::{Do, abort, call, call_on, say, stub, write};
use super::world::{LOST, Setting, World, knobs, world};
use crate::kernel::{
    Aim, AutoRetry, CallFault, ChoiceKey, FaultKind, FixedChoice, Knobs, Origin, Purpose, ResetCause, Span,
};

/// Fixes what descends from a client's request, by its place.
fn fixed(purpose: Purpose, at: &str, nth: u32, alternative: u64) -> FixedChoice {
    FixedChoice {
        key: ChoiceKey {
            purpose,
            origin: Origin::Item(0),
            at: Text::new(at),
            label: Text::new_static("call"),
            nth,
        },
        alternative,
    }
}

/// What the platform tells of where a call was when its connection was lost.
const NOTHING: u64 = 0;
const WHERE: u64 = 1;

fn retrying() -> Knobs {
    Knobs {
        auto_retry: AutoRetry::Fetch,
        ..knobs()
    }
}

/// A world in which faults strike the calls of `front 0`, and each is tried again without a wait; what the platform tells
/// of them at these places.
fn with(knobs: Knobs, faults: &[(u32, CallFault)], tells: &[(&str, u64)]) -> World {
    let aims = faults.iter().map(|(nth, fault)| {
        let aim = Aim {
            caller: Text::new_static("front 0"),
            label: Text::new_static("call"),
            nth: *nth,
        };
        (aim, *fault)
    });
    let told = tells.iter().flat_map(|(at, alternative)| {
        (0..6).map(move |nth| fixed(Purpose::DeliveryMarker, at, nth, *alternative))
    });
    let waits = (0..6).map(|nth| fixed(Purpose::RetryAfter, "front 0", nth, 0));
    world(Setting {
        knobs,
        aims: aims.collect(),
        fixed: told.chain(waits).collect(),
        ..Setting::default()
    })
}

fn asks_a() -> Vec<Do> {
    vec![call("a", [write("x"), say("ok")]), Do::Await]
}

#[test]
fn platform_12_4_without_the_knob_nothing_is_tried_again() {
    let mut world = with(knobs(), &[(0, CallFault::LoseRequest)], &[]);
    let asked = world.ask(0, "front 0", asks_a());
    world.run(60_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), (LOST, 50));
    assert_eq!(world.faults(), ["request-lost"]);
}

/// It was lost at 0 and missed at 50.
#[test]
fn platform_12_4_a_call_that_was_not_delivered_is_tried_again() {
    for tells in [NOTHING, WHERE] {
        let mut world = with(retrying(), &[(0, CallFault::LoseRequest)], &[("front 0", tells)]);
        let asked = world.ask(0, "front 0", asks_a());
        world.run(60_000);
        assert_eq!(world.marks("front 0", FaultKind::CallRetried), [50]);
        assert_eq!((world.answer(asked), world.answered_at(asked)), ("ok", 80));
        assert_eq!(world.rows("a"), "x");
    }
}

/// The code of the callee has run, and does not run again; the caller is told of the first failure.
#[test]
fn platform_12_4_a_claim_that_is_refused_is_the_first_failure() {
    let mut world = with(retrying(), &[(0, CallFault::LoseAnswer)], &[("toy/a", NOTHING)]);
    let asked = world.ask(0, "front 0", asks_a());
    world.run(60_000);
    assert_eq!(world.answer(asked), LOST);
    assert_eq!(world.rows("a"), "x");
    assert_eq!(world.faults(), ["answer-lost", "call-retried", "claim-refused"]);
}

#[test]
fn platform_12_4_a_call_that_was_delivered_is_not_tried_again() {
    let mut world = with(retrying(), &[(0, CallFault::LoseAnswer)], &[("toy/a", WHERE)]);
    let asked = world.ask(0, "front 0", asks_a());
    world.run(60_000);
    assert_eq!(world.answer(asked), LOST);
    assert_eq!(world.rows("a"), "x");
    assert_eq!(world.faults(), ["answer-lost"]);
}

/// The first attempt ran, as far as nobody knows. So the third bears the token of both, also where the platform tells that
/// the second was not delivered: that says nothing of the first.
#[test]
fn platform_12_4_attempts_that_bear_one_token_run_once() {
    for tells in [NOTHING, WHERE] {
        let faults = [(0, CallFault::LoseAnswer), (1, CallFault::LoseRequest)];
        let mut world = with(retrying(), &faults, &[("toy/a", NOTHING), ("front 0", tells)]);
        let asked = world.ask(0, "front 0", asks_a());
        world.run(60_000);
        assert_eq!(world.answer(asked), LOST);
        assert_eq!(world.rows("a"), "x");
        assert_eq!(world.marks("front 0", FaultKind::CallRetried).len(), 2);
        assert_eq!(world.marks("a", FaultKind::ClaimRefused).len(), 1);
    }
}

#[test]
fn platform_12_4_there_are_five_attempts_at_most() {
    let faults: Vec<_> = (0..5).map(|nth| (nth, CallFault::LoseRequest)).collect();
    let mut world = with(retrying(), &faults, &[("front 0", WHERE)]);
    let asked = world.ask(0, "front 0", asks_a());
    world.run(60_000);
    assert_eq!(
        world.marks("front 0", FaultKind::CallRetried),
        [50, 100, 150, 200]
    );
    assert_eq!((world.answer(asked), world.answered_at(asked)), (LOST, 250));
    assert!(!world.exists("a") || world.rows("a").is_empty());
}

#[test]
fn platform_12_4_no_attempt_begins_later_than_10_s_after_the_first() {
    let faults: Vec<_> = (0..5).map(|nth| (nth, CallFault::LoseRequest)).collect();
    let slow = Knobs {
        notice: Span::millis(3_000, 3_000),
        ..retrying()
    };
    let mut world = with(slow, &faults, &[("front 0", WHERE)]);
    let asked = world.ask(0, "front 0", asks_a());
    world.run(60_000);
    assert_eq!(
        world.marks("front 0", FaultKind::CallRetried),
        [3_000, 6_000, 9_000]
    );
    assert_eq!((world.answer(asked), world.answered_at(asked)), (LOST, 12_000));
}

/// Up to 50 ms before the second attempt, then up to twice as long each time. A failure is noticed after 50 ms.
#[test]
fn platform_12_4_the_longest_wait_doubles() {
    let faults = (0..4).map(|nth| {
        let aim = Aim {
            caller: Text::new_static("front 0"),
            label: Text::new_static("call"),
            nth,
        };
        (aim, CallFault::LoseRequest)
    });
    let longest = (0..4).map(|nth| fixed(Purpose::RetryAfter, "front 0", nth, 50_000 << nth));
    let markers = (0..4).map(|nth| fixed(Purpose::DeliveryMarker, "front 0", nth, WHERE));
    let mut world = world(Setting {
        knobs: retrying(),
        aims: faults.collect(),
        fixed: longest.chain(markers).collect(),
        ..Setting::default()
    });
    world.ask(0, "front 0", asks_a());
    world.run(60_000);
    assert_eq!(
        world.marks("front 0", FaultKind::CallRetried),
        [100, 250, 500, 950]
    );
}

/// 11.5: what code has thrown is no disconnection, whatever its flags say.
#[test]
fn platform_12_4_only_a_lost_connection_is_tried_again() {
    let forged = CallError {
        retryable: true,
        ..CallError::thrown("forged")
    };
    let mut world = with(retrying(), &[], &[]);
    let asked = world.ask(
        0,
        "front 0",
        [call("a", [write("x"), Do::Throw(forged)]), Do::Await],
    );
    let aborted = world.ask(500, "front 0", [call("a", [abort("enough")]), Do::Await]);
    world.run(60_000);
    assert_eq!(world.answer(asked), "[forged, remote, retryable]");
    assert!(
        world.answer(aborted).contains("enough"),
        "{}",
        world.answer(aborted)
    );
    assert_eq!(world.rows("a"), "x");
    assert!(world.faults().is_empty());
}

/// The callee is reset while it works for the call, and the platform does not tell that the call was delivered.
fn reset_under_way(claims_kept: bool) -> World {
    let mut knobs = retrying();
    knobs.claims_kept = claims_kept;
    let marker = ChoiceKey {
        purpose: Purpose::DeliveryMarker,
        origin: Origin::Item(0),
        at: Text::new_static("toy/a"),
        label: Text::default(),
        nth: 0,
    };
    let wait = fixed(Purpose::RetryAfter, "front 0", 0, 0);
    let mut world = world(Setting {
        knobs,
        fixed: vec![
            FixedChoice {
                key: marker,
                alternative: NOTHING,
            },
            wait,
        ],
        ..Setting::default()
    });
    world.ask(
        0,
        "front 0",
        [call("a", [write("x"), Do::Sleep(100), say("ok")]), Do::Await],
    );
    world.reset_by(50, "a", ResetCause::Machine);
    world.run(60_000);
    world
}

#[test]
fn platform_12_4_a_claim_holds_also_where_the_callee_was_reset() {
    let mut world = reset_under_way(true);
    assert!(
        world.answer(0).contains("its machine failed"),
        "{}",
        world.answer(0)
    );
    assert_eq!(world.rows("a"), "x");
    assert_eq!(world.faults(), ["reset", "call-retried", "claim-refused"]);
}

/// 20: it is not known how a callee that was restarted treats the claims of its previous incarnation.
#[test]
fn platform_20_a_callee_that_forgets_its_claims_runs_a_call_twice() {
    let mut world = reset_under_way(false);
    assert_eq!(world.answer(0), "ok");
    assert_eq!(world.rows("a"), "x x");
    assert_eq!(world.faults(), ["reset", "call-retried", "retry-ran-again"]);
}

#[test]
fn platform_12_4_a_call_that_is_tried_again_lands_after_a_later_one() {
    let mut world = with(retrying(), &[(0, CallFault::LoseRequest)], &[("front 0", WHERE)]);
    let stub = stub("a");
    let asked = world.ask(
        0,
        "front 0",
        [
            call_on(&stub, [write("1")]),
            call_on(&stub, [write("2")]),
            Do::Await,
            say("done"),
        ],
    );
    world.run(60_000);
    assert_eq!(world.answer(asked), "done");
    assert_eq!(world.rows("a"), "2 1");
}

/// The caller goes on when the call has its end, and only then: a late answer is one, too.
#[test]
fn a_call_that_is_late_is_not_tried_again() {
    let late = CallFault::DelayAnswer(Millis(5_000));
    let mut world = with(retrying(), &[(0, late)], &[]);
    let asked = world.ask(0, "front 0", asks_a());
    world.run(60_000);
    assert_eq!(world.answer(asked), "ok");
    assert_eq!(world.rows("a"), "x");
    assert_eq!(world.faults(), ["answer-late"]);
}

#[test]
fn an_incarnation_that_has_ended_tries_nothing_again() {
    let aim = Aim {
        caller: Text::new_static("toy/b"),
        label: Text::new_static("call"),
        nth: 0,
    };
    let mut world = world(Setting {
        knobs: retrying(),
        aims: vec![(aim, CallFault::LoseRequest)],
        ..Setting::default()
    });
    world.ask(0, "b", asks_a());
    world.reset(20, "b");
    world.run(60_000);
    assert!(world.marks("b", FaultKind::CallRetried).is_empty());
    assert_eq!(world.rows("a"), "");
}
