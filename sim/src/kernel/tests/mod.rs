//! What the kernel models of the platform, line by line: a test is named after the line of `platform.md` or
//! `workerd.md` that it holds the kernel to. Whatever their store is, objects run scripts ([`script::Do`]).
//!
//! Lines that the kernel does not model yet, or not in a way that can be seen:
//!
//! | line | what | why not yet |
//! | --- | --- | --- |
//! | platform 1.3 | placement, moves | a location decides which copies of KV are read; one latency for all pairs; a move is a reset |
//! | platform 2.2, T2 | storage awaits hold the gate and do not end the unit | the seam's storage is synchronous |
//! | platform 2.7 | cursors across an await | the seam returns all rows |
//! | platform 3.3 (first half), 3.5 | hibernation replies, `allowUnconfirmed`, `sync()` | not in the seam |
//! | platform 4.2 (second half) | commits merged while the alarm is synced | each is a commit of its own, confirmed in order |
//! | platform 4.4, T4, T5 | callbacks and alarms inside a synchronous transaction, nesting | one of the seam is a batch of statements |
//! | platform 4.6 (second half) | a deferred constraint violated at the commit | the commit runs no checks |
//! | platform 4.9, 6.14, T14 | `deleteAll()` | not in the seam |
//! | platform 5 | the other limits | tested where they stand: `storage/tests` |
//! | platform 6.1 | `t <= 0` throws; class without `alarm()` | the seam's time has no such values; every program has a handler |
//! | platform 6.4 | delivered twice by the manager | a run is repeated only where one was interrupted |
//! | platform 6.6 | wall time of 15 min | a run may last as long as it likes |
//! | platform 6.15 (second half) | `abort({retryAlarm: false})` | not in the seam |
//! | platform 6.16 (second half) | a constructor that throws | no constructor of a program can fail |
//! | platform 10 | stubs and connections that are limited | a bound of the object's does what they do: it rejects |
//! | platform 12.2 | a stub whose callee was reset while nothing was in flight on it | it reaches the next incarnation |
//! | platform 16.1 (second half) | 30 s for `waitUntil` after the response | what a front has begun goes on for as long as its isolate |
//! | platform 17 | WebSockets | not in the seam; no protocol here has any |
//! | platform 12.4 | retries of method calls, `retryable()` | the seam has requests only |
//! | platform 14.6 | read replicas of objects | not what the protocols use |
//! | platform 15 | a stale clock of an idle object | each event syncs it |
//! | I11 | a timer of another handler keeps a block from ending | the new runtime's behaviour, without the old one's bug |
//! | A12 | after a mere eviction the name is kept | with the knob, no instance that its alarm has woken knows it |
//! | I15 | `waitUntil` | not in the seam; a task that another starts is like it |
//! | I8 | reading a body is a suspension | a request arrives with its body |
//! | A13, SQL table | class without alarm or SQL | every class has both |

/// The same test on either store.
macro_rules! on_both_stores {
    ($($(#[$doc:meta])* $name:ident($world:ident) $body:block)*) => {$(
        $(#[$doc])*
        #[test]
        fn $name() {
            fn on<S: $crate::kernel::storage::Store>() {
                let mut $world = super::world::World::<S>::of(super::world::Setting::default());
                $body
            }
            on::<$crate::kernel::storage::model::ModelStore>();
            on::<$crate::kernel::storage::sqlite::SqliteStore>();
        }
    )*};
}

mod alarm_ends;
mod alarm_manager;
mod alarms;
mod audits;
mod broker;
mod calls;
mod cancels;
mod clocks;
mod clogs;
mod commit_faults;
mod commits;
mod deploys;
mod digests;
mod duplicates;
mod episodes;
mod evictions;
mod gates;
mod isolates;
mod order;
mod overload;
mod partitions;
mod perpetual;
mod queue;
mod recreations;
mod reset_causes;
mod resets;
mod retries;
mod rewinds;
mod rollbacks;
mod script;
mod sections;
mod services;
mod stale;
mod storage_errors;
mod stubs;
mod transactions;
mod turns;
mod waits;
mod world;
