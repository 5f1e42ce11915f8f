//! What resets an object without any doing of its own, and what its callers see: `platform.md` sections 9 and 11.

use strum::VariantArray;

use super::script::{Do, call, keep, say, throw, write};
use super::world::{LOST, Setting, fixed, with_faults, world};
use crate::kernel::{CallFault, Episode, FaultKind, Micros, Purpose, Ratio, ResetCause, Span};

const CPU: &str = "[Durable Object exceeded its CPU time limit and was reset., remote, reset]";
const MEMORY: &str = "[Durable Object's isolate exceeded its memory limit and was reset., remote, reset]";

/// What a caller is told of an object that is reset while it works for it.
fn told(cause: ResetCause) -> String {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "front 0", [call("a", [Do::Sleep(100)]), Do::Await]);
    world.reset_by(50, "a", cause);
    world.run(1_000);
    assert_eq!(world.marks("a", FaultKind::Reset), [50]);
    assert_eq!(world.faults(), ["reset"]);
    assert_eq!(world.answered_at(asked), 55);
    world.answer(asked).to_owned()
}

#[test]
fn platform_11_2_a_reset_that_the_platform_makes_is_retryable() {
    let causes = [
        ResetCause::Machine,
        ResetCause::CodeUpdate,
        ResetCause::RuntimeUpdate,
        ResetCause::Moved,
    ];
    for cause in causes {
        let told = told(cause);
        assert!(told.ends_with(", remote, retryable, reset]"), "{cause:?}: {told}");
    }
}

/// And nothing else is marked so: neither what code throws nor a connection that is lost while its object lives.
#[test]
fn platform_11_4_an_error_is_marked_as_of_a_reset_where_a_reset_is_its_cause() {
    for cause in ResetCause::VARIANTS {
        let told = told(*cause);
        assert!(told.ends_with(", reset]"), "{cause:?}: {told}");
    }
    let mut world = with_faults([(1, CallFault::LoseRequest)]);
    let thrown = world.ask(0, "front 0", [call("a", [throw("no")]), Do::Await]);
    let lost = world.ask(100, "front 0", [call("a", [keep("x")]), Do::Await]);
    world.run(1_000);
    assert_eq!(
        [thrown, lost].map(|item| world.answer(item)),
        ["[no, remote]", LOST]
    );
}

#[test]
fn platform_9_a_reset_that_the_code_has_brought_about_is_not_retryable() {
    assert_eq!(told(ResetCause::Memory), MEMORY);
    assert_eq!(told(ResetCause::Cpu), CPU);
}

/// 1.5: the 128 MB are the isolate's.
#[test]
fn platform_9_memory_that_runs_out_resets_all_objects_of_the_isolate() {
    let mut setting = Setting::default();
    setting.knobs.shared_isolates = true;
    let mut world = world(setting);
    for object in ["a", "b"] {
        world.ask(0, object, [keep("memory"), write("x")]);
    }
    let asked = world.ask(40, "b", [Do::Sleep(100)]);
    world.reset_by(50, "a", ResetCause::Memory);
    let after = ["a", "b"].map(|object| world.ask(100, object, [Do::Recall, Do::Read]));
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), (MEMORY, 50));
    assert_eq!(after.map(|item| world.answer(item).to_owned()), [" x", " x"]);
    assert_eq!(world.marks("a", FaultKind::Reset), [50]);
    assert_eq!(world.marks("b", FaultKind::IsolateShared), [50]);
    assert_eq!(world.faults(), ["reset", "isolate-shared"]);
}

#[test]
fn platform_9_what_is_not_in_the_isolate_keeps_its_memory() {
    let with = |shared, cause| {
        let mut setting = Setting::default();
        setting.knobs.shared_isolates = shared;
        let mut world = world(setting);
        for party in ["a", "b", "front 0"] {
            world.ask(0, party, [keep("memory")]);
        }
        world.reset_by(50, "a", cause);
        let after = ["b", "front 0"].map(|party| world.ask(100, party, [Do::Recall]));
        world.run(1_000);
        after.map(|item| world.answer(item).to_owned())
    };
    assert_eq!(with(true, ResetCause::Memory), ["", "memory"]);
    assert_eq!(with(true, ResetCause::Machine), ["memory", "memory"]);
    assert_eq!(with(false, ResetCause::Memory), ["memory", "memory"]);
}

#[test]
fn a_neighbour_that_is_not_loaded_has_nothing_to_lose() {
    let mut setting = Setting::default();
    setting.knobs.shared_isolates = true;
    let mut world = world(setting);
    world.ask(0, "a", [keep("memory")]);
    world.ask(0, "b", [keep("memory")]);
    world.reset(40, "b");
    world.reset_by(50, "a", ResetCause::Memory);
    world.run(1_000);
    assert_eq!(world.incarnation("b"), 1);
    assert_eq!(world.faults(), ["reset"]);
}

/// A limit of 100 ms.
fn limited() -> Setting {
    let mut setting = Setting::default();
    setting.knobs.cpu_limit = Micros::from_millis(100);
    setting
}

#[test]
fn platform_9_code_that_holds_the_thread_for_too_long_is_stopped() {
    let mut world = world(limited());
    let asked = world.ask(0, "a", [keep("memory"), write("x"), call("b", []), Do::Work(101)]);
    let waiting = world.ask(50, "a", [say("ran")]);
    let after = world.ask(200, "a", [Do::Recall, Do::Read]);
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), (CPU, 100));
    assert_eq!((world.answer(waiting), world.answered_at(waiting)), (CPU, 100));
    assert_eq!(world.answer(after), "");
    assert!(!world.exists("b"));
    assert_eq!(world.faults(), ["reset"]);
}

/// The limit is on the time between two events.
#[test]
fn platform_9_code_within_the_limit_is_not_stopped() {
    let mut world = world(limited());
    let asked = world.ask(0, "a", [Do::Work(100), Do::Sleep(1), Do::Work(100), say("done")]);
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), ("done", 201));
    assert!(world.faults().is_empty());
}

#[test]
fn what_stops_the_code_of_an_incarnation_does_not_reset_the_next_one() {
    let mut world = world(limited());
    world.ask(0, "a", [Do::Work(200)]);
    world.reset(50, "a");
    world.ask(60, "a", [keep("memory")]);
    let after = world.ask(150, "a", [Do::Recall]);
    world.run(1_000);
    assert_eq!(world.answer(after), "memory");
    assert_eq!(world.marks("a", FaultKind::Reset), [50]);
}

#[test]
fn the_code_of_a_stale_incarnation_is_stopped_and_not_the_current_one() {
    let mut world = world(limited());
    let asked = world.ask(0, "a", [Do::Work(200)]);
    world.displace(50, "a", 1_000);
    world.ask(60, "a", [keep("memory")]);
    let after = world.ask(150, "a", [Do::Recall]);
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), (CPU, 100));
    assert_eq!(world.answer(after), "memory");
    assert_eq!(world.faults(), ["displaced", "stale-ended"]);
}

/// The cause is drawn too; the first alternative is the machine.
#[test]
fn objects_are_reset_at_the_rate_of_the_knob() {
    let mut setting = Setting {
        fixed: vec![fixed(Purpose::ResetCause, 0, "a", 2)],
        ..Setting::default()
    };
    setting.knobs.reset = Episode::once(Ratio::ALWAYS);
    setting.knobs.reset_after = Span::exactly(Micros::from_millis(7));
    let mut world = world(setting);
    let asked = world.ask(0, "a", [Do::Sleep(100)]);
    world.run(1_000);
    assert_eq!((world.answer(asked), world.answered_at(asked)), (CPU, 7));
}
