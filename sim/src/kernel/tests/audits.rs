//! The kernel broken on purpose: each of its own checks fires (PL-1 to PL-7, PL-9, PL-10).

use protocol::host::{AlarmRun, End, Statement, Value};

use super::script::{Do, abort, call, call_on, keep, say, stub, throw, write};
use super::world::{Setting, World, fixed, late, world};
use crate::kernel::audit::Sabotage;
use crate::kernel::storage::sqlite::SqliteStore;
use crate::kernel::{Purpose, ResetCause};

fn broken(how: Sabotage, setting: Setting) -> World {
    let mut world = world(setting);
    world.sabotage(how);
    world
}

#[test]
#[should_panic(expected = "PL-1: the storage of toy/a is handed to a stale incarnation")]
fn pl_1_storage_without_a_fence() {
    let mut world = broken(Sabotage::NoFence, Setting::default());
    world.ask(0, "a", [Do::Sleep(50), write("x")]);
    world.displace(10, "a", 1_000);
    world.run(100);
}

#[test]
#[should_panic(expected = "PL-2: what toy/a sent behind its commit no. 1 is delivered, and 0")]
fn pl_2_a_gate_that_stands_open() {
    let mut world = broken(Sabotage::OpenGate, Setting::default());
    world.ask(0, "a", [write("x"), call("b", [])]);
    world.run(100);
}

#[test]
#[should_panic(
    expected = "PL-3: after a crash the contents of toy/a are not those of a prefix of its commits"
)]
fn pl_3_writes_that_outlive_their_commit() {
    let setting = Setting {
        fixed: vec![fixed(Purpose::Survivors, 2, "a", 1)],
        ..Setting::default()
    };
    let mut world = broken(Sabotage::KeepLostWrites, setting);
    world.ask(0, "a", [write("x")]);
    world.ask(50, "a", [write("y")]);
    world.reset(60, "a");
    world.run(100);
}

#[test]
#[should_panic(expected = "PL-10: toy/a was overloaded and has rejected a request, and it runs")]
fn pl_10_a_request_that_runs_although_it_was_rejected() {
    let mut setting = Setting::default();
    setting.knobs.queue_most = Some(0);
    let mut world = broken(Sabotage::RunRejected, setting);
    world.ask(0, "a", [Do::Work(50)]);
    world.ask(10, "a", [write("x")]);
    world.run(1_000);
}

#[test]
#[should_panic(expected = "PL-4: the alarm of toy/a is set and nothing will run it")]
fn pl_4_an_alarm_that_is_lost() {
    let mut world = broken(Sabotage::LoseAlarm, Setting::default());
    world.ask(0, "a", [Do::SetAlarm(100)]);
    world.run(1_000);
}

#[test]
#[should_panic(expected = "PL-4: a run of the alarm begins while another is under way")]
fn pl_4_two_runs_at_once() {
    fn alarm(_: AlarmRun) -> Vec<Do> {
        vec![Do::SetAlarm(20), Do::Sleep(500)]
    }
    let setting = Setting {
        alarm,
        ..Setting::default()
    };
    let mut world = broken(Sabotage::TwoAlarmRuns, setting);
    world.ask(0, "a", [Do::SetAlarm(10)]);
    world.run(1_000);
}

#[test]
#[should_panic(expected = "PL-5: message 1 on a stub starts after message 2")]
fn pl_5_calls_that_overtake() {
    let setting = Setting {
        aims: vec![late(0, 100)],
        ..Setting::default()
    };
    let mut world = broken(Sabotage::NoOrder, setting);
    let b = stub("b");
    world.ask(
        0,
        "front 0",
        [call_on(&b, [say("1")]), call_on(&b, [say("2")]), Do::Await],
    );
    world.run(1_000);
}

#[test]
#[should_panic(expected = "PL-6: incarnation 1 of toy/a has the memory of incarnation 0")]
fn pl_6_memory_that_outlives_its_incarnation() {
    let mut world = broken(Sabotage::KeepMemory, Setting::default());
    world.ask(0, "a", [keep("x"), abort("over")]);
    world.ask(10, "a", [Do::Recall]);
    world.run(100);
}

#[test]
#[should_panic(expected = "PL-7: the clock of toy/a shows")]
fn pl_7_a_clock_that_goes_back() {
    let mut world = broken(Sabotage::ClockBack, Setting::default());
    world.ask(0, "a", [Do::Now]);
    world.ask(1, "a", [Do::Now]);
    world.run(100);
}

#[test]
#[should_panic(expected = "PL-9: a statement of")]
fn pl_9_a_statement_that_nobody_measures() {
    let mut world = World::<SqliteStore>::of(Setting::default());
    world.sabotage(Sabotage::NoLimits);
    let many = vec!["?"; 101].join(", ");
    let params = vec![Value::Null; 101];
    let statement = Statement {
        sql: format!("SELECT 1 WHERE NULL IN ({many})").into(),
        params,
    };
    world.ask(0, "a", [Do::Transact(vec![statement], End::Commit)]);
    world.run(100);
}

/// On a kernel that is whole, none of the checks fires where a commit, a call, an alarm, a displacement and a reset meet.
#[test]
fn a_kernel_that_is_whole_passes_its_checks() {
    let mut world = world(Setting::default());
    world.ask(
        0,
        "a",
        [
            write("x"),
            call("b", []),
            Do::SetAlarm(100),
            Do::Sleep(50),
            throw("no"),
        ],
    );
    world.displace(30, "a", 1_000);
    world.reset_by(500, "a", ResetCause::Memory);
    let last = world.ask(600, "a", [Do::Read]);
    world.run(2_000);
    assert_eq!(world.answer(last), "x");
}
